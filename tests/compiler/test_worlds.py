"""Random programs in a world that changes between calls: compiled and plain, they stay alike.

text of a function ─┬─ a world ─ plain    ─┐   call, change something, call again ...
                    └─ a world ─ compiled ─┴─> results, what was written, first and second gradients
"""

import random
import types

import numpy as np
import pytest

from cgkit import CgkitError, Tensor, compile, cond, enable_grad, grad, no_grad, ops, scan
from cgkit.tensor import Generator

TENSORS = ("x", "y", "S.w", "S.b", "S.t[0]", "S.t[-1]", "S.d['a']", "W", "HELD.w", "d['z']")
OTHERS = ("S.k", "S.l[0]", "K", "k", "2.0", "len(S.l)", "S.arr", "d['n'][0]")
BUFFERS = ("S.buf", "BUF", "S.d2[1]")
EXPRESSIONS = (
    "{t} + {a}", "{t} - {a}", "{t} * {a}", "{t} * {t}", "({t} + 1.0) / ({t} * {t} + 1.5)",
    "ops.tanh({t} * 0.3)", "ops.square({t})", "{t}.sum()", "({t} * {t}).sum(-1, keepdims=True)",
    "({t} * 1.0).reshape(-1)[:3] * 0.5", "{t}.detach() * {a}", "ops.where({t} > {a}, {t}, {a})",
    "helper({t}, {a})", "sum([q * 0.5 for q in S.t], {t})", "ops.maximum({t}, {a})",
    "cond({t}.sum() > 0.0, lambda: {t}.sum() * {a}, lambda: ({t} * {t}).sum()).sum()",
    "scan(lambda c, r: (ops.tanh(c + r * {s}), None), {t}.sum() * 0.1, {t}.reshape(-1) * 1.0)[0]",
    "ops.uniform(S.gen.key(), shape=(3,)) * {t}.sum()", "{buffer} * {t}.sum()",
    "slope(({t} * S.w * S.w).sum(), S.w, True)", "slope(({t} * S.b * S.b).sum(), S.b, False)",
)  # fmt: skip
STATEMENTS = (
    "{buffer}.add_({t}.sum() * 0.1)", "{buffer}.mul_({t}.sum() * 0.1)", "y.mul_({s})",
    "with no_grad(): {buffer}.copy_({t}.sum() * 0.01)", "with no_grad(): {new} = {e}",
    "{new} = {e} if S.flag else {t} * 3.0", "{new} = {t} * 1.0; {new}.add_({t}.sum())",
)  # fmt: skip


def program(draw):
    """Write a function."""
    known = [*TENSORS]
    lines = ["def helper(a, b): return a * K + b * S.k", "def fn(x, y, k, d):"]

    def fill(text):
        while "{" in text:
            text = text.replace("{e}", draw.choice(EXPRESSIONS), 1)
            for sign, of in (("{t}", known), ("{a}", (*known, *OTHERS)), ("{s}", OTHERS[:5]),
                             ("{buffer}", BUFFERS)):  # fmt: skip
                text = text.replace(sign, draw.choice(of), 1)
            text = text.replace("{new}", f"v{len(lines)}")
        return text

    for _ in range(draw.randrange(2, 9)):
        plain = draw.random() < 0.7
        text = fill("{new} = {e}" if plain else draw.choice(STATEMENTS))
        if text.startswith(("v", "with no_grad(): v")):
            known.append(f"v{len(lines)}")
        lines.append(f"    {text}")
    wanted = [draw.choice([*known, "S.buf", "k", "None"]) for _ in range(2)]
    lines.append(f"    return {{'a': [{', '.join(wanted)}], 'b': {known[-1]}}}")
    return "\n".join(lines)


def slope(y, x, create):
    (found,) = grad(y, [x], create_graph=create, allow_unused=True)
    return x * 0.0 if found is None else found


def world(text, seed):
    """Make what a program lives in."""
    rng = np.random.default_rng(seed)
    one = types.SimpleNamespace(
        w=Tensor(rng.normal(size=3), requires_grad=True), k=1.5, l=[0.5, 1.5], flag=True,
        b=Tensor(rng.normal(), requires_grad=True), buf=Tensor(rng.normal(size=3)),
        t=[Tensor(rng.normal(size=3)), Tensor(rng.normal(), requires_grad=True)],
        d={"a": Tensor(rng.normal(size=3), requires_grad=True)}, d2={1: Tensor(rng.normal())},
        arr=rng.normal(size=3), gen=Generator(5),
    )  # fmt: skip
    names = {
        "S": one, "W": fresh(rng), "HELD": types.SimpleNamespace(w=one.w), "K": 0.7, "ops": ops,
        "BUF": fresh(rng), "cond": cond, "scan": scan, "no_grad": no_grad, "slope": slope,
    }  # fmt: skip
    exec(text, names)
    return names


