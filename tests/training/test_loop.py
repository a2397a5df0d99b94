"""Training: it learns, it is told of, and it goes on after any stop as if there had been none."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from cgkit import data, saved
from cgkit.errors import FileError, OperandError, StateError, TrainingError
from cgkit.optimizers import SGD, Adam
from cgkit.tensor import Generator
from cgkit.training import Told, cnn, mlp, train


def same(first, second):
    """Whether two saved trainings are equal to the last bit: equal states make equal files."""
    return first.read_bytes() == second.read_bytes()


def test_it_learns(small, model, usual):
    history = train(model, small, epochs=20, **usual)
    assert [epoch.number for epoch in history] == list(range(1, 21))
    assert history[-1].loss < history[0].loss / 2
    assert history[-1].tested >= 0.9
    scores = model.eval()(small.test.images).data.argmax(axis=1)
    assert np.mean(scores == small.test.labels) == history[-1].tested


def test_the_same_settings_give_the_same_bits(small, another, usual):
    first, second, other = another(), another(), another()
    histories = [
        train(model, small, epochs=3, seed=seed, **usual)
        for model, seed in ((first, 4), (second, 4), (other, 5))
    ]
    assert histories[0] == histories[1] != histories[2]
    assert all((first.state()[name] == x).all() for name, x in second.state().items())


def test_each_step_is_told(small, model, usual):
    told = []
    history = train(model, small, epochs=2, tell=told.append, **usual)
    assert [(x.epoch, x.step, x.steps) for x in told] == [
        (epoch, step, 4) for epoch in (1, 2) for step in (1, 2, 3, 4)
    ]
    assert [x.ended for x in told] == [None] * 3 + [history[0]] + [None] * 3 + [history[1]]
    assert told[3].loss == history[0].loss
    assert all(isinstance(x, Told) and 0 <= x.accuracy <= 1 for x in told)


def test_each_example_is_seen_once_an_epoch(small, model, usual):
    seen = []

    def loss(scores, labels):
        seen.extend(labels.tolist())
        return (scores * scores).mean()

    train(model, small, epochs=2, **{**usual, "loss": loss})
    labels = small.train.labels.tolist()
    assert sorted(seen[:50]) == sorted(seen[50:]) == sorted(labels)
    assert seen[:50] != seen[50:]


def test_the_mode_of_each_module_is_given_back(small, model, usual):
    model[1].eval()
    train(model, small, epochs=1, **usual)
    assert [module.training for module in model] == [True, False, True, True, True, True]
    model.eval()
    with pytest.raises(TrainingError):
        train(model, small, epochs=1, optimizer=SGD(1e30), batch=10)
    assert not any(module.training for module in model)


@pytest.mark.parametrize("at", [1, 3, 4, 5, 8, 10])
def test_interrupted_and_resumed_is_as_never_interrupted(tmp_path, small, another, usual, at):
    whole, broken = tmp_path / "whole.npz", tmp_path / "broken.npz"
    history = train(another(), small, epochs=3, checkpoint=whole, **usual)
    steps = []

    def stop(told):
        steps.append(told)
        if len(steps) == at:
            raise KeyboardInterrupt

    model = another()
    with pytest.raises(KeyboardInterrupt) as caught:
        train(model, small, epochs=3, checkpoint=broken, tell=stop, **usual)
    assert f"stopped after {at} steps" in caught.value.__notes__[0]
    assert "resume=True" in caught.value.__notes__[0]
    kept = saved.load(broken)
    assert kept["step"] == at
    for name, array in model.state().items():  # the model, too, is as after the last step
        np.testing.assert_array_equal({**kept["parameters"], **kept["buffers"]}[name], array)
    again = another(seed=99)  # its own numbers do not matter
    assert train(again, small, epochs=3, checkpoint=broken, resume=True, **usual) == history
    assert same(whole, broken)


def test_going_on_for_longer_is_as_having_meant_to(tmp_path, small, another, usual):
    paths = [tmp_path / name for name in ("one.npz", "two.npz")]
    train(another(), small, epochs=4, checkpoint=paths[0], **usual)
    train(another(), small, epochs=1, checkpoint=paths[1], **usual)
    train(another(), small, epochs=4, checkpoint=paths[1], resume=True, **usual)
    assert same(*paths)


def test_a_training_begun_anew_takes_the_place_of_none(tmp_path, small, another, usual):
    path, link = tmp_path / "run.npz", tmp_path / "link.npz"
    path.write_bytes(b"weeks of work")
    link.symlink_to(path)
    for file in (path, link):
        train(another(), small, epochs=1, checkpoint=file, **usual)
    assert (tmp_path / "run-earlier.npz").read_bytes() == b"weeks of work"
    assert link.is_symlink()
    assert same(path, tmp_path / "run-earlier-2.npz")
    assert len([*tmp_path.iterdir()]) == 4
    with pytest.raises(OperandError):
        train(another(), small, epochs=-1, checkpoint=path, **usual)
    assert len([*tmp_path.iterdir()]) == 4


def test_what_is_over_is_not_done_again(tmp_path, small, another, usual):
    path = tmp_path / "run.npz"
    history = train(another(), small, epochs=2, checkpoint=path, **usual)
    before = path.read_bytes()
    told = []
    fresh = another(seed=5)
    again = train(fresh, small, epochs=1, checkpoint=path, resume=True, tell=told.append, **usual)
    assert (again, told, path.read_bytes()) == (history, [], before)
    assert (fresh.state()["0.weight"] == saved.load(path)["parameters"]["0.weight"]).all()


def test_an_interrupt_without_a_checkpoint_leaves_the_model(small, model, usual):
    def stop(told):
        raise KeyboardInterrupt

    before = model.state()
    with pytest.raises(KeyboardInterrupt) as caught:
        train(model, small, tell=stop, **usual)
    assert "the model has what it learned" in caught.value.__notes__[0]
    assert (model.state()["0.weight"] != before["0.weight"]).any()


def test_whatever_stops_it_the_model_has_what_it_learned(tmp_path, small, model, usual):
    path, steps = tmp_path / "kept" / "run.npz", []
    path.parent.mkdir()

    def take_the_folder_away(told):
        steps.append(told)
        if told.epoch == 2:
            path.unlink(missing_ok=True)
            path.parent.rmdir()

    before = model.state()
    with pytest.raises(FileError, match="there is no folder"):
        train(model, small, checkpoint=path, tell=take_the_folder_away, save_every=0.0, **usual)
    assert len(steps) == 5
    assert (model.state()["0.weight"] != before["0.weight"]).any()


def test_what_is_no_model_and_no_data_is_refused(small, model):
    with pytest.raises(OperandError, match="a Module is trained, not <function"):
        train(lambda x: x, small)
    with pytest.raises(OperandError, match="a Dataset is needed, not tuple"):
        train(model, (1, 2))
    with pytest.raises(OperandError, match="a loss is a function of scores and labels, not 3"):
        train(model, small, loss=3)


def test_no_epochs_change_nothing(small, model, usual):
    before = model.state()
    assert train(model, small, epochs=0, **usual) == ()
    assert repr(model.state()) == repr(before)


def test_within_long_epochs_it_is_saved_too(tmp_path, small, model, usual):
    path, steps = tmp_path / "run.npz", []

    def look(told):
        steps.append(saved.load(path)["step"])

    train(model, small, epochs=1, checkpoint=path, tell=look, save_every=0.0, **usual)
    assert steps == [0, 1, 2, 3]


def test_a_loss_without_bound_stops_it_and_says_where(tmp_path, small, model):
    path = tmp_path / "run.npz"
    with pytest.raises(TrainingError) as caught:
        train(model, small, optimizer=SGD(1e20), batch=10, checkpoint=path)
    assert "of epoch 1" in caught.value.with_place()
    assert "a smaller learning rate" in caught.value.attempt
    assert saved.load(path)["step"] == 0  # what was there before stays


def test_what_cannot_be_kept_is_known_at_once(tmp_path, small, model, usual):
    told = []
    with pytest.raises(FileError, match="there is no folder"):
        train(model, small, checkpoint=tmp_path / "no" / "x.npz", tell=told.append, **usual)
    assert told == []


def test_nothing_to_resume_is_refused(tmp_path, small, model, usual):
    with pytest.raises(OperandError, match="there is nothing to resume"):
        train(model, small, resume=True, **usual)
    with pytest.raises(FileError, match="there is no such file"):
        train(model, small, resume=True, checkpoint=tmp_path / "x.npz", **usual)
    train(model, small, epochs=1, checkpoint=tmp_path / "x.npz", **usual)
    with pytest.raises(StateError, match="its optimizer differs"):
        train(model, small, resume=True, checkpoint=tmp_path / "x.npz", batch=16)
    with pytest.raises(OperandError, match="the number of epochs is a whole number"):
        train(model, small, epochs=1.5, **usual)


SCRIPT = """
import sys
from cgkit import data
from cgkit.tensor import Generator
from cgkit.training import mlp, train
digits = data.digits()
def tell(told):
    print(told.epoch, told.step, flush=True)
