"""The suite `autograd`: each file of autograd's tests, run by pytest over the shim.

    test_numpy.py ─ pytest, in a process of its own ─> report ─> an Outcome for each test

The denominators are the tests that autograd 1.9.1 itself passes, 618: a file that cannot be read,
or has fewer tests here, counts what lacks as not tried. cgkit has no complex numbers, no Fourier
transforms and no decompositions of matrices, so that not all can pass.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from cgkit.conformance.hips import source
from cgkit.conformance.suite import Case, Suite
from cgkit.conformance.tally import Outcome, not_tried

READINGS = ("test",)
FILES = {
    "binary_ops": 10, "builtins": 1, "complex": 6, "core": 12, "dict": 7, "direct": 4, "fft": 43,
    "graphs": 19, "jacobian": 4, "linalg": 63, "list": 6, "logic": 6, "misc": 7, "numpy": 108,
    "scalar_ops": 42, "scipy": 89, "systematic": 139, "tests": 2, "truediv": 1, "tuple": 4,
    "ufunc_dispatch": 5, "vspaces": 7, "wrappers": 33,
}  # fmt: skip
"""How many tests of each file autograd itself passes."""
WANTED = 350
WHY = {"scipy": "the shim has no scipy"}
"""Why tests of a file are not there."""
PLUGIN = "cgkit.conformance.hips.shim"
MINUTES = 10
NOT_PASSED_ON = ("PYTEST_ADDOPTS", "PYTHONOPTIMIZE")
"""Variables that would change what a test says: without asserts, all that runs would pass."""


def prepare(folder: Path) -> list[Case]:
    """Make a case of each file."""
    tests = source.unpacked(folder)
    return [
        Case(name, name, partial(run_file, tests / f"test_{name}.py", name, size), size)
        for name, size in FILES.items()
    ]


def run_file(path: Path, group: str, size: int) -> Sequence[Outcome]:
    """Run one file of tests, and give an outcome for each that autograd passes."""
    with tempfile.TemporaryDirectory() as place:
        settings, report = Path(place) / "pytest.ini", Path(place) / "report.xml"
        settings.write_text("[pytest]\n", encoding="utf-8")
        words = ["-c", str(settings), "--rootdir", str(path.parent), "-p", PLUGIN]
        words += ["-p", "no:cacheprovider", "-q", "-W", "ignore", f"--junit-xml={report}"]
        outer = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words, path.name],
            cwd=path.parent,
            env={**outer, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60 * MINUTES,
        )
        text = report.read_text(encoding="utf-8") if report.exists() else "<none/>"
    outcomes, lacking = read_report(text, group)
    why = WHY.get(group) or lacking or f"pytest leaves with {done.returncode}"
    return [*outcomes, *not_tried(group, READINGS, size - len(outcomes), why)]


def read_report(report: str, group: str) -> tuple[list[Outcome], str]:
    r"""Read pytest's report: an outcome a test that was run, and why others were not.

    Examples
    --------
    >>> test = '<testcase name="f"><failure message="no&#10;why"/></testcase>'
    >>> read_report(f"<a>{test}</a>", "g")
    ([Outcome(group='g', failed=('test',), reason='no')], '')
    """
    outcomes, lacking = [], ""
    for case in ElementTree.fromstring(report).iter("testcase"):
        found = {part.tag: part.get("message", "") for part in case}
        if "error" in found and not case.get("classname"):  # the file could not be read
            lacking = _last(case.find("error"))
        elif "skipped" not in found:
            failed = found.get("failure", found.get("error"))
            why = "" if failed is None else failed.strip().splitlines()[0] if failed else "it fails"
            outcomes.append(Outcome(group, () if failed is None else READINGS, why))
    return outcomes, lacking


def _last(part: ElementTree.Element | None) -> str:
    """Give the error at the end of a traceback."""
    text = part.text if part is not None else ""
    lines = [line[1:].strip() for line in (text or "").splitlines() if line.startswith("E")]
    return lines[-1] if lines else "the file cannot be read"


def versions() -> str:
    """Name what is run."""
    return source.WHOLE


AUTOGRAD = Suite(
    "autograd",
    "the tests of HIPS autograd 1.9.1, over a shim",
    prepare,
    READINGS,
    needs=("pytest",),
    wanted=100.0 * WANTED / sum(FILES.values()),
    wanted_each=0.0,
    versions=versions,
    fetch=source.fetch,
)
