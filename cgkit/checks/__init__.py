"""What students call: `from cgkit.checks import graphs as check`, then `check.evaluate(evaluate)`.

    student's function ──► stages: type ► shape ► values ► invariants ► cost ──► Score
                             └ the first that fails: its smallest counterexample ──► CheckFailed

One module per assignment (`start`, `graphs`, ...), one function per task. What they share lies in
`failure` (the message), `plain` (student values as plain data), `runner` (calling and searching),
`task` (names, points, hints) and `dot` with `drawing` (pictures compared as graphs).
"""
