"""Random programs are the same for the same chooser, valid, varied, and run alike in all ways."""

import random
from collections import Counter
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit import ShapeError, Tensor, grad, gradients, run, trace, verify
from cgkit.symbolic import GraphBuilder
from cgkit.testing import Program, Step, graphs, programs, random_program
from cgkit.testing.cases import same
from cgkit.testing.programs import LARGEST, SCALAR_MAKERS
from cgkit.types import TensorType


def draw(number, seed=0, **more):
    rng = random.Random(seed)
    return [random_program(rng, steps=rng.randint(1, 12), **more) for _ in range(number)]


def test_the_same_seed_gives_the_same_programs():
    assert list(map(str, draw(20))) == list(map(str, draw(20)))
    assert str(draw(1)[0]) != str(draw(1, seed=1)[0])


def test_programs_use_all_they_can():
    drawn = draw(400)
    used = Counter(step.operator for program in drawn for step in program.steps)
    assert {
        "add", "mul", "div", "pow", "exp", "log", "sqrt", "where", "sum", "mean", "max", "min",
        "reshape", "transpose", "broadcast_to", "slice", "index", "concat", "matmul", "relu",
    } <= set(used)  # fmt: skip
    shapes = [known.shape for program in drawn for known in program.inputs]
    assert {len(shape) for shape in shapes} == {0, 1, 2, 3}
    assert any(0 in shape for shape in shapes)


def test_types_foretell_what_is_computed():
    for number, program in enumerate(draw(200)):
        every = tuple(f"v{i}" for i in range(len(program.inputs) + len(program.steps)))
        with np.errstate(all="ignore"):
            values = Program(program.inputs, program.steps, every).run(
                program.draw(np.random.default_rng(number))
            )
        assert max(np.size(value) for value in values) <= LARGEST


def test_a_program_prints_as_it_is_written():
    step = Step("sum", ("v0",), {"axis": 0})
    program = Program((TensorType((2,), "float32"),), (step, Step("mul", (2.0, "v1"))), ("v2",))
    assert str(program) == ("v0: float32[2]\nv1 = sum(v0, axis=0)\nv2 = mul(2.0, v1)\nreturn v2")
    assert program.run(program.draw(np.random.default_rng(0)))[0].dtype == np.float32


def test_any_apply_will_do():
    program = Program((TensorType((), "float64"),), (Step("neg", ("v0",)),), ("v1", "v0"))
    assert program.run(["x"], lambda name, x: f"{name}({x})") == ["neg(x)", "x"]


@settings(max_examples=120)
@given(programs())
def test_arrays_tensors_graphs_and_traces_agree(program):
    arrays = program.draw(np.random.default_rng(0))
    with np.errstate(all="ignore"):
        expected = program.run(arrays)
        eager = [y.data for y in program.run(list(map(Tensor, arrays)))]
        graph = program.graph()
        verify(graph)
        traced = trace(lambda *xs: program.run(xs), *program.inputs).graph
        for found in (eager, run(graph, *arrays), run(traced, *arrays)):
            assert all(map(same, found, expected))


@settings(max_examples=80)
@given(programs(most=8))
def test_eager_recorded_and_static_gradients_agree(program):
    arrays = program.draw(np.random.default_rng(0))
    builder = GraphBuilder()
    xs = [builder.placeholder(t.shape, t.dtype) for t in program.inputs]
    with np.errstate(all="ignore"):
        slopes = gradients(program.run(xs)[0].sum(), xs)
        there = [slope for slope in slopes if slope is not None]
        found = iter(run(builder.graph(there, xs), *arrays))
        static = [None if slope is None else next(found) for slope in slopes]
        for create in (False, True):
            points = [Tensor(x, requires_grad=True) for x in arrays]
            total = program.run(points)[0].sum()
            eager = grad(total, points, create_graph=create, allow_unused=True)
            assert all(
                (a is b is None) or same(a.data, b) for a, b in zip(eager, static, strict=True)
            )


@settings(max_examples=150)
@given(programs(most=8), st.randoms(use_true_random=False))
def test_with_open_sizes_a_program_is_refused_or_right(program, rng):
    arrays = program.draw(np.random.default_rng(0))
    builder, numbers = GraphBuilder(), count()
    xs = [
        builder.placeholder(
            [n if n == 1 or rng.random() < 0.3 else f"D{next(numbers)}" for n in t.shape], t.dtype
        )
        for t in program.inputs
    ]
    with np.errstate(all="ignore"):
        try:
            graph = builder.graph(program.run(xs), xs)
            verify(graph)
            found = run(graph, *arrays)
        except ShapeError as error:
            refusal = error.with_place()
            assert "known" in refusal or "taken as equal" in refusal or "a slice of" in refusal
            return
        assert all(map(same, found, program.run(arrays)))


@given(graphs())
def test_graphs_are_sound(graph):
    verify(graph)
    assert all(edge.shape == () for edge in graph.outputs)


def test_makers_choose_what_programs_are_made_of():
    for program in draw(50, makers=SCALAR_MAKERS, shapes=[(3,)]):
        assert all(step.operator not in ("sum", "matmul", "slice") for step in program.steps)


def test_an_unknown_operator_is_an_error():
    with pytest.raises(KeyError):
        Program((), (Step("nope", (1.0,)),), ("v0",)).run([])
