"""What tests of checks share: answers, right and wrong, and a way to take what a check says.

answers       right answers to assignment 01, written another way than in solutions/
odd_answer    functions that must never pass, each with a word of the message it must meet
failure       runs a check that must fail and gives its message, which must be well formed
"""

import importlib.util
from pathlib import Path

import pytest

from cgkit.checks import CheckFailed
from cgkit.checks.failure import WIDTH


def load(name):
    """Import a file of this folder; tests are no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRONG = load("wrong_answers")
RIGHT = load("answers_01")
NAMED = load("wrong_01")
RIGHT_02A = load("answers_02a")
WRONG_02A = load("wrong_02a")
NAMED_02A = WRONG_02A.NAMED | load("wrong_02a_rules").NAMED
RIGHT_02B = load("answers_02b")
WRONG_02B = load("wrong_02b")
TRACES_02B = load("wrong_02b_traces")
NAMED_02B = WRONG_02B.NAMED | TRACES_02B.NAMED
HALF_02B = WRONG_02B.HALF | TRACES_02B.HALF


@pytest.fixture(scope="session")
def answers():
    return RIGHT


@pytest.fixture(params=sorted(WRONG.ODD))
def odd_answer(request):
    return WRONG.ODD[request.param]


@pytest.fixture(scope="session")
def wrong():
    return WRONG


@pytest.fixture(scope="session")
def wrong_01():
    return NAMED


@pytest.fixture(params=sorted(NAMED.NAMED), ids=lambda key: f"{key[0]}: {key[1]}")
def named_wrong(request):
    """Give the check, the wrong answer and the name it must be called by."""
    return request.param[0], NAMED.NAMED[request.param], request.param[1]


@pytest.fixture(scope="session")
def answers_02a():
    return RIGHT_02A


@pytest.fixture(scope="session")
def wrong_02a():
    return WRONG_02A


@pytest.fixture(params=sorted(NAMED_02A), ids=lambda key: f"{key[0]}: {key[1]}")
def named_wrong_02a(request):
    return request.param[0], NAMED_02A[request.param], request.param[1].strip()


@pytest.fixture(scope="session")
def answers_02b():
    return RIGHT_02B


@pytest.fixture(scope="session")
def wrong_02b():
    return WRONG_02B


@pytest.fixture(scope="session")
def wrong_training():
    return TRACES_02B.TRAINING


@pytest.fixture(params=sorted(NAMED_02B), ids=lambda key: f"{key[0]}: {key[1]}")
def named_wrong_02b(request):
    return request.param[0], NAMED_02B[request.param], request.param[1]


@pytest.fixture(params=sorted(HALF_02B), ids=lambda key: f"{key[0]}: {key[1]}")
def half_right_02b(request):
    """Give the check, an answer that is right in part, what it must be called, and its points."""
    check, name, points = request.param
    return check, HALF_02B[request.param], name, points


@pytest.fixture
def failure():
    """Run a check that must fail, and give the failure; its block must be well formed."""

    def run(check, *answers, **settings):
        with pytest.raises(CheckFailed) as caught:
            check(*answers, **settings)
        block = str(caught.value).splitlines()
        assert block[0].startswith("✗ ")
        assert all(len(line) <= WIDTH for line in block)
        assert all(line == line.rstrip() for line in block)
        return caught.value

    return run
