"""A checkpoint gives back where a training stood, and only to the training it is of."""

import numpy as np
import pytest

from cgkit import Tensor, nn, saved
from cgkit.errors import FileError, StateError
from cgkit.optimizers import SGD
from cgkit.tensor import Generator
from cgkit.training import Recipe, read_checkpoint, train
from cgkit.training.checkpoint import write_checkpoint
from cgkit.training.step import beginning


@pytest.fixture
def kept(tmp_path, small, model, usual):
    """A checkpoint after two epochs."""
    train(model, small, epochs=2, checkpoint=tmp_path / "run.npz", **usual)
    return tmp_path / "run.npz"


def test_where_it_stood_comes_back(kept, small, model, another, usual):
    at = read_checkpoint(kept, another(), Recipe(small, **usual))
    assert (at.step, len(at.history), at.tally.seen) == (8, 2, 0)
    for name, array in model.state().items():
        np.testing.assert_array_equal(at.numbers.all[name], array)
    assert {state["step"].item() for state in at.numbers.states.values()} == {8}


def test_a_beginning_can_be_saved(tmp_path, small, model, usual):
    recipe = Recipe(small, **usual)
    write_checkpoint(tmp_path / "run.npz", model, recipe, beginning(model, recipe))
    assert read_checkpoint(tmp_path / "run.npz", model, recipe).step == 0


@pytest.mark.parametrize(
    ("name", "change"),
    [("optimizer", {"optimizer": SGD(0.2)}), ("batch", {"batch": 10}), ("seed", {"seed": 3})],
)
def test_another_recipe_is_refused_and_told(kept, small, model, usual, name, change):
    with pytest.raises(StateError, match=f"of another training: its {name} differs"):
        read_checkpoint(kept, model, Recipe(small, **{**usual, **change}))


def test_another_model_is_refused(kept, small, usual):
    other = nn.Sequential(nn.Flatten(), nn.Linear(4, 4, Generator(0)))
    with pytest.raises(StateError, match="its model differs"):
        read_checkpoint(kept, other, Recipe(small, **usual))


def test_other_states_are_refused(tmp_path, small, model):
    for state in ([1, 2], {"w": np.ones(2)}, {"kind": "else"}, {"kind": np.ones(2)}):
        saved.save(tmp_path / "x.npz", state)
        with pytest.raises(FileError, match="a saved state, but of no training"):
            read_checkpoint(tmp_path / "x.npz", model, Recipe(small))
    for recipe in ("mine", {}, {"model": np.ones(2)}, np.ones(2)):
        saved.save(tmp_path / "x.npz", {"kind": "training", "recipe": recipe})
        with pytest.raises(StateError, match="its model differs"):
            read_checkpoint(tmp_path / "x.npz", model, Recipe(small))


def changed(state, path, value):
    *way, last = path
    for key in way:
        state = state[key]
    if value is None:
        del state[last]
    else:
        state[last] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["step"], None),
        (["step"], 7),
        (["step"], -8),
        (["step"], "8"),
        (["step"], True),
        (["history"], []),
        (["history"], [(1, 2)]),
        (["history"], 3),
        (["tally"], (0.0, 0, 5)),
        (["tally"], ("0", 0, 0)),
        (["tally"], (0.0, 0, 0, 0)),
        (["history", 1], (2, 0.5, "all", 0.5)),
        (["parameters"], {}),
        (["parameters", "0.weight"], np.ones(3, "float32")),
        (["parameters", "0.weight"], None),
        (["parameters", "5.bias"], np.ones(4)),
        (["buffers"], {"a": np.ones(1)}),
        (["buffers"], 5),
        (["parameters", "5.bias"], Tensor(np.ones(4, "float32"))),
        (["parameters", "5.bias"], [1.0, 2.0, 3.0, 4.0]),
        (["optimizer", "0.weight", "velocity"], None),
        (["optimizer", "0.weight"], "fast"),
        (["optimizer", "0.weight", "step"], np.ones(2)),
    ],
    ids=str,
)
def test_a_checkpoint_that_was_meddled_with_is_refused(kept, small, model, usual, path, value):
    state = saved.load(kept)
    changed(state, path, value)
    saved.save(kept, state)
    with pytest.raises(FileError, match="is no whole checkpoint"):
        read_checkpoint(kept, model, Recipe(small, **usual))
