"""What ONNX has no words for: numbers drawn from keys.

ONNX's own random operators draw what they like; ours give the same numbers for the same key.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

DRAWN = (
    "ONNX's random operators take no key, so they would draw other numbers",
    "drawing outside of the model: make what this node gives an input of the graph",
)
REASONS: Mapping[str, tuple[str, str]] = MappingProxyType({
    **dict.fromkeys(
        (
            "key", "split_key", "fold_in", "uniform", "normal", "bernoulli", "randint",
            "permutation",
        ),
        DRAWN,
    ),
    "dropout": (
        DRAWN[0], "the graph of inference, which has no dropout: layers in evaluation mode",
    ),
})  # fmt: skip
"""For each operator that cannot be exported: why, and what to try."""
