import struct

import pytest

from cgkit.grading.inside.seccomp import known, program


def steps(machine):
    code = program(machine)
    return [struct.unpack("HBBI", code[place : place + 8]) for place in range(0, len(code), 8)]


NAMES = {
    0x7FFF0000: "allow",
    0x00050001: "refuse",
    0x00050026: "no such call",
    0x00050061: "no such family",
    0x80000000: "kill",
}


def verdict(machine, architecture, number, *arguments):
    """Run the filter as the kernel would; it knows five kinds of steps."""
    at, held = 0, 0
    found = steps(machine)
    call = {0: number, 4: architecture}
    call |= {16 + 8 * place: value for place, value in enumerate(arguments)}
    while True:
        code, yes, no, value = found[at]
        if code == 0x20:
            held = call[value]
        elif code == 0x15:
            at += yes if held == value else no
        elif code == 0x35:
            at += yes if held >= value else no
        elif code == 0x45:
            at += yes if held & value else no
        else:
            return NAMES[value]
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


@pytest.mark.parametrize(
    ("machine", "architecture", "clone", "socket", "fcntl"),
    [("x86_64", 0xC000003E, 56, 41, 72), ("aarch64", 0xC00000B7, 220, 198, 25)],
)
def test_some_calls_are_refused_by_what_they_ask(machine, architecture, clone, socket, fcntl):
    asked = [
        ((clone, 0x01200011), "allow"),  # a fork
        ((clone, 0x003D0F00), "allow"),  # a thread
        ((clone, 0x10000011), "refuse"),  # a fork into other users
        ((clone, 0x00020011), "refuse"),  # a fork into other mounts
        ((435, 0), "no such call"),
        ((socket, 1), "allow"),  # unix
        ((socket, 2), "allow"),
        ((socket, 10), "allow"),
        ((socket, 16), "no such family"),  # netlink
        ((socket, 40), "no such family"),  # vsock
        ((fcntl, 3, 2), "allow"),
        ((fcntl, 3, 1031), "refuse"),  # the size of a pipe
    ]
    assert [verdict(machine, architecture, *call) for call, _ in asked] == [
        answer for _, answer in asked
    ]


def test_the_other_numbering_of_x86_is_refused():
    assert verdict("x86_64", 0xC000003E, 0x40000000) == "refuse"


def test_unknown_machines_are_known_to_be_unknown():
    assert not known("riscv64")
