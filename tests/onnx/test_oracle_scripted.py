"""Loops and branches as torch writes them: a scripted module as a model, read and run."""

import importlib.util
import io
import warnings

import numpy as np
import pytest

from cgkit import run
from cgkit.onnx import load

pytestmark = pytest.mark.oracle

SOURCE = """
import torch

class Scripted(torch.nn.Module):
    def forward(self, x, n: int):
        h = x
        for i in range(n):
            if bool(h.sum() > 3.0):
                h = h * 0.5
            else:
                h = h + x * float(i)
        return h
"""


@pytest.fixture
def scripted(tmp_path):
    """A module whose source torch reads, and the model that it writes."""
    import torch

    file = tmp_path / "scripted_module.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("scripted_module", file)
    source = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(source)
    model = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = torch.jit.script(source.Scripted())
        torch.onnx.export(
            module, (torch.ones(3), torch.tensor(4)), model, opset_version=17, dynamo=False,
            input_names=["x", "n"],
        )  # fmt: skip
    return module, model.getvalue()


def test_a_loop_with_a_branch(scripted):
    import torch

    module, model = scripted
    graph = load(model)
    assert {"while_loop", "cond"} <= {line.split("(")[0].split()[-1] for line in lines(graph)}
    x = np.float32([1.0, 0.5, -0.25])
    for n in (0, 1, 5):
        (found,) = run(graph, x, np.int64(n))
        np.testing.assert_array_equal(found, module(torch.tensor(x), n).numpy())


def lines(graph):
    return [line for line in str(graph).splitlines() if " = " in line]
