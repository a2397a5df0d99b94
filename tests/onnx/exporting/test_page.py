"""docs/onnx_export.md says what each operator becomes in ONNX, as the exporter writes it.

Run this file to write the page again: python tests/onnx/exporting/test_page.py
"""

import importlib
import pkgutil
from pathlib import Path

import numpy as np

from cgkit import ops
from cgkit.onnx import exporting, to_model
from cgkit.onnx.exporting.schemas import NEWEST, OLDEST
from cgkit.testing.cases import built, samples_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "onnx_export.md"
HEAD = f"""# What each operator becomes in ONNX

```python
from cgkit import onnx

model = onnx.to_model(graph)               # a ModelProto
onnx.save(graph, "net.onnx")               # a file; beyond 2 GB the numbers go beside it
onnx.save(graph, "net.onnx", opset={OLDEST})     # for older runtimes
```

Only operators of ONNX's own domain are written, in operator set {NEWEST} if not said otherwise: the
newest that onnxruntime 1.32 runs whole. Sets from {OLDEST} on can be asked for; running products
and the bits of numbers begin with 26.

- Inputs, outputs and parameters are called what the printed form of the graph calls them; the
  scopes of a node stand before its name. Variables are initializers, constants Constant nodes.
- An open size `N` is a dim_param. Where a shape is made of open sizes (`2*N + M`, `N//2`), the
  model computes it from the shapes of what it is given. What ONNX has as an attribute (the size of
  a window) must be known; padding that depends on an open size is a Pad of its own, but for means
  that do not count it and for places of the largest.
- Results agree within 1.3e-6 of the number plus 1e-5 for float32, 1e-7 plus 1e-7 for float64, and
  exactly for whole numbers, which wrap. Of `erfc` and of `gelu` far below 0 only that is kept: ONNX
  has no operator for the tail.
- Operators that run along an axis and have no name in ONNX become a Scan.
- Branches and loops become If, Scan and Loop, their gradients too. Where there may be no step at
  all a scan is a Loop, since runtimes fall over an empty Scan.
- Runtimes differ where numbers are not finite. onnxruntime passes over nan in ReduceMax, ReduceMin,
  ArgMax, ArgMin, MaxPool and Unique; a mean over an open size that turns out to be 0 is 0 there,
  not nan; whole powers beyond 2**53 are not exact; it has no float64 kernels of Conv, AveragePool,
  Erf and most angles and activations.

This page is written by `python tests/onnx/exporting/test_page.py`.
"""


def places():
    """Give for each operator the file where its rule or formula stands."""
    found = {}
    for info in pkgutil.iter_modules(exporting.__path__):
        module = importlib.import_module(f"{exporting.__name__}.{info.name}")
        for what in ("RULES", "FORMULAS"):
            for name in getattr(module, what, {}):
                found[name] = f"a {what[:-1].lower()} in `exporting/{info.name}.py`"
    return found


def kinds(operator):
    """Give the ONNX operators of a plain use of one of ours, in order, each once."""
    plain = [
        sample
        for sample in samples_of(operator)
        if all(np.size(x) and np.ndim(x) for x in sample.operands)
    ]
    floats = [s for s in plain if {np.asarray(x).dtype for x in s.operands} == {np.dtype("f4")}]
    sample = (floats or plain or samples_of(operator))[0]
    model = to_model(built(operator, sample))
    return dict.fromkeys(n.op_type for n in model.graph.node if n.op_type != "Constant")


def page():
    """Give the text of the page."""
    where, reasons = places(), exporting.reasons()
    rows = [
        f"| `{name}` | {' '.join(kinds(operator)) or 'Constant'} | "
        f"{where.get(name, 'one to one')} |"
        for name, operator in sorted(ops.ALL.items())
        if name not in reasons
    ]
    refused = [
        f"| `{name}` | {why} | {attempt} |" for name, (why, attempt) in sorted(reasons.items())
    ]
    return "\n".join([
        HEAD, "| operator | in ONNX, for a plain use | |", "|---|---|---|", *rows,
        "\n## What cannot be exported\n", "| operator | why | try |", "|---|---|---|", *refused, "",
    ])  # fmt: skip


def test_the_page_is_as_the_exporter_is():
    assert PAGE.read_text(encoding="utf-8") == page(), f"python {Path(__file__).name} writes it"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
