"""`cgkit run`: what there is to run, and what is none of it."""

import pytest

from cgkit.cli import run
from cgkit.cli.running import SUBJECTS, load


def test_help_names_every_subject(capsys):
    assert run(["run", "--help"]) == 0
    out = capsys.readouterr().out
    for subject, sentence in SUBJECTS.items():
        assert any(line.split(maxsplit=1) == [subject, sentence] for line in out.splitlines())


@pytest.mark.parametrize("subject", SUBJECTS)
def test_each_subject_can_be_loaded(subject):
    assert callable(load(subject))


def test_an_unknown_subject_gets_a_guess(capsys):
    assert run(["run", "digit"]) == 2
    assert "There is no 'digit' to run. Did you mean 'digits'?" in capsys.readouterr().err
    assert run(["run", "zzz"]) == 2
    assert "There is no 'zzz' to run. Subjects: digits" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--zzz"], ["digits", "--zzz"], ["digits", "extra"]])
def test_wrong_words_exit_with_2(words, capsys):
    assert run(["run", *words]) == 2
    assert "Usage: cgkit run" in capsys.readouterr().err
