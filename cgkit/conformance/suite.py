"""A suite: what to run, how much of it there is, and how much should pass.

    Suite ─ prepare(folder) ─> [Case, Case, ...]      each gives its outcomes when it is run
       │       └─ where it keeps what it was given by fetch(folder)
       └─ needs: packages, and the command that brings them

    run_cases(cases, done, tell) ─> outcomes    those of `done` are not run again

A case that breaks is an outcome, never a traceback: it counts as tried and not passed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cgkit.conformance.tally import Outcome, Row, not_tried
from cgkit.errors import EnvironmentFault


@dataclass(frozen=True)
class Case:
    """One piece of a suite, run as a whole."""

    name: str
    """Unlike that of any other case of the suite; the same in every run."""
    group: str
    run: Callable[[], Sequence[Outcome]]
    size: int = 1
    """How many outcomes it must give; what lacks is counted as not tried."""


@dataclass(frozen=True)
class Suite:
    """Tests that others wrote."""

    name: str
    title: str
    """What is tested, in a few words."""
    prepare: Callable[[Path], Sequence[Case]]
    """Make the cases, in the same order each time; may take seconds. Its folder is in build/."""
    readings: tuple[str, ...]
    needs: tuple[str, ...] = ()
    """Packages that must be importable."""
    wanted: float = 100.0
    """Which part of all should pass, in percent."""
    wanted_each: float = 100.0
    """Which part of every group should pass, in percent."""
    versions: Callable[[], str] = str
    """Name the versions of what is run; other ones, and what was done before is done again."""
    fetch: Callable[[Path], None] | None = None
    """Bring into the folder what is not a package; the only thing here that uses the network."""

    def require(self) -> None:
        """Check that what the suite needs is installed.

        Raises
        ------
        EnvironmentFault
            A package is missing; the message says which command brings it.
        """
        missing = [name for name in self.needs if importlib.util.find_spec(name) is None]
        if missing:
            raise EnvironmentFault(
                f"the suite '{self.name}' needs {' and '.join(missing)}, not installed here",
                attempt=f"python start.py conformance {self.name}, which installs what it needs",
            )

    def ready(self, folder: Path) -> tuple[Sequence[Case], str]:
        """Make the cases, and name the versions.

        Raises
        ------
        EnvironmentFault
            What the suite runs cannot be read: it is broken, or of another version.
        """
        try:
            return self.prepare(folder), self.versions()
        except EnvironmentFault:
            raise
        except Exception as error:  # whatever another's package raises
            raise EnvironmentFault(
                f"the suite '{self.name}' cannot be made ready",
                why=said(error),
                attempt=f"python start.py conformance {self.name}, which installs what it needs",
            ) from error

    def good(self, total: Row, rows: Mapping[str, Row]) -> bool:
        """Say whether as much passed as should; of nothing, not enough did."""
        each = all(row.share() >= self.wanted_each for row in rows.values())
        return total.tried > 0 and each and total.share() >= self.wanted


def run_cases(
    cases: Sequence[Case],
    readings: tuple[str, ...],
    done: Mapping[str, Sequence[Outcome]],
    tell: Callable[[Case, Sequence[Outcome]], None],
) -> Iterator[Outcome]:
    """Run what is not done yet, and give the outcomes of all.

    Parameters
    ----------
    cases
        In the order in which to run them.
    readings
        Those of the suite.
    done
        Outcomes of cases that ran before, by name.
    tell
        Called with each case that was run, and its outcomes.
    """
    for case in cases:
        outcomes = done.get(case.name)
        if outcomes is None:
            outcomes = outcomes_of(case, readings)
            tell(case, outcomes)
        yield from outcomes


def outcomes_of(case: Case, readings: tuple[str, ...]) -> Sequence[Outcome]:
    """Run one case; what it breaks with is the reason of all its outcomes.

    Examples
    --------
    >>> outcomes_of(Case("a", "add", lambda: [], size=1), ("forward",))
    [Outcome(group='add', failed=('forward',), reason='not tried')]
    """
    try:
        outcomes = list(case.run())
    except Exception as error:
        return [Outcome(case.group, readings, said(error))] * case.size
    return [*outcomes, *not_tried(case.group, readings, case.size - len(outcomes))]


def said(error: BaseException) -> str:
    r"""Give an error as one line.

    Examples
    --------
    >>> said(ValueError("no\nwhy"))
    'ValueError: no'
    """
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0].strip()}" if lines else type(error).__name__
