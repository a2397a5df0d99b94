"""torch's samples: the figures of the whole suite are lower bounds, and a wrong rule is seen."""

from pathlib import Path

import pytest

from cgkit import ops
from cgkit.conformance import opinfo
from cgkit.conformance.opinfo import OPINFO, SAMPLES, prepare
from cgkit.conformance.suite import run_cases
from cgkit.conformance.tally import Tally
from cgkit.conformance.torch_calls import CALLS

HERE = Path()


def tally_of(cases):
    found = run_cases(cases, OPINFO.readings, {}, lambda case, outcomes: None)
    return Tally(OPINFO.readings, found)


def test_the_suite_wants_what_was_promised():
    assert SAMPLES == 2083
    assert (OPINFO.wanted, OPINFO.wanted_each) == (95.0, 90.0)
    assert OPINFO.readings == ("forward", "gradient", "second gradient")
    assert {"torch", "expecttest"} <= set(OPINFO.needs)


@pytest.mark.oracle
def test_figures():
    tally = tally_of(prepare(HERE))
    total = tally.total()
    assert total.tried == SAMPLES
    assert set(tally.rows) == set(CALLS)
    assert total.passed >= 2083, total.reasons
    short = {name: row.reasons for name, row in tally.rows.items() if row.share() < 90}
    assert not short


WRONG = {
    "values": ({"tanh": ops.sigmoid}, (0, 0, 0)),
    "gradient": ({"tanh": lambda x: ops.tanh(ops.stop_gradient(x)) + 0 * x}, (1, 0, 0)),
    "second gradient": (
        {"tanh": lambda x: ops.stop_gradient(ops.tanh(x) - slope(x)) + slope(x)},
        (1, 1, 0),
    ),
    "breaks": ({"tanh": lambda x: ops.matmul(x, 1)}, (0, 0, 0)),
}


def slope(x):
    """Give what has tanh's slope here, as a number that does not change with x."""
    return x * ops.stop_gradient(1 - ops.tanh(x) ** 2)


@pytest.mark.oracle
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_seen(name, monkeypatch):
    table, expected = WRONG[name]
    monkeypatch.setattr(opinfo, "CALLS", table)
    monkeypatch.setattr(opinfo, "SAMPLES", 1)
    tally = tally_of(prepare(HERE))
    row = tally.rows["tanh"]
    assert row.tried == 1
    assert tuple(row.reading(each) for each in OPINFO.readings) == expected


@pytest.mark.oracle
def test_samples_that_torch_lacks_count_against(monkeypatch):
    monkeypatch.setattr(opinfo, "CALLS", {"neg": ops.neg})
    monkeypatch.setattr(opinfo, "SAMPLES", 4)
    total = tally_of(prepare(HERE)).total()
    assert (total.passed, total.tried) == (1, 4)
    assert total.reasons == {"not tried": 3}
