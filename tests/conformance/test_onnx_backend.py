"""ONNX's tests: the figures of the whole suite are lower bounds, and a wrong rule is seen."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from cgkit import ops
from cgkit.conformance import onnx_backend
from cgkit.conformance.onnx_backend import (
    KINDS,
    ONNX,
    TESTS,
    WANTED,
    WAYS,
    data_of,
    drawn,
    judged,
    model_path,
    prepare,
    without_names,
)
from cgkit.conformance.suite import run_cases
from cgkit.conformance.tally import Tally
from cgkit.onnx.rules import rules

HERE = Path()
QUICK = ("pytorch-converted", "pytorch-operator")


def tally_of(cases):
    return Tally(ONNX.readings, run_cases(cases, ONNX.readings, {}, lambda case, outcomes: None))


def test_the_suite_wants_what_was_promised():
    assert (TESTS, WANTED) == (2033, 1650)
    assert ONNX.wanted == pytest.approx(100 * 1650 / 2033)
    assert ONNX.needs == ("onnx",)


@pytest.mark.slow
def test_figures():
    tally = tally_of(prepare(HERE))
    total = tally.total()
    tried = {group: row.tried for group, row in tally.rows.items()}
    assert tried == {
        "node": 1884, "simple": 23, "pytorch-converted": 82, "pytorch-operator": 35, "light": 9,
    }  # fmt: skip
    assert total.tried == TESTS
    assert total.passed >= 1655, total.reasons
    assert tally.rows["light"].passed == 9
    assert total.ways.total() == total.passed
    assert total.ways[WAYS["static"]] >= 1335
    assert total.ways[WAYS["evaluated"]] <= 20


def test_graphs_from_torch():
    cases = [case for kind in QUICK for case in cases_of(kind)]
    total = tally_of(cases).total()
    assert (total.passed, total.tried) == (117, 117), total.reasons
    assert total.ways[WAYS["static"]] >= 110


def cases_of(kind):
    return [
        onnx_backend.Case(test.name, group, lambda group=group, test=test: judged(group, test))
        for group, test in drawn([kind])
    ]


def test_graphs_written_by_hand():
    outcomes = Counter()
    for group, test in drawn(["simple"]):
        (outcome,) = judged(group, test)
        outcomes[outcome.reason] += 1
    assert outcomes[""] >= 7
    assert outcomes["no rule for StringNormalizer"] == 6
    assert outcomes.total() == 23


def sample(name):
    return next(test for group, test in drawn(QUICK) if test.name == name)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda step, x: ops.neg(x), "Not equal to tolerance"),
        (lambda step, x: ops.cast(ops.tanh(x), dtype="float64"), "declared as float32"),
        (lambda step, x: ops.reshape(ops.tanh(x), shape=(-1,)), "incorrect shape"),
        (lambda step, x: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_is_wrong_is_seen(wrong, said, monkeypatch):
    monkeypatch.setattr("cgkit.onnx.walk.rules", lambda: {**rules(), "Tanh": wrong})
    (outcome,) = judged("pytorch-converted", sample("test_Tanh"))
    assert outcome.failed == ("values",)
    with pytest.raises(Exception, match=said):
        onnx_backend.tried(sample("test_Tanh"))


def test_a_right_one_passes_and_says_how_it_was_run():
    (outcome,) = judged("pytorch-converted", sample("test_Tanh"))
    assert (outcome.failed, outcome.way) == ((), WAYS["static"])


def test_tests_that_onnx_lacks_count_against(monkeypatch):
    monkeypatch.setattr(onnx_backend, "KINDS", ("pytorch-operator",))
    monkeypatch.setattr(onnx_backend, "drawn", lambda: drawn(["pytorch-operator"]))
    monkeypatch.setattr(onnx_backend, "TESTS", 40)
    total = tally_of(prepare(HERE)).total()
    assert (total.passed, total.tried) == (35, 40)
    assert total.reasons == {"not tried": 5}


def test_light_networks_have_inputs_that_are_counted_up():
    (squeezenet,) = [test for _, test in drawn(["real"]) if test.name == "test_squeezenet"]
    assert model_path(squeezenet).exists()
    ((inputs, outputs),) = data_of(squeezenet)
    (x,) = inputs
    np.testing.assert_allclose(np.diff(x.ravel()), 1 / x.size, rtol=0.2, atol=1e-7)
    assert len(outputs) == 1


def test_names_do_not_keep_reasons_apart():
    assert without_names("OnnxError: 'a' is 'b'") == "OnnxError: ... is ..."
    assert len(KINDS) == 5
