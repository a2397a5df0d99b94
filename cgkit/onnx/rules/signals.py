"""Rules of signals: DFT, STFT, MelWeightMatrix.

    x (..., n, 1 or 2), real and imaginary parts last
      ─ padded or cut to the length ─ zeros as imaginary parts ─ fft ─> (..., n, 2)

A one-sided spectrum is the first half: that of real numbers is mirrored in the second, whose
imaginary parts have the other sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.step import Rule, Step
from cgkit.operators.settings import normal_axis


def dft(step: Step, x: Any, length: Any = None, axis: Any = None) -> Any:
    """Give the discrete Fourier transform along an axis, or its inverse."""
    ndim = len(x.shape)
    if step.opset < 20:
        at = normal_axis(step.setting("axis", 1), ndim)
    else:
        at = normal_axis(-2 if axis is None else _one(step, axis, "the axis"), ndim)
    if at == ndim - 1 or x.shape[-1] not in (1, 2):
        raise step.refuse(
            f"has real and imaginary parts along the last axis of {tuple(x.shape)}, not axis {at}"
        )
    inverse, onesided = bool(step.setting("inverse", 0)), bool(step.setting("onesided", 0))
    size = _known(step, x.shape[at])
    number = 2 * (size - 1) if inverse and onesided else size
    if length is not None:
        number = _one(step, length, "dft_length")
    return _transformed(x, at, number, inverse, onesided)


def _one(step: Step, x: Any, what: str) -> int:
    return int(step.known(x, what).reshape(-1)[0])


def _known(step: Step, size: Any) -> int:
    if not isinstance(size, int):
        raise step.refuse(
            f"needs a signal of known length, not {size}", attempt=f"sizes={{{str(size)!r}: ...}}"
        )
    return size


def _transformed(x: Any, at: int, number: int, inverse: bool, onesided: bool) -> Any:
    """Transform an axis of x, of which so many elements count."""
    half = number // 2 + 1
    kept = _resized(x, at, half if inverse and onesided else number)
    pairs = ops.moveaxis(kept, at, -2)
    if x.shape[-1] == 1:
        pairs = _resized(pairs, len(x.shape) - 1, 2)
    if inverse and onesided:
        pairs = _mirrored(pairs, number)
    found = ops.fft(pairs, inverse=inverse)
    if onesided:
        found = found[..., :1] if inverse else found[..., :half, :]
    return ops.moveaxis(found, -2, at)


def _mirrored(pairs: Any, number: int) -> Any:
    """Give the whole of a spectrum whose first half is given."""
    rest = ops.flip(pairs[..., 1 : number - number // 2, :], axis=-2)
    return ops.concat(pairs, ops.mul(rest, np.array([1, -1], pairs.dtype)), axis=-2)


def _resized(x: Any, at: int, size: int) -> Any:
    """Put zeros at the end of an axis, or cut it off."""
    more = size - x.shape[at]
    if not more:
        return x
    return ops.pad(x, pads=tuple((0, more if axis == at else 0) for axis in range(len(x.shape))))


def stft(step: Step, x: Any, hop: Any, window: Any = None, length: Any = None) -> Any:
    """Give the transforms of pieces of a signal, each weighted by a window."""
    by, size = _one(step, hop, "frame_step"), _known(step, x.shape[1])
    if length is not None:
        number = _one(step, length, "frame_length")
    else:
        number = size if window is None else _known(step, window.shape[0])
    if by < 1 or not 1 <= number <= size:
        raise step.refuse(f"cannot cut pieces of {number} at every {by} out of a signal of {size}")
    frames = (size - number) // by + 1
    step.allow((frames, number), "int64")
    pieces = ops.take(x, np.arange(frames)[:, None] * by + np.arange(number), axis=1)
    if window is not None:
        pieces = ops.mul(pieces, ops.reshape(window, shape=(number, 1)))
    return _transformed(pieces, 2, number, False, bool(step.setting("onesided", 1)))


def mel_weight_matrix(
    step: Step, bands: Any, length: Any, rate: Any, lower: Any, upper: Any
) -> np.ndarray:
    """Give a matrix that gathers a spectrum into bands of the mel scale."""
    many, number = _one(step, bands, "num_mel_bins"), _one(step, length, "dft_length")
    given = (rate, "sample_rate"), (lower, "lower_edge_hertz"), (upper, "upper_edge_hertz")
    speed, low, high = (float(step.known(x, what).reshape(-1)[0]) for x, what in given)
    if speed <= 0:
        raise step.refuse(f"needs a positive sample_rate, not {speed:g}")
    step.allow((number // 2 + 1, many), "float64")
    ends = 2595 * np.log10(1 + np.array([low, high]) / 700)
    mels = ends[0] + np.arange(many + 2) * (ends[1] - ends[0]) / (many + 2)
    bins = np.floor((number + 1) * 700 * (10 ** (mels / 2595) - 1) / speed).astype(np.int64)
    left, middle, right = bins[:-2], bins[1:-1], bins[2:]
    at = np.arange(number // 2 + 1)[:, None]
    with np.errstate(all="ignore"):  # where two ends meet, the other side is taken
        rising, falling = (at - left) / (middle - left), (right - at) / (right - middle)
    inside = [(left <= at) & (at < middle), at == middle, (middle < at) & (at < right)]
    weights = np.select(inside, [rising, np.ones_like(rising), falling], 0.0)
    return np.asarray(weights, step.dtype(step.setting("output_datatype", 1)))


RULES: Mapping[str, Rule] = MappingProxyType(
    {"DFT": dft, "MelWeightMatrix": mel_weight_matrix, "STFT": stft}
)
