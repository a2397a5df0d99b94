"""docs/operators.md lists every operator, as it says of itself.

Run this file to write the page again: python tests/operators/test_page.py
"""

from inspect import signature
from pathlib import Path

from cgkit import ops
from cgkit.node import Operator
from cgkit.speech import form

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operators.md"
HEAD = """# The operators

Each is called as `ops.name(...)` on Tensors, on values of a graph, or on arrays; settings behind
`*` are given by name. `help(ops.name)` says the same. What a choice was is in
[the conventions](conventions.md). This page is written by `python tests/operators/test_page.py`.
"""


def line(act):
    """Give the row of an operator, or of a function made of operators."""
    if isinstance(act, Operator):
        slope = "" if act.gradient is not None else "no gradient"
        return f"| `{form(act)}` | {_cell(act.doc)} | {slope} |"
    own = signature(act)
    plain = own.replace(
        parameters=[p.replace(annotation=p.empty) for p in own.parameters.values()],
        return_annotation=own.empty,
    )
    words = (act.__doc__ or "").split("\n")[0].removesuffix(".")
    return f"| `{act.__name__}{plain}` | {words[0].lower()}{words[1:]} | made of operators |"


def _cell(text):
    return text.replace("|", "\\|")


def page():
    """Give the text of the page."""
    parts = [HEAD]
    for family in ops.FAMILIES:
        found = [x for x in vars(family).values() if isinstance(x, Operator)]
        own = [x for x in found if x.name in ops.ALL and _home(x) is family]
        rows = [line(x) for x in (*own, *getattr(family, "COMPOSED", ()))]
        if rows:
            title = (family.__doc__ or "").split("\n")[0].removesuffix(".")
            parts.append(
                f"## {title}\n\n| call | gives | |\n|---|---|---|\n" + "\n".join(rows) + "\n"
            )
    return "\n".join(parts)


def _home(operator):
    """Give the family whose file defines an operator: the first in order of imports that has it."""
    holders = [f for f in ops.FAMILIES if operator in vars(f).values()]
    return min(holders, key=lambda f: (_imports(f, operator), ops.FAMILIES.index(f)))


def _imports(family, operator):
    """Whether a family only imports an operator."""
    text = Path(family.__file__).read_text(encoding="utf-8")
    return f'"{operator.name}", ' not in text and f'"{operator.name}"\n' not in text


def test_the_page_is_as_the_operators_are():
    assert PAGE.read_text(encoding="utf-8") == page(), f"python {Path(__file__).name} writes it"


def test_every_operator_stands_there_once():
    text = page()
    for name in (*ops.ALL, *ops.COMPOSED):
        assert text.count(f"| `{name}(") == 1, name


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
