"""Programs with more sorts of steps run alike on arrays, Tensors and in graphs, gradients too."""

import random
import secrets

import numpy as np
import pytest

from cgkit import Tensor, grad, gradients, run
from cgkit.symbolic import GraphBuilder
from cgkit.testing import random_program
from cgkit.testing.array_steps import ARRAY_MAKERS
from cgkit.testing.programs import MAKERS

FRESH = secrets.randbelow(10**6)


def drawn(seed, programs):
    rng = random.Random(seed)
    for number in range(programs):
        makers = (*MAKERS, *ARRAY_MAKERS, *ARRAY_MAKERS)
        program = random_program(rng, steps=rng.randint(1, 8), makers=makers)
        yield program, program.draw(np.random.default_rng(number))


def test_every_sort_of_step_is_drawn():
    names = {step.operator for program, _ in drawn(0, 150) for step in program.steps}
    assert names >= {
        "cumsum", "softmax", "log_softmax", "var", "logsumexp", "flip", "roll", "pad", "tile",
        "repeat", "unsqueeze", "tril", "triu", "prod", "cumprod", "stack", "gather_elements",
        "einsum",
    }  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2, pytest.param(FRESH, id="fresh")])
def test_all_ways_agree(seed):
    with np.errstate(all="ignore"):
        for program, arrays in drawn(seed, 60):
            expected = program.run(arrays)
            points = [Tensor(x, requires_grad=True) for x in arrays]
            eager = program.run(points)
            slopes = list(grad(eager[0].sum(), points, materialize_grads=True))
            wanted = [*expected, *(x.data for x in slopes)]
            for found, want in zip([y.data for y in eager], expected, strict=True):
                np.testing.assert_array_equal(found, want, err_msg=str(program))
            for found, want in zip(in_a_graph(program, arrays), wanted, strict=True):
                if found is not None:
                    np.testing.assert_array_equal(found, want, err_msg=str(program))


def in_a_graph(program, arrays):
    """Give the values and the gradients, None for an input that is not used."""
    builder = GraphBuilder()
    values = [builder.placeholder(x.shape, x.dtype) for x in arrays]
    made = program.run(values)
    slopes = gradients(made[0].sum(), values)
    there = [x for x in (*made, *slopes) if x is not None]
    found = iter(run(builder.graph(there, values), *arrays))
    return [None if x is None else next(found) for x in (*made, *slopes)]
