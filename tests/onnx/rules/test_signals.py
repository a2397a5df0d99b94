import numpy as np
import pytest

from cgkit.errors import OnnxError
from cgkit.onnx import evaluate, load

BATCH = {0: {0: "N"}}


def as_pairs(z):
    return np.stack([z.real, z.imag], -1).astype("float32")


def as_numbers(x):
    return x[..., 0] + 1j * (x[..., 1] if x.shape[-1] == 2 else 0)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("length", [None, 4, 5, 9])
@pytest.mark.parametrize("inverse", [0, 1])
def test_both_sides(agree, normal, parts, length, inverse):
    x, way = normal(2, 6, 3, parts), np.fft.ifft if inverse else np.fft.fft
    given = None if length is None else np.array(length)
    for axis, opset in ((1, 17), (2, 17), (1, 20), (-2, 20)):
        expected = [as_pairs(way(as_numbers(x), n=length, axis=axis if axis > 0 else 2))]
        last = {"axis": axis} if opset < 20 else {}
        more = [np.array(axis)] if opset == 20 else []
        agree(
            "DFT", x, given, *more, opset=opset, known=(1, 2), inverse=inverse, expected=expected,
            atol=1e-5, opened=BATCH, **last,
        )  # fmt: skip


@pytest.mark.parametrize("length", [None, 4, 5, 9])
def test_one_side_there_and_back(agree, normal, length):
    given = None if length is None else np.array(length)
    x = normal(2, 6, 1)
    expected = [as_pairs(np.fft.rfft(x[..., 0], n=length))]
    agree("DFT", x, given, opset=20, known=(1,), onesided=1, expected=expected, atol=1e-5)
    spectrum = normal(2, 4, 2)
    expected = [np.fft.irfft(as_numbers(spectrum), n=length)[..., None].astype("float32")]
    agree("DFT", spectrum, given, opset=20, known=(1,), onesided=1, inverse=1, expected=expected,
          atol=1e-5, opened=BATCH)  # fmt: skip


def test_the_axis_of_parts_is_no_signal(one_node, normal):
    x = normal(2, 6, 2)
    for how in ({"axis": -1}, {"axis": 2}):
        with pytest.raises(OnnxError, match="not axis 2"):
            evaluate(one_node("DFT", [x], opset=17, **how), {"x0": x})
    with pytest.raises(OnnxError, match=r"known length, not L"):
        load(one_node("DFT", [x], opset=20, opened={0: {1: "L"}}))


def test_what_does_not_fit_is_refused(one_node, normal):
    x, mel = normal(1, 4, 1), [np.array(n) for n in (8, 16)]
    ends = [np.float32(0), np.float32(4000)]
    for operator, arrays, said in (
        ("STFT", [x, np.array(0), None, np.array(2)], "at every 0"),
        ("STFT", [x, np.array(1), None, np.array(9)], "pieces of 9"),
        ("MelWeightMatrix", [*mel, np.array(0), *ends], "positive sample_rate"),
        ("MelWeightMatrix", [mel[0], np.array(10**13), np.array(8000), *ends], "limits allow"),
    ):
        feeds = {f"x{i}": np.asarray(array) for i, array in enumerate(arrays) if array is not None}
        model = one_node(operator, [None if a is None else np.asarray(a) for a in arrays], opset=17)
        with pytest.raises(OnnxError, match=said):
            evaluate(model, feeds)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize("windowed", [True, False])
def test_pieces(agree, normal, parts, onesided, windowed):
    x, window = normal(2, 11, parts), normal(4) if windowed else None
    length = None if windowed else np.array(4)
    pieces = np.stack([as_numbers(x)[:, i : i + 4] for i in (0, 3, 6)], 1)
    spectrum = np.fft.fft(pieces * (1 if window is None else window))
    expected = [as_pairs(spectrum[..., :3] if onesided else spectrum)]
    agree("STFT", x, np.array(3), window, length, opset=17, known=(1, 3), onesided=onesided,
          expected=expected, atol=1e-5, opened=BATCH)  # fmt: skip


def test_a_signal_is_one_piece_if_nothing_is_said(agree, normal):
    x = normal(1, 5, 1)
    expected = [as_pairs(np.fft.rfft(x[..., 0]))[:, None]]
    agree("STFT", x, np.array(1), opset=17, known=(1,), expected=expected, atol=1e-6)


@pytest.mark.parametrize(
    ("bands", "length", "rate"), [(8, 16, 8192), (5, 64, 16000), (20, 16, 8000)]
)
@pytest.mark.parametrize("dtype", [1, 11])
def test_bands_of_the_mel_scale(agree, bands, length, rate, dtype):
    inputs = [np.array(n) for n in (bands, length, rate)]
    ends = [np.array(f, "float32") for f in (20.0, rate / 2)]
    agree("MelWeightMatrix", *inputs, *ends, opset=17, known=range(5), output_datatype=dtype)
