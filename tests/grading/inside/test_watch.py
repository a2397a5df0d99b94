"""Audit hooks stay for good, so they are tried in a Python of their own."""

import subprocess
import sys

import pytest


def noted(code):
    start = (
        "import sys\nfrom cgkit.grading.inside import watch\nnotes = []\n"
        "watch.install(lambda *what: notes.append(what), ['/tmp/own'])\n"
    )
    end = "\nseen, notes = list(notes), []\nprint(seen)"
    done = subprocess.run(
        [sys.executable, "-c", start + code + end], capture_output=True, text=True, check=True
    )
    return eval(done.stdout)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("open('/etc/hostname')", "file read"),
        ("open('/tmp/cgkit-watch', 'w')", "file written"),
        ("import os; os.listdir('/')", "folder listed"),
        ("import os; os.system('true')", "program started"),
        ("import gc; gc.get_objects()", "memory searched"),
        ("import socket; socket.socket().bind(('127.0.0.1', 0))", "network"),
    ],
)
def test_what_no_answer_needs_is_noted(code, what):
    assert what in [kind for kind, _ in noted(f"try: {code}\nexcept OSError: pass")]


def test_what_lies_in_a_folder_of_its_own_may_be_read():
    assert noted("try: open('/tmp/own/.pdbrc')\nexcept OSError: pass") == []


def test_imports_and_arithmetic_are_not_noted():
    assert noted("import fractions, json\njson.dumps([fractions.Fraction(1, 2) > 0])") == []
