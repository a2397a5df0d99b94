"""Turn an ONNX model into a graph, or evaluate it.

load("model.onnx")                       ─>  Graph, its open sizes named as in the model
load("model.onnx", sizes={"N": 1})       ─>  the same for one size
load("model.onnx", known={"k": array})   ─>  the same with an input fixed
evaluate("model.onnx", {"x": array})     ─>  {"y": array}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cgkit.errors import OnnxError, UnknownValue
from cgkit.graph import Graph, graphs_inside
from cgkit.onnx.dtypes import declared_dtype
from cgkit.onnx.inventory import check_operators
from cgkit.onnx.known import Room
from cgkit.onnx.reading import DEFAULT, Limits, Model, Source, open_model, read_tensor
from cgkit.onnx.sizes import Sizes
from cgkit.onnx.walk import Walk
from cgkit.symbolic import GraphBuilder, Value
from cgkit.types import Size


def load(
    source: Source,
    *,
    known: Mapping[str, Any] | None = None,
    sizes: Mapping[str, int] | None = None,
    limits: Limits = DEFAULT,
) -> Graph:
    """Read an ONNX model as a graph.

    Floating-point parameters become variables; whole numbers and constants are known while the
    graph is built, and what is computed from these alone is computed now. Inputs, parameters and
    what the model's nodes make keep their names: an output has its name unless it is an input, a
    parameter or a constant, or has been made under another name.

    Parameters
    ----------
    source
        The path of a file, its bytes, or an `onnx.ModelProto`.
    known
        Values of inputs that are fixed now, by name; these are no inputs of the graph. Needed where
        a value decides a shape.
    sizes
        Values of open sizes, by name. An open size without a name goes by its input and axis: that
        of axis 0 of input x is "x_0".
    limits
        What the model may ask for.

    Returns
    -------
    Graph
        Its inputs are those of the model that have no value yet, in order; its outputs the model's.

    Raises
    ------
    OnnxError
        There is no model, it is broken, or cgkit lacks operators that it uses.
    UnknownValue
        The graph depends on the value of an input; `inputs` names it.

    Examples
    --------
    >>> from onnx.parser import parse_model
    >>> print(load(parse_model('''<ir_version: 8, opset_import: ["": 13]>
    ...     f (float[N, 3] x) => (float[N, 3] y) { y = Add(x, x) }''')))
    graph(x: float32[N, 3])
      y = add(x, x)    float32[N, 3]
      return y
    """
    model = open_model(source, limits)
    check_operators(model)
    check_types(model)
    builder = GraphBuilder()
    walk = Walk(model, builder)
    inputs = list(_declare(walk, builder, known or {}, sizes or {}))
    walk.run()
    outputs = [_output(walk, builder, output) for output in model.proto.graph.output]
    graph = builder.graph(outputs, inputs)
    _forget_lines(graph)
    return graph


def _forget_lines(graph: Graph) -> None:
    """Take away the lines of nodes: none of the caller's made them, but nodes of the model."""
    for node in graph.nodes:
        if isinstance(node.extra().line, int):
            node.extra().line = None
        for _, inside in graphs_inside(node):
            _forget_lines(inside)


def evaluate(
    source: Source, inputs: Mapping[str, Any], *, limits: Limits = DEFAULT
) -> dict[str, np.ndarray]:
    """Evaluate an ONNX model on arrays, node by node, by the rules that build graphs.

    Parameters
    ----------
    source
        The path of a file, its bytes, or an `onnx.ModelProto`.
    inputs
        A value for each input that has none in the model, by name.
    limits
        What the model may ask for.

    Returns
    -------
    dict
        A value for each output, by name.

    Raises
    ------
    OnnxError
        There is no model, it is broken, cgkit lacks operators that it uses, or an input is missing.

    Examples
    --------
    >>> from onnx.parser import parse_model
    >>> evaluate(parse_model('''<ir_version: 8, opset_import: ["": 13]>
    ...     f (int64[2] x) => (int64[2] y) { y = Add(x, x) }'''), {"x": [1, 2]})
    {'y': array([2, 4])}
    """
    model = open_model(source, limits)
    check_operators(model)
    check_types(model)
    walk = Walk(model, None)
    for value in _declare(walk, GraphBuilder(), inputs, {}):
        raise OnnxError(
            f"the input {value.node.name!r} of the model is given no value",
            attempt=f"a value of type {value.type}",
        )
    walk.run()
    return {
        output.name: np.asarray(_typed(walk.names[output.name], output))
        for output in model.proto.graph.output
    }


