"""What an operator says of itself: how it is called, what it does, and why it cannot compute.

    ops.softmax?             softmax(a, *, axis=-1)
    ops.softmax(x, axes=1)   OperandError: softmax has no setting 'axes'
                               try      softmax(a, *, axis=-1)

All of it is read off the operator's own rules, so nothing has to be written twice. Where NumPy or
Python fails on an operand or a setting, its words are about code that the caller never saw; here
they are replaced by words about what was given.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dis import opmap
from functools import lru_cache
from inspect import Parameter, Signature, signature
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from cgkit.errors import CgkitError, DtypeError, OperandError, ShapeError
from cgkit.types import TensorType, show_shape
from cgkit.words import counted

FAILURES = (
    ValueError, TypeError, LookupError, ArithmeticError, AttributeError, MemoryError,
    RuntimeWarning,
)  # fmt: skip
"""What rules raise when operands or settings do not fit."""
Rule = Callable[..., Any]
USUAL = Parameter.POSITIONAL_OR_KEYWORD
ROOM = 2**47
"""Bytes that no machine's memory has."""


@lru_cache(maxsize=512)
def calling(operator: Any) -> Signature:
    """Give how an operator is called: operands by place, then its settings by name.

    Examples
    --------
    >>> from cgkit import ops
    >>> calling(ops.softmax)
    <Signature (a, /, *, axis=-1)>
    """
    known = [p.replace(annotation=p.empty) for p in signature(operator.infer).parameters.values()]
    count = operator.operands
    if count is None:
        count = sum(p.kind is USUAL and p.default is p.empty for p in known)
    elif any(p.kind is Parameter.VAR_POSITIONAL for p in known[:count]):
        at = [p.kind for p in known].index(Parameter.VAR_POSITIONAL)
        more = [Parameter(letter, USUAL) for letter in ascii_lowercase[: count - at]]
        known[at : at + 1] = more
    places = [p.replace(kind=Parameter.POSITIONAL_ONLY) for p in known[:count]]
    settings = [
        p.replace(kind=Parameter.KEYWORD_ONLY) if p.kind is USUAL else p for p in known[count:]
    ]
    return Signature([*places, *settings])


def spelled(rule: Rule, settings: Callable[..., Any] | Mapping[str, Any]) -> Rule:
    """Name the settings that a rule takes as **settings, for whoever asks for its signature.

    Parameters
    ----------
    rule
        A function.
    settings
        What has them as parameters, or their names with defaults.

    Examples
    --------
    >>> signature(spelled(lambda a, **settings: a, {"alpha": 1.0}))
    <Signature (a, *, alpha=1.0)>
    """
    own = [p for p in signature(rule).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    defaults = settings if isinstance(settings, Mapping) else {
        p.name: p.default for p in signature(settings).parameters.values()
    }  # fmt: skip
    named = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults.items()
        if name not in {p.name for p in own}
    ]
    first = [p for p in own if p.kind is not Parameter.KEYWORD_ONLY]
    rule.__signature__ = Signature([*first, *named, *own[len(first) :]])  # type: ignore[attr-defined]
    return rule


def form(operator: Any) -> str:
    """Write how an operator is called; sizes that only its run tells are nobody's to give.

    Examples
    --------
    >>> from cgkit import ops
    >>> form(ops.matmul), form(ops.concat), form(ops.nonzero)
    ('matmul(a, b)', 'concat(*parts, axis=0)', 'nonzero(a)')
    """
    called = calling(operator)
    given = [p for p in called.parameters.values() if p.name not in operator.tells]
    return f"{operator.name}{called.replace(parameters=given)}".replace(", /", "")


def manual(operator: Any) -> str:
    """Write what there is to know for using an operator.

    Examples
    --------
    >>> from cgkit import ops
    >>> print(manual(ops.exp))
    exp(a)
    <BLANKLINE>
    e to the a.
    <BLANKLINE>
    Its gradient is given, to every order.
    """
    slope = "Its gradient is given, to every order."
    if operator.gradient is None:
        slope = "No gradient goes back through it."
    elif isinstance(operator.gradient, tuple) and None in operator.gradient:
        slope = "Its gradient is given for operands that are not mere places, keys or conditions."
    return f"{form(operator)}\n\n{operator.doc.removesuffix('.')}.\n\n{slope}"


