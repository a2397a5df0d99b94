"""What runs inside the sandbox, beside the student's code. Nothing here is worth reading.

    zygote ──fork──► fence ──► worker ──► the student's cells
                                 └ standins, capture, handles, magics

These files are copied into the sandbox under their own names, together with `codec`, `kinds`,
`frames` and `cgkit.errors`; the rest of cgkit is not there. They may import those four, the
standard library and NumPy, at their top only: once a worker runs, `cgkit` is the student edition.
"""
