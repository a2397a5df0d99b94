"""Limits that hold with and without namespaces; the fence itself is tried in test_sandbox.py."""

import json
import subprocess
import sys

import pytest

LIMITS = {"memory": 1 << 30, "file": 1 << 20, "files": 32, "stack": 8 << 20, "seconds": 5}


def restricted(code):
    start = f"from cgkit.grading.inside import fence\nfence.restrict({LIMITS!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_memory_and_files_are_bounded():
    assert restricted("bytearray(2 << 30)") == "MemoryError"
    assert "File too large" in restricted(
        "import signal, tempfile\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "f = tempfile.TemporaryFile(buffering=0)\nf.write(b'x' * (1 << 20))\nf.write(b'x')"
    )


def test_limits_cannot_be_raised_again():
    code = (
        "import json, resource\n"
        "print(json.dumps(resource.getrlimit(resource.RLIMIT_AS)))"
    )  # fmt: skip
    assert json.loads(restricted(code)) == [1 << 30, 1 << 30]


def test_a_limit_of_the_system_is_never_exceeded():
    code = (
        "import resource\nfrom cgkit.grading.inside import fence\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))\n"
        f"fence.bound({LIMITS!r})\nprint(resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(20, 20)"


def test_off_linux_limits_are_those_that_the_system_takes():
    code = (
        "import resource, sys\nfrom cgkit.grading.inside import fence\n"
        "real = resource.setrlimit\n"
        "def refusing(number, limits):\n"
        "    if number == resource.RLIMIT_AS: raise ValueError('not here')\n"
        "    real(number, limits)\n"
        "resource.setrlimit = refusing\n"
        "sys.platform = 'darwin'\n"
        f"fence.bound({LIMITS!r})\n"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])\n"
        "sys.platform = 'linux'\n"
        f"try: fence.bound({LIMITS!r})\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["32", "not here"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counted on Linux only")
def test_a_crowd_is_bounded_by_what_there_is_already():
    code = (
        "import resource\nfrom cgkit.grading.inside import fence\n"
        "fence.crowd(5, alone=True)\nfirst = resource.getrlimit(resource.RLIMIT_NPROC)[0]\n"
        "print(first)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "9"
    done = subprocess.run(
        [sys.executable, "-c", code.replace("True", "False")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) >= 6  # this process, pytest, whatever else is this user's
