"""`cgkit bench`: how long cgkit takes, beside others that do the same work.

    cgkit bench                   every row, beside the peers that are installed
    cgkit bench eager import      the rows whose names begin so
    cgkit bench --peers           beside all peers; `python start.py bench --peers` installs them

Times are told, never judged: it fails only where outputs differ or something does not run.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import click

from cgkit.bench import Case, Outcome, Row, Settings, measure
from cgkit.bench.machine import facts, usable
from cgkit.bench.measure import installed
from cgkit.bench.rows import ROWS
from cgkit.bench.table import RULE, heading, lines, remarks
from cgkit.bench.timing import duration, times
from cgkit.cli.report import Item, Progress, emit, fail, json_option
from cgkit.errors import EnvironmentFault, UsageFault

INSTALL = "python start.py bench --peers"
Say = Callable[[str], None]


@dataclass(frozen=True)
class BenchItem(Item):
    """One case in the report of --json, with the figures a program wants."""

    ratios: dict[str, float] = field(default_factory=dict)
    """A peer's median divided by our best: above 1, cgkit is faster."""
    ratios_of_minima: dict[str, float] = field(default_factory=dict)
    row: str = ""
    size: str = ""
    threads: int = 0
    times: tuple[dict[str, Any], ...] = ()
    """For each form of each peer: seconds, minimum and median, rounds, calls in each."""
    absent: tuple[str, ...] = ()
    """Peers that are not installed."""


@click.command()
@click.argument("names", nargs=-1, metavar="[ROW]...")
@click.option("--peers", "all_peers", is_flag=True, help="Refuse to go on without all peers.")
@click.option("--threads", type=click.IntRange(min=1), help="Only with so many threads.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.0),
    default=Settings.seconds,
    show_default=True,
    help="How long to time a row at one size, about.",
)
@click.option("--list", "only_list", is_flag=True, help="Name the rows and measure nothing.")
@json_option
def command(
    names: tuple[str, ...],
    all_peers: bool,
    threads: int | None,
    seconds: float,
    only_list: bool,
    as_json: bool,
) -> None:
    """Measure how long cgkit takes, beside others that do the same work.

    Each peer works in a process of its own, with the same threads and inputs. Their outputs are
    compared first; then they are timed in turn. Without ROW, all rows. Peers that are not
    installed are named and left out.
    """
    rows = chosen(names, ROWS)
    if only_list:
        emit("bench", [Item(row.name, "note", "\n".join(told(row))) for row in rows], as_json)
        return
    if all_peers:
        demand(rows)
    cases = [case for row in rows for case in row.cases([threads] if threads else [])]
    if not cases:
        raise UsageFault(f"no row is measured with {threads} threads", attempt="--threads 1")
    say = silent if as_json else click.echo
    items = [machine(rows, say)]
    try:
        measured(cases, Settings(seconds=seconds), items, say)
        code = int(any(item.status == "failed" for item in items))
    except KeyboardInterrupt:
        code = 130
    done = len(items) - 1
    if code == 130:
        items.append(BenchItem("stopped", "failed", f"after {done} of {len(cases)}"))
    say("\n".join(["", *([RULE] if any(item.ratios for item in items) else []), *missing(rows)]))
    if as_json:
        emit("bench", items, as_json=True)
    if code == 130:
        fail(f"stopped after {done} of {len(cases)}", code)
    sys.exit(code)


def silent(text: str) -> None:
    """Say nothing: with --json, one object is all that standard output holds."""


def machine(rows: Sequence[Row], say: Say) -> BenchItem:
    """Tell what of this machine bears on the times."""
    known = [f"{name:<10} {fact}" for name, fact in facts(packages(rows)).items()]
    say("\n".join(known))
    return BenchItem("machine", "note", "\n".join(known))


def measured(cases: Sequence[Case], settings: Settings, items: list[BenchItem], say: Say) -> None:
    """Measure one case after the other: each is an item, and told at once."""
    progress = Progress("measuring", total=len(cases))
    row: Row | None = None
    for case in cases:
        if case.threads > usable():
            why = f"{case.threads} threads need {case.threads} processors; {usable()} can be used"
            text = [f"  {case.title}: {why}"]
            items.append(BenchItem(named(case), "skipped", why, row=case.row.name))
        else:
            with progress:
                progress.step(f"{case.row.name}  {case.title}")
                outcome = measure(case, settings)
            text = lines(outcome)
            items.append(item_of(outcome))
        say("\n".join(["", *(heading(case.row) if case.row is not row else ()), *text]))
        row = case.row


def chosen(names: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    """Give the rows that are meant: by name, or by how names begin.

    Raises
    ------
    UsageFault
        No row is called so.
    """
    for name in names:
        if not any(row.name.startswith(name) for row in rows):
            all_names = [row.name for row in rows]
            near = get_close_matches(name, all_names, n=1, cutoff=0.4)
            attempt = f"'{near[0]}'" if near else ", ".join(all_names)
            raise UsageFault(f"there is no row '{name}'", attempt=attempt)
    return [row for row in rows if not names or row.name.startswith(tuple(names))]


def told(row: Row) -> list[str]:
    """Say of a row what it measures, beside whom, and what it aims at."""
    peers = ", ".join(peer.name for peer in row.peers[1:])
    return [row.what, f"beside {peers}", *([f"target  {row.target}"] if row.target else [])]


def packages(rows: Iterable[Row]) -> list[str]:
    """Name the packages whose versions bear on these rows, ours and numpy first."""
    named = (peer.package for row in rows for peer in row.peers)
    return list(dict.fromkeys(["cgkit", "numpy", *filter(None, named)]))


def lacking(rows: Iterable[Row]) -> list[str]:
    """Name the peers of these rows that are not installed."""
    peers = (peer for row in rows for peer in row.peers)
    return list(dict.fromkeys(peer.name for peer in peers if not installed(peer)))


def demand(rows: Iterable[Row]) -> None:
    """Demand that all peers are there.

    Raises
    ------
    EnvironmentFault
        One is not.
    """
    if names := lacking(rows):
        raise EnvironmentFault(f"not installed: {', '.join(names)}", attempt=INSTALL)


def missing(rows: Iterable[Row]) -> list[str]:
    """Say what brings the peers that are not installed."""
    names = lacking(rows)
    return [f"not installed: {', '.join(names)}; {INSTALL} installs them"] if names else []


def named(case: Case) -> str:
    """Name a case within the whole report."""
    return f"{case.row.name}: {case.title}"


def item_of(outcome: Outcome) -> BenchItem:
    """Turn an outcome into an item."""
    case, ours = outcome.case, outcome.ours
    said = [f"{case.row.ours.name} {duration(ours.timing.median)}"] if ours else []
    said += [f"{peer} {times(value)} times that" for peer, value in outcome.ratios.items()]
    said += [f"{peer} not installed ({INSTALL})" for peer in outcome.absent]
    return BenchItem(
        named(case),
        "failed" if outcome.faults else "ok",
        "\n".join([*filter(None, [", ".join(said)]), *remarks(outcome)]),
        ratios=outcome.ratios,
        ratios_of_minima=outcome.ratios_of_minima,
        row=case.row.name,
        size=case.size,
        threads=case.threads,
        times=tuple(
            {
                "peer": one.peer,
                "form": one.form,
                "minimum": one.timing.minimum,
                "median": one.timing.median,
                "rounds": one.timing.rounds,
                "calls": one.calls,
            }
            for one in outcome.measured
        ),
        absent=tuple(outcome.absent),
    )
