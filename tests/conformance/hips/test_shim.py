"""Modules of autograd's names: NumPy's functions for arrays, cgkit's for Tensors."""

import subprocess
import sys

import numpy as np
import pytest

from cgkit import Tensor
from cgkit.conformance.hips import shim

MODULES = shim.modules()
numpy = MODULES["autograd.numpy"]


def test_arrays_go_to_numpy_and_tensors_to_cgkit():
    assert isinstance(numpy.sin(np.ones(2)), np.ndarray)
    assert isinstance(numpy.sin(Tensor(1.0)), Tensor)
    assert isinstance(numpy.sum([1.0, Tensor(2.0)]), Tensor)
    assert isinstance(numpy.clip(np.ones(2), a_min=Tensor(0.0), a_max=2.0), Tensor)
    assert numpy.pi == np.pi
    assert numpy.float32 is np.float32
    assert numpy.sin is numpy.sin


def test_what_cgkit_has_not_is_said():
    with pytest.raises(NotImplementedError, match=r"cgkit has no linalg\.svd"):
        numpy.linalg.svd(Tensor(np.eye(2)))
    with pytest.raises(NotImplementedError, match=r"cgkit has no fft\.fft"):
        numpy.fft.fft(Tensor(np.ones(2)))
    assert numpy.linalg.svd(np.eye(2))[1].tolist() == [1.0, 1.0]
    with pytest.raises(AttributeError, match="numpy has no sine"):
        _ = numpy.sine


def test_what_stands_in_brackets():
    assert numpy.r_[Tensor([1.0, 2.0]), 3.0, 4:6].data.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert numpy.c_[Tensor([1.0, 2.0]), np.ones(2)].data.tolist() == [[1.0, 1.0], [2.0, 1.0]]
    assert numpy.r_[1:3, 5].tolist() == [1, 2, 5]
    assert numpy.make_diagonal(np.ones(2)).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_kinds():
    is_instance = MODULES["autograd"].isinstance
    assert is_instance(Tensor(1.0), np.ndarray)
    assert is_instance([], (tuple, list))
    assert not is_instance(Tensor(1.0), (float, list))


def test_nothing_is_installed_unasked(monkeypatch):
    program = (
        "import sys, cgkit.conformance.hips.shim as shim; shim.modules()\n"
        "assert not any(name.split('.')[0] == 'autograd' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    shim.pytest_configure()
    from autograd import grad
    from autograd import numpy as np_of_shim

    assert grad(lambda x: np_of_shim.sum(x * x))(np.array([3.0])).tolist() == [6.0]
