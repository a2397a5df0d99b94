"""What a graph begins with; most is tested with the builder, in test_builder.py."""

import numpy as np
import pytest

from cgkit import CgkitError, DtypeError, GraphBuilder, ShapeError, TensorType
from cgkit.symbolic.sources import Sources, as_array


def test_sources_record_nothing_themselves():
    with pytest.raises(NotImplementedError):
        Sources().record(None, (), {})


def test_a_variable_of_a_type_has_no_value():
    builder = GraphBuilder()
    w = builder.variable(TensorType((2,), "float32"), name="w", trainable=False)
    assert (w.node.value, w.type, w.trainable) == (None, TensorType((2,), "float32"), False)
    assert builder.variables == [w]
    assert builder.variable(1.0).trainable


def test_after_finalize_nothing_can_be_added():
    builder = GraphBuilder()
    x = builder.placeholder((), name="x")
    builder.finalize()
    for act in (lambda: x + 1.0, lambda: builder.placeholder(()), lambda: builder.variable(1.0)):
        with pytest.raises(CgkitError, match="finalized"):
            act()


def test_arrays_are_copied_and_must_be_numbers():
    array = np.ones(2)
    assert not np.shares_memory(as_array(array), array)
    with pytest.raises(ShapeError, match="unlike lengths"):
        as_array([[1], [1, 2]])
    with pytest.raises(DtypeError, match="real numbers"):
        as_array("text")
