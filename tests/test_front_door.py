"""The front door: every listed name is there, and opening it costs little."""

import subprocess
import sys

import pytest

import cgkit

HEAVY = {
    "IPython", "click", "difflib", "graphviz", "hypothesis", "matplotlib", "nbclient", "nbformat",
    "networkx", "numba", "numpy.random", "onnx", "pygraphviz", "rich", "torch", "cgkit.data",
    "cgkit.nn", "cgkit.optimizers", "cgkit.saved", "cgkit.testing", "cgkit.training", "zipfile",
}  # fmt: skip


def test_every_listed_name_is_there():
    for name in cgkit.__all__:
        assert getattr(cgkit, name) is not None


def test_operators_are_found_by_name_and_misspellings_answered():
    assert cgkit.ops.matmul is cgkit.ops.ALL["matmul"]
    assert set(cgkit.ops.ALL) <= set(dir(cgkit.ops))
    with pytest.raises(AttributeError, match=r"no operator 'matmull'; did you mean 'matmul'\?"):
        cgkit.ops.matmull  # noqa: B018
    with pytest.raises(AttributeError, match=r"no operator 'qqq'$"):
        cgkit.ops.qqq  # noqa: B018


def test_what_is_made_of_operators_stands_beside_them():
    assert set(cgkit.ops.COMPOSED) <= set(dir(cgkit.ops))
    assert not set(cgkit.ops.COMPOSED) & set(cgkit.ops.ALL)
    for name, act in cgkit.ops.COMPOSED.items():
        assert getattr(cgkit.ops, name) is act
        assert act.__doc__, name
    with pytest.raises(AttributeError, match="did you mean 'topk'"):
        cgkit.ops.__getattr__("topc")


def test_testing_is_there_when_it_is_asked_for():
    ask = "import cgkit, numpy; cgkit.testing.check_gradient(lambda x: x * x, numpy.ones(2))"
    subprocess.run([sys.executable, "-c", ask], check=True)
    with pytest.raises(AttributeError, match="no attribute 'testings'"):
        cgkit.testings  # noqa: B018


def test_layers_are_there_when_they_are_asked_for():
    ask = "import cgkit; cgkit.nn.Linear(2, 3, cgkit.Generator(0))([1.0, 2.0])"
    subprocess.run([sys.executable, "-c", ask], check=True)


def test_what_training_needs_is_there_when_it_is_asked_for():
    ask = (
        "import cgkit\n"
        "digits = cgkit.data.digits()\n"
        "model = cgkit.training.mlp(digits, cgkit.Generator(0))\n"
        "cgkit.training.train(model, digits, epochs=1, optimizer=cgkit.optimizers.SGD(0.1))\n"
        "cgkit.saved.save\n"
    )
    subprocess.run([sys.executable, "-c", ask], check=True)


def test_nothing_heavy_is_imported():
    ask = "import cgkit, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
