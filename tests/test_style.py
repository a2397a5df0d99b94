"""The linters, run as part of the tests so that one command says all."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def complaints(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff():
    assert complaints("ruff", "check", "--no-cache", "--output-format=concise", ".") == ""


def test_mypy():
    assert complaints("mypy") == ""


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
