"""Wrong answers to parts A and B of notebook 02a, each under the name it must be called by.

`NAMED` and how these are written: as in wrong_02a.py.
"""

import numpy as np


def not_transposed(upstream, a, b):
    return np.dot(upstream, b), np.dot(a, upstream)


def sides_exchanged(upstream, a, b):
    return np.transpose(b) @ upstream, upstream @ np.transpose(a)


def b_comes_first(upstream, a, b):
    gradient_a = upstream @ b.T
    gradient_b = a.T @ upstream
    return gradient_b, gradient_a


def rule_of_products(upstream, a, b):
    return b * upstream, a * upstream


def ones_upstream(upstream, a, b):
    ones = np.ones((a.shape[0], b.shape[1]))
    return ones @ b.T, a.T @ ones


def sum_passes_on(upstream, a, axis, keepdims):
    return (upstream,)


def sum_stretches_from_the_right(upstream, a, axis, keepdims):
    return (upstream * np.ones(a.shape),)


def sum_of_ones(upstream, a, axis, keepdims):
    return (np.full(a.shape, 1.0),)


def sum_as_mean(upstream, a, axis, keepdims):
    if not keepdims and axis is not None:
        for at in sorted({at % a.ndim for at in np.atleast_1d(np.array(axis, dtype=int))}):
            upstream = np.expand_dims(upstream, at)
    wide = np.zeros(a.shape) + upstream
    many = a.size / max(1, np.size(upstream))
    return (wide / many if many else wide,)


def axes_in_turn(upstream, a, axis, keepdims):
    if axis is not None and not keepdims:
        for one in axis if isinstance(axis, tuple) else [axis]:
            upstream = np.expand_dims(upstream, one % a.ndim)
    return (upstream + np.zeros(a.shape),)


def take_writes(upstream, a, index):
    gradient = np.zeros(a.shape)
    gradient[index] = upstream
    return (gradient,)


def take_adds_without_repeats(upstream, a, index):
    gradient = a * 0
    gradient[index] = gradient[index] + upstream
    return (gradient,)


def take_indexes(upstream, a, index):
    return (upstream[index],)


def take_counts(upstream, a, index):
    gradient = np.zeros_like(a)
    for place in index:
        gradient[place] += 1
    return (gradient,)


def nothing_undone(gradient, shape):
    return gradient + 0


def leading_axes(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    return gradient


def ones_only(gradient, shape):
    offset = gradient.ndim - len(shape)
    for place, size in enumerate(shape):
        if size == 1:
            gradient = gradient.sum(axis=offset + place, keepdims=True)
    return gradient


def ones_vanish(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.sum(axis=0)
    places = [at for at, size in enumerate(shape) if size == 1 and gradient.shape[at] != 1]
    return gradient.sum(axis=tuple(places))


def keeps_every_axis(gradient, shape):
    filled = (1,) * (gradient.ndim - len(shape)) + shape
    places = [at for at, size in enumerate(filled) if at < gradient.ndim - len(shape) or size == 1]
    return gradient.sum(axis=tuple(places), keepdims=True)


def means(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient.mean(axis=0) if len(gradient) else gradient.sum(axis=0)
    for place, size in enumerate(shape):
        if size == 1 and gradient.shape[place] != 1:
            many = gradient.shape[place]
            gradient = gradient.sum(axis=place, keepdims=True) / (many or 1)
    return gradient


def first_copies(gradient, shape):
    while gradient.ndim > len(shape):
        gradient = gradient[0]
    for place, size in enumerate(shape):
        if size == 1 and gradient.shape[place] != 1:
            gradient = gradient.take([0], axis=place)
    return gradient


def reshapes(gradient, shape):
    return gradient.reshape(shape)


def sums_all(gradient, shape):
    if gradient.shape == shape:
        return gradient
    return np.zeros(shape) + gradient.sum()


NAMED = {
    ("matmul_rule", "factors not transposed"): not_transposed,
    ("matmul_rule", "factors in the wrong order"): sides_exchanged,
    ("matmul_rule", "the two gradients exchanged"): b_comes_first,
    ("matmul_rule", "multiplied element by element"): rule_of_products,
    ("matmul_rule", "upstream gradient ignored"): ones_upstream,
    ("sum_rule", "not stretched"): sum_passes_on,
    ("sum_rule", "the lost axis is not put back"): sum_stretches_from_the_right,
    ("sum_rule", "upstream gradient ignored"): sum_of_ones,
    ("sum_rule", "the rule of mean"): sum_as_mean,
    ("sum_rule", "lost axes put back in the wrong order"): axes_in_turn,
    ("take_rule", "a repeated index counted once"): take_writes,
    ("take_rule", "a repeated index counted once "): take_adds_without_repeats,
    ("take_rule", "indexed a second time"): take_indexes,
    ("take_rule", "upstream gradient ignored"): take_counts,
    ("unbroadcast", "missing un-broadcast"): nothing_undone,
    ("unbroadcast", "only missing axes summed"): leading_axes,
    ("unbroadcast", "only axes of size 1 summed"): ones_only,
    ("unbroadcast", "axes of size 1 vanish"): ones_vanish,
    ("unbroadcast", "all summed axes kept"): keeps_every_axis,
    ("unbroadcast", "the mean instead of the sum"): means,
    ("unbroadcast", "one copy instead of the sum"): first_copies,
    ("unbroadcast", "reshaped instead of summed"): reshapes,
    ("unbroadcast", "summed over everything"): sums_all,
}
