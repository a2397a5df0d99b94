"""The folder that students get: the course without anything that tells answers.

    this folder ──copy_for_students──► start.py  README.md  course/  assignments/  cgkit/ ...

What goes is named; whatever is not named stays. Of cgkit all goes that a student's commands reach
by their imports, and all of the framework; grading, building and their commands stay behind.

Checks must know right answers to compare with. So cgkit/checks goes sealed: it runs as ever, and
nobody reads an answer by opening a file or searching a folder. A seal keeps nothing from those who
mean to break it; marks are made elsewhere, where nothing of cgkit/checks can be reached.

Invariants: no solutions/, no tests/, no class, no history; no line that is hidden in a solution.
"""

from __future__ import annotations

import ast
import base64
import re
import shutil
import tempfile
import textwrap
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from cgkit.cells import read
from cgkit.errors import NotebookError, UsageFault
from cgkit.notebooks.build import is_current
from cgkit.notebooks.project import Project
from cgkit.notebooks.release import IGNORED, leaks

FILES = (
    "start.py", "pyproject.toml", "requirements.lock", "environment.yml", "nbgrader_config.py",
    "LICENSE", "LICENSE-course", ".gitignore",
)  # fmt: skip
VERBS = ("doctor", "lab", "check", "hint", "draw", "running")
"""The modules of the commands that students have; `run` is in `running`."""
SECTIONS = ("Begin", "If you are a student", "With conda", "License")
"""The parts of README.md that are for them."""
TEACHERS = ("cli", "notebooks", "grading", "bench", "conformance")
"""Packages of which only goes what a student's command needs."""
SEALED = ("checks",)
"""Packages whose text is not to be read."""
RUN = 2
"""Hidden lines that must follow one another to count in a chapter or in cgkit itself."""

_SEAL = """# A check: it knows right answers, so its text is packed. It runs as ever.
import base64
import zlib

_PACKED = (
{lines}
)
exec(compile(zlib.decompress(base64.b85decode(_PACKED)), __file__, "exec"))
"""
_LINES_OF_BEGIN = ("demo ", "test ")


def copy_for_students(project: Project, folder: Path) -> list[Path]:
    """Write the folder that students get.

    Parameters
    ----------
    project
        The course.
    folder
        Where it goes; made, and refused if something lies there.

    Returns
    -------
    list of Path
        The files written, relative to the folder.

    Raises
    ------
    UsageFault
        The folder is not empty, or is the course itself.
    NotebookError
        Something is out of date, or a line of an answer would be given away.
    """
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageFault(f"{folder} is not empty", attempt="a folder that does not exist yet")
    if folder.is_relative_to(project.assignments) or folder.is_relative_to(project.solutions):
        raise UsageFault(f"{folder} lies among the assignments", attempt="a place outside")
    for text in project.texts:
        if not is_current(text):
            reason = f"{project.relative(text.built)} is older than {text.source}"
            raise NotebookError(reason, attempt="cgkit build")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".student-copy-") as place:
        made = Path(place) / "made"
        for source in originals(project):
            target = made / source.relative_to(project.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            place_in = source.relative_to(project.root).parts
            if source.suffix == ".py" and place_in[0] == "cgkit" and place_in[1] in SEALED:
                target.write_text(sealed(source.read_text(encoding="utf-8")), encoding="utf-8")
            else:
                shutil.copyfile(source, target)
        readme = (project.root / "README.md").read_text(encoding="utf-8")
        (made / "README.md").write_text(for_students(readme), encoding="utf-8")
        refuse_leaks(project, made)
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def originals(project: Project) -> Iterator[Path]:
    """Walk over the files that are copied as they are."""
    for name in FILES:
        if (project.root / name).exists():
            yield project.root / name
    for text in project.texts:
        if text.kind == "chapter":
            yield from (text.path, text.built)
        elif text.released is not None:
            yield from _all_in(text.released.parent)
    yield from library(project.root)


def _all_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part in IGNORED for part in path.parts):
            yield path


def library(root: Path) -> Iterator[Path]:
    """Walk over the files of cgkit that students get.

    Parameters
    ----------
    root
        The folder that holds cgkit/.
    """
    needed = reached(root, [f"cgkit.cli.{verb}" for verb in VERBS])
    for path in _all_in(root / "cgkit"):
        unit = path.relative_to(root / "cgkit").parts[0]
        if unit not in TEACHERS or path in needed:
            yield path


def reached(root: Path, modules: Iterable[str]) -> set[Path]:
    """Find the files that some modules reach by their imports, those in functions included."""
    found: set[Path] = set()
    waiting = [*modules]
    while waiting:
        name = waiting.pop()
        path = _file_of(root, name)
        if path is None or path in found:
            continue
        found.add(path)
        waiting.append(name.rpartition(".")[0])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def _file_of(root: Path, name: str) -> Path | None:
    place = root.joinpath(*name.split("."))
    choices = (place.with_suffix(".py"), place / "__init__.py")
    if not name.startswith("cgkit"):
        return None
    return next((path for path in choices if path.is_file()), None)


def sealed(text: str) -> str:
    r"""Give a Python file that does the same as another and does not show it.

    Examples
    --------
    >>> names = {"__file__": "there.py"}
    >>> exec(sealed("answer = 6 * 7"), names)
    >>> names["answer"], "6 * 7" in sealed("answer = 6 * 7")
    (42, False)
    """
    packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode()
    lines = "\n".join(f'    "{line}"' for line in textwrap.wrap(packed, 90, break_on_hyphens=False))
    return _SEAL.format(lines=lines)


def for_students(readme: str) -> str:
    """Give the parts of a README that are for students.

    Raises
    ------
    NotebookError
        A part is missing.
    """
    top, *parts = readme.split("\n## ")
    titled = {part.partition("\n")[0]: part for part in parts}
    missing = [title for title in SECTIONS if title not in titled]
    if missing:
        raise NotebookError(f"README.md has no part named {', '.join(missing)}")
    text = "\n## ".join([top, *(titled[title] for title in SECTIONS)])
    lines = [
        line
        for line in text.split("\n")
        if not line.strip().startswith(tuple(f"python start.py {verb}" for verb in _LINES_OF_BEGIN))
        and "CONTRIBUTING" not in line
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def refuse_leaks(project: Project, folder: Path) -> None:
    """Refuse to hand out what holds a line of an answer or of a hidden test.

    One such line is too many in what was made from the solution; elsewhere, where the same idea may
    be written down honestly, it takes two in a row.

    Raises
    ------
    NotebookError
        There is one; the message names the file and the line.
    """
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    released = [path for path in files if path.is_relative_to(folder / "assignments")]
    for text in project.texts:
        if text.kind != "assignment":
            continue
        cells = read(text.path, text.source)
        assert text.released is not None
        siblings = {f"{one.name}.ipynb" for one in project.lessons[text.assignment]} - {
            text.released.name
        }
        own = [
            path
            for path in released
            if path.parent.name == text.assignment and path.name not in siblings
        ]
        others = [path for path in files if path not in own]
        for received, run in ((own, 1), (others, RUN)):
            for path, line in leaks(cells, received, run=run):
                what = f"{path.relative_to(folder)} would give away an answer of {text.name}"
                raise NotebookError(what, why=f"it holds the line: {line}")
