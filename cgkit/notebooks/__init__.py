"""From texts to notebooks, from notebooks to marks.

    text ──parse──► cells ──compose──► notebook ──run──► outputs ──checked──► stored
                                          └──nbgrader──► release ──► student ──► marks

`build` makes what changed, `verify` says what is out of date or would mislead a student,
`inspect_notebook` tells a student how each task stands, and `demo` grades the sample class. Nothing
here imports nbformat, nbclient or nbgrader before it needs them: each takes a second or more.
"""
