"""`cgkit test`: the tests of this project, by pytest; further words are pytest's.

    cgkit test                    the quick ones
    cgkit test -m oracle          those with a mark
    cgkit test tests/test_tree.py -k leaves

What a mark needs beside the test tools is installed by `python start.py test -m MARK`.
"""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import click

from cgkit.bench.machine import usable
from cgkit.cli.report import Item, emit, json_option
from cgkit.errors import EnvironmentFault
from cgkit.notebooks.project import find_project

# pytest: 0 passed, 1 failed, 2 stopped or not collected, 3 broken, 4 used wrongly, 5 none found
EXIT_CODES = {0: 0, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2}
ALONE = (
    "-n",
    "--numprocesses",
    "-k",
    "--lf",
    "--last-failed",
    "--pdb",
    "--collect-only",
    "--version",
)
"""Words of pytest that go without several processes, or say themselves how many."""


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST WORDS]...")
@json_option
def command(words: tuple[str, ...], as_json: bool) -> None:
    """Run the tests.

    All words are handed to pytest, for example -m oracle or -k broadcast. Exit code 2 also says
    that no test fits them.
    """
    if importlib.util.find_spec("pytest") is None:
        raise EnvironmentFault(
            "the test tools are not installed", attempt="python start.py test, which installs them"
        )
    root = find_project(Path.cwd()).root
    pytest = [sys.executable, "-m", "pytest", *beside(words), *words]
    if not as_json:
        sys.exit(our_code(subprocess.run(pytest, cwd=root, check=False).returncode))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.xml"
        done = subprocess.run(
            [*pytest, f"--junit-xml={file}"], cwd=root, stdout=sys.stderr, check=False
        )
        items = list(items_of(file.read_text(encoding="utf-8"))) if file.exists() else []
    code = our_code(done.returncode)
    if code and not any(item.status == "failed" for item in items):
        items.append(Item("pytest", "failed", f"exit code {done.returncode}"))
    emit("test", items, as_json=True)
    sys.exit(code)


def beside(words: Sequence[str], cores: int | None = None) -> list[str]:
    """Say how many processes share the tests: one for each core, up to four, for more than a few.

    Examples
    --------
    >>> beside(["-m", "oracle"], cores=2)
    ['--numprocesses=2', '--dist=worksteal']

    Whoever names files, looks for one test or debugs it is served sooner by one process.

    >>> beside(["tests/test_tree.py"], cores=2), beside(["--pdb"], cores=2), beside([], cores=1)
    ([], [], [])
    """
    cores = usable() if cores is None else cores
    few = any(Path(word.partition("::")[0]).exists() or word.startswith(ALONE) for word in words)
    return [] if few or cores < 2 else [f"--numprocesses={min(cores, 4)}", "--dist=worksteal"]


def our_code(code: int) -> int:
    """Translate an exit code of pytest."""
    return EXIT_CODES.get(code, 130)


def items_of(report: str) -> Iterator[Item]:
    """Read pytest's report: one item a test.

    Examples
    --------
    >>> report = '<a><testcase classname="m" name="f"><failure message="no"/></testcase></a>'
    >>> list(items_of(report))
    [Item(name='m::f', status='failed', detail='no')]
    """
    for case in ElementTree.fromstring(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        for kind in ("failure", "error", "skipped"):
            if (found := case.find(kind)) is not None:
                status = "skipped" if kind == "skipped" else "failed"
                yield Item(name, status, found.get("message", ""))  # type: ignore[arg-type]
                break
        else:
            yield Item(name, "ok")
