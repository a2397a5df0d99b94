"""What a model is run on: every way to give it wrongly is one sentence."""

import os

import numpy as np
import pytest
from onnx.parser import parse_model

from cgkit import run
from cgkit.cli.model_inputs import as_size, pairs, read_array, settle
from cgkit.cli.run_model import watched
from cgkit.errors import CgkitError, UsageFault


@pytest.fixture
def file(tmp_path):
    """Write a model in ONNX's own text, give its path."""

    def written(body, given="float[N, 3] x", made="float[M, K] y"):
        text = f'<ir_version: 8, opset_import: ["": 17]> f ({given}) => ({made}) {body}'
        path = tmp_path / "model.onnx"
        path.write_bytes(parse_model(text).SerializeToString())
        return str(path)

    return written


def test_values_are_named():
    assert pairs("input", ["a=b.npy", "x=y=c.npy"]) == {"a": "b.npy", "x=y": "c.npy"}
    assert pairs("size", []) == {}
    assert as_size("N", "0") == 0


@pytest.mark.parametrize("word", ["a", "=b", "a=", "="])
def test_a_value_without_a_name_is_refused(word):
    with pytest.raises(UsageFault, match="is not NAME=VALUE"):
        pairs("input", [word])


def test_a_value_is_given_once():
    with pytest.raises(UsageFault, match=r"--size N=\.\.\. is given twice"):
        pairs("size", ["N=1", "N=2"])


@pytest.mark.parametrize("text", ["-1", "1.5", "many", "²", "1e3", "9" * 30, " 4"])
def test_a_size_is_a_whole_number(text):
    with pytest.raises(UsageFault, match="is no size"):
        as_size("N", text)


def test_arrays_come_from_files(tmp_path):
    x = np.arange(6, dtype="f4").reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    np.testing.assert_array_equal(read_array("x", tmp_path / "x.npy"), x)
    np.save(tmp_path / "f.npy", np.asfortranarray(x))
    np.testing.assert_array_equal(read_array("x", tmp_path / "f.npy"), x)


def saved(path, array):
    np.save(path, array, allow_pickle=True)


def zipped(path, array):
    with path.open("wb") as opened:
        np.savez(opened, x=array)


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_text("1, 2, 3"),
        lambda path: path.write_bytes(b""),
        lambda path: saved(path, np.array([{"a": 1}], dtype=object)),
        lambda path: saved(path, np.array(["text"])),
        lambda path: saved(path, np.array([1j])),
        lambda path: zipped(path, np.ones(2)),
        lambda path: path.write_bytes(
            b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, "
            b"'shape': (99999999999999,), }\n"
        ),
        lambda path: path.mkdir(),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: os.mkfifo(path),
        lambda path: None,
    ],
)
def test_what_is_no_array_is_refused(tmp_path, write):
    write(tmp_path / "x.npy")
    with pytest.raises(UsageFault, match=r"x\.npy"):
        read_array("x", tmp_path / "x.npy")


