"""The command line as a whole: verbs, refusals, exit codes."""

import json
import subprocess
import sys

import click
import pytest

import cgkit.cli
from cgkit import cli
from cgkit.cli import VERBS, run, verbs
from cgkit.errors import CgkitError, EnvironmentFault, UsageFault

HEAVY = ["nbformat", "nbclient", "nbgrader", "matplotlib", "hypothesis", "rich", "networkx"]


def raising(error):
    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def command(as_json):
        raise error

    return command


@pytest.fixture
def verb_that_raises(monkeypatch):
    """Make `cgkit check` raise what is given."""

    def install(error):
        monkeypatch.setattr(
            cgkit.cli.LazyGroup, "get_command", lambda self, ctx, name: raising(error)
        )

    return install


def test_help_names_every_verb_in_a_line_each(capsys):
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    for verb, sentence in VERBS.items():
        assert any(line.split(maxsplit=1) == [verb, sentence] for line in out.splitlines())


def test_the_verbs_are_those_of_the_contract():
    students = {"doctor", "lab", "check", "hint", "draw", "run"}
    teachers = {"build", "demo", "test", "grade", "student-copy", "conformance", "bench"}
    assert set(VERBS) == students | teachers


def test_a_verb_that_is_not_in_this_copy_is_not_offered(monkeypatch, capsys):
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name.endswith("grade") else name)
    assert run(["--help"]) == 0
    assert "grade " not in capsys.readouterr().out
    assert run(["grade"]) == 2
    assert "There is no verb 'grade'" in capsys.readouterr().err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb, capsys):
    assert run([verb, "--help"]) == 0
    assert f"cgkit {verb}" in capsys.readouterr().out


@pytest.mark.parametrize("verb", sorted(set(VERBS) - {"lab"}))
def test_every_report_can_be_json(verb):
    command = verbs.get_command(click.Context(verbs), verb)
    told = command.list_commands(None) if isinstance(command, click.Group) else [None]
    for word in told:
        one = command.get_command(click.Context(command), word) if word else command
        assert "--json" in [option for parameter in one.params for option in parameter.opts]


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from cgkit.cli import run\n"
        "run(['--help'])\n"
        f"sys.stderr.write(' '.join(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("word", "said"),
    [("docter", "Did you mean 'doctor'?"), ("buid", "Did you mean 'build'?"), ("zzz", "Verbs: ")],
)
def test_an_unknown_verb_gets_a_guess(word, said, capsys):
    assert run([word]) == 2
    error = capsys.readouterr().err
    assert f"There is no verb '{word}'. {said}" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("words", [["--zzz"], ["doctor", "--zzz"], ["doctor", "extra"]])
def test_wrong_words_exit_with_2(words, capsys):
    assert run(words) == 2
    assert "Usage: cgkit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CgkitError("a check failed"), 1),
        (UsageFault("used wrongly"), 2),
        (EnvironmentFault("nothing there"), 3),
        (PermissionError(13, "Permission denied", "/x"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_become_a_sentence_and_a_code(error, code, verb_that_raises, capsys):
    verb_that_raises(error)
    assert run(["check"]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1


def test_no_memory_is_a_sentence_too(verb_that_raises, capsys):
    verb_that_raises(MemoryError())
    assert run(["check"]) == 3
    assert "this takes more memory than there is" in capsys.readouterr().err


def test_errors_are_json_where_json_is_asked_for(verb_that_raises, capsys):
    verb_that_raises(UsageFault("used wrongly"))
    assert run(["check", "--json"]) == 2
    out, err = capsys.readouterr()
    assert err == ""
    assert json.loads(out) == {
        "schema": 1,
        "command": "check",
        "ok": False,
        "items": [{"name": "check", "status": "failed", "detail": "used wrongly"}],
    }


def test_a_bug_is_not_hidden(verb_that_raises):
    verb_that_raises(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        run(["check"])
