"""What is known of a tensor before it is computed: its shape and its dtype.

    Dim("N") ─┐
        784  ─┴─> TensorType((N, 784), float32)       N stays open until a graph is run

    dim  <  shapes  <  tensor_type

A size is an int or a `Dim`, a polynomial in named sizes with integer coefficients: a batch is N,
two batches joined are 2*N, a flattened image is N*784. Invariants:

- A Dim is never constant: arithmetic that cancels gives a plain int.
- Unlike sizes that meet where a rule needs equal ones are *taken as equal* if either is a Dim. Each
  run checks this: it infers the types again with Dims that know their value (`Dim.bind`), and the
  error names both. Only unequal ints fail when the graph is built.
"""

from cgkit.types.dim import (
    OPEN,
    Dim,
    Shape,
    Size,
    least,
    meet,
    of_terms,
    show_size,
    size_at,
    value_of,
)
from cgkit.types.shapes import (
    broadcast_shapes,
    broadcast_sizes,
    count,
    meet_shapes,
    show_shape,
    solve,
)
from cgkit.types.tensor_type import DTYPES, TensorType, as_dtype, promote, weak_dtype

__all__ = [
    "DTYPES", "OPEN", "Dim", "Shape", "Size", "TensorType", "as_dtype", "broadcast_shapes",
    "broadcast_sizes", "count", "least", "meet", "meet_shapes", "of_terms", "promote", "show_shape",
    "show_size", "size_at", "solve", "value_of", "weak_dtype",
]  # fmt: skip
