"""Run ONNX models on arrays, as ONNX's own tests ask for: `prepare(model).run(inputs)`.

    prepare(model)  ─┬─ the graph can be built           static: built once
                     ├─ some values decide its shapes    fixed: built for these values, or for all
                     │                                   open sizes; inputs are left
                     └─ all values do, or more           evaluated: nothing is left open

Graphs that were built for values are kept, the last few of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from cgkit.errors import OnnxError, UnknownValue
from cgkit.graph import Graph
from cgkit.interpret import run
from cgkit.onnx.importer import check_types, evaluate, load, open_sizes
from cgkit.onnx.inventory import MissingOperators, check_operators
from cgkit.onnx.reading import DEFAULT, Limits, Source, open_model

Way = Literal["static", "fixed", "evaluated"]
KEPT = 8
"""For how many values of its fixed inputs the graph of a model is kept."""


class Prepared:
    """A model that can be run.

    Parameters
    ----------
    source
        The path of a file, its bytes, or an `onnx.ModelProto`.
    limits
        What the model may ask for.

    Examples
    --------
    >>> from onnx.parser import parse_model
    >>> model = prepare(parse_model('''<ir_version: 8, opset_import: ["": 13]>
    ...     f (float[N] x, int64[2] shape) => (float[A, B] y) { y = Reshape(x, shape) }'''))
    >>> model.run([np.float32([1, 2, 3, 4]), np.int64([2, 2])])
    (array([[1., 2.],
           [3., 4.]], dtype=float32),)
    >>> model.way, model.fixed
    ('fixed', ('shape',))
    """

    def __init__(self, source: Source, limits: Limits = DEFAULT) -> None:
        self.model = open_model(source, limits)
        check_operators(self.model)
        check_types(self.model)
        self.buildable = True
        """Whether a graph can be built, once enough is fixed."""
        self.fixed: tuple[str, ...] = ()
        """The inputs whose values the graph depends on."""
        self.sizes: tuple[str, ...] = ()
        """The open sizes whose values it depends on."""
        self._graphs: OrderedDict[Any, Graph] = OrderedDict()
        graph = self.model.proto.graph
        given = {tensor.name for tensor in graph.initializer}
        self.inputs = tuple(x.name for x in graph.input if x.name not in given)
        """The names of the inputs that have no value in the model."""
        self._try({})

    @property
    def way(self) -> Way:
        """How it is run: as one graph, for the values of some inputs, or with nothing left open."""
        if not self.buildable or (self.inputs and self.fixed == self.inputs):
            return "evaluated"
        return "fixed" if self.fixed or self.sizes else "static"

    def run(self, inputs: Mapping[str, Any] | Iterable[Any]) -> tuple[np.ndarray, ...]:
        """Run the model.

        Parameters
        ----------
        inputs
            A value for each input that has none in the model: in order, or by name.

        Returns
        -------
        tuple of ndarray
            A value for each output.

        Raises
        ------
        OnnxError
            The model cannot be run on these.
        """
        arrays = self._named(inputs)
        graph = self._try(arrays)
        if graph is None:
            return tuple(evaluate(self.model, arrays).values())
        free = [name for name in self.inputs if name not in self.fixed]
        return run(graph, *(arrays[name] for name in free))

    def _named(self, inputs: Mapping[str, Any] | Iterable[Any]) -> dict[str, np.ndarray]:
        if not isinstance(inputs, Iterable):
            raise OnnxError(
                f"a model is run on a value for each input, got {type(inputs).__name__}",
                attempt=f"values of {', '.join(self.inputs)}, in a list or by name",
            )
        if not isinstance(inputs, Mapping):
            listed = list(inputs)
            if len(listed) != len(self.inputs):
                raise OnnxError(
                    f"the model has {len(self.inputs)} inputs ({', '.join(self.inputs)}), "
                    f"got {len(listed)} values"
                )
            inputs = dict(zip(self.inputs, listed, strict=True))
        for name in {*self.inputs} ^ {*inputs}:
            raise OnnxError(
                f"the input {name!r} "
                + ("is given no value" if name in self.inputs else "is none of the model"),
                attempt=f"values of {', '.join(self.inputs)}",
            )
        try:
            return {name: np.asarray(x) for name, x in inputs.items()}
        except ValueError as error:
            raise OnnxError("lists of unlike lengths make no tensor", why=str(error)) from None

    def _try(self, arrays: Mapping[str, np.ndarray]) -> Graph | None:
        """Give the graph for some values; None where only an evaluation will do.

        Without values it only finds out on which the graph depends.
        """
        while self.buildable and (arrays or not (self.fixed or self.sizes)):
            known = {name: arrays[name] for name in self.fixed}
            sizes = self._sizes(arrays)
            key = tuple((x.shape, x.dtype.str, x.tobytes()) for x in known.values())
            graph = self._graphs.get((key, *sizes.values()))
            try:
                graph = graph or load(self.model, known=known, sizes=sizes)
            except MissingOperators:
                raise
            except UnknownValue as error:
                self._learn(error)
                continue
            except OnnxError:
                every = tuple(sorted(open_sizes(self.model)))
                if self.sizes == every:  # and this is what is wrong with the model
                    raise
                self.sizes = every
                continue
            self._graphs[key, *sizes.values()] = graph
            self._graphs.move_to_end((key, *sizes.values()))
            if len(self._graphs) > KEPT:
                self._graphs.popitem(last=False)
            return graph
        return None

    def _learn(self, error: UnknownValue) -> None:
        """Note what the graph depends on; what depends on more than inputs is only evaluated."""
        fixed = tuple(name for name in self.inputs if name in {*self.fixed, *error.inputs})
        sizes = tuple(sorted({*self.sizes, *error.sizes} & open_sizes(self.model).keys()))
        self.buildable = (fixed, sizes) != (self.fixed, self.sizes)
        self.fixed, self.sizes = fixed, sizes

    def _sizes(self, arrays: Mapping[str, np.ndarray]) -> dict[str, int]:
        places = open_sizes(self.model)
        found = {}
        for name in self.sizes:
            given, axis = places[name]
            if arrays[given].ndim <= axis:
                raise OnnxError(f"the input {given!r} has no axis {axis}")
            found[name] = arrays[given].shape[axis]
        return found


def prepare(model: Source, device: str = "CPU") -> Prepared:
    """Make a model ready to run, as ONNX's backends do.

    Parameters
    ----------
    model
        The path of a file, its bytes, or an `onnx.ModelProto`.
    device
        Where to run it; the CPU is what there is.

    Raises
    ------
    OnnxError
        The model cannot be imported, or there is no such device.
    """
    if not supports_device(device):
        raise OnnxError(f"cgkit runs ONNX models on the CPU, not on {device!r}")
    return Prepared(model)


def supports_device(device: str) -> bool:
    """Say whether models run on a device.

    Examples
    --------
    >>> supports_device("CPU"), supports_device("CUDA")
    (True, False)
    """
    return device.partition(":")[0] == "CPU"
