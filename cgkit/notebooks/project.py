"""Where the texts, the notebooks and the classes of a course lie.

    course/01_graphs.py     ──► course/01_graphs.ipynb
    solutions/01_graphs.py  ──► solutions/01_graphs/01_graphs.ipynb
                            ──► assignments/01_graphs/01_graphs.ipynb
    course/02_static_dynamic.py
    solutions/02a_dynamic.py ──► solutions/02_static_dynamic/02a_dynamic.ipynb
    solutions/02b_static.py  ──► solutions/02_static_dynamic/02b_static.ipynb

An assignment of several notebooks has a text for each, with a letter behind the number; its folder
is called like the chapter of that number. Texts lie beside the folder of their assignment, never in
it: nbgrader hands to students whatever lies in that folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from cgkit.errors import EnvironmentFault, UsageFault

MARKER = "nbgrader_config.py"
TEXT_NAME = re.compile(r"(?P<number>\d\d)(?P<part>[a-z]?)_(?P<topic>\w+)")


@dataclass(frozen=True)
class Text:
    """One source text of the course and the places of what is built from it."""

    path: Path
    """The text itself."""
    kind: Literal["chapter", "assignment"]
    """Whether it is read or worked on."""
    built: Path
    """The notebook built from it; of an assignment, the one with the answers."""
    released: Path | None
    """What students receive of an assignment; None for a chapter."""

    @property
    def name(self) -> str:
        """Name of the notebook, as in ``"01_graphs"``."""
        return self.path.stem

    @property
    def assignment(self) -> str:
        """Name of the assignment, which is that of its folder; of a chapter, its own."""
        return self.built.parent.name if self.kind == "assignment" else self.name

    @property
    def source(self) -> str:
        """Name of the text for messages, as in ``"course/01_graphs.py"``."""
        return f"{self.path.parent.name}/{self.path.name}"


@dataclass(frozen=True)
class Project:
    """The folder of a course."""

    root: Path
    """The folder that holds ``nbgrader_config.py``, absolute."""

    @property
    def solutions(self) -> Path:
        """Texts and notebooks with answers; never handed out."""
        return self.root / "solutions"

    @property
    def assignments(self) -> Path:
        """What students receive to work on."""
        return self.root / "assignments"

    @property
    def build(self) -> Path:
        """What can be made again at any time."""
        return self.root / "build"

    @property
    def classroom(self) -> Path:
        """The sample class that `cgkit demo` grades."""
        return self.root / "tests" / "classroom"

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """Every text of the course, chapters first, by name."""
        chapters = (
            Text(path, "chapter", path.with_suffix(".ipynb"), None)
            for path in _texts(self.root / "course")
        )
        return (*chapters, *(self._assignment(path) for path in _texts(self.solutions)))

    @property
    def lessons(self) -> dict[str, tuple[Text, ...]]:
        """The texts of each assignment, by its name."""
        found: dict[str, tuple[Text, ...]] = {}
        for text in self.texts:
            if text.kind == "assignment":
                found[text.assignment] = (*found.get(text.assignment, ()), text)
        return found

    def select(self, names: Iterable[str]) -> tuple[Text, ...]:
        """Choose texts by name, by path, or all of them when there is no name.

        Parameters
        ----------
        names
            Each is a name (``01_graphs``, both the chapter and the assignment), a folder
            (``course``), the name of an assignment of several texts, or the path of a text or of a
            notebook built from it.

        Returns
        -------
        tuple of Text
            The texts that fit any of the names, in the order of `texts`.

        Raises
        ------
        UsageFault
            A name fits no text.
        """
        wanted = tuple(names)
        for name in wanted:
            if not any(self._fits(text, name) for text in self.texts):
                known = ", ".join(text.source for text in self.texts) or "none"
                raise UsageFault(f"there is no text {name!r}", why=f"texts here: {known}")
        if not wanted:
            return self.texts
        return tuple(text for text in self.texts if any(self._fits(text, name) for name in wanted))

    def relative(self, path: Path) -> str:
        """Name a path as one would type it from the root."""
        inside = path.is_relative_to(self.root)
        return path.relative_to(self.root).as_posix() if inside else str(path)

    def _assignment(self, path: Path) -> Text:
        place = Path(self._folder(path)) / f"{path.stem}.ipynb"
        return Text(path, "assignment", self.solutions / place, self.assignments / place)

    def _folder(self, path: Path) -> str:
        """Name the folder of an assignment that a text belongs to."""
        found = TEXT_NAME.fullmatch(path.stem)
        if found is None or not found["part"]:
            return path.stem
        number = found["number"]
        course = _texts(self.root / "course")
        chapters = [one.stem for one in course if one.stem.startswith(f"{number}_")]
        topics = [
            one["topic"]
            for text in _texts(self.solutions)
            if (one := TEXT_NAME.fullmatch(text.stem)) and one["part"] and one["number"] == number
        ]
        return chapters[0] if chapters else "_".join([number, *topics])

    def _fits(self, text: Text, name: str) -> bool:
        place = name.rstrip("/").removeprefix("./")
        paths = (text.path, text.path.parent, text.built, text.built.parent, text.released)
        known = {self.relative(path) for path in paths if path is not None}
        known |= {text.name, text.assignment}
        return place in known or Path(place).absolute() in paths


def find_project(start: Path) -> Project:
    """Find the course that a folder belongs to.

    Parameters
    ----------
    start
        Where to begin; the folders above it are searched too, then the one cgkit came from.

    Returns
    -------
    Project
        The course found.

    Raises
    ------
    EnvironmentFault
        There is none.
    """
    above = start.resolve()
    home = Path(__file__).resolve().parents[2]
    for folder in (above, *above.parents, home):
        if (folder / MARKER).is_file():
            return Project(folder)
    raise EnvironmentFault(
        f"no course in {start} or the folders above it",
        why=f"a course has a file {MARKER} at its root",
        attempt="changing into the folder that you cloned",
    )


def _texts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if TEXT_NAME.fullmatch(path.stem))
