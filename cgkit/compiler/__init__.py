"""Functions compiled into graphs: traced, made ready, guarded, run.

step = compile(step)         a decorator, too
step(x)                      as before, but from the second call on the graph runs
print(step.explain())        what was compiled, and on what it depends

call ─ facts ─> a form whose guards hold ─> arrays ─> Executable ─> Tensors
└──── none: trace, passes, Executable: a new form, up to a limit

code, snapshot < facts, watching, lending < reads, calls, tracing, partition, executable
    < entry, explanation  <  compiled
"""

from cgkit.compiler.compiled import Compiled, compile
from cgkit.compiler.executable import Executable
from cgkit.compiler.explanation import Explanation

__all__ = ["Compiled", "Executable", "Explanation", "compile"]
