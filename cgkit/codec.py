"""Graphs as plain nested values, and back: what a file or another process can hold.

    encode(graph)   ─>  {"nodes": [{"operator": "add", "inputs": [[0, 0], [1, 0]], ...}], ...}
    decode(values)  <─  dicts, lists, texts, numbers and arrays, nothing else

Operators are told by name, nodes by their place in the list, so a node reads only what stands
before it. What is decoded may come from anywhere: every name, place and type is checked, and the
types are inferred anew, before a Graph is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cgkit.control import OPERATORS as CONTROL
from cgkit.errors import CgkitError, StateError
from cgkit.graph import Graph, expect_graph
from cgkit.node import CONSTANT, INPUT, SOURCES, VARIABLE, Edge, Extras, Node, Operator
from cgkit.operators import ALL
from cgkit.operators.indices import Span
from cgkit.order import verify
from cgkit.symbolic.wiring import SIZED, WIRING
from cgkit.symbolic.writes import INSTEAD
from cgkit.tensor.placement import TO
from cgkit.types import Dim, Size, TensorType, as_dtype
from cgkit.types.terms import Factor, Floor, Terms

VERSION = 1
DEEPEST = 40
"""How deep graphs may lie inside graphs."""
MOST_TERMS = 1000
"""How many terms an open size may have."""


def operators() -> dict[str, Operator]:
    """Give all operators that a graph may hold, by name."""
    others = chain((INPUT, CONSTANT, VARIABLE), CONTROL, WIRING, (SIZED, TO, INSTEAD))
    return {**ALL, **{operator.name: operator for operator in others}}


def encode(graph: Graph) -> dict[str, Any]:
    """Write a graph as nested dicts, lists, texts, numbers and arrays.

    Parameters
    ----------
    graph
        Any graph, with graphs inside if it has them.

    Returns
    -------
    dict
        What `decode` reads. Arrays are those of the graph, not copies.

    Raises
    ------
    StateError
        A param is of a kind that cannot be written, or an operator is not the library's.

    Examples
    --------
    >>> from cgkit import GraphBuilder
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None,), name="x")
    >>> print(decode(encode(builder.graph([x * 2.0]))))
    graph(x: float64[N])
      p = mul(x, 2.0)    float64[N]
      return p
    """
    return {"version": VERSION, **_graph(expect_graph(graph), operators(), 0)}


def _graph(graph: Graph, known: Mapping[str, Operator], depth: int) -> dict[str, Any]:
    if depth > DEEPEST:
        raise StateError(f"graphs lie inside graphs deeper than {DEEPEST}")
    place = {node: number for number, node in enumerate(graph.nodes)}

    def reference(edge: Edge) -> list[int]:
        assert edge.node is not None
        return [place[edge.node], edge.index]

    nodes = []
    for node in graph.nodes:
        if known.get(node.operator.name) is not node.operator:
            raise StateError(
                f"the operator {node.operator.name} is not the library's, so no file can name it"
            )
        params = {name: _param(value, known, depth) for name, value in node.params.items()}
        nodes.append({
            "operator": node.operator.name,
            "inputs": [reference(edge) for edge in node.inputs],
            "params": params,
            "name": node.name,
            "scope": node.scope,
            "value": node.value,
            "results": [_type(result) for result in node.results or ()],
        })  # fmt: skip
    return {
        "nodes": nodes,
        "inputs": [reference(edge) for edge in graph.inputs],
        "outputs": [reference(edge) for edge in graph.outputs],
    }


def _type(known: TensorType) -> list[Any]:
    return [known.dtype.name, [_size(size) for size in known.shape]]


def _size(size: Size) -> Any:
    if not isinstance(size, Dim):
        return int(size)
    return {"dim": _terms(size.terms)}


def _terms(terms: Terms) -> list[Any]:
    written = [
        [count, [[_factor(factor), power] for factor, power in term]]
        for term, count in terms.items()
    ]
    return sorted(written, key=repr)


def _factor(factor: Factor) -> Any:
    """Write a name as it is, a size that is divided and rounded down with its divisor."""
    if isinstance(factor, Floor):
        return {"dim": _terms(factor.terms), "by": factor.by}
    return factor


def _param(value: Any, known: Mapping[str, Operator], depth: int) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Dim):
        return _size(value)
    if isinstance(value, Span):
        return {"span": [_param(part, known, depth) for part in value]}
    if isinstance(value, tuple):
        return {"tuple": [_param(part, known, depth) for part in value]}
    if isinstance(value, np.dtype):
        return {"dtype": value.name}
    if isinstance(value, Graph):
        return {"graph": _graph(value, known, depth + 1)}
    if isinstance(value, np.generic):
        return _param(value.item(), known, depth)
    raise StateError(f"a param of type {type(value).__name__} cannot be written: {value!r:.60}")


def decode(values: Any) -> Graph:
    """Read a graph from what `encode` wrote.

    Parameters
    ----------
    values
        Nested dicts, lists, texts, numbers and arrays, from anywhere.

    Returns
    -------
    Graph
        A new graph, verified.

    Raises
    ------
    StateError
        Something is missing, unknown or does not fit; the message says what and at which node.

    Examples
    --------
    >>> decode({"version": 1, "nodes": []})
    Traceback (most recent call last):
    cgkit.errors.StateError: this is no graph of cgkit: 'inputs' is missing
    """
    if not isinstance(values, dict) or "version" not in values:
        raise StateError("this is no graph of cgkit: 'version' is missing")
    if type(values["version"]) is not int or values["version"] != VERSION:
        raise StateError(
            f"this graph is of version {values['version']!r:.20}, this library reads {VERSION}",
            attempt="a newer cgkit, or saving the graph again",
        )
    try:
        return _read_graph(values, operators(), 0)
    except RecursionError:
        raise StateError("this is no graph of cgkit: its parts are nested too deep") from None


def _read_graph(values: Any, known: Mapping[str, Operator], depth: int) -> Graph:
    if depth > DEEPEST:
        raise StateError(f"graphs lie inside graphs deeper than {DEEPEST}")
    parts = {key: _field(values, key, list) for key in ("nodes", "inputs", "outputs")}
    nodes: list[Node] = []
    for number, written in enumerate(parts["nodes"]):
        try:
            nodes.append(_read_node(written, nodes, known, depth))
        except CgkitError as error:
            found = error if isinstance(error, StateError) else StateError(str(error))
            found.add_note(f"  at node {number} of the graph")
            raise found from None
    inputs = tuple(_read_edge(reference, nodes) for reference in parts["inputs"])
    outputs = tuple(_read_edge(reference, nodes) for reference in parts["outputs"])
    graph = Graph(inputs, tuple(nodes), outputs)
    try:
        verify(graph)
    except CgkitError as error:
        raise StateError("this graph is damaged", why=error.with_place()) from None
    return graph


def _field(values: Any, key: str, kind: type) -> Any:
    if not isinstance(values, dict) or key not in values:
        raise StateError(f"this is no graph of cgkit: {key!r} is missing")
    found = values[key]
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise StateError(
            f"this is no graph of cgkit: {key!r} is of type {type(found).__name__}, "
            f"not {kind.__name__}"
        )
    return found


def _read_node(
    values: Any, before: Sequence[Node], known: Mapping[str, Operator], depth: int
) -> Node:
    name = _field(values, "operator", str)
    operator = known.get(name)
    if operator is None:
        raise StateError(f"there is no operator {name!r:.60}")
    inputs = tuple(_read_edge(reference, before) for reference in _field(values, "inputs", list))
    written = _field(values, "params", dict)
    params = {_text(key): _read_param(param, known, depth) for key, param in written.items()}
    results = tuple(_read_type(result) for result in _field(values, "results", list))
    value = _read_value(values.get("value"), operator, results)
    extras = Extras(_field(values, "name", str), _field(values, "scope", str), value, results)
    if operator in SOURCES and (inputs or params or len(results) != 1):
        raise StateError(f"a {name} has one result, and neither inputs nor params")
    return Node(operator, inputs, params, (), extras)


def _read_value(value: Any, operator: Operator, results: Sequence[TensorType]) -> np.ndarray | None:
    if value is None and operator is not CONSTANT:
        return None
    if not isinstance(value, np.ndarray) or operator not in (CONSTANT, VARIABLE) or not results:
        raise StateError(f"the value of a {operator.name} is of type {type(value).__name__}")
    if TensorType(value.shape, value.dtype) != results[0]:
        raise StateError(f"a {operator.name} of {results[0]} has a value of {value.dtype}"
                         f"{list(value.shape)}")  # fmt: skip
    array = value.copy()
    array.flags.writeable = False
    return array


def _read_edge(reference: Any, nodes: Sequence[Node]) -> Edge:
    pair = isinstance(reference, list | tuple) and len(reference) == 2
    if not pair or any(type(number) is not int for number in reference):
        raise StateError(f"{reference!r:.60} is no place of a tensor: a node and an output")
    number, index = reference
    if not 0 <= number < len(nodes):
        raise StateError(f"node {number} is read, but stands nowhere before")
    results = nodes[number].results or ()
    if not 0 <= index < len(results):
        raise StateError(f"node {number} has {len(results)} outputs, not number {index}")
    return Edge(nodes[number], index, results[index].shape, results[index].dtype)


def _read_type(values: Any) -> TensorType:
    if not isinstance(values, list | tuple) or len(values) != 2 or not isinstance(values[1], list):
        raise StateError(f"{values!r:.60} is no type: a dtype and sizes")
    return TensorType([_read_size(size) for size in values[1]], as_dtype(_text(values[0])))


def _read_size(values: Any) -> Size:
    if type(values) is int and 0 <= values < 2**62:
        return values
    terms = values.get("dim") if isinstance(values, dict) and len(values) == 1 else None
    if not isinstance(terms, list) or not 0 < len(terms) <= MOST_TERMS:
        raise StateError(f"{values!r:.60} is no size")
    total: Size = 0
    for term in terms:
        total = total + _read_term(term)
    return total


def _read_term(term: Any) -> Size:
    """Read a number times a product of powers of open sizes."""
    try:
        count, factors = term
        found: Size = count
        if type(count) is not int or abs(count) > 2**62:
            raise ValueError
        for name, power in factors:
            if type(power) is not int or not 0 < power <= 64:
                raise ValueError
            for _ in range(power):
                found = found * _read_factor(name)
    except (TypeError, ValueError):
        raise StateError(f"{term!r:.60} is no term of an open size") from None
    return found


def _read_factor(values: Any) -> Size:
    if not isinstance(values, dict):
        return Dim(_text(values))
    divisor: int = _field(values, "by", int)
    if len(values) != 2 or not 1 < divisor < 2**62:
        raise StateError(f"{values!r:.60} is no size that is divided")
    return _read_size({"dim": _field(values, "dim", list)}) // divisor


def _read_param(values: Any, known: Mapping[str, Operator], depth: int) -> Any:
    if values is None or type(values) in (bool, int, float, str):
        return values
    if not isinstance(values, dict) or len(values) != 1:
        raise StateError(f"{values!r:.60} is no param")
    ((kind, inner),) = values.items()
    if kind == "dim":
        return _read_size(values)
    if kind == "dtype":
        return as_dtype(_text(inner))
    if kind == "graph":
        return _read_graph(inner, known, depth + 1)
    if kind in ("tuple", "span") and isinstance(inner, list):
        parts = [_read_param(part, known, depth) for part in inner]
        if kind == "tuple":
            return tuple(parts)
        if len(parts) == 3:
            return Span(*parts)
    raise StateError(f"{values!r:.60} is no param")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise StateError(f"{value!r:.60} stands where a text belongs")
    return value
