"""The suites by name, in the order in which they run.

    opinfo      torch's samples of its core operators
    gradcheck   torch's judge of gradients
    onnx        ONNX's tests of a backend
    light       ONNX's nine networks, with weights
    autograd    the tests of HIPS autograd

A suite is added here, by one name.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType

from cgkit.conformance.gradcheck import GRADCHECK
from cgkit.conformance.hips.suite import AUTOGRAD
from cgkit.conformance.light import LIGHT
from cgkit.conformance.onnx_backend import ONNX
from cgkit.conformance.opinfo import OPINFO
from cgkit.conformance.suite import Suite
from cgkit.errors import UsageFault

SUITES: Mapping[str, Suite] = MappingProxyType(
    {suite.name: suite for suite in (OPINFO, GRADCHECK, ONNX, LIGHT, AUTOGRAD)}
)
"""Every suite."""


def find_suite(name: str) -> Suite:
    """Give a suite by its name.

    Raises
    ------
    UsageFault
        There is none of that name; the message names those there are.
    """
    if name not in SUITES:
        near = get_close_matches(name, SUITES, n=1)
        raise UsageFault(
            f"there is no suite '{name}'",
            why=f"suites: {', '.join(SUITES)}",
            attempt="".join(f"'{one}'" for one in near),
        )
    return SUITES[name]
