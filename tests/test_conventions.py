"""The published conventions are computed: each row of docs/conventions.md gives what it says.

| where | `code` | `gives` | elsewhere |     eval(code) == eval(gives), nan being equal to nan
"""

import re
from pathlib import Path

import numpy as np
import pytest

from cgkit import Generator, Tensor, grad, nn, ops
from cgkit.errors import CgkitError

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "conventions.md"
ROW = re.compile(r"^\| (?P<where>.*?) \| `(?P<code>.*)` \| `(?P<gives>.*?)` \| (?P<other>.*) \|$")


def T(data):
    return Tensor(data, dtype="float64", requires_grad=True)


def slope(f, at):
    x = T(at)
    return grad(f(x).sum(), x)[0]


def second(f, at):
    x = T(at)
    (first,) = grad(f(x).sum(), x, create_graph=True)
    weights = np.arange(1.0, x.size + 1).reshape(x.shape)
    return grad((first * weights).sum(), x)[0]


def told(act):
    try:
        return f"it was allowed: {act()}"
    except CgkitError as error:
        return str(error).splitlines()[0]


def rebound(x):
    old = x
    x += 1.0
    return old, x


def written(x):
    x[0] = 5.0
    return x


def once(x):
    x[[0, 0, 2]] += x[[0, 0, 2]]
    return x


VIEWS: list[Tensor] = []


def with_view(x):
    VIEWS[:] = [x[1:]]
    return x


def twice(y):
    y.backward()
    y.backward()


def seen(layer, *batches):
    for batch in batches:
        layer(np.asarray(batch))
    return layer


NAMES = {
    "Tensor": Tensor, "ops": ops, "np": np, "nan": float("nan"), "inf": float("inf"), "T": T,
    "slope": slope, "second": second, "told": told, "rebound": rebound,
    "written": written, "once": once, "with_view": with_view, "twice": twice,
    "grad": grad, "nn": nn, "Generator": Generator, "seen": seen,
}  # fmt: skip


def rows():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    listed = [line for line in lines if not line.startswith("| where |")]
    found = [ROW.match(line) for line in listed]
    assert all(found), [line for line, row in zip(listed, found, strict=True) if row is None]
    return [row.groupdict() for row in found]


def plain(x):
    """Give nested lists and tuples of plain numbers, to be compared."""
    if isinstance(x, tuple | list):
        return type(x)(map(plain, x))
    if isinstance(x, Tensor):
        return x.data.tolist()
    return x.tolist() if isinstance(x, np.ndarray | np.generic) else x


def same(a, b):
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, str) or a is None or b is None or isinstance(b, str):
        return a == b
    return bool(np.isclose(a, b, rtol=1e-12, atol=0, equal_nan=True))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["where"])
def test_row(row):
    with np.errstate(all="ignore"):
        got, expected = (plain(eval(row[part], dict(NAMES))) for part in ("code", "gives"))
    assert same(got, expected), f"{row['code']} gives {got}, not {expected}"


def test_the_comparison_sees_differences():
    for a, b in (([1], [2]), ([1], (1,)), ([1, 2], [1]), ("a", "b"), (None, 0), ([0.5], [np.nan])):
        assert not same(a, b)
    assert same([np.nan, 1.0], [np.nan, 1])


def test_every_row_is_read_and_the_page_is_found():
    assert len(rows()) > 55
    assert len({row["where"] + row["code"] for row in rows()}) == len(rows())
    assert "(docs/conventions.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
