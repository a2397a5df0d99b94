"""Run parts of a static graph, again and again, with variables that keep their values.

    session.run([loss, step], {x: images, y: labels})

        what is fetched and fed ─ extract ─> Graph ─ passes ─> run ─> values
                                                                 └──> next values, kept last

A run that fails changes nothing: next values are kept when everything has been computed. Each
session has its own values, so several may run one graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from cgkit import tree
from cgkit.compiler import Executable
from cgkit.errors import CaptureError, DtypeError, GraphError, OperandError, ShapeError, StateError
from cgkit.graph import Graph, expect_graph
from cgkit.node import Edge, Node
from cgkit.operators import ALL
from cgkit.static import Extraction, extract
from cgkit.symbolic import Effect, GraphBuilder, Value, full_name
from cgkit.symbolic.builder import RANDOM_KEY
from cgkit.types import Shape, show_shape, solve

Pass = Callable[[Graph], Graph]
Executor = Callable[..., Sequence[np.ndarray]]


class Session:
    """Runs a graph and keeps the values of its variables.

    Parameters
    ----------
    builder
        Of the graph; nodes may still be added between runs.
    seed
        Of all random numbers: the same seed, the same numbers, run by run.
    passes
        Applied to each part before it is run for the first time: functions from Graph to Graph.
    executor
        Runs a graph on arrays: `run`, or a function of a graph and arrays. By default each part is
        made an Executable when it is first run, whose buffers stay for the next run.

    Raises
    ------
    OperandError
        There is no GraphBuilder, or the seed is no whole number.

    Examples
    --------
    >>> builder = GraphBuilder()
    >>> x = builder.placeholder((None,), name="x")
    >>> w = builder.variable(3.0, name="w")
    >>> session = Session(builder)
    >>> session.run(x * w, {x: [1.0, 2.0]})
    array([3., 6.])
    """

    def __init__(
        self,
        builder: GraphBuilder,
        *,
        seed: int = 0,
        passes: Sequence[Pass] = (),
        executor: Executor | None = None,
    ) -> None:
        if not isinstance(builder, GraphBuilder):
            raise OperandError(f"a Session runs a GraphBuilder, not {type(builder).__name__}")
        _check_seed(seed)
        self.builder = builder
        self.seed = seed
        self.runs = 0
        self._first_key = ALL["key"](seed)
        self._passes = tuple(passes)
        self._executor = executor
        self._values: dict[Node, np.ndarray] = {}
        self._parts: dict[Any, Extraction] = {}
        self._ready: dict[Any, Callable[..., Sequence[np.ndarray]]] = {}

    def run(self, fetches: Any, feeds: Mapping[Value, Any] | None = None) -> Any:
        """Compute some tensors.

        Parameters
        ----------
        fetches
            Values, or effects such as a step of training, nested in tuples, lists and dicts.
        feeds
            Numbers for placeholders, or for any other tensor of the graph, whose own computation
            is then left out.

        Returns
        -------
        Any
            An array for each value and None for each effect, nested as the fetches are.

        Raises
        ------
        GraphError
            A placeholder is needed and not fed; a variable has no value yet; two assigns of one
            variable have no order.
        ShapeError, DtypeError
            What is fed does not fit.
        CaptureError
            A fetch or a feed is of another graph, or no value at all.
        """
        leaves, structure = tree.flatten(fetches)
        values = [value for leaf in leaves for value in self._of(leaf)]
        given = self._fed(feeds or {})
        part, act = self._part([value.edge for value in values], [value.edge for value in given])
        read = [self._value(variable) for variable in part.reads]
        found = act(*given.values(), *read)
        if len(found) != len(part.graph.outputs):
            raise GraphError(
                f"the executor gives {len(found)} values, the graph has {len(part.graph.outputs)} "
                "outputs"
            )
        computed = iter(found)
        results = [_result(leaf, computed) for leaf in leaves]
        self._values.update(zip(part.writes, map(_kept, found[len(values) :]), strict=True))
        self.runs += any(map(self._is_key, part.reads))
        return tree.unflatten(structure, results)

    @property
    def executables(self) -> tuple[Executable, ...]:
        """What runs the parts that were run so far, to see launches and allocations.

        Examples
        --------
        >>> builder = GraphBuilder()
        >>> x = builder.placeholder((2,), name="x")
        >>> y = x * 2.0 + 1.0
        >>> session = Session(builder)
        >>> for _ in range(3):
        ...     numbers = session.run(y, {x: [1.0, 2.0]})
        >>> [(ready.launches, ready.runs, ready.allocated) for ready in session.executables]
        [(2, 3, 1)]
        """
        return tuple(ready for ready in self._ready.values() if isinstance(ready, Executable))

    def state(self) -> dict[str, np.ndarray]:
        """Give the values of all variables, by name, and of the random numbers' place.

        The scopes of a variable stand before its name.

        Raises
        ------
        StateError
            Two variables have one name, or one has none.

        Examples
        --------
        >>> builder = GraphBuilder()
        >>> with builder.scope("layer"):
        ...     w = builder.variable(3.0, name="w")
        >>> Session(builder).state()
        {'layer/w': array(3.), 'random key': array([0, 0])}
        """
        state = {}
        for name, variable in self._named().items():
            state[name] = self._value(variable).copy()
        return {**state, RANDOM_KEY: np.array([self.seed, self.runs])}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Give all variables the values that `state` gave, of this session or of another.

        Raises
        ------
        StateError
            A name is missing or unknown, or a value has another type; nothing is changed.
        """
        if not isinstance(state, Mapping):
            raise StateError(f"a state is a dict of arrays, not {type(state).__name__}")
        named = self._named()
        wrong = [f"{name} is missing" for name in named if name not in state]
        wrong += [f"{name} is unknown" for name in state if name not in {*named, RANDOM_KEY}]
        new = {}
        for name, variable in named.items():
            if name not in state:
                continue
            array, known = _plain(state[name]), variable.edges[0].type
            if array.dtype != known.dtype or not _may_have(array.shape, known.shape):
                wrong.append(f"{name} is {known}, got {array.dtype}{list(array.shape)}")
            new[variable] = _kept(array)
        place = _plain(state.get(RANDOM_KEY, (self.seed, self.runs)))
        if place.dtype.kind not in "iu" or place.shape != (2,) or place[1] < 0:
            wrong.append(f"{RANDOM_KEY} is a seed and a number of runs, got {place!r:.60}")
        if wrong:
            raise StateError("this state does not fit the graph", why="\n  ".join(wrong))
        self._values.update(new)
        self.seed, self.runs = (int(x) for x in place)
        self._first_key = ALL["key"](self.seed)

    def _of(self, fetch: Any) -> tuple[Value, ...]:
        values = fetch.values if isinstance(fetch, Effect) else (fetch,)
        for value in values:
            self.builder.check_own(value)
        return tuple(values)

    def _part(
        self, fetches: Sequence[Edge], feeds: Sequence[Edge]
    ) -> tuple[Extraction, Callable[..., Sequence[np.ndarray]]]:
        """Give the part of the graph that a run needs, and what runs it."""
        key = tuple(e.key for e in fetches), tuple(e.key for e in feeds)
        if key not in self._parts:
            part = extract(fetches, feeds)
            graph = part.graph
            for act in self._passes:
                graph = _alike(graph, act(graph))
            executor = self._executor
            ready: Any = Executable(graph) if executor is None else partial(executor, graph)
            self._ready[key] = ready
            self._parts[key] = Extraction(graph, part.reads, part.writes)
        return self._parts[key], self._ready[key]

    def _fed(self, feeds: Mapping[Value, Any]) -> dict[Value, np.ndarray]:
        if not isinstance(feeds, Mapping):
            raise OperandError(
                f"feeds are a dict from values to numbers, not {type(feeds).__name__}",
                attempt="session.run(y, {x: [1.0, 2.0]})",
            )
        binding: dict[str, int] = {}
        found: dict[Value, np.ndarray] = {}
        seen = set()
        for value, numbers in feeds.items():
            self.builder.check_own(value)
            if value.edge.key in seen:
                raise GraphError(f"{value!r} is fed twice")
            seen.add(value.edge.key)
            found[value] = _fitting(value, numbers, binding)
        return found

    def _value(self, variable: Node) -> np.ndarray:
        if self._is_key(variable):
            return np.asarray(ALL["fold_in"](self._first_key, self.runs))
        found = self._values.get(variable, variable.value)
        if found is None:
            raise GraphError(
                f"the variable {full_name(variable)} has no value yet".replace("  ", " "),
                attempt="an assign or load_state before it is read",
            )
        return found

    def _named(self) -> dict[str, Node]:
        named: dict[str, Node] = {}
        for number, value in enumerate(self.builder.variables):
            name = full_name(value.node)
            if not name or name in named or name == RANDOM_KEY:
                other = "the random numbers have" if name == RANDOM_KEY else "another"
                raise StateError(
                    f"variable {number} of the graph has "
                    + (f"the name {name!r}, as {other}" if name else "no name"),
                    attempt='builder.variable(..., name="weights"), or builder.scope("layer")',
                )
            named[name] = value.node
        return named

    def _is_key(self, variable: Node) -> bool:
        key = self.builder.random_key
        return key is not None and variable is key.node


