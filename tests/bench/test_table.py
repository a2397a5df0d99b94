"""The table: its lines, to the letter."""

from cgkit.bench.measure import Measured, Outcome
from cgkit.bench.row import Case, Peer, Row, Work
from cgkit.bench.table import heading, lines
from cgkit.bench.timing import Timing


def set_up():
    return Work(lambda: 1, lambda result: {"y": result})


def row_of(**changes):
    peers = tuple(Peer(name, set_up) for name in ("cgkit", "torch", "mygrad"))
    return Row("sum", "adding up", peers, {"2x3": {}}, lambda *_: "", **changes)


def measured(peer, *seconds, form="allocating"):
    return Measured(peer, form, 10, Timing(seconds))


def test_a_row_is_announced_with_its_target():
    assert list(heading(row_of())) == ["sum   adding up"]
    assert list(heading(row_of(target="twice numpy")))[1] == "  target  twice numpy"


def test_a_line_for_each_peer():
    times = (measured("cgkit", 10e-6, 12e-6, 11e-6), measured("torch", 40e-6, 41e-6, 44e-6))
    outcome = Outcome(Case(row_of(), "2x3", 1), times, absent={"mygrad": "mygrad"})
    assert lines(outcome) == [
        "  2x3, 1 thread       minimum     median   ratio  of minima  rounds",
        "    cgkit             10.0 us    11.0 us                          3",
        "    torch             40.0 us    41.0 us     3.7        4.0       3",
        "    mygrad         not installed",
    ]


def test_forms_are_named_where_there_are_two_and_held_against_our_best():
    times = (
        measured("cgkit", 4.0),
        measured("cgkit", 2.0, form="reusing"),
        measured("torch", 6.0),
    )
    text = lines(Outcome(Case(row_of(threads=(1,)), "2x3", 1), times))
    assert [line.split()[:2] for line in text[1:]] == [
        ["cgkit,", "allocating"],
        ["cgkit,", "reusing"],
        ["torch,", "allocating"],
    ]
    ratios = [["2.0", "2.0", "1"], ["1"], ["3.0", "3.0", "1"]]
    assert [line.split()[6:] for line in text[1:]] == ratios


def test_faults_stand_where_figures_would():
    outcome = Outcome(Case(row_of(threads=(1,)), "2x3", 1), faults=("torch fails: no\n  why",))
    assert lines(outcome) == ["  2x3", "    torch fails: no", "      why"]


def test_a_row_may_remark_on_its_medians():
    said = row_of(threads=(1,), remark=lambda medians: f"{medians['torch']:g} and {len(medians)}")
    times = (measured("cgkit", 1.0, 3.0), measured("torch", 5.0))
    assert lines(Outcome(Case(said, "2x3", 1), times))[-1] == "    5 and 2"
