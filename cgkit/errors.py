"""Every error of cgkit: what went wrong, with which values, and what to try.

    CgkitError ── ShapeError ── OpenSize
               ├─ DtypeError  OperandError  GraphError ── CycleError
               ├─ GradientError  CaptureError  DeviceError  RenderError  NotebookError
               ├─ StateError  FileError  TrainingError
               ├─ OnnxError ── UnknownValue
               └─ UsageFault (exit 2)  EnvironmentFault (exit 3)

A message reads in this order: what cannot be done, with the values; why; what to try. The place is
added as a note by whoever knows it (`error.add_note("while running ...")`), so that an operator
need not know where it stands in a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class CgkitError(Exception):
    """An error that explains itself.

    Parameters
    ----------
    what
        What cannot be done, with the values, in one sentence.
    why
        The reason, when it is not plain from the first sentence.
    attempt
        What to try.

    Examples
    --------
    >>> print(CgkitError("a cannot meet b", why="3 is not 4", attempt="b.T"))
    a cannot meet b
      3 is not 4
      try      b.T
    """

    exit_code = 1

    def __init__(self, what: str, *, why: str = "", attempt: str = "") -> None:
        lines = [what]
        if why:
            lines.append(f"  {why}")
        if attempt:
            lines.append(f"  try      {attempt}")
        super().__init__("\n".join(lines))
        self.what = what
        self.why = why
        self.attempt = attempt

    def with_place(self) -> str:
        """Give the message followed by the notes that say where it happened.

        Examples
        --------
        >>> error = CgkitError("no")
        >>> error.add_note("  at node  y = exp(x)")
        >>> print(error.with_place())
        no
          at node  y = exp(x)
        """
        return "\n".join([str(self), *getattr(self, "__notes__", [])])


class ShapeError(CgkitError, ValueError):
    """Sizes that do not fit together."""


class OpenSize(ShapeError):
    """A size that must be known before a graph runs, and is open.

    Parameters
    ----------
    what
        What cannot be done.
    symbols
        The open sizes that it depends on.
    attempt
        What to try.
    """

    def __init__(self, what: str, symbols: Iterable[str], *, attempt: str = "") -> None:
        self.symbols = tuple(sorted(symbols))
        super().__init__(what, attempt=attempt)


class DtypeError(CgkitError, TypeError):
    """A data type that an operation cannot take."""


class OperandError(CgkitError, TypeError):
    """Operands or settings that an operation does not have."""


class GraphError(CgkitError, ValueError):
    """A graph that breaks one of its own rules."""


class CycleError(GraphError):
    """A graph that is not acyclic; `nodes` names one cycle, in order."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self.nodes = tuple(nodes)
        way = " -> ".join([*self.nodes, *self.nodes[:1]])
        super().__init__(
            f"the graph has a cycle: {way}",
            why="each of these waits for the one before it, so none can ever be computed",
            attempt="cutting one of these edges",
        )


class GradientError(CgkitError, RuntimeError):
    """A backward pass that cannot be made."""


class CaptureError(CgkitError, TypeError):
    """A symbolic value used where a computed one is needed, or outside its builder."""

    builders: tuple[Any, ...] = ()
    """The builder that a value came to, and its own, where these are two."""


class DeviceError(CgkitError, RuntimeError):
    """Data asked for on a device where it does not lie."""


class StateError(CgkitError, ValueError):
    """Saved numbers that do not fit what they are given to."""


class FileError(CgkitError, ValueError):
    """A file that is missing, damaged, or not what it should be."""


class TrainingError(CgkitError, ArithmeticError):
    """A training that cannot go on."""


class RenderError(CgkitError, RuntimeError):
    """A picture that cannot be drawn."""


class NotebookError(CgkitError, ValueError):
    """A notebook or its text that cannot be read, built or run."""


class OnnxError(CgkitError, ValueError):
    """An ONNX model that cannot be read, imported, evaluated or written."""


class UnknownValue(OnnxError):
    """A value that an ONNX model computes, where a graph must know it to be built.

    Parameters
    ----------
    what
        What cannot be done.
    inputs
        The inputs of the model on which the value depends.
    sizes
        The open sizes on which it depends.
    """

    def __init__(
        self, what: str, inputs: Sequence[str], sizes: Sequence[str] = (), *, why: str = ""
    ) -> None:
        self.inputs = tuple(inputs)
        self.sizes = tuple(sizes)
        ways = [
            f"giving {', '.join(map(repr, names))} as {setting}="
            for names, setting in ((self.inputs, "known"), (self.sizes, "sizes"))
            if names
        ]
        super().__init__(what, why=why, attempt=" and ".join(ways))


class UsageFault(CgkitError):
    """A command used in a way it does not have."""

    exit_code = 2


class EnvironmentFault(CgkitError):
    """A machine that lacks something; `attempt` holds the cure."""

    exit_code = 3


class CompileWarning(UserWarning):
    """A compiled function that has fallen back to running as it is written."""