def fresh(rng, grad=False):
    return Tensor(rng.normal(size=3), requires_grad=grad)


CHANGES = (
    lambda n, rng: setattr(n["S"], "k", float(rng.integers(3))),
    lambda n, rng: n["S"].l.append(0.25) if len(n["S"].l) < 3 else n["S"].l.pop(),
    lambda n, rng: setattr(n["S"], "flag", not n["S"].flag),
    lambda n, rng: n["S"].w.data.__imul__(1.1),
    lambda n, rng: setattr(n["S"], "w", fresh(rng, True)),
    lambda n, rng: n["S"].t.__setitem__(0, n["S"].buf),
    lambda n, rng: n.update(W=n["S"].d["a"]),
    lambda n, rng: n["S"].arr.__iadd__(1.0),
    lambda n, rng: n.update(K=float(rng.integers(2))),
    lambda n, rng: n.update(BUF=n["S"].buf),
    lambda n, rng: setattr(n["S"], "b", fresh(rng, bool(rng.integers(2)))),
    lambda n, rng: setattr(n["HELD"], "w", fresh(rng)),
    lambda n, rng: n["S"].gen.key(),
    lambda n, rng: n["S"].d2.__setitem__(1, Tensor(rng.normal())),
    lambda n, rng: n.update(W=n["S"].buf[:]),
)


def arguments(names, seed):
    rng, draw = np.random.default_rng(seed), random.Random(seed)
    wants, shape = draw.random() < 0.6, draw.choice([(3,)] * 4 + [(1,), (2, 3), (4, 3), (0, 3)])
    x, y = Tensor(rng.normal(size=shape), requires_grad=wants), Tensor(rng.normal(size=3))
    x = draw.choice([x, x, x, x * 1.0, names["S"].w])
    y = draw.choice([y, y, y, x, names["S"].buf])
    nested = {"z": fresh(rng, wants), "n": [draw.choice([1.0, 2.0])]}
    return x, y, draw.choice([1.0, 2.0, 3, True]), nested


def seen(names, act, seed):
    """Call a function; give what can be seen of it, or the error."""
    x, y, k, d = arguments(names, seed)
    one = names["S"]
    around = [x, y, d["z"], one.w, one.b, *one.t, one.d["a"], names["W"], names["HELD"].w,
              names["BUF"], one.buf, one.d2[1]]  # fmt: skip
    try:
        with enable_grad() if seed % 5 else no_grad():
            found = act(x, y, k, d)
    except CgkitError as error:
        return error
    results = [*found["a"], found["b"]]
    tensors = [r for r in results if isinstance(r, Tensor)]
    same = [[r is x for x in around] for r in tensors]
    told = [[r for r in results if not isinstance(r, Tensor)], same, one.gen.handed]
    numbers = [r.data.copy() for r in (*tensors, *around)]
    leaves = [x for x in {id(x): x for x in around}.values() if x.is_leaf and x.requires_grad]
    return told, numbers + gradients([r for r in tensors if r.requires_grad], leaves)


def gradients(results, leaves):
    """Give first and second gradients; what is unused counts as 0."""
    if not (results and leaves):
        return []
    settings = {"materialize_grads": True, "retain_graph": True}
    try:
        total = sum([(r * r).sum() for r in results], Tensor(0.0))
        first = grad(total, leaves, create_graph=True, **settings)
        further = [(g * g).sum() for g in first if g.requires_grad]
        second = grad(further, leaves, **settings) if further else [x * 0.0 for x in leaves]
    except CgkitError:
        return []  # what is saved was written to: a form saves other things than its operators
    return [g.data for g in (*first, *second)]


def compare(seed):
    """Run a program in two worlds; give how many calls were compared."""
    draw = random.Random(seed)
    text = program(draw)
    ours, theirs = world(text, seed), world(text, seed)
    ready = compile(ours["fn"], dynamic=draw.choice([None, None, True, False]), limit=20)
    for turn in range(5):
        for number in draw.sample(range(len(CHANGES)), 2 if turn else 0):
            for names in (ours, theirs):
                CHANGES[number](names, np.random.default_rng(seed + turn))
        found, expected = (
            seen(names, act, seed * 10 + turn)
            for names, act in ((ours, ready), (theirs, theirs["fn"]))
        )
        if isinstance(found, CgkitError) or isinstance(expected, CgkitError):
            return turn
        assert found[0] == expected[0], text
        for a, b in zip(found[1], expected[1], strict=False):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9, err_msg=text)
    return 5


def test_a_world_that_changes():
    assert sum(compare(seed) for seed in range(40)) > 80


@pytest.mark.slow
def test_many_worlds_that_change():
    assert sum(compare(seed) for seed in range(1000, 1300)) > 600
