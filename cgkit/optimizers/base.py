"""What all optimizers share: checks, weight decay, counting steps, nested parameters.

    update ─> check ─> step + 1, learning rate ─> gradient + weight decay ─> rule, of each kind
                                                                               │
    initial ─> zeros for each name of `memory`                  new parameter, new memory

A state is a dict: "step", how many updates there were, and an array of the parameter's shape for
each name that the optimizer keeps. It begins as arrays; an update gives it back as whatever the
operands were. All is written with operators, so no update changes what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any

import numpy as np

from cgkit import operators as ops
from cgkit import tree
from cgkit.errors import CgkitError, DtypeError, OperandError, ShapeError
from cgkit.operators.operands import as_operand
from cgkit.operators.settings import as_number
from cgkit.types import meet_shapes

State = dict[str, Any]
Rate = float | Callable[[Any], Any]


@dataclass(frozen=True)
class Optimizer:
    """The settings of an optimizer: a plain value, which any number of parameters may share.

    Parameters
    ----------
    learning_rate
        How far a step goes: a number of at least 0, or a schedule, `schedule(step) -> number`.
    weight_decay
        How strongly parameters are pulled to 0; added to the gradient times the parameter.
    maximize
        Whether to go up instead of down.

    Raises
    ------
    OperandError
        A setting is out of its bounds.
    """

    learning_rate: Rate
    _: KW_ONLY
    weight_decay: float = 0.0
    maximize: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        if hasattr(self.learning_rate, "edge"):
            raise OperandError(
                f"a learning rate that is a tensor is given by a schedule: {self.learning_rate!r}",
                attempt=f"{type(self).__name__}(lambda step: rate)",
            )
        if not callable(self.learning_rate):
            self.settle("learning_rate", least=0)
        self.settle("weight_decay", least=0)
        for field in fields(self):
            if field.type == "bool" and not isinstance(value := getattr(self, field.name), bool):
                raise OperandError(f"{field.name} is True or False, not {value!r:.60}")

    def settle(self, name: str, **bounds: float) -> None:
        """Make a setting a plain number, which is weak: it makes no parameter wider.

        Raises
        ------
        OperandError
            It is no number, or out of its bounds.
        """
        what = f"the {name.replace('_', ' ')}"
        object.__setattr__(self, name, plain_number(what, getattr(self, name), **bounds))

    @property
    def memory(self) -> tuple[str, ...]:
        """The names of what it keeps for each parameter, beside the step."""
        return ()

    def rule(
        self, param: Any, grad: Any, memory: Mapping[str, Any], step: Any, rate: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Give the new parameter and the new memory.

        Parameters
        ----------
        param, grad
            The parameter and its gradient.
        memory
            What `memory` names, as the last update left it.
        step
            The number of this update, from 1.
        rate
            The learning rate of this update, as the schedule gave it.
        """
        raise NotImplementedError

    def prepared(self, param: Any, grad: Any) -> Any:
        """Give the gradient that the rule shall see: turned round if wanted, and pulled to 0."""
        grad = ops.neg(grad) if self.maximize else grad
        return grad + param * self.weight_decay if self.weight_decay else grad

    def initial(self, param: Any) -> State:
        """Give the state before the first update.

        Parameters
        ----------
        param
            The parameter: anything with a shape, whose sizes are known, and a floating dtype.

        Returns
        -------
        dict
            Arrays of zeros.

        Raises
        ------
        DtypeError, ShapeError
            It is not floating, or a size is open.

        Examples
        --------
        >>> from cgkit.optimizers import SGD
        >>> SGD(0.1, momentum=0.9).initial(np.ones(2))
        {'step': array(0), 'velocity': array([0., 0.])}
        """
        param = _floating(param)
        if not all(isinstance(size, int) for size in param.shape):
            raise ShapeError(
                f"a parameter has a known size, not {param.shape}",
                attempt="a variable of a graph, whose first value is an array",
            )
        zeros = {name: np.zeros(param.shape, param.dtype) for name in self.memory}
        return {"step": np.zeros((), "int64"), **zeros}

    def update(self, param: Any, grad: Any, state: Mapping[str, Any]) -> tuple[Any, State]:
        """Make one step.

        Parameters
        ----------
        param, grad
            A parameter and its gradient, of one shape and one floating dtype: arrays, Tensors or
            Values.
        state
            What `initial` or the last `update` gave.

        Returns
        -------
        tuple
            The new parameter and the new state; what was given stays as it was.

        Raises
        ------
        ShapeError, DtypeError
            The gradient is not of the parameter's shape and dtype.
        OperandError
            The state is of another optimizer.

        Examples
        --------
        >>> from cgkit.optimizers import SGD
        >>> settings = SGD(0.5)
        >>> settings.update(np.array([1.0]), np.array([4.0]), settings.initial(np.array([1.0])))
        (array([-1.]), {'step': np.int64(1)})
        """
        param = _floating(param)
        grad = _fitting(grad, param)
        memory = self._memory_of(state, param)
        step = ops.add(state["step"], 1)
        rate = self.learning_rate
        rate = rate(state["step"]) if callable(rate) else rate
        new, kept = self.rule(param, self.prepared(param, grad), memory, step, rate)
        return new, {"step": step, **kept}

    def _memory_of(self, state: Mapping[str, Any], param: Any) -> dict[str, Any]:
        missing = [name for name in ("step", *self.memory) if name not in state]
        if missing:
            raise OperandError(
                f"the state holds {', '.join(state) or 'nothing'}, but {type(self).__name__} "
                f"needs {', '.join(missing)}",
                attempt="the state that initial(param) of these settings gave",
            )
        memory = {name: state[name] for name in self.memory}
        for name, kept in memory.items():
            meet_shapes(kept.shape, param.shape, f"that of the parameter, whose {name} it is")
        return memory

    def initial_all(self, parameters: Any) -> Any:
        """Give the states of nested parameters, nested in the same way.

        Examples
        --------
        >>> from cgkit.optimizers import SGD
        >>> SGD(0.1).initial_all({"w": np.ones(2), "b": np.ones(())})
        {'w': {'step': array(0)}, 'b': {'step': array(0)}}
        """
        leaves, structure = tree.flatten(parameters)
        places = tree.paths(structure)
        return tree.unflatten(
            structure, [_at(p, self.initial, x) for p, x in zip(places, leaves, strict=True)]
        )

    def update_all(self, parameters: Any, gradients: Any, states: Any) -> tuple[Any, Any]:
        """Make one step with each of nested parameters.

        Parameters
        ----------
        parameters
            Parameters nested in tuples, lists and dicts.
        gradients
            Their gradients, nested in the same way; where one is None, parameter and state stay.
        states
            What `initial_all` or the last `update_all` gave.

        Returns
        -------
        tuple
            The new parameters and the new states.

        Raises
        ------
        OperandError
            The three are not nested alike.
        ShapeError, DtypeError
            As `update`; a note says at which parameter.

        Examples
        --------
        >>> from cgkit.optimizers import SGD
        >>> settings, weights = SGD(0.5), {"w": np.ones(2), "b": np.zeros(2)}
        >>> gradients = {"w": np.array([1.0, 2.0]), "b": None}
        >>> settings.update_all(weights, gradients, settings.initial_all(weights))[0]
        {'w': array([0.5, 0. ]), 'b': array([0., 0.])}
        """
        leaves, structure = tree.flatten(parameters)
        rows = zip(
            tree.paths(structure),
            leaves,
            _along(structure, gradients, "gradients"),
            _along(structure, states, "states"),
            strict=True,
        )
        made = [
            (param, state) if grad is None else _at(place, self.update, param, grad, state)
            for place, param, grad, state in rows
        ]
        return (
            tree.unflatten(structure, [param for param, _ in made]),
            tree.unflatten(structure, [state for _, state in made]),
        )


