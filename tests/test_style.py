"""The linters, run as part of the tests so that one command says all."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def must_be_content(*words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)


def test_ruff():
    must_be_content("ruff", "check", "--no-cache", "--output-format=concise", ".")


def test_mypy():
    must_be_content("mypy")


def test_ruff_is_asked_about_everything():
    # A wrong exclusion would make test_ruff pass by looking at nothing.
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--show-files", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    seen = {Path(line).resolve() for line in done.stdout.splitlines()}
    folders = ("cgkit", "tests", "course", "solutions")
    texts = {path for folder in folders for path in (ROOT / folder).rglob("*.py")}
    assert texts | {ROOT / "start.py", ROOT / "nbgrader_config.py"} <= seen
