"""`cgkit conformance [SUITE]...`: what others' tests say of cgkit, a line for each operator.

    ✓ opinfo  add       11 of 11
    ✗ opinfo  softmax   3 of 4, forward 4
                        1 x gradient at (#): # is not #
    ✓ opinfo            2,080 of 2,083, 99.9%, 95% wanted, 90% of each, forward 2,083, ...

Without a name all suites run. Those that need what is not there are named, and fail with exit code
3. Only --fetch uses the network. What is done lies in build/conformance, so that after Ctrl-C a
second call goes on; a whole run leaves no such file.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from cgkit.cli.report import Item, Progress, Status, emit, explain, json_option, spoken
from cgkit.conformance.log import Log, fingerprint
from cgkit.conformance.suite import Case, Suite, run_cases
from cgkit.conformance.suites import SUITES, find_suite
from cgkit.conformance.tally import Outcome, Row, Tally
from cgkit.errors import EnvironmentFault
from cgkit.notebooks.project import find_project

REASONS = 4
"""How many sorts of reasons are written under a line."""


@dataclass(frozen=True)
class Line(Item):
    """An item with its counts."""

    passed: int = 0
    tried: int = 0
    readings: dict[str, int] = field(default_factory=dict)
    """How many passed in each reading."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Why the rest did not, and how many of each sort."""
    ways: dict[str, int] = field(default_factory=dict)
    """How many passed in which way, where the suite tells."""


@click.command()
@click.argument("names", nargs=-1, metavar="[SUITE]...")
@click.option("--fetch", is_flag=True, help="First fetch what a suite runs, by pip, into build/.")
@json_option
def command(names: tuple[str, ...], fetch: bool, as_json: bool) -> None:
    """Run tests that others wrote, and count what passes.

    Suites are opinfo, gradcheck, onnx, light and autograd; without a name all of them run. The
    tests of autograd are fetched only with --fetch, once. Exit code 1 says that less passed than
    should, 3 that something is not here.
    """
    folder = find_project(Path.cwd()).root / "build" / "conformance"
    suites = [find_suite(name) for name in dict.fromkeys(names)] or list(SUITES.values())
    lines: list[Item] = []
    logs: list[Log] = []
    code = 0
    for suite in suites:
        try:
            suite.require()
            if fetch and suite.fetch is not None:
                suite.fetch(folder)
            lines += run_suite(suite, folder, logs)
        except EnvironmentFault as error:
            lines.append(Line(suite.name, "failed", explain(error)))
            code = 3
        except KeyboardInterrupt:
            lines.append(Line(suite.name, "failed", stopped(logs, names)))
            code = 130
            break
    good = emit("conformance", lines, as_json)
    if code != 130:
        for log in logs:
            log.end()
    sys.exit(code or int(not good))


def run_suite(suite: Suite, folder: Path, logs: list[Log]) -> list[Line]:
    """Run one suite, or what an earlier call left of it; its log is one more of `logs`.

    Only when all suites are whole may their logs go: whoever stops in the last begins there again.
    """
    click.echo(f"{suite.name}: {suite.title}", err=True)
    cases, versions = suite.ready(folder)
    log = Log(folder / f"{suite.name}.jsonl", fingerprint(versions), not_kept)
    logs.append(log)
    done = log.read()
    log.start(done)
    if done:
        click.echo(f"going on after {len(done):,} of {len(cases):,} that are done", err=True)
    return list(lines_of(suite, Tally(suite.readings, watched(suite, cases, done, log))))


def not_kept(error: OSError) -> None:
    """Say that what is done is not written down."""
    click.echo(f"what is done cannot be kept: {explain(error)}", err=True)


def stopped(logs: Iterable[Log], names: Sequence[str]) -> str:
    """Say what a run that was stopped has kept, and what goes on with it."""
    count = sum(len(log.read()) for log in logs)
    again = spoken(" ".join(["conformance", *names]))
    return f"stopped; {count:,} done and kept: {again} goes on from here"


def watched(
    suite: Suite, cases: Sequence[Case], done: dict[str, list[Outcome]], log: Log
) -> Iterator[Outcome]:
    """Run the cases with a line of progress, and write each down."""
    ahead = [case for case in cases if case.name not in done]
    with Progress(suite.name, total=len(ahead)) as progress:

        def tell(case: Case, outcomes: Sequence[Outcome]) -> None:
            log.write(case.name, outcomes)
            progress.step(case.group)

        yield from run_cases(cases, suite.readings, done, tell)


def lines_of(suite: Suite, tally: Tally) -> Iterator[Line]:
    """Write a line for each group, and one for the suite.

    A group that has not passed wholly is a note while it has as much as it should.
    """
    for group, row in tally.rows.items():
        status: Status = "ok" if row.passed == row.tried else "note"
        status = "failed" if row.share() < suite.wanted_each else status
        yield line(f"{suite.name}  {group}", status, row, suite.readings)
    total = tally.total()
    good = suite.good(total, tally.rows)
    wanted = f"{total.share():.1f}%, {suite.wanted:.3g}% wanted"
    wanted += f", {suite.wanted_each:g}% of each" if suite.wanted_each else ""
    yield line(suite.name, "ok" if good else "failed", total, suite.readings, wanted)


def line(name: str, status: Status, row: Row, readings: Iterable[str], more: str = "") -> Line:
    """Write one line: the counts, those of readings, and the commonest reasons.

    Counts of readings are told where they differ from that of the whole, and in the last line.

    Examples
    --------
    >>> line("a", "ok", Row(1, 1), ("forward",)).as_text(2)
    '✓ a   1 of 1'
    """
    each = {name: row.reading(name) for name in readings}
    parts = [f"{row.passed:,} of {row.tried:,}", *filter(None, [more])]
    told = bool(more) and len(each) > 1
    parts += [f"{name} {n:,}" for name, n in each.items() if told or n != row.passed]
    parts += [f"{count:,} {way}" for way, count in row.ways.most_common() if more]
    common = row.reasons.most_common()
    texts = [f"{count:,} x {reason}" for reason, count in common[:REASONS]]
    if len(common) > REASONS:
        rest = sum(count for _, count in common[REASONS:])
        texts.append(f"{rest:,} x {len(common) - REASONS} other reasons")
    detail = "\n".join([", ".join(parts), *texts])
    return Line(name, status, detail, row.passed, row.tried, each, dict(common), dict(row.ways))
