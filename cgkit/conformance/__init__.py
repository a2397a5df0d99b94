"""Run tests that others wrote, and count how much of what they expect cgkit does.

    opinfo      torch's own samples of its core operators: values, gradients, second gradients
    gradcheck   torch's judge of gradients, given cgkit's operators
    onnx        ONNX's tests of a backend: models that are imported and run
    light       nine whole networks, with weights, against ONNX's reference
    autograd    the tests of HIPS autograd, over a shim that speaks its interface

    suites ─> Suite ─ cases ─> Case ─ run ─> Outcome ... ─> Tally ─> a line: passed / tried
                                     └─ Log: what is done survives an interruption

    tally  <  suite, log
    torch_layers  <  torch_calls  <  opinfo  <  gradcheck  <  suites
    onnx_backend, reweighting  <  light  <  suites
    hips/: the shim and its suite  <  suites
    bridge  <  wrapped, opinfo            composed  <  gradcheck

A denominator never shrinks: what cannot be tried counts as tried and not passed, with its reason.
What torch is needed for is installed by `python start.py conformance`; nothing here is fetched
unless a person asks for it.
"""

from cgkit.conformance.suites import SUITES, find_suite
from cgkit.conformance.tally import Outcome, Row, Tally

__all__ = ["SUITES", "Outcome", "Row", "Tally", "find_suite"]