def _check_seed(seed: Any) -> None:
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or not -(2**63) <= seed < 2**63:
        raise OperandError(
            f"the seed of a Session is {seed!r:.40}, not one whole number", attempt="seed=7"
        )


def _alike(before: Graph, after: Any) -> Graph:
    """Demand that a pass has kept the inputs and outputs of a graph."""
    graph = expect_graph(after)
    for name in ("inputs", "outputs"):
        old, new = ([edge.type for edge in getattr(g, name)] for g in (before, graph))
        if old != new:
            raise GraphError(f"a pass has changed the {name} of the graph", why=f"{old} to {new}")
    return graph


def _may_have(sizes: Sequence[int], shape: Shape) -> bool:
    """Say whether an array of these sizes may be the value of a variable of a shape."""
    try:
        solve(shape, sizes, {})
    except ShapeError:
        return False
    return True


def _plain(x: Any) -> np.ndarray:
    """Give anything as an array, of objects where it is none of numbers."""
    try:
        return np.asarray(x)
    except ValueError:  # lists of unlike lengths
        return np.asarray(None)


def _fitting(value: Value, numbers: Any, binding: dict[str, int]) -> np.ndarray:
    """Give what is fed as an array of the type that it stands for."""
    name = value.node.name or value.node.operator.name
    data = numbers.data if hasattr(numbers, "version") else numbers
    if isinstance(data, Value):
        raise CaptureError(f"{name} is fed {data!r}, which has no numbers")
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ShapeError(f"{name} is fed lists of unlike lengths: {error}") from None
    plain = not isinstance(data, np.ndarray | np.generic)
    if plain:
        array = _as_meant(array, value.dtype)
    if array.dtype != value.dtype:
        cast = f'np.asarray(x).astype("{value.dtype}")' if plain else f'x.astype("{value.dtype}")'
        raise DtypeError(
            f"{name} is {value.type}, but is fed {array.dtype}",
            attempt=cast if array.dtype.kind in "biuf" else "an array of numbers",
        )
    try:
        solve(value.shape, array.shape, binding)
    except ShapeError as error:
        raise ShapeError(
            f"{name} is {value.type}, but is fed shape {show_shape(array.shape)}", why=error.why
        ) from None
    return array


def _as_meant(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Give numbers as Python writes them, which have no dtype of their own, the one they need.

    Whole numbers that it cannot hold stay as they are, and so do fractions for whole numbers.
    """
    if array.dtype.kind in "biu" and dtype.kind in "iu":
        found = array.astype(dtype)
        return found if (found == array).all() else array
    fits = array.dtype.kind in "biuf" and np.can_cast(array.dtype, dtype, "same_kind")
    return array.astype(dtype) if fits else array


def _result(fetch: Any, computed: Iterator[np.ndarray]) -> np.ndarray | None:
    """Take what belongs to a fetch: an array that nobody else holds, or None for an effect."""
    if isinstance(fetch, Effect):
        for _ in fetch.values:
            next(computed)
        return None
    return np.array(next(computed))


def _kept(array: np.ndarray) -> np.ndarray:
    """Keep a value so that nobody can write to it."""
    kept = np.array(array)
    kept.flags.writeable = False
    return kept