def open_sizes(model: Model) -> dict[str, tuple[str, int]]:
    """Give for each open size of a model an input and an axis where it stands by itself.

    Examples
    --------
    >>> from onnx.parser import parse_model
    >>> open_sizes(open_model(parse_model('''<ir_version: 8, opset_import: ["": 13]>
    ...     f (float[N, 3] x, float[?] w) => (float[N, 3] y) { y = Neg(x) }''')))
    {'N': ('x', 0), 'w_0': ('w', 0)}
    """
    found: dict[str, tuple[str, int]] = {}
    for name, shape in _shapes(model.proto.graph):
        for axis, size in enumerate(shape or ()):
            if isinstance(size, str):
                found.setdefault(size, (name, axis))
    return found


def told_sizes(model: Model, arrays: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Read off arrays which values the open sizes of a model have; the first that tells counts.

    Examples
    --------
    >>> from onnx.parser import parse_model
    >>> model = open_model(parse_model('''<ir_version: 8, opset_import: ["": 13]>
    ...     f (float[N] x, float[N, M] z) => (float[N] y) { y = Neg(x) }'''))
    >>> told_sizes(model, {"z": np.ones((2, 3))})
    {'N': 2, 'M': 3}
    """
    found: dict[str, int] = {}
    for name, shape in _shapes(model.proto.graph):
        if shape is not None and name in arrays and len(shape) == arrays[name].ndim:
            for size, real in zip(shape, arrays[name].shape, strict=True):
                if isinstance(size, str):
                    found.setdefault(size, real)
    return found


def check_types(model: Model) -> None:
    """Check that the inputs of a model are tensors of types that cgkit has.

    Raises
    ------
    OnnxError
        One is not; the message names it.
    """
    for given in model.proto.graph.input:
        _dtype(given)


def _declare(
    walk: Walk, builder: GraphBuilder, known: Mapping[str, Any], sizes: Mapping[str, int]
) -> Iterator[Value]:
    """Let the names of parameters and inputs stand for what they are; give the open inputs."""
    graph = walk.model.proto.graph
    _check_names(known, [x.name for x in graph.input], "input")
    _check_names(sizes, list(open_sizes(walk.model)), "open size")
    _check_sizes(sizes)
    read = Room(walk.model.limits)
    for tensor in graph.initializer:
        if tensor.name not in known:
            array = read_tensor(tensor, walk.model.limits, walk.model.folder)
            read.allow(f"the tensor {tensor.name!r}", array.shape, array.dtype)
            walk.names[tensor.name] = walk.parameter(tensor.name, array)
    shapes = dict(_shapes(graph))
    fixed = {x.name: _fixed(known[x.name], x) for x in graph.input if x.name in known}
    told = _agreed(shapes, fixed, sizes)
    walk.names |= {name: walk.room.known(array) for name, array in fixed.items()}
    for given in graph.input:
        if given.name not in walk.names:
            shape = _shape(given, shapes, told)
            dtype = _dtype(given)
            value = builder.placeholder(shape, dtype, name=given.name)
            walk.check_size(value, f"the input {given.name!r}")
            walk.names[given.name] = value
            yield value


def _agreed(
    shapes: Mapping[str, tuple[int | str, ...] | None],
    arrays: Mapping[str, np.ndarray],
    sizes: Mapping[str, int],
) -> dict[str, int]:
    """Add to the values of open sizes those that arrays have; all must agree."""
    told = dict(sizes)
    for name, array in arrays.items():
        for size, real in zip(shapes[name] or (), array.shape, strict=False):
            if isinstance(size, str) and told.setdefault(size, real) != real:
                raise OnnxError(
                    f"the input {name!r} has shape {array.shape}",
                    why=f"its open size {size} is {told[size]} already, not {real}",
                )
    return told


def _check_names(given: Mapping[str, Any], names: list[str], kind: str) -> None:
    if not isinstance(given, Mapping):
        raise OnnxError(
            f"each {kind} is given by its name, got {type(given).__name__}",
            attempt=f"{{{', '.join(f'{name!r}: ...' for name in names[:10])}}}",
        )
    for name in given:
        if name not in names:
            raise OnnxError(
                f"the model has no {kind} {name!r}", attempt=", ".join(map(repr, names[:10]))
            )


def _check_sizes(sizes: Mapping[str, Any]) -> None:
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            raise OnnxError(f"the open size {name!r} cannot be {size!r}", attempt="a whole number")


def _shapes(graph: Any) -> Iterator[tuple[str, tuple[int | str, ...] | None]]:
    """Give the shape that each input declares, a name for each open size; None for no shape."""
    taken = {dim.dim_param for x in graph.input for dim in x.type.tensor_type.shape.dim}
    for given in graph.input:
        if not given.type.tensor_type.HasField("shape"):
            yield given.name, None
            continue
        shape: list[int | str] = []
        for axis, dim in enumerate(given.type.tensor_type.shape.dim):
            if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
                shape.append(dim.dim_value)
                continue
            own = f"{given.name}_{axis}"
            while not dim.dim_param and own in taken:
                own += "_"
            shape.append(dim.dim_param or own)
        yield given.name, tuple(shape)


def _shape(
    given: Any, shapes: Mapping[str, tuple[int | str, ...] | None], sizes: Mapping[str, int]
) -> list[Size | str]:
    shape = shapes[given.name]
    if shape is None:
        raise UnknownValue(
            f"the input {given.name!r} of the model does not say how many axes it has",
            [given.name],
        )
    return [sizes.get(size, size) if isinstance(size, str) else size for size in shape]


def _dtype(given: Any) -> np.dtype:
    """Give the dtype that an input declares."""
    found = declared_dtype(given)
    if found is None:
        raise OnnxError(f"{given.name!r} is declared as nothing; cgkit has tensors only")
    return found


def _fixed(x: Any, given: Any) -> np.ndarray:
    """Give the value of an input as an array of the type it declares."""
    dtype = _dtype(given)
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise OnnxError(f"the input {given.name!r} is given no array", why=str(error)) from None
    if array.dtype != dtype and not (isinstance(x, list | int | float) and _means(array, dtype)):
        raise OnnxError(
            f"the input {given.name!r} is {dtype}, got {array.dtype}",
            attempt=f"array.astype({dtype.name!r})",
        )
    dims = given.type.tensor_type.shape.dim
    if given.type.tensor_type.HasField("shape"):
        declared = [d.dim_value if d.WhichOneof("value") == "dim_value" else -1 for d in dims]
        fits = len(declared) == array.ndim and all(
            size in (-1, real) for size, real in zip(declared, array.shape, strict=True)
        )
        if not fits:
            raise OnnxError(
                f"the input {given.name!r} has shape {tuple(declared)}, got {array.shape}",
                why="-1 stands for an open size",
            )
    return array.astype(dtype)


def _means(numbers: np.ndarray, dtype: np.dtype) -> bool:
    """Say whether plain numbers keep their meaning in a dtype: a fraction is no whole number."""
    if numbers.dtype.kind not in "fiub":
        return False
    if dtype.kind == "f":
        return True
    with np.errstate(invalid="ignore"):
        return bool(np.array_equal(numbers.astype(dtype), numbers))


def _typed(found: Any, output: Any) -> Any:
    """Give back what an output stands for, if it is of the type that the model declares."""
    declared = declared_dtype(output)
    if declared is not None and declared != found.dtype:
        raise OnnxError(
            f"the output {output.name!r} is declared as {declared}, and is {found.dtype}"
        )
    return found


def _output(walk: Walk, builder: GraphBuilder, output: Any) -> Value:
    found = _typed(walk.names[output.name], output)
    if isinstance(found, Sizes):
        return found.value()
    if isinstance(found, Value):
        return found
    return builder.constant(np.asarray(found), name=output.name)
