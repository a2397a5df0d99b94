"""What a tensor can be asked: its facts, its gradient, its numbers.

x.shape  x.dtype  x.is_leaf  x.grad_fn      facts
x.backward()  x.grad  x.detach()            gradients
x.item()  x.numpy()  float(x)               numbers out
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from cgkit.arithmetic import Arithmetic
from cgkit.device import Device, DeviceArray, device_of
from cgkit.errors import DeviceError, DtypeError, GradientError, ShapeError
from cgkit.graph import expect_name
from cgkit.node import LEAF, NO_PARAMS, Edge, Node
from cgkit.tensor.backward import backward
from cgkit.tensor.hooks import Keep, add_hook, apart
from cgkit.tensor.placement import move, unreadable
from cgkit.types import TensorType


class TensorMethods(Arithmetic):
    """The methods of Tensor that need no knowledge of how operators are recorded."""

    __slots__ = ("__weakref__", "data", "edge", "version")

    data: Any
    """The elements: an array, or a DeviceArray where they lie on another device."""
    edge: Edge | None
    """The output of the node that made it; None when no gradient can flow through it."""
    version: list[Any]
    """How often its memory was written to; then the array that owns the memory, if this or another
    tensor is a view of it, and weak references to the views."""

    @classmethod
    def wrap(cls, data: Any, edge: Edge | None = None, version: list[Any] | None = None) -> Self:
        """Make a tensor of an array as it is, without a copy."""
        made = cls.__new__(cls)
        made.data = data
        made.edge = edge
        made.version = [0] if version is None else version
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """A size for each axis."""
        shape: tuple[int, ...] = self.data.shape
        return shape

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        dtype: np.dtype = self.data.dtype
        return dtype

    @property
    def size(self) -> int:
        """The number of elements."""
        size: int = self.data.size
        return size

    @property
    def device(self) -> Device:
        """Where the data lie."""
        return device_of(self.data)

    def to(self, device: str | Device) -> Self:
        """Give the same numbers in the memory of another device: a counted copy.

        Gradients take the way back. A tensor that lies there already is given as it is.

        Parameters
        ----------
        device
            "cpu", "npu" or "cuda".

        Raises
        ------
        DeviceError
            There is no such device.
        EnvironmentFault
            This machine does not have it.

        Examples
        --------
        >>> from cgkit import Tensor
        >>> x = Tensor([1.0, 2.0], requires_grad=True)
        >>> y = x.to("npu")
        >>> y, y.device
        (Tensor(float64[2] on npu, grad_fn=to), npu)
        >>> y.to("cpu").sum().backward()
        >>> x.grad
        Tensor([1., 1.])
        """
        moved: Self = move(self, device)
        return moved

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient can flow through it."""
        return self.edge is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    @property
    def is_leaf(self) -> bool:
        """Whether it stands at the end of the graph: made by the user, or needing no gradient."""
        return self.edge is None or self.edge.node is None or self.edge.node.operator is LEAF

    @property
    def grad_fn(self) -> Node | None:
        """The node that made it; None for a leaf."""
        return None if self.is_leaf or self.edge is None else self.edge.node

    @property
    def grad(self) -> Self | None:
        """The gradient that backward has collected, or None."""
        if self.edge is None or self.edge.node is None or self.edge.node.extras is None:
            return None
        found: Self | None = self.edge.node.extras.grads.get(self.edge.index)
        return found

    @grad.setter
    def grad(self, value: Any) -> None:
        if self.edge is None or self.edge.node is None:
            raise GradientError(
                "a tensor that requires no grad keeps none", attempt="x.requires_grad_()"
            )
        if value is None:
            self.edge.node.extra().grads.pop(self.edge.index, None)
        elif not isinstance(value, TensorMethods):
            raise GradientError(
                f"a gradient is a Tensor or None, not {type(value).__name__}",
                attempt="x.grad = Tensor(...)",
            )
        elif value.shape != self.shape:
            raise ShapeError(f"a gradient of shape {value.shape} for a tensor of {self.shape}")
        elif value.dtype != self.dtype:
            raise DtypeError(f"a gradient of {value.dtype} for a tensor of {self.dtype}")
        elif value.device is not self.device:
            raise DeviceError(f"a gradient on {value.device} for a tensor on {self.device}")
        else:
            self.edge.node.extra().grads[self.edge.index] = value

    def requires_grad_(self, wanted: bool = True) -> Self:
        """Make this a leaf that collects a gradient, or one that does not.

        A tensor that has a way back already keeps it.

        Raises
        ------
        DtypeError
            Its elements are not floating: there is no slope between integers.
        GradientError
            It was computed from tensors that require grad, so it cannot require none.
        """
        if not wanted:
            if not self.is_leaf:
                raise GradientError(
                    "only a leaf can be made to require no grad",
                    why=f"{self.edge!r} was computed from tensors that require grad",
                    attempt="x.detach()",
                )
            self.edge = None
        elif self.dtype.kind != "f":
            raise DtypeError(
                f"only floating tensors require grad, this one is {self.dtype}",
                attempt="Tensor(data, dtype='float64', requires_grad=True)",
            )
        elif self.edge is None:
            leaf = Node(LEAF, (), NO_PARAMS)
            leaf.extra()
            self.edge = Edge(leaf, 0, self.shape, self.dtype)
        return self

    backward = backward

    def detach(self) -> Self:
        """Give the same data, in the same memory, apart from the graph."""
        return self.wrap(self.data, None, self.version)

    def named(self, name: str) -> Self:
        """Give the node that made it a name, for pictures and messages.

        Examples
        --------
        >>> from cgkit import Tensor
        >>> Tensor(1.0, requires_grad=True).named("x").edge.node
        <node x = leaf>
        """
        self._node("have a name")[0].extra().name = expect_name(name)
        return self

    def retain_grad(self) -> Self:
        """Keep the gradient of this tensor too, though it is no leaf."""
        node, index = self._node("retain its gradient")
        if node.operator is not LEAF and not self.retains_grad:
            add_hook(node, index, Keep(node.extra().grads, index))
        return self

    def release_grad(self) -> Self:
        """Keep the gradient no longer, if it was kept."""
        if self.retains_grad:
            node, index = self._node("release its gradient")
            hooks = node.extra().hooks
            hooks[:] = [(i, f) for i, f in hooks if i != index or not isinstance(f, Keep)]
        return self

    @property
    def retains_grad(self) -> bool:
        """Whether its gradient is kept though it is no leaf."""
        if self.edge is None or self.edge.node is None or self.edge.node.extras is None:
            return False
        hooks = self.edge.node.extras.hooks
        return any(index == self.edge.index and isinstance(hook, Keep) for index, hook in hooks)

    def register_hook(self, hook: Callable[[Any], Any]) -> Callable[[], None]:
        """Have a function see the gradient of this tensor when it is complete.

        Parameters
        ----------
        hook
            Called with the gradient; what it returns, unless None, takes its place.

        Returns
        -------
        callable
            Call it to take the hook away.

        Examples
        --------
        >>> from cgkit import Tensor
        >>> x = Tensor(1.0, requires_grad=True)
        >>> remove = x.register_hook(lambda gradient: gradient * 10.0)
        >>> (x * 2.0).backward()
        >>> x.grad
        Tensor(20.)
        """
        node, index = self._node("have a hook")
        if not callable(hook):
            raise GradientError(f"a hook is a function of the gradient, not {hook!r:.60}")
        return add_hook(node, index, hook)

    def _node(self, what: str) -> tuple[Node, int]:
        if self.edge is None or self.edge.node is None:
            raise GradientError(
                f"a tensor that requires no grad cannot {what}",
                attempt="Tensor(..., requires_grad=True)",
            )
        return self.edge.node, self.edge.index

    def item(self) -> Any:
        """Give the only element as a plain number."""
        if isinstance(self.data, DeviceArray):
            unreadable(self.data, "item()")
        if self.data.size != 1:
            raise ShapeError(
                f"item() needs one element, this tensor has {self.data.size}: shape {self.shape}",
                attempt="x.sum().item(), or x.numpy() for all of them",
            )
        return self.data.reshape(-1)[0].item()

    def numpy(self) -> np.ndarray:
        """Give the data as an array of its own."""
        if isinstance(self.data, DeviceArray):
            unreadable(self.data, "numpy()")
        array: np.ndarray = self.data.copy()
        return array

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.data.size != 1:
            raise ShapeError(
                f"a tensor of {self.data.size} elements is neither true nor false",
                attempt="x.all() or x.any()",
            )
        return bool(self.item())

    def __index__(self) -> int:
        if self.data.dtype.kind not in "iu":
            raise DtypeError(f"only an integer tensor is an index, this one is {self.data.dtype}")
        return int(self.item())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.edge is not None:
            raise GradientError(
                "a tensor that requires grad does not turn into an array by itself",
                attempt="x.detach().numpy(), or x.data to look at the numbers",
            )
        return np.array(self.data, dtype=dtype, copy=copy)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if isinstance(self.data, DeviceArray):
            data, dtype = f"{TensorType(self.shape, self.dtype)} on {self.device}", ""
        else:
            data = np.array2string(self.data, separator=", ", prefix="Tensor(", threshold=200)
            usual = self.data.dtype in (np.float64, np.int64, np.bool_)
            dtype = "" if usual else f", dtype={self.data.dtype}"
        grad = ", requires_grad=True" if self.edge is not None and self.is_leaf else ""
        grad_fn = f", grad_fn={self.grad_fn.operator.name}" if self.grad_fn is not None else ""
        return f"Tensor({data}{dtype}{grad}{grad_fn})"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else repr(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if self.grad_fn is not None:
            raise GradientError(
                "only a leaf can be copied: the others belong to the graph that made them",
                attempt="x.detach()",
            )
        made = apart(self.data, self.wrap)
        if self.edge is not None:
            made.requires_grad_()
            made.grad = None if self.grad is None else apart(self.grad.data, self.wrap)
        memo[id(self)] = made
        copied: Self = made
        return copied

    __hash__ = object.__hash__
