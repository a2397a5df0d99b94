"""The law of exported operators: it holds where it should, and finds what is wrong."""

import numpy as np
import pytest

from cgkit import ops
from cgkit.node import Sample
from cgkit.testing import LawBroken
from cgkit.testing.cases import samples_of
from cgkit.testing.exports import by_reference, difference, exported
from cgkit.types import Dim

SAMPLE = Sample((np.array([0.5, -2.0]),))


def test_it_holds():
    for sample in samples_of(ops.tanh):
        exported(ops.tanh, sample)


def test_it_holds_of_open_sizes_and_older_operator_sets():
    exported(ops.tanh, SAMPLE, shapes=[(Dim("N"),)], opset=21)


def test_a_wrong_number_is_found():
    def wrong(model, arrays):
        (y,) = by_reference(model, arrays)
        return [y + np.array([0.0, 1e-6])]

    with pytest.raises(LawBroken, match=r"tanh\(float64\[2\]\): in ONNX it gives .* at \(1,\)"):
        exported(ops.tanh, SAMPLE, evaluate=wrong)


@pytest.mark.parametrize(
    ("got", "expected", "why"),
    [
        (np.float32([1]), np.float64([1]), "float32[1], not float64[1]"),
        (np.zeros((1, 2)), np.zeros(2), "float64[1, 2], not float64[2]"),
        (np.array([1, 3]), np.array([1, 2]), "3, not 2, at (1,)"),
        (np.array([np.nan]), np.array([np.inf]), "nan, not inf, at (0,)"),
        (np.array([np.nan, 1 + 1e-9]), np.array([np.nan, 1.0]), ""),
        (np.float32(1 + 1e-5), np.float32(1), ""),
        (np.array(True), np.array(False), "True, not False, at ()"),
    ],
)
def test_differences(got, expected, why):
    assert difference(got, np.asarray(expected)) == why


def test_a_broken_model_is_not_evaluated():
    from onnx import ModelProto
    from onnx.checker import ValidationError

    with pytest.raises(ValidationError):
        by_reference(ModelProto(), [])
