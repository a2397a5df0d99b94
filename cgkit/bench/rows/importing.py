"""Rows about beginning: what an import costs in a process that has just started.

    python -c "import cgkit"       cgkit itself and numpy below it
    python -c "import numpy"       numpy alone

The fresh process times its own import, so Python's start does not count. Bytecode lies ready, as it
does from the second start on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from cgkit.bench.agreement import close
from cgkit.bench.row import Peer, Row, Work

_PROGRAM = """
import json, time
start = time.perf_counter()
import {module}
seconds = time.perf_counter() - start
print(json.dumps([seconds, float({check})]))
"""
CHECKS = {
    "cgkit": "cgkit.Tensor([1.0, 2.0]).sum().item()",
    "numpy": "numpy.array([1.0, 2.0]).sum()",
}
"""For each module, what shows that it is there: all of it comes to 3."""


def import_cgkit() -> Work:
    """Make ready the import of cgkit."""
    return importing("cgkit")


def import_numpy() -> Work:
    """Make ready the import of numpy alone."""
    return importing("numpy")


def importing(module: str) -> Work:
    """Make ready a process that imports a module and says how long it took."""
    bytecode = tempfile.mkdtemp()  # among what the bench removes
    variables = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    program = _PROGRAM.format(module=module, check=CHECKS[module])

    def run() -> Any:
        words = [sys.executable, "-P", "-c", program]
        done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise RuntimeError(f"a process that imports {module} ends: {last[0]}")
        return json.loads(done.stdout)

    return Work(run, read=lambda found: {"sum": found[1]}, seconds=lambda found: float(found[0]))


def beside_numpy(medians: Mapping[str, float]) -> str:
    """Say what cgkit adds to the import of numpy.

    Examples
    --------
    >>> beside_numpy({"cgkit": 0.110, "numpy": 0.080})
    'cgkit adds 30 ms to numpy'
    """
    if not {"cgkit", "numpy"} <= set(medians):
        return ""
    return f"cgkit adds {(medians['cgkit'] - medians['numpy']) * 1e3:.0f} ms to numpy"


ROWS = (
    Row(
        name="import",
        what="import in a fresh process",
        peers=(Peer("cgkit", import_cgkit), Peer("numpy", import_numpy)),
        sizes={"bytecode ready": {}},
        agree=close(0.0),
        target="numpy and 50 ms",
        threads=(1,),
        remark=beside_numpy,
    ),
)
