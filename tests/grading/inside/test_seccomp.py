import struct

import pytest

from cgkit.grading.inside.seccomp import known, program


def steps(machine):
    code = program(machine)
    return [struct.unpack("HBBI", code[place : place + 8]) for place in range(0, len(code), 8)]


def verdict(machine, architecture, number):
    """Run the filter as the kernel would; it knows four kinds of steps."""
    at, held = 0, 0
    found = steps(machine)
    while True:
        code, yes, no, value = found[at]
        if code == 0x20:
            held = architecture if value == 4 else number
        elif code == 0x15:
            at += yes if held == value else no
        elif code == 0x35:
            at += yes if held >= value else no
        else:
            return {0x7FFF0000: "allow", 0x00050001: "refuse", 0x80000000: "kill"}[value]
        at += 1


@pytest.mark.parametrize(
    ("machine", "architecture", "read", "ptrace", "unshare"),
    [("x86_64", 0xC000003E, 0, 101, 272), ("aarch64", 0xC00000B7, 63, 117, 97)],
)
def test_the_filter_refuses_what_it_should(machine, architecture, read, ptrace, unshare):
    assert verdict(machine, architecture, read) == "allow"
    for number in (ptrace, unshare, 425, 447):
        assert verdict(machine, architecture, number) == "refuse"
    assert verdict(machine, 0x40000003, read) == "kill"


def test_the_other_numbering_of_x86_is_refused():
    assert verdict("x86_64", 0xC000003E, 0x40000000) == "refuse"


def test_unknown_machines_are_known_to_be_unknown():
    assert not known("riscv64")
