"""The names a test cell sees: the instructor's own, and stand-ins for the student's.

    names["np"]      ──► what the given cells made of it
    names["mean"]    ──► asked inside, each time anew for data, once a cell for functions

Student variables called `np`, `check` or `score` never get here: only names that the author's own
answers bind are asked for. A name that a test cell binds itself is the test's from then on.
"""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cgkit.grading.link import Link
from cgkit.grading.outcomes import StudentError
from cgkit.grading.proxies import Function


class Namespace(dict[str, Any]):
    """Globals for given cells and test cells.

    Parameters
    ----------
    exported
        Names that are the student's.
    sources
        The texts of the student's cells, for `source`.
    prepared
        Names that were bound before, by given cells that are the same for everybody.
    """

    def __init__(
        self,
        exported: frozenset[str],
        sources: Callable[[str], str],
        prepared: Mapping[str, Any],
    ) -> None:
        super().__init__(prepared)
        self.link: Link | None = None
        self.broken: dict[str, str] = {}
        self._exported = set(exported)
        self._known: dict[str, Any] = {}
        self["__name__"] = "__main__"
        self["__builtins__"] = builtins
        self.setdefault("source", sources)
        self.setdefault("patch", self._patch)

    def begin(self) -> None:
        """Begin a cell: what was known of the student's names is asked anew."""
        self._known.clear()

    def kept(self) -> tuple[dict[str, Any], set[str]]:
        """Give what `restore` needs to forget all that is bound from now on."""
        return dict(self), set(self._exported)

    def restore(self, kept: tuple[dict[str, Any], set[str]]) -> None:
        """Let all names be bound as they were; objects that were changed stay changed."""
        self.clear()
        self.update(kept[0])
        self._exported = set(kept[1])

    def __getitem__(self, name: str) -> Any:
        if name in self._exported and self.link is not None:
            return self._ask(name)
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._exported.discard(name)
        super().__setitem__(name, value)

    def _ask(self, name: str) -> Any:
        assert self.link is not None
        if name in self._known:
            return self._known[name]
        try:
            value = self.link.get(name)
        except StudentError as error:
            if isinstance(error, NameError) and name in self.broken:
                raise error_with(error, self.broken[name]) from None
            raise
        if isinstance(value, Function):
            self._known[name] = value
        return value

    @contextlib.contextmanager
    def _patch(self, name: str, value: object) -> Iterator[None]:
        """Let a global of the student's hold another value for a while."""
        assert self.link is not None
        before = self.link.get(name)
        self._known.pop(name, None)
        self.link.set(name, value)
        try:
            yield
        finally:
            self.link.set(name, before)
            self._known.pop(name, None)


def error_with(error: StudentError, reason: str) -> StudentError:
    """Say why a name is not defined: its cell did not run to its end."""
    made = type(error)(f"{error}\n{reason}")
    made.where = error.where
    return made
