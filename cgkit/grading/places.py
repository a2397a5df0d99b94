"""Where a class lies, read from the same file as nbgrader reads.

    nbgrader_config.py ──► Places(root, ...)
        .source("01_graphs")               solutions/01_graphs/01_graphs.ipynb
        .notebooks("02_two")               ("02a_one", "02b_other"), where there are several
        .handed_in("ada", "01_graphs")     classes/submitted/ada/01_graphs
        .marked("ada", "01_graphs")        classes/autograded/ada/01_graphs/01_graphs.ipynb
        .gradebook                         sqlite:////.../classes/gradebook.db

Whoever moves a class, or its gradebook to a PostgreSQL server, says so there once.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cgkit.errors import EnvironmentFault

CONFIG = "nbgrader_config.py"


@dataclass(frozen=True)
class Places:
    """The folders of a course and of one class."""

    root: Path
    """The folder of the course."""
    solutions: Path
    """Assignments with answers and hidden tests."""
    submitted: Path
    """What students handed in: STUDENT/ASSIGNMENT/."""
    autograded: Path
    """Marked notebooks, as formgrader shows them: STUDENT/ASSIGNMENT/."""
    gradebook: str
    """The address of the gradebook."""
    course: str = "cgkit"
    """The name of the course in it."""

    @property
    def home(self) -> Path:
        """The folder of the class."""
        return self.submitted.parent

    @property
    def kept(self) -> Path:
        """What grading remembers: its secret, and results that need not be found again."""
        return self.home / "grading"

    @property
    def grades(self) -> Path:
        """The table of grades."""
        return self.home / "grades.csv"

    def source(self, assignment: str, notebook: str = "") -> Path:
        """Give a notebook of an assignment with its answers; the only one, or one by its name."""
        return self.solutions / assignment / f"{notebook or assignment}.ipynb"

    def notebooks(self, assignment: str) -> tuple[str, ...]:
        """Name the notebooks of an assignment: the one that is called like it, or else all."""
        if self.source(assignment).is_file():
            return (assignment,)
        return tuple(sorted(path.stem for path in (self.solutions / assignment).glob("*.ipynb")))

    def assignments(self) -> tuple[str, ...]:
        """Name the assignments that there are."""
        found = {path.parent.name for path in self.solutions.glob("*/*.ipynb")}
        return tuple(sorted(found))

    def handed_in(self, student: str, assignment: str) -> Path:
        """Give the folder in which a student's work lies."""
        return self.submitted / student / assignment

    def marked(self, student: str, assignment: str, notebook: str = "") -> Path:
        """Give the place of a marked notebook."""
        name = f"{notebook or assignment}.ipynb"
        return self.autograded / safe_id(student) / assignment / name

    def students(self, assignment: str) -> tuple[str, ...]:
        """Name all who handed something in, in order; a folder without a notebook counts."""
        return tuple(sorted(self._students(assignment)))

    def _students(self, assignment: str) -> Iterator[str]:
        try:
            entries = list(os.scandir(self.submitted))
        except FileNotFoundError:
            return
        for entry in entries:
            if not entry.name.startswith(".") and os.path.lexists(Path(entry.path, assignment)):
                yield entry.name

    def secret(self) -> bytes:
        """Give what decides the hidden seeds of this class; it is made once, and never shown."""
        path = self.kept / "secret"
        if not path.exists():
            self.kept.mkdir(parents=True, exist_ok=True)
            fresh = self.kept / f"secret.{os.getpid()}"
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_hex(32).encode())
            if path.exists():  # another process was quicker
                fresh.unlink()
            else:
                fresh.replace(path)
        return path.read_bytes()


def safe_id(name: str) -> str:
    r"""Give the name of a student's folder as gradebook, nbgrader and a terminal can take it.

    Two names never become one: what had to be changed carries a sum of what it was.

    Examples
    --------
    >>> safe_id("zoë"), safe_id("a\udcffb"), safe_id("new\nline")
    ('zoë', 'a_b-01ce0241', 'new_line-58fb6729')
    """
    shown = "".join(one if one.isprintable() else "_" for one in name)
    if shown == name:
        return name
    whole = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{shown[:100]}-{whole[:8]}"


def read_places(root: Path) -> Places:
    """Read where a class lies.

    Parameters
    ----------
    root
        The folder with nbgrader_config.py.

    Raises
    ------
    EnvironmentFault
        There is no such file, or it cannot be read.
    """
    from traitlets.config.loader import PyFileConfigLoader

    try:
        found = PyFileConfigLoader(CONFIG, path=str(root)).load_config().CourseDirectory
        return _places(root, {name: str(found[name]) for name in found})
    except Exception as error:  # a file of the teacher's own: anything can go wrong in it
        what = f"{root / CONFIG} cannot be read"
        raise EnvironmentFault(what, why=f"{type(error).__name__}: {error}") from error


def _places(root: Path, found: dict[str, str]) -> Places:
    top = Path(found.get("root") or root)
    folder = {
        name: top / found.get(f"{name}_directory", name)
        for name in ("source", "submitted", "autograded")
    }
    return Places(
        root=top,
        solutions=folder["source"],
        submitted=folder["submitted"],
        autograded=folder["autograded"],
        gradebook=found.get("db_url") or f"sqlite:///{top / 'gradebook.db'}",
        course=found.get("course_id") or "default_course",
    )