def plain_number(what: str, x: Any, **bounds: float) -> float:
    """Give a setting as Python's own number: NumPy's float64 passes for one, but is not weak.

    Examples
    --------
    >>> plain_number("the momentum", np.float64(0.5), least=0), np.float64(0.5)
    (0.5, np.float64(0.5))
    """
    number = as_number(what, x, **bounds)
    return number if type(number) in (int, float) else float(number)


def like(factor: Any, param: Any) -> Any:
    """Give a number that was computed in the dtype of a parameter, lest it make that wider.

    A plain Python number is weak already.

    Examples
    --------
    >>> like(np.float64(0.1), np.ones(2, "float32")).dtype, like(0.1, np.ones(2, "float32"))
    (dtype('float32'), 0.1)
    """
    if factor.__class__ in (int, float):
        return factor
    return ops.cast(as_operand(factor), dtype=param.dtype.name)


def _floating(param: Any) -> Any:
    found = as_operand(param)
    if found.dtype.kind != "f":
        raise DtypeError(
            f"a parameter is floating, this one is {found.dtype}",
            why="there is no small step between whole numbers",
            attempt='ops.cast(param, dtype="float32")',
        )
    return found


def _fitting(grad: Any, param: Any) -> Any:
    found = as_operand(grad)
    if found.dtype != param.dtype:
        raise DtypeError(
            f"a gradient of {found.dtype} for a parameter of {param.dtype}",
            attempt="ops.cast_like(gradient, parameter)",
        )
    if found.shape != param.shape:
        meet_shapes(found.shape, param.shape, "that of the parameter, whose gradient it is")
    return found


def _along(structure: tree.Structure, value: Any, what: str) -> list[Any]:
    try:
        return tree.flatten_along(structure, value)
    except tree.StructureError as error:
        raise OperandError(
            f"the {what} are not nested as the parameters are", why=str(error)
        ) from None


def _at(place: str, act: Callable[..., Any], *operands: Any) -> Any:
    """Call a function; its error says at which parameter."""
    try:
        return act(*operands)
    except CgkitError as error:
        if place:
            error.add_note(f"  at parameter  {place}")
        raise