def test_what_is_not_given_is_drawn_from_the_seed(file):
    path = file("{ y = Relu(x) }", given="float[N, 3] x, int64[2] k, bool[4] b, float16[N] h")
    job, again, other = (settle(path, {}, {"N": 5}, seed) for seed in (0, 0, 1))
    assert [array.shape for array in job.arrays] == [(5, 3), (2,), (4,), (5,)]
    assert [str(array.dtype) for array in job.arrays] == ["float32", "int64", "bool", "float16"]
    assert job.drawn == {"x", "k", "b", "h"}
    assert set(job.arrays[1]) <= {0, 1}
    for ours, theirs in zip(job.arrays, again.arrays, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(job.arrays[0], other.arrays[0])


def test_open_sizes_are_given_read_off_or_one(file):
    path = file("{ y = Relu(x) }", given="float[N, H] x, float[N, W] z")
    job = settle(path, {"x": np.ones((4, 2), "f4")}, {}, 0)
    assert [array.shape for array in job.arrays] == [(4, 2), (4, 1)]
    assert job.assumed == {"W": 1}
    assert job.names == ["x", "z"]
    assert job.drawn == {"z"}
    assert settle(path, {}, {"W": 0}, 0).arrays[1].shape == (1, 0)


def test_values_that_decide_shapes_must_be_given(file):
    path = file("{ y = Reshape(x, s) }", given="float[6] x, int64[2] s")
    with pytest.raises(UsageFault, match="depends on the value of input 's'") as raised:
        settle(path, {}, {}, 0)
    assert raised.value.attempt == "--input s=FILE.npy"
    job = settle(path, {"s": np.array([2, 3])}, {}, 0)
    assert job.fixed == ("s",)
    assert job.names == ["x"]


def test_a_value_in_the_model_may_be_replaced(file):
    path = file("{ y = Add(x, w) }", given="float[3] x, float[3] w = {1, 2, 3}", made="float[3] y")
    assert settle(path, {}, {}, 0).names == ["x"]
    job = settle(path, {"w": np.zeros(3, "f4")}, {}, 0)
    assert job.fixed == ("w",)


@pytest.mark.parametrize(
    ("given", "sizes", "said"),
    [
        ({"z": np.ones(2)}, {}, r"no input 'z'\n  it has 'x'"),
        ({}, {"B": 2}, r"no open size 'B'\n  it has 'N'"),
        ({"x": np.ones((2, 3))}, {}, r"'x' is float32\[N, 3\], and its file holds float64"),
        ({"x": np.ones((2, 4), "f4")}, {}, r"its file holds float32\[2, 4\]"),
        ({"x": np.ones(3, "f4")}, {}, r"its file holds float32\[3\]"),
        ({"x": np.ones((2, 3), "f4")}, {"N": 5}, r"'x' is float32\[5, 3\]"),
    ],
)
def test_what_does_not_fit_is_one_sentence(file, given, sizes, said):
    with pytest.raises(UsageFault, match=said):
        settle(file("{ y = Relu(x) }"), given, sizes, 0)


def test_what_no_memory_holds_is_refused_before_it_is_made(file):
    with pytest.raises(CgkitError, match="would take 12,000,000,000,000 bytes"):
        settle(file("{ y = Relu(x) }"), {}, {"N": 10**12}, 0)


def test_a_model_without_open_sizes_says_so(file):
    with pytest.raises(UsageFault, match=r"no open size 'N'\n  it has no open size"):
        settle(file("{ y = Relu(x) }", given="float[2] x"), {}, {"N": 2}, 0)


def test_a_size_that_decides_the_graph_is_taken_as_one(file):
    """A loop over axes, say: ONNX's Range of an open size, as a shape."""
    path = file("{ s = Shape(x) r = ConstantOfShape(s) k = NonZero(r) y = Cast <to = 1> (k) }")
    try:
        job = settle(path, {}, {}, 0)
    except CgkitError as error:
        pytest.fail(f"{error}")
    assert job.arrays[0].shape == (1, 3)


def test_a_size_that_must_fit_is_read_off_a_file(file):
    """Reshape to (2, -1) divides the size, which must be even for that."""
    path = file("{ y = Reshape(x, s) }", given="float[N] x, int64[2] s")
    given = {"s": np.array([2, -1]), "x": np.arange(12, dtype="f4")}
    job = settle(path, given, {}, 0)
    assert (job.assumed, job.drawn) == ({}, frozenset())
    (found,) = run(job.graph, *job.arrays)
    np.testing.assert_array_equal(found, np.arange(12).reshape(2, 6))
    with pytest.raises(UsageFault, match=r"open sizes N taken as 1\n  .*cannot reshape") as raised:
        watched(settle(path, {"s": given["s"]}, {}, 0))
    assert raised.value.attempt == "--size N=..."
    assert settle(path, {"s": given["s"]}, {"N": 4}, 0).arrays[0].shape == (4,)
    with pytest.raises(UsageFault, match=r"'x' is float32\[4\], and its file holds float32\[12\]"):
        settle(path, given, {"N": 4}, 0)


def test_where_the_graph_cannot_be_built_with_one_it_is_said(file):
    """What SAME pads for a window shorter than its stride depends on the size itself."""
    pool = 'p = MaxPool <kernel_shape = [1], strides = [2], auto_pad = "SAME_UPPER"> (x)'
    path = file(
        f"{{ {pool} s = Constant <value_ints = [3]> () y = Reshape(p, s) }}", "float[1, 1, N] x"
    )
    with pytest.raises(UsageFault, match=r"open sizes N taken as 1\n  .*cannot reshape") as raised:
        settle(path, {}, {}, 0)
    assert raised.value.attempt == "--size N=..."
    assert settle(path, {}, {"N": 5}, 0).arrays[0].shape == (1, 1, 5)