ELSEWHERE: Mapping[str, str] = MappingProxyType({
    "astype": 'x.cast("float64")', "float": 'x.cast("float32")', "double": 'x.cast("float64")',
    "int": 'x.cast("int32")', "long": 'x.cast("int64")', "type": "x.cast(...)",
    "ravel": "x.flatten()", "view": "x.reshape(...)", "permute": "x.transpose(...)", "t": "x.T",
    "dim": "x.ndim", "numel": "x.size", "expand": "ops.broadcast_to(x, shape=...)",
    "clamp": "x.clip(...)", "mm": "x @ y", "bmm": "x @ y", "copy": "Tensor(x)",
    "clone": "x * 1, which is followed, or Tensor(x)", "tolist": "x.numpy().tolist()",
    "cpu": 'x.to("cpu")', "cuda": 'x.to("cuda")', "contiguous": "x, which is so at need",
})  # fmt: skip
"""What NumPy and torch call things that tensors have here by another name."""


def lacking(kind: type, name: str, operators: Container[str], words: Mapping[str, str]) -> str:
    """Say that a tensor has no such attribute, and what it has instead.

    Parameters
    ----------
    kind
        The class of the tensor.
    name
        What was asked for.
    operators
        Names that stand under `ops`.
    words
        What to try for a name, such as `ELSEWHERE`.

    Examples
    --------
    >>> print(lacking(np.ndarray, "softmax", ["softmax"], {}))
    'ndarray' object has no attribute 'softmax'
      try      ops.softmax(x)
    """
    said = f"'{kind.__name__}' object has no attribute {name!r}"
    from difflib import get_close_matches  # only who misspells a name waits for this

    if name.startswith("_"):  # what Python and NumPy look for is no mistake
        return said
    near = get_close_matches(name, dir(kind), n=1)
    found = words.get(name) or (f"ops.{name}(x)" if name in operators else "")
    found = found or "".join(f"x.{one}" for one in near)
    return f"{said}\n  try      {found}" if found else said


