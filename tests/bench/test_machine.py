"""Facts of the machine: what bears on a time, and nothing that tells whose machine it is."""

import getpass
import os
import platform
import socket
from pathlib import Path

from cgkit.bench import machine


def test_facts_name_processor_python_and_versions():
    found = machine.facts(["numpy", "no-such-package"])
    assert list(found)[:3] == ["processor", "python", "versions"]
    assert f"of {os.cpu_count()} processors" in found["processor"]
    assert found["python"].startswith(platform.python_version())
    assert found["versions"].startswith("numpy ")
    assert "no-such-package" not in found["versions"]


def test_no_place_and_no_name_is_told():
    text = "\n".join(machine.facts(["numpy"]).values())
    assert str(Path.home()) not in text
    assert "/" not in text
    for name in {socket.gethostname(), getpass.getuser()} - {"", "root", "linux", "localhost"}:
        assert name not in text.split()


def test_a_processor_without_a_name_in_the_file_is_named_somehow():
    assert machine.processor("Hardware : none")
    assert machine.processor("x : y\nmodel name\t: A  CPU \n") == "A  CPU"


def test_a_busy_machine_is_told():
    assert machine.load(1.0, processors=2) == "1.0"
    assert "others are at work" in machine.load(1.1, processors=2)
