"""How much a model may ask for before it is refused.

A file of a few bytes can name a tensor of a million terabytes, or functions that double each other
forty times. Each limit stands far above honest models, and a caller may set others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cgkit.errors import OnnxError

AXES = 64
"""More axes than that NumPy does not have."""


@dataclass(frozen=True)
class Limits:
    """What a model may ask for.

    Examples
    --------
    >>> Limits(tensor=1000).check_tensor("'w'", (20, 30), 4)
    Traceback (most recent call last):
    cgkit.errors.OnnxError: 'w' would take 2,400 bytes; limits allow 1,000
      try      limits=Limits(tensor=2400), if that is meant
    """

    file: int = 2**31
    """Bytes of the model itself, without external data; ONNX allows no more."""
    tensor: int = 2**32
    """Bytes of one array: a parameter, an input, or what a node makes."""
    folded: int = 2**31
    """Bytes of all arrays that are computed while a graph is built."""
    total: int = 2**34
    """Bytes of all parameters, and of all arrays that one evaluation computes."""
    work: int = 10**13
    """Floating-point operations on arrays while building, or in one evaluation."""
    nodes: int = 200_000
    """Nodes, those that functions stand for included."""
    steps: int = 500_000
    """Steps and nodes of loops that are evaluated on arrays, each as often as it is."""
    depth: int = 32
    """Functions that use functions that use functions ..., graphs within graphs among them."""

    def __post_init__(self) -> None:
        """Demand whole numbers."""
        for name, most in vars(self).items():
            if type(most) is not int or most < 0:
                raise OnnxError(f"the limit {name} is a whole number, not {most!r:.60}")

    def check_tensor(self, what: str, shape: Iterable[int], itemsize: int) -> int:
        """Give the bytes that an array would take.

        Raises
        ------
        OnnxError
            There are too many of them, or it has too many axes.
        """
        sizes = tuple(shape)
        if len(sizes) > AXES:
            raise OnnxError(f"{what} has {len(sizes)} axes; there are no more than {AXES}")
        bytes_ = itemsize
        for size in sizes:
            bytes_ *= size
        if bytes_ > self.tensor:
            raise OnnxError(
                f"{what} would take {bytes_:,} bytes; limits allow {self.tensor:,}",
                attempt=f"limits=Limits(tensor={bytes_}), if that is meant",
            )
        return bytes_

    def check(self, name: str, asked: int, what: str) -> None:
        """Refuse what is more than the limit of a name.

        Raises
        ------
        OnnxError
            It is; the message says how to allow it.
        """
        allowed: int = getattr(self, name)
        if asked > allowed:
            raise OnnxError(
                f"{what}: {asked:,}; limits allow {allowed:,}",
                attempt=f"limits=Limits({name}={asked}), if that is meant",
            )
