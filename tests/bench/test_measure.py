"""Measuring: outputs first, then turns; who is absent, wrong, broken; ratios."""

import numpy as np
import pytest

from cgkit.bench.agreement import close
from cgkit.bench.measure import Measured, Outcome, Settings, measure
from cgkit.bench.row import Peer
from cgkit.bench.timing import Timing

QUICK = Settings(seconds=60.0, rounds=3, batch=1e-4, patience=60.0, pause=0.0)


def case_of(row):
    (case,) = row.cases()
    return case


def test_peers_take_turns_after_outputs_and_calibration(fakes, row_of, tmp_path):
    log = tmp_path / "log"
    peers = {"cgkit": fakes.ours, "other": (fakes.theirs, fakes.theirs_reusing)}
    outcome = measure(case_of(row_of(size={"log": str(log)}, **peers)), QUICK)
    assert log.read_text() == "ABC" * 2 + "ABC" * 3
    assert outcome.faults == ()
    ours, theirs, reusing = outcome.measured
    assert (ours.peer, ours.form, ours.calls) == ("cgkit", "allocating", 1)
    assert ours.timing == Timing((4.0, 2.0, 3.0))
    assert (theirs.peer, theirs.form, theirs.timing) == (
        "other", "allocating", Timing((8.0, 8.0, 9.0)),
    )  # fmt: skip
    assert (reusing.form, reusing.timing) == ("reusing", Timing((6.0, 7.0, 1.0)))
    assert outcome.ratios == {"other": 2.0}
    assert outcome.ratios_of_minima == {"other": 0.5}


def test_the_seconds_end_it_but_never_before_one_round(fakes, row_of, tmp_path):
    row = row_of(size={"log": str(tmp_path / "log")}, cgkit=fakes.ours)
    outcome = measure(case_of(row), Settings(seconds=0.0, rounds=3, batch=1e-4))
    assert outcome.measured[0].timing.rounds == 1


def test_where_outputs_differ_nothing_is_timed(fakes, row_of):
    peers = {"cgkit": fakes.doubling, "right": fakes.printing, "wrong": fakes.tripling}
    row = row_of(agree=close(1e-9), **peers)
    outcome = measure(case_of(row), QUICK)
    assert outcome.measured == ()
    assert outcome.ratios == {}
    assert outcome.faults == (
        "nothing is timed: wrong differs: y differs by 1 at (1,): 3.0, expected 2.0",
    )


def test_both_forms_are_compared(fakes, row_of):
    row = row_of(
        agree=close(1e-9), cgkit=(fakes.doubling, fakes.doubling_in_place),
        wrong=(fakes.doubling, fakes.tripling),
    )  # fmt: skip
    (fault,) = measure(case_of(row), QUICK).faults
    assert fault.startswith("nothing is timed: wrong, reusing differs: ")


def test_an_absent_peer_is_named_with_its_package_and_left_out(fakes, row_of):
    gone = Peer("gone", fakes.failing, package="no_such_package")
    outcome = measure(case_of(row_of(cgkit=fakes.doubling, gone=gone)), QUICK)
    assert outcome.absent == {"gone": "no_such_package"}
    assert outcome.faults == ()
    assert [one.peer for one in outcome.measured] == ["cgkit"]


@pytest.mark.parametrize(
    ("set_up", "said"),
    [
        ("failing", "other fails: LookupError: no set-up today"),
        ("breaking", "other fails: ZeroDivisionError: division by zero"),
        ("dying", "the process of other ended\n  exit code 7; last words"),
    ],
)
def test_a_broken_peer_is_a_fault_and_the_others_are_timed(fakes, row_of, set_up, said):
    row = row_of(cgkit=fakes.doubling, other=getattr(fakes, set_up))
    outcome = measure(case_of(row), QUICK)
    assert outcome.faults == (said,)
    assert [one.peer for one in outcome.measured] == ["cgkit"]


def test_a_peer_that_breaks_while_it_is_timed_leaves_no_figures(fakes, row_of):
    row = row_of(cgkit=fakes.doubling, other=fakes.dying_later)
    outcome = measure(case_of(row), QUICK)
    assert outcome.measured == ()
    assert outcome.faults == ("the process of other ended\n  exit code 7",)


def test_without_ours_there_is_nothing_to_compare_with(fakes, row_of):
    row = row_of(cgkit=fakes.failing, other=fakes.doubling)
    outcome = measure(case_of(row), QUICK)
    assert outcome.measured == ()
    assert outcome.faults[-1] == "cgkit gives nothing to compare with"


def test_ratios_hold_the_best_form_of_each_against_our_best(fakes, row_of):
    row = row_of(**dict.fromkeys(("cgkit", "fast", "slow", "none"), fakes.doubling))
    measured = (
        Measured("cgkit", "allocating", 1, Timing((4.0, 4.0))),
        Measured("cgkit", "reusing", 1, Timing((2.0, 2.2))),
        Measured("fast", "allocating", 1, Timing((9.0, 9.0))),
        Measured("fast", "reusing", 1, Timing((1.0, 1.1))),
        Measured("slow", "allocating", 1, Timing((8.0, 8.8))),
    )
    outcome = Outcome(case_of(row), measured)
    assert outcome.ours == measured[1]
    assert outcome.ratios == {"fast": 0.5, "slow": 4.0}
    assert outcome.ratios_of_minima == {"fast": 0.5, "slow": 4.0}
    assert np.isclose(outcome.best("slow").timing.median, 8.4)