class Own:
    """An attribute of a class that its instances answer for themselves.

    Parameters
    ----------
    tell
        Gives what an instance answers.
    general
        What the class answers.
    """

    def __init__(self, tell: Callable[[Any], Any], general: Any) -> None:
        self.tell = tell
        self.general = general

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Answer."""
        return self.general if instance is None else self.tell(instance)


def plain(operator: Any, inputs: Sequence[Any]) -> list[Any]:
    """Give operands as numbers and arrays of them, or refuse them.

    NumPy's matrices and masked arrays become arrays like any other, and so do those in the byte
    order of another machine. Lists of numbers stay, for NumPy to read. What answers NumPy's
    functions for itself stays, too: what lies on a device refuses in its own words.

    Examples
    --------
    >>> from cgkit import ops
    >>> plain(ops.add, [np.array([1.0, 2.0], ">f8"), 3.0])
    [array([1., 2.]), 3.0]
    """
    return [_plain(operator, x) for x in inputs]


def _plain(operator: Any, x: Any) -> Any:
    ours = isinstance(x, np.ndarray | np.generic) or not hasattr(x, "__array_ufunc__")
    if isinstance(x, int | float) or not ours:
        return x
    try:
        array = np.asarray(x)
    except ValueError:
        raise ShapeError("nested lists of unlike lengths make no tensor") from None
    if array.dtype.kind not in "fiub":
        raise DtypeError(
            f"{operator.name} cannot take {array.dtype}: {x!r:.60}",
            why="a tensor holds real numbers",
            attempt="an array, a list or a tensor of numbers",
        ) from None
    if isinstance(x, list | tuple):
        return x
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def recover(
    operator: Any, arrays: Sequence[Any], params: Mapping[str, Any], error: Exception
) -> Any:
    """Compute again where a mere warning was raised; raise an error in our words for any other.

    A sum of infinities is nan, which says it all. That NumPy would warn too costs nothing until it
    does, while asking it beforehand not to would cost each small operator half its time.
    """
    if isinstance(error, RuntimeWarning | FloatingPointError):
        try:
            with np.errstate(all="ignore"):
                return operator.compute(*arrays, **params)
        except FAILURES as another:
            error = another
    return explain(operator, arrays, params, error)


def explain(
    operator: Any, arrays: Sequence[Any], params: Mapping[str, Any], error: Exception
) -> NoReturn:
    """Raise an error in our words for one that computing gave."""
    if isinstance(error, CgkitError):
        if operator.name not in str(error):
            error.add_note(f"  in {operator.name}")
        raise error
    if isinstance(error, OverflowError) and not params:
        raise DtypeError(f"{operator.name}: {error}", attempt="a cast to a wider dtype") from None
    operands = [TensorType(x.shape, x.dtype) for x in map(np.asarray, plain(operator, arrays))]
    for found in infer(operator, operands, params):
        if isinstance(found.nbytes, int) and found.nbytes > ROOM:
            raise ShapeError(
                f"{operator.name} gives shape {show_shape(found.shape)}, which no memory holds",
                why=f"that is {found.size} elements of {found.dtype}",
            ) from None
    if isinstance(error, MemoryError):
        raise ShapeError(
            f"{operator.name} takes more memory than there is",
            why=f"of {', '.join(map(str, operands))}" + _settings(params),
            attempt="smaller operands or settings",
        ) from None
    if _worded(error):
        raise error
    refuse(operator, operands, params)


def _settings(params: Mapping[str, Any]) -> str:
    words = ", ".join(f"{name}={value!r:.40}" for name, value in params.items())
    return f" with {words}" if words else ""


def _worded(error: Exception) -> bool:
    """Whether an author wrote a `raise` for it; NumPy's own do not count."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None:
        return False
    code = at.tb_frame.f_code
    package = at.tb_frame.f_globals.get("__name__", "").partition(".")[0]
    return package != "numpy" and code.co_code[at.tb_lasti] == opmap["RAISE_VARARGS"]


def infer(
    operator: Any, operands: Sequence[TensorType], params: Mapping[str, Any]
) -> tuple[TensorType, ...]:
    """Infer the types of the results; what does not fit is an error in our words."""
    try:
        found = operator.infer(*operands, **params)
    except CgkitError:
        raise
    except FAILURES:
        refuse(operator, operands, params)
    return found if isinstance(found, tuple) else (found,)


def refuse(operator: Any, operands: Sequence[Any], params: Mapping[str, Any]) -> NoReturn:
    """Raise the error of an operator that is called in a way it does not have."""
    name, known = operator.name, calling(operator).parameters
    free = any(p.kind is Parameter.VAR_KEYWORD for p in known.values())
    for key in params:
        if key not in known and not free:
            raise OperandError(f"{name} has no setting {key!r}", attempt=form(operator)) from None
    places = [p for p in known.values() if p.kind is Parameter.POSITIONAL_ONLY]
    if len(operands) < len(places):
        raise OperandError(
            f"{name} takes at least {counted(len(places), 'operand')}, got {len(operands)}",
            attempt=form(operator),
        ) from None
    for key, p in known.items():
        if p.kind is Parameter.KEYWORD_ONLY and p.default is p.empty and key not in params:
            raise OperandError(f"{name} needs a setting {key}", attempt=form(operator)) from None
    given = ", ".join([*map(str, operands), *(f"{k}={v!r:.60}" for k, v in params.items())])
    raise OperandError(
        f"{name} cannot take {given}", why=_odd(known, params), attempt=form(operator)
    ) from None


def _odd(known: Mapping[str, Parameter], params: Mapping[str, Any]) -> str:
    """Say which setting is of another sort than its default."""
    for key, value in params.items():
        default = known[key].default if key in known else None
        if isinstance(default, bool) and not isinstance(value, bool):
            return f"{key} is True or False"
    return ""
