"""CI runs all that can run on its machine, by the commands that README.md names."""

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

# Nothing has these marks yet: the issues that bring them bring what CI needs for them.
NOT_YET = {"cuda", "gpu"}


def marks() -> set[str]:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    return {line.partition(":")[0] for line in options["markers"]}


def used_marks() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    return {mark for text in texts for mark in marks_in(text)}


def marks_in(text: str) -> set[str]:
    """Name the marks that a file sets, by decorators, by `pytestmark` or on a parameter."""
    found = {node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
    return {node.attr for node in found if ast.unparse(node.value) == "pytest.mark"}


def test_marks_are_seen_wherever_they_stand():
    text = (
        "pytestmark = [pytest.mark.slow, pytest.mark.gpu]\n"
        "@pytest.mark.oracle\ndef test_a(): pass\n"
        "class TestB:\n    @pytest.mark.cuda(1)\n    def test_c(self): 'pytest.mark.browser'\n"
    )
    assert marks_in(text) == {"slow", "gpu", "oracle", "cuda"}


def test_every_mark_is_run():
    (line,) = re.findall(r"^for mark in (.+); do$", SCRIPT, re.MULTILINE)
    assert set(line.split()) == marks() - NOT_YET
    assert not used_marks() & NOT_YET


def test_outputs_are_compared_with_all_peers():
    assert '"$python" start.py bench --peers ' in SCRIPT


def test_the_commands_are_those_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for verb in ("test", "demo", "build --check"):
        assert f'"$python" start.py {verb}\n' in SCRIPT
        assert f"python start.py {verb}" in readme


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash on this machine")
def test_bash_can_read_the_script():
    done = subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=False)
    assert done.returncode == 0
