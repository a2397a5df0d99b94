"""Every entry of a state that does not fit is named at once."""

import numpy as np
import pytest

from cgkit import GraphBuilder, Tensor
from cgkit.errors import StateError
from cgkit.nn.fitting import check_fit, fitting_arrays

KNOWN = {
    "a": Tensor(np.zeros((2, 3), "float32")),
    "b": Tensor(np.zeros(3, "float32")),
    "c": Tensor(0.0),
}


def fitting_state():
    return {name: np.ones(x.shape, x.dtype) for name, x in KNOWN.items()}


def test_all_that_is_wrong_is_said_in_one_message():
    state = {"a": np.zeros((3, 2), "float32"), "b": np.zeros(3), "d": np.zeros(1, "int8")}
    with pytest.raises(StateError) as caught:
        fitting_arrays("Thing(1)", KNOWN, state)
    assert str(caught.value).splitlines() == [
        "Thing(1) cannot take this state",
        "  missing     c: float64[]",
        "  unexpected  d: int8[1]",
        "  differs     a: float32[3, 2], where float32[2, 3] is needed",
        "  differs     b: float64[3], where float32[3] is needed",
        "  nothing was changed",
        "  try      the state of a module built with the same settings",
    ]


def test_what_fits_comes_as_arrays():
    state = fitting_state()
    state["c"] = Tensor(2.0, requires_grad=True)
    arrays = fitting_arrays("it", KNOWN, state)
    assert arrays["a"].tolist() == [[1.0] * 3] * 2
    assert arrays["c"].item() == 2.0


def test_a_reading_may_have_other_dtypes_but_no_other_shapes():
    builder = GraphBuilder()
    state = {name: builder.variable(x.astype("float64")) for name, x in fitting_state().items()}
    check_fit("it", KNOWN, state)
    state["b"] = builder.placeholder((None,))
    with pytest.raises(StateError, match=r"differs     b: float64\[N\], where float32\[3\]"):
        check_fit("it", KNOWN, state)


@pytest.mark.parametrize("state", [None, [1, 2], "a"])
def test_a_state_is_a_dict(state):
    for act in (check_fit, fitting_arrays):
        with pytest.raises(StateError, match="it takes a state that is a dict of arrays by name"):
            act("it", KNOWN, state)


@pytest.mark.parametrize("entry", ["words", None, [[1.0], [1.0, 2.0]], np.array(["a"])])
def test_an_entry_that_is_no_tensor_is_named(entry):
    for act in (check_fit, fitting_arrays):
        with pytest.raises(StateError, match=r"  differs     b: .*, where float32\[3\]"):
            act("it", KNOWN, {**fitting_state(), "b": entry})


def test_all_that_is_no_tensor_is_named_in_a_line_each():
    state = {**fitting_state(), "a": np.zeros((2, 3), complex), "b": np.array([object()] * 3)}
    with pytest.raises(StateError) as caught:
        fitting_arrays("it", KNOWN, state)
    assert str(caught.value).splitlines()[1:3] == [
        "  differs     a: complex128[2, 3], where float32[2, 3] is needed",
        "  differs     b: object[3], where float32[3] is needed",
    ]


def test_another_order_of_bytes_fits():
    state = {**fitting_state(), "b": np.array([1, 2, 3], ">f4")}
    assert fitting_arrays("it", KNOWN, state)["b"].tolist() == [1.0, 2.0, 3.0]


def test_what_cannot_be_written_to_is_said_before_anything_is():
    fixed = np.zeros(3, "float32")
    fixed.flags.writeable = False
    for tensor in (Tensor.wrap(fixed), KNOWN["b"].to("npu")):
        with pytest.raises(StateError, match="its b cannot be written to"):
            fitting_arrays("it", {**KNOWN, "b": tensor}, fitting_state())
