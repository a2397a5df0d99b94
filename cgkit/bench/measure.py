"""Measure one case: open a process for each peer, compare outputs, then time them in turn.

    open A, B, C  ──►  outputs equal?  ──►  calibrate  ──►  A B C  A B C  A B C ...  ──►  Outcome
          │                  │ no                            until rounds or seconds are used up
          └ fault            └ faults, and nothing is timed

Taking turns spreads what disturbs over all. Whoever is not installed is named and left out.
"""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cgkit.bench.process import PeerFault, PeerProcess
from cgkit.bench.row import Case, Form, Outputs, Peer, address
from cgkit.bench.timing import Timing, ratio


@dataclass(frozen=True)
class Settings:
    """How long to measure."""

    seconds: float = 10.0
    """For the rounds of one case; the round that begins within them is finished."""
    rounds: int = 25
    """How many rounds are enough."""
    batch: float = 0.01
    """How long the calls of one turn last at least, so that the clock is fine enough."""
    patience: float = 120.0
    """How long one answer may take: importing a large framework, compiling a kernel."""
    pause: float = 0.02
    """Between turns with several threads: idle threads go on waiting busily for a while."""


@dataclass(frozen=True)
class Measured:
    """The times of one form of one peer."""

    peer: str
    form: Form
    calls: int
    """How many calls made one turn."""
    timing: Timing


@dataclass(frozen=True)
class Outcome:
    """What was found out about a case."""

    case: Case
    measured: tuple[Measured, ...] = ()
    """A form of a peer each; none when outputs differ."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Peers that are not installed: the package that each lacks."""
    faults: tuple[str, ...] = ()
    """What is wrong, a sentence each."""

    def best(self, peer: str) -> Measured | None:
        """Give the faster form of a peer, by the median."""
        of_peer = [one for one in self.measured if one.peer == peer]
        return min(of_peer, key=lambda one: one.timing.median, default=None)

    @property
    def ours(self) -> Measured | None:
        """Our faster form, which all others are compared with."""
        return self.best(self.case.row.ours.name)

    @property
    def ratios(self) -> dict[str, float]:
        """For each peer, the median of its faster form, divided by ours."""
        return self._ratios(lambda timing: timing.median)

    @property
    def ratios_of_minima(self) -> dict[str, float]:
        """The same by minima."""
        return self._ratios(lambda timing: timing.minimum)

    def _ratios(self, of: Callable[[Timing], float]) -> dict[str, float]:
        ours = self.ours
        found = {peer.name: self.best(peer.name) for peer in self.case.row.peers[1:]}
        return {
            name: ratio(of(theirs.timing), of(ours.timing))
            for name, theirs in found.items()
            if ours is not None and theirs is not None
        }


@dataclass(frozen=True)
class Lane:
    """One form of one peer, in its process."""

    peer: Peer
    form: Form
    process: PeerProcess

    @property
    def name(self) -> str:
        """The peer, and the form where it has two."""
        return self.peer.name if len(self.peer.forms) == 1 else f"{self.peer.name}, {self.form}"


def measure(case: Case, settings: Settings) -> Outcome:
    """Measure a row at one size with so many threads.

    Parameters
    ----------
    case
        What to measure.
    settings
        How long.

    Returns
    -------
    Outcome
        Times, or faults: a peer's outputs differ, or ours does not run.
    """
    row = case.row
    absent = {peer.name: peer.package for peer in row.peers if not installed(peer)}
    faults: list[str] = []
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        lanes = []
        for peer in [peer for peer in row.peers if peer.name not in absent]:
            for form in peer.forms:
                process = stack.enter_context(PeerProcess(peer.name, case.threads, scratch))
                lane = Lane(peer, form, process)
                if _opens(case, lane, settings, faults):
                    lanes.append(lane)
        outputs = collect(lanes, scratch, settings, faults)
        if complaints := compare(case, outputs):
            return Outcome(case, (), absent, (*faults, *complaints))
        try:
            measured = in_turn(list(outputs), settings)
        except PeerFault as fault:
            return Outcome(case, (), absent, (*faults, str(fault)))
    return Outcome(case, measured, absent, tuple(faults))


def installed(peer: Peer) -> bool:
    """Say whether the package of a peer is there, without importing it."""
    return not peer.package or importlib.util.find_spec(peer.package) is not None


def _opens(case: Case, lane: Lane, settings: Settings, faults: list[str]) -> bool:
    """Make a peer's work ready; note a fault and say whether there was none."""
    question = {"do": "open", "set_up": address(lane.peer.forms[lane.form]), "size": case.values}
    try:
        lane.process.ask(question, settings.patience)
    except PeerFault as fault:
        faults.append(str(fault))
        return False
    return True


def collect(
    lanes: Sequence[Lane], scratch: Path, settings: Settings, faults: list[str]
) -> dict[Lane, Outputs]:
    """Let every peer work once, and read what it gives; who cannot is noted and left out."""
    found: dict[Lane, Outputs] = {}
    for number, lane in enumerate(lanes):
        file = scratch / f"outputs-{number}.npz"
        try:
            lane.process.ask({"do": "outputs", "file": str(file)}, settings.patience)
        except PeerFault as fault:
            faults.append(str(fault))
            continue
        with np.load(file, allow_pickle=False) as arrays:
            found[lane] = dict(arrays)
    return found


def compare(case: Case, outputs: Mapping[Lane, Outputs]) -> list[str]:
    """Say whose outputs are not as ours."""
    ours = next((found for lane, found in outputs.items() if lane.peer is case.row.ours), None)
    if ours is None:
        return [f"{case.row.ours.name} gives nothing to compare with"]
    judged = {lane: case.row.agree(ours, found, case.values) for lane, found in outputs.items()}
    return [f"nothing is timed: {lane.name} differs: {why}" for lane, why in judged.items() if why]


def in_turn(lanes: Sequence[Lane], settings: Settings) -> tuple[Measured, ...]:
    """Time each peer once a round, until the rounds or the seconds are used up."""
    end = time.monotonic() + settings.seconds
    question = {"do": "calibrate", "seconds": settings.batch}
    calls = [lane.process.ask(question, settings.patience)["calls"] for lane in lanes]
    rounds: list[list[float]] = []
    while len(rounds) < settings.rounds and (not rounds or time.monotonic() < end):
        rounds.append([])
        for lane, count in zip(lanes, calls, strict=True):
            time.sleep(settings.pause if lane.process.threads > 1 else 0)
            answer = lane.process.ask({"do": "time", "calls": count}, settings.patience)
            rounds[-1].append(answer["seconds"])
    columns = zip(*rounds, strict=True)
    return tuple(
        Measured(lane.peer.name, lane.form, count, Timing(seconds))
        for lane, count, seconds in zip(lanes, calls, columns, strict=True)
    )
