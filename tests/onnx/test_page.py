"""docs/onnx.md lists every operator of ONNX, and by what cgkit imports it.

Run this file to write the page again: python tests/onnx/test_page.py
"""

import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path

from onnx import defs

from cgkit import ops
from cgkit.onnx import rules as package
from cgkit.onnx.functions import schema_of
from cgkit.onnx.rules import CARRY_GRAPHS, rules

PAGE = Path(__file__).resolve().parents[2] / "docs" / "onnx.md"
HEAD = """# ONNX

```python
from cgkit import onnx, run
from cgkit.onnx import backend

graph = onnx.load("model.onnx")             # a Graph: to draw, run, differentiate, optimize
(y,) = run(graph, x)
onnx.evaluate("model.onnx", {"x": x})       # by the same rules, node by node
backend.prepare("model.onnx").run([x])      # the graph; where values decide shapes, one for these
onnx.save(graph, "copy.onnx")               # for other runtimes
```

What `save` makes of each operator is in [a page of its own](onnx_export.md).

Open sizes keep the names they have in the model. Floating-point parameters become variables; whole
numbers are known while the graph is built, and arithmetic on shapes folds away or stays open. Where
a value or an open size must be known, the error names the inputs: give them as `known={"k": array}`
or `sizes={"N": 1}`.

A file is read with distrust. What is broken, lies about its sizes, reads files outside its folder,
or would take absurd memory is refused as an `OnnxError` that says so; `limits=onnx.Limits(...)`
allows more. Operators that cgkit lacks are named all at once.

If, Loop and Scan become branches and loops of the graph, and what only a run tells of a loop is an
open size. A state that changes its shape, or branches of unlike shapes, no graph has: what decides
them must be known, or the model is evaluated.

Not imported: sequences, optionals, strings, complex numbers, and the element types that NumPy lacks
(bfloat16, float8, 4 and 2 bits).

`python start.py conformance onnx` runs ONNX's own 2,033 tests of a backend and tells how many
models ran as one static graph. This page is written by `python tests/onnx/test_page.py`.

## Operators

| ONNX operator | versions | imported by |
|---|---|---|
"""

IN_VAIN = {
    "DynamicQuantizeLinear": "QuantizeLinear", "SequenceMap": "SequenceLength",
}  # fmt: skip
"""Operators that stand for others of which one is lacking."""


def versions():
    """Give the versions of each operator of ONNX's own set that is not gone."""
    found = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            found[schema.name].append(schema.since_version)
    return {name: sorted(each) for name, each in sorted(found.items())}


def files():
    """Give the file of each rule."""
    return {
        name: module.name
        for module in pkgutil.iter_modules(package.__path__)
        for name in importlib.import_module(f"{package.__name__}.{module.name}").RULES
    }


def way(name):
    """Say by what an operator is imported, or nothing."""
    same = next((x.name for x in ops.ALL.values() if x.onnx == name), "")
    if name in files():
        return f"a rule in `rules/{files()[name]}.py`"
    if same:
        return f"`ops.{same}`"
    schema = schema_of(name, "", defs.onnx_opset_version())
    if (
        name not in IN_VAIN
        and schema
        and (schema.has_function or schema.has_context_dependent_function)
    ):
        return "what ONNX says it stands for"
    return ""


def page():
    """Give the text of the page."""
    known = {name: way(name) for name in versions()}
    rows = [
        f"| {name} | {', '.join(map(str, each))} | {known[name]} |"
        for name, each in versions().items()
        if known[name]
    ]
    lacking = ", ".join(name for name, by in known.items() if not by)
    others = ", ".join(sorted(f"`{name}`" for name in rules() if "." in name))
    more = f"\n\nOf other operator sets: {others}." if others else ""
    return f"{HEAD}{chr(10).join(rows)}{more}\n\nNot imported: {lacking}.\n"


def test_the_page_is_as_the_rules_are():
    assert PAGE.read_text(encoding="utf-8") == page(), f"python {Path(__file__).name} writes it"


def test_every_rule_is_of_an_operator_that_onnx_has():
    unheard = {name for name in rules() if "." not in name} - set(versions())
    assert not unheard


def test_what_is_lacking_has_no_rule():
    lacking = page().rpartition("Not imported: ")[2].removesuffix(".\n").split(", ")
    assert set(lacking) >= {"SequenceMap", "QuantizeLinear"}
    assert not set(lacking) & set(rules())
    assert set(versions()) >= CARRY_GRAPHS
    assert not set(IN_VAIN.values()) & set(rules())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
