"""Convolution, its transpose, and the gradient of its kernels, as ONNX's Conv and ConvTranspose.

    conv2d(x, w)              Conv
    conv2d_transpose(x, w)    ConvTranspose, with as much output_padding as makes our size
    conv2d_kernel(x, g)       Conv of x over g with batch and channels changed over: where g steps
                              by a stride, the kernel is dilated by it, and the other way round

ONNX convolves floats. Whole numbers are multiplied tap by tap, so that they wrap as ours do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit.onnx.exporting.draft import Draft
from cgkit.onnx.exporting.writer import Rule, Term
from cgkit.operators.indices import Span
from cgkit.operators.windows import Pads, each_axis, pads_of, place_count, span
from cgkit.types import Dim, Shape, Size

Steps = tuple[int, ...]


def known(draft: Draft, what: str, sizes: Sequence[Size]) -> list[int]:
    """Demand sizes that are known: what ONNX has as attributes is fixed with the model.

    Raises
    ------
    OnnxError
        One is open.
    """
    for size in sizes:
        if isinstance(size, Dim):
            raise draft.refuse(
                f"ONNX fixes {what} with the model, and {size} is open",
                f"a known size for this {what}",
            )
    return [int(size) for size in sizes]


def attributes(
    draft: Draft, stride: Steps, pads: Pads, dilation: Steps, kernel: Sequence[Size]
) -> dict[str, Any]:
    """Give the attributes that windows have in ONNX."""
    both = (*(before for before, _ in pads), *(after for _, after in pads))
    shape = {} if any(isinstance(k, Dim) for k in kernel) else {"kernel_shape": list(kernel)}
    return {
        "strides": list(stride), "dilations": list(dilation),
        "pads": known(draft, "padding", both), **shape,
    }  # fmt: skip


def padded_apart(draft: Draft, x: Term, pads: Pads, fill: float = 0.0) -> tuple[Term, Pads]:
    """Put open padding around images by itself: as an attribute it is fixed with the model."""
    if not any(isinstance(n, Dim) for pair in pads for n in pair):
        return x, pads
    lead = len(x.shape or ()) - len(pads)
    widths = (*((0, 0),) * lead, *pads)
    both = (*(before for before, _ in widths), *(after for _, after in widths))
    wide = draft.add("Pad", x, draft.sizes(both), draft.constant(fill, x.dtype))
    shape = tuple(n + a + b for n, (a, b) in zip(x.shape or (), widths, strict=True))
    return Term(wide.name, x.dtype, shape), ((0, 0),) * len(pads)


def _settled(
    sizes: Shape, kernel: Shape, stride: Any, padding: Any, dilation: Any
) -> tuple[Steps, Pads, Steps]:
    """Give stride, padding and dilation of each axis."""
    axes = len(kernel)
    steps, apart = each_axis("stride", stride, axes, 1), each_axis("dilation", dilation, axes, 1)
    spans = [span(k, d) for k, d in zip(kernel, apart, strict=True)]
    return steps, pads_of(padding, sizes, spans, steps), apart


def _conv(
    draft: Draft, x: Term, w: Term, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    sizes, kernel = (x.shape or ())[2:], (w.shape or ())[2:]
    steps, pads, apart = _settled(sizes, kernel, stride, padding, dilation)
    if draft.dtype.kind != "f":
        known(draft, "a kernel of whole numbers", kernel)
        return draft.express(_tapped, x, w, steps=steps, pads=pads, apart=apart, groups=groups)
    x, pads = padded_apart(draft, draft.cast(x, draft.dtype), pads)
    more = attributes(draft, steps, pads, apart, kernel)
    return draft.add("Conv", x, draft.cast(w, draft.dtype), group=int(groups), **more)


def _transposed(
    draft: Draft, x: Term, w: Term, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1, output_padding: Any = 0, size: Any = None,
) -> Any:  # fmt: skip
    kernel, made = (w.shape or ())[2:], draft.shape[2:]
    steps, pads, apart = _settled(made, kernel, stride, padding, dilation)
    if draft.dtype.kind != "f":
        known(draft, "a kernel of whole numbers", kernel)
        return draft.express(
            _spread, x, w, steps=steps, pads=pads, apart=apart, groups=groups, sizes=made
        )
    places = [
        (n - 1) * s + span(k, d) - before - after
        for n, s, k, d, (before, after) in zip(
            (x.shape or ())[2:], steps, kernel, apart, pads, strict=True
        )
    ]
    rest = [size - reached for size, reached in zip(made, places, strict=True)]
    x, w = draft.cast(x, draft.dtype), draft.cast(w, draft.dtype)
    if any(isinstance(n, Dim) for n in (*rest, *(n for pair in pads for n in pair))):
        return _cut_out(draft, x, w, steps, pads, apart, groups)
    more = attributes(draft, steps, pads, apart, kernel)
    more["output_padding"] = known(draft, "output_padding", rest)
    return draft.add("ConvTranspose", x, w, group=int(groups), **more)


def _cut_out(
    draft: Draft, x: Term, w: Term, steps: Steps, pads: Pads, apart: Steps, groups: int
) -> Term:
    """Give all that windows reach and as much behind as a stride may leave, then cut ours out."""
    none = ((0, 0),) * len(pads)
    more = attributes(draft, steps, none, apart, (w.shape or ())[2:])
    more["output_padding"] = [step - 1 for step in steps]
    found = draft.add("ConvTranspose", x, w, group=int(groups), **more)
    firsts = [before for before, _ in pads]
    ends = [first + size for first, size in zip(firsts, draft.shape[2:], strict=True)]
    axes = range(2, len(draft.shape))
    return draft.add("Slice", found, draft.sizes(firsts), draft.sizes(ends), draft.sizes(axes))


def _kernel(
    draft: Draft, x: Term, g: Term, size: Any, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    made = draft.shape[2:]
    steps, pads, apart = _settled((x.shape or ())[2:], made, stride, padding, dilation)
    if draft.dtype.kind != "f":
        known(draft, "a kernel of whole numbers", made)
        return draft.express(
            _correlated, x, g, steps=steps, pads=pads, apart=apart, groups=groups, kernel=made
        )
    if (x.shape or ())[0] == 0:  # a sum over no images
        return draft.zeros(draft.shape, draft.dtype)
    x, pads = padded_apart(draft, draft.cast(x, draft.dtype), pads)
    more = attributes(draft, apart, pads, steps, (g.shape or ())[2:])
    images = _changed_over(draft, x, groups)
    kernels = _changed_over(draft, draft.cast(g, draft.dtype), 1)
    found = draft.add("Conv", images, kernels, group=int(groups), **more)
    axes = list(range(2, len(draft.shape)))
    wanted = draft.sizes(made)  # a stride may leave room for a larger kernel
    found = draft.add("Slice", found, draft.sizes((0,) * len(made)), wanted, draft.sizes(axes))
    return draft.transpose(found, (1, 0, *axes))


def _changed_over(draft: Draft, x: Term, groups: int) -> Term:
    """Put the channels of a group where the batch was, and the batch beside the groups."""
    shape = x.shape or ()
    rest = tuple(range(3, len(shape) + 1))
    if groups == 1:
        return draft.transpose(x, (1, 0, *range(2, len(shape))))
    apart = draft.reshape(x, (shape[0], groups, shape[1] // groups, *shape[2:]))
    turned = draft.transpose(apart, (2, 1, 0, *rest))
    return draft.reshape(turned, (shape[1] // groups, shape[0] * groups, *shape[2:]))


def _taps(kernel: Shape) -> list[tuple[int, ...]]:
    return list(np.ndindex(*(int(k) for k in kernel)))


def _under(at: Steps, apart: Steps, steps: Steps, places: Shape) -> tuple[Any, ...]:
    """Give the index of what lies under one element of all windows."""
    each = zip(at, apart, steps, places, strict=True)
    return (Span(), Span(), *(Span(t * d, t * d + (p - 1) * s + 1, s) for t, d, s, p in each))


def _in_groups(x: Any, groups: int) -> Any:
    """Lay images out as (N, groups, channels of a group, places)."""
    flat = 1
    for size in x.shape[2:]:
        flat = flat * size
    return ops.reshape(x, shape=(x.shape[0], groups, x.shape[1] // groups, flat))


def _padded(x: Any, pads: Pads) -> Any:
    return ops.pad(x, pads=((0, 0), (0, 0), *pads))


def _matrices(w: Any, groups: int, at: Steps) -> Any:
    tap = ops.slice(w, index=(Span(), Span(), *at))
    return ops.reshape(tap, shape=(groups, w.shape[0] // groups, w.shape[1]))


def _added(parts: Sequence[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _tapped(x: Any, w: Any, steps: Steps, pads: Pads, apart: Steps, groups: int) -> Any:
    """Convolve as a sum of matrix products, one for each element of the kernel."""
    kernel = w.shape[2:]
    places = tuple(
        place_count(n, span(k, d), s, p)
        for n, k, d, s, p in zip(x.shape[2:], kernel, apart, steps, pads, strict=True)
    )
    x = _padded(x, pads)
    found = _added([
        ops.matmul(
            _matrices(w, groups, at),
            _in_groups(ops.slice(x, index=_under(at, apart, steps, places)), groups),
        )
        for at in _taps(kernel)
    ])  # fmt: skip
    return ops.reshape(found, shape=(x.shape[0], w.shape[0], *places))


def _spread(
    x: Any, w: Any, steps: Steps, pads: Pads, apart: Steps, groups: int, sizes: Shape
) -> Any:
    places = x.shape[2:]
    wide = tuple(n + before + after for n, (before, after) in zip(sizes, pads, strict=True))
    shape = (x.shape[0], w.shape[1] * groups)
    rows = _in_groups(x, groups)
    parts = []
    for at in _taps(w.shape[2:]):
        matrices = ops.transpose(_matrices(w, groups, at), axes=(0, 2, 1))
        part = ops.reshape(ops.matmul(matrices, rows), shape=(*shape, *places))
        index = _under(at, apart, steps, places)
        parts.append(ops.place(part, shape=(*shape, *wide), index=index))
    cut = tuple(Span(before, before + n) for n, (before, _) in zip(sizes, pads, strict=True))
    return ops.slice(_added(parts), index=(Span(), Span(), *cut))


def _correlated(
    x: Any, g: Any, steps: Steps, pads: Pads, apart: Steps, groups: int, kernel: Shape
) -> Any:
    places, channels = g.shape[2:], x.shape[1] // groups
    x, rows = _padded(x, pads), _in_groups(g, groups)
    taps = []
    for at in _taps(kernel):
        part = _in_groups(ops.slice(x, index=_under(at, apart, steps, places)), groups)
        product = ops.matmul(rows, ops.transpose(part, axes=(0, 1, 3, 2)))
        total = ops.sum_to(product, shape=(1, *product.shape[1:]))
        taps.append(ops.reshape(total, shape=(g.shape[1], channels)))
    return ops.reshape(ops.stack(*taps, axis=2), shape=(g.shape[1], channels, *kernel))


def _each_rank(suffix: str, rule: Callable[..., Any]) -> dict[str, Rule]:
    return {f"conv{axes}d{suffix}": rule for axes in (1, 2, 3)}


RULES: Mapping[str, Rule] = MappingProxyType({
    **_each_rank("", _conv), **_each_rank("_transpose", _transposed),
    **_each_rank("_kernel", _kernel),
})  # fmt: skip
