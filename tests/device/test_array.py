"""Memory apart: copies are counted, numbers are not reached in any other way, blocks are freed."""

import copy
import gc
import operator
import pickle
import threading

import numpy as np
import pytest

from cgkit.device import DeviceArray, Space, Traffic
from cgkit.errors import DeviceError

FLOAT = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    "array",
    [
        FLOAT, np.float32(3.0) * np.ones(()), np.zeros((0, 3)), FLOAT[::-1, ::-1], FLOAT.T,
        np.array([np.nan, np.inf, -0.0]), np.array([True, False]), np.arange(3, dtype="int8"),
        np.arange(3, dtype="uint64"), np.ones(2, "float16"), np.broadcast_to(1.0, (2, 2)),
    ],
)  # fmt: skip
def test_what_goes_in_comes_out(array):
    space = Space("there")
    there = space.put(array)
    assert (there.shape, there.dtype, there.ndim) == (array.shape, array.dtype, array.ndim)
    assert (there.size, there.nbytes) == (array.size, array.nbytes)
    back = space.take(there)
    np.testing.assert_array_equal(back, array)
    assert back.dtype == array.dtype
    assert space.traffic == Traffic(1, array.nbytes, 1, array.nbytes)


def test_both_ways_are_copies():
    space, array = Space("there"), FLOAT.copy()
    there = space.put(array)
    array[:] = 7
    first = space.take(there)
    first[:] = 8
    np.testing.assert_array_equal(space.take(there), FLOAT)


def test_memory_is_freed_with_the_last_array():
    space = Space("there")
    a, b = space.put(FLOAT), space.put(np.ones(10, "f4"))
    same = a
    assert space.held == 48 + 40
    del a, b
    assert space.held == 48
    del same
    assert space.held == 0
    assert space.traffic.copies_in == 2


def test_readings_are_subtracted_and_added():
    space = Space("there")
    a = space.put(FLOAT)
    before = space.traffic
    space.take(a)
    assert space.traffic - before == Traffic(0, 0, 1, 48)
    assert before + (space.traffic - before) == space.traffic


def test_another_spaces_array_is_not_read():
    here, there = Space("here"), Space("there")
    with pytest.raises(DeviceError, match=r"here cannot read <float64\[2, 3\] on there>"):
        here.take(there.put(FLOAT))
    with pytest.raises(DeviceError, match="here cannot read ndarray"):
        here.take(FLOAT)
    assert here.traffic == Traffic()


BINARY = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul,
    operator.mod, operator.floordiv, operator.lt, operator.eq, operator.ne, operator.and_,
)  # fmt: skip


@pytest.mark.parametrize("act", BINARY, ids=lambda act: act.__name__)
@pytest.mark.parametrize("other", [FLOAT, 2.0, None], ids=["array", "number", "itself"])
def test_no_arithmetic(act, other):
    a = Space("npu").put(FLOAT)
    for left, right in ((a, a if other is None else other), (a if other is None else other, a)):
        with pytest.raises(DeviceError, match="lies on npu"):
            act(left, right)


@pytest.mark.parametrize(
    "act",
    [
        np.exp, np.sum, np.reshape, np.asarray, np.array, np.concatenate, np.where, list, float,
        lambda a: np.add(FLOAT, a), lambda a: np.add.reduce(a), lambda a: np.add.at(a, 0, 1),
        lambda a: np.matmul(a, FLOAT), lambda a: np.copyto(FLOAT.copy(), a), lambda a: -a, abs,
        lambda a: np.add(FLOAT, FLOAT, out=a), lambda a: a + 1, lambda a: a[0], len, memoryview,
        lambda a: np.frombuffer(a), lambda a: FLOAT.copy().__setitem__(0, a), operator.iadd,
    ],
)  # fmt: skip
def test_no_way_to_its_numbers(act):
    space = Space("npu")
    a = space.put(FLOAT)
    with pytest.raises((DeviceError, TypeError, AttributeError)):
        act(a)
    assert space.traffic == Traffic(1, 48, 0, 0)


def test_the_error_says_where_each_operand_is():
    a = Space("npu").put(FLOAT)
    with pytest.raises(DeviceError) as caught:
        FLOAT + a
    assert str(caught.value) == (
        "add cannot compute: its operands lie on different devices\n"
        "  operand 0, float64[2, 3], lies on cpu\n"
        "  operand 1, float64[2, 3], lies on npu\n"
        '  try      x.to("cpu") for what lies elsewhere'
    )
    with pytest.raises(DeviceError, match="add cannot compute outside the cpu"):
        a + 1.0


def test_an_address_is_not_copied_nor_pickled():
    a = Space("npu").put(FLOAT)
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(DeviceError, match="an address in the memory of a device"):
            act(a)
    assert len({a, a}) == 1


def test_many_threads_count_right():
    space = Space("there")

    def work():
        for _ in range(200):
            space.take(space.put(FLOAT))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert space.traffic == Traffic(1600, 1600 * 48, 1600, 1600 * 48)
    assert space.held == 0


def test_printed():
    space = Space("npu")
    a = space.put(FLOAT)
    assert repr(a) == "<float64[2, 3] on npu>"
    assert repr(space) == "<memory of npu: 48 bytes held>"
    assert isinstance(a, DeviceArray)
