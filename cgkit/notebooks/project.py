"""Where the texts, the notebooks and the classes of a course lie.

    course/01_graphs.py     ──► course/01_graphs.ipynb
    solutions/01_graphs.py  ──► solutions/01_graphs/01_graphs.ipynb
                            ──► assignments/01_graphs/01_graphs.ipynb

Texts lie beside the folder of their assignment, never in it: nbgrader hands to students whatever
lies in that folder.
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
TEXT_NAME = re.compile(r"\d\d_\w+")


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

    def select(self, names: Iterable[str]) -> tuple[Text, ...]:
        """Choose texts by name, by path, or all of them when there is no name.

        Parameters
        ----------
        names
            Each is a name (``01_graphs``, both the chapter and the assignment), a folder
            (``course``), or the path of a text or of a notebook built from it.

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
        place = Path(path.stem) / f"{path.stem}.ipynb"
        return Text(path, "assignment", self.solutions / place, self.assignments / place)

    def _fits(self, text: Text, name: str) -> bool:
        place = name.rstrip("/").removeprefix("./")
        paths = (text.path, text.path.parent, text.built, text.built.parent, text.released)
        known = {self.relative(path) for path in paths if path is not None}
        return place == text.name or place in known or Path(place).absolute() in paths


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
