"""The devices there are, by name; and what cuda says where there is none."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from cgkit.device import DEVICES, Device, Space, Traffic, cpu, cuda, device_of, find, npu
from cgkit.errors import DeviceError, EnvironmentFault


def test_by_name():
    assert list(DEVICES) == ["cpu", "npu", "cuda"]
    for name, device in DEVICES.items():
        assert find(name) is find(device) is device
        assert device == name
        assert hash(device) == hash(name)
        assert repr(device) == name
    assert cpu != npu
    assert cpu != "npu"


@pytest.mark.parametrize("name", ["tpu", "", None, 3, ["cpu"], Device("cpu"), Device("other")])
def test_there_is_no_other(name):
    with pytest.raises(DeviceError, match=r"there is no device .*\n.*'cpu', 'npu', 'cuda'"):
        find(name)


def test_the_cpu_holds_plain_arrays():
    array = np.ones(3)
    assert cpu.put(array) is cpu.take(array) is array
    assert (cpu.traffic, cpu.held) == (Traffic(), 0)
    assert device_of(array) is device_of(2.0) is cpu


def test_the_npu_counts():
    before = npu.traffic
    a = npu.put(np.ones(3))
    npu.take(a)
    assert npu.traffic - before == Traffic(1, 24, 1, 24)
    assert device_of(a) is npu


def test_a_device_is_a_value_with_counters_of_its_own():
    mine, other = (Device("npu", Space("npu")) for _ in range(2))
    mine.take(mine.put(np.ones(3)))
    assert mine.traffic.copies_in == 1
    assert other.traffic == Traffic()


def test_cuda_without_a_gpu_says_what_is_missing():
    driver = pytest.importorskip("numba.cuda")
    if driver.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(EnvironmentFault) as caught:
        cuda.put(np.ones(3))
    assert "cuda cannot be used on this machine" in str(caught.value)
    assert 'x.to("npu")' in caught.value.attempt
    assert cuda.traffic == Traffic()


def test_cuda_with_a_broken_driver_says_so(monkeypatch):
    class Driver:
        @staticmethod
        def is_available():
            raise OSError("libcuda is of another version")

    monkeypatch.setitem(sys.modules, "numba.cuda", Driver)
    with pytest.raises(EnvironmentFault, match="OSError: libcuda is of another version"):
        cuda.put(np.ones(3))


def test_cuda_in_the_simulator():
    pytest.importorskip("numba.cuda")
    program = """
        import numpy as np
        from cgkit import Tensor
        from cgkit.device import cuda
        for array in (np.arange(6.0).reshape(2, 3)[::-1], np.ones((), "f4"), np.zeros((0, 2))):
            x = Tensor(array, dtype="float32", requires_grad=True)
            y = x.to("cuda")
            assert y.device == "cuda", y.device
            z = y.to("cpu")
            np.testing.assert_array_equal(z.data, x.data)
            (z * 2.0).sum().backward()
            assert (x.grad.data == 2).all()
        print(cuda.traffic)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Traffic(copies_in=6, bytes_in=56"), done.stdout
