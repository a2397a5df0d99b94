"""What tests of the checks of notebook 02b share: its answers, right and wrong."""

import importlib.util
from pathlib import Path

import pytest


def load(name):
    """Import a file of the folder above; tests are no package."""
    path = Path(__file__).parent.with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RIGHT = load("answers_02b")
WRONG = load("wrong_02b")


@pytest.fixture(scope="session")
def answers_02b():
    return RIGHT


@pytest.fixture(scope="session")
def wrong_02b():
    return WRONG


@pytest.fixture(params=sorted(WRONG.NAMED), ids=lambda key: f"{key[0]}: {key[1]}")
def named_wrong_02b(request):
    """Give the check, the wrong answer and the name it must be called by."""
    return request.param[0], WRONG.NAMED[request.param], request.param[1]


@pytest.fixture(params=sorted(WRONG.HALF), ids=lambda key: f"{key[0]}: {key[1]}")
def half_right_02b(request):
    """Give the check, an answer that is right in part, what it must be called, and its points."""
    check, name, points = request.param
    return check, WRONG.HALF[request.param], name, points