train(mlp(digits, Generator(0)), digits, epochs=int(sys.argv[2]), checkpoint=sys.argv[1],
      resume=len(sys.argv) > 3, tell=tell, save_every=0.05)
"""


def script(*words):
    return [sys.executable, "-c", SCRIPT, *map(str, words)]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_is_stopped_goes_on_to_the_same_bits(tmp_path, kill):
    whole, broken = tmp_path / "whole.npz", tmp_path / "broken.npz"
    command = script(broken, 1000)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for _ in range(20):
            process.stdout.readline()
        time.sleep(0.15)
        process.send_signal(kill)
        steps = 20 + len(process.stdout.readlines())  # communicate() would lose what is read ahead
        err = process.stderr.read()
    kept = saved.load(broken)
    if kill == signal.SIGINT:
        assert "KeyboardInterrupt" in err
        assert "goes on" in err
        assert kept["step"] - steps in (0, 1)  # told of or not
    epochs = len(kept["history"]) + 1
    for words in ((whole, epochs), (broken, epochs, "resume")):
        subprocess.run(script(*words), stdout=subprocess.DEVNULL, check=True, timeout=100)
    assert same(whole, broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "epochs", "bound"), [(mlp, 40, 0.94), (cnn, 20, 0.955)], ids=["mlp", "cnn"]
)
def test_digits_are_learned(make, epochs, bound):
    # what it reaches is 96% and 97%, give or take one; the bound leaves room for other roundings
    digits = data.digits()
    history = train(make(digits, Generator(0)), digits, epochs=epochs, optimizer=Adam(0.003))
    assert history[-1].tested > bound
    assert history[-1].accuracy > 0.98
    losses = [epoch.loss for epoch in history]
    assert losses[0] > losses[4] > losses[-1]
