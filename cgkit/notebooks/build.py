"""Make the notebooks whose texts changed.

    course/NN.py     ──compose──► run ──► outputs looked at ──► course/NN.ipynb
    solutions/NN.py  ──compose──► solutions/NN/NN.ipynb ──nbgrader──► assignments/NN/

- What is current is left alone; the fingerprint in each notebook says which text it was made from.
- A file is written beside its place and then renamed: an interrupted build leaves the old one or
  the new one, and the next build goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from cgkit.cells import Cell, read
from cgkit.errors import NotebookError
from cgkit.files import write_whole
from cgkit.grading.master import read_master
from cgkit.grading.settings import edition_of
from cgkit.notebooks import outputs, release
from cgkit.notebooks.compose import compose, digest, dump, fingerprint_of
from cgkit.notebooks.project import Project, Text
from cgkit.notebooks.run import TIME_LIMIT, Limits, error_of, run

if TYPE_CHECKING:
    from nbformat import NotebookNode

CELL_SECONDS = 120.0
"""How long one cell of a chapter may take; slow machines build too."""

# pictures in stored notebooks come from one Graphviz, whatever the machine has
PREPARE = "import cgkit.render; cgkit.render.install(engine='bundled'); del cgkit"

Tell = Callable[[str], None]
"""Told in a few words what happens now."""


def untold(what: str) -> None:
    """Tell nobody."""


def build(
    project: Project,
    names: Iterable[str] = (),
    *,
    force: bool = False,
    tell: Tell = untold,
) -> list[str]:
    """Make every notebook that is not current.

    Parameters
    ----------
    project
        The course.
    names
        Which texts; all of them when empty.
    force
        Whether to make current ones too.
    tell
        Told what happens now.

    Returns
    -------
    list of str
        Names of the notebooks made, as one would type them from the root.

    Raises
    ------
    NotebookError
        A text cannot be read, a cell of it fails, or its outputs cannot be stored.
    """
    made: list[str] = []
    texts = project.select(names)
    for text in texts:
        if force or not is_current(text):
            tell(text.source)
            notebook = make(project, text, tell)
            write_whole(text.built, dump(notebook))
            made.append(project.relative(text.built))
    stale = [
        text
        for text in texts
        if text.released is not None and (force or not release_is_current(text))
    ]
    if stale:
        tell("releases")
        made += _release(project, stale)
    return made


def is_current(text: Text) -> bool:
    """Say whether the notebook of a text was made from it as it stands."""
    return text.built.is_file() and fingerprint_of(text.built) == digest(_read(text))


def release_is_current(text: Text) -> bool:
    """Say whether what students receive was made from a text and its folder as they stand."""
    if text.released is None or fingerprint_of(text.released) != digest(_read(text)):
        return False
    source, released = (
        {name: data for name, data in release.files(folder).items() if not _is_notebook(name)}
        for folder in (text.built.parent, text.released.parent)
    )
    return source == released


def make(project: Project, text: Text, tell: Tell = untold) -> NotebookNode:
    """Make the notebook of a text, run if it is a chapter.

    Raises
    ------
    NotebookError
        The text cannot be read, a cell of it fails, or its outputs cannot be stored.
    """
    cells = read(text.path, text.source)
    _check_kind(text, cells)
    notebook = compose(cells, source=text.source, fingerprint=digest(_read(text)))
    if text.kind == "chapter":
        return _ran(project, text, cells, notebook, tell)
    try:
        edition_of(read_master(notebook))
    except NotebookError as error:
        raise NotebookError(f"{text.source}: {error.what}", attempt=error.attempt) from error
    return notebook


def place_of(text: Text, cell: Cell) -> str:
    """Name the place of a cell in its text."""
    return f"{text.source}, cell at line {cell.line}"


def _read(text: Text) -> str:
    try:
        return text.path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        read(text.path, text.source)  # says what is wrong, and where
        raise


def _is_notebook(name: str) -> bool:
    return name.endswith(".ipynb")


def _check_kind(text: Text, cells: Sequence[Cell]) -> None:
    """Refuse cells that have no meaning in this kind of text."""
    for cell in cells:
        if text.kind == "chapter" and cell.role != "plain":
            raise NotebookError(f"{place_of(text, cell)}: {cell.role} belongs into solutions/")
        if text.kind == "assignment" and cell.volatile:
            raise NotebookError(f"{place_of(text, cell)}: volatile belongs into course/")


def _ran(
    project: Project, text: Text, cells: Sequence[Cell], notebook: NotebookNode, tell: Tell
) -> NotebookNode:
    """Run a chapter and check what is to be stored of it."""
    limits = Limits(cell=CELL_SECONDS, stop_at_error=True, prepare=PREPARE)
    ran = run(
        notebook,
        text.path.parent,
        limits,
        step=lambda number, total: tell(f"{text.source}: cell {number} of {total}"),
    )
    for cell, node in zip(cells, ran.cells, strict=True):
        if error := error_of(node):
            raise NotebookError(f"{place_of(text, cell)}: {_sentence(error)}")
    outputs.tidy(ran)
    faults = [
        f"{place_of(text, cells[index])}: {fault}"
        for index, fault in outputs.faults(ran, project.root)
    ]
    if faults:
        raise NotebookError("\n".join(faults))
    size = len(dump(ran).encode())
    if size > outputs.LARGEST:
        limit = f"{outputs.LARGEST / 1e6:g}"
        raise NotebookError(f"{text.source} gives {size / 1e6:.1f} MB, more than {limit} MB")
    return ran


def _sentence(error: NotebookNode) -> str:
    """Say in one line what an error output says."""
    if error.ename == TIME_LIMIT:
        return str(error.evalue)
    return f"{error.ename}: {error.evalue}"


def _release(project: Project, texts: Iterable[Text]) -> list[str]:
    """Make the releases of some assignments and put them in place."""
    texts = tuple(texts)
    names = tuple(dict.fromkeys(text.assignment for text in texts))
    with release.releases(project, names) as folder:
        for name in names:
            release.replace(folder / name, project.assignments / name)
    return [f"assignments/{text.assignment}/{text.name}.ipynb" for text in texts]
