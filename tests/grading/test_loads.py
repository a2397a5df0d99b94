"""What many processes hold together, and what lies past the fence: tried from inside."""

import os
import platform
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from classwork import printed, raw, run, written

from cgkit.grading import sandbox as module
from cgkit.grading.edition import Edition
from cgkit.grading.lane import Lane
from cgkit.grading.memory import weigh
from cgkit.grading.sandbox import Limits, Sandbox, find

SMALL = Limits(memory=600 << 20, together=700 << 20, processes=12, scratch=4 << 20)


@pytest.fixture(scope="module")
def fenced(situation):
    with Sandbox(situation, Edition(), SMALL) as made:
        yield made


@pytest.mark.parametrize("family", [16, 38, 40])
def test_no_socket_leads_past_the_fence(fenced, family):
    answer = run(fenced, f"import socket\nsocket.socket({family}, socket.SOCK_DGRAM)")
    assert answer["error"]["type"] == "OSError"
    assert "not supported" in answer["error"]["text"]


def test_no_namespace_by_any_way(fenced):
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "seen = []\n"
        "for words in ((272, 0x10000000), (56, 0x10000011, 0, 0, 0, 0), (435, 0, 0)):\n"
        "    seen.append((libc.syscall(*words), ctypes.get_errno()))\nprint(seen)"
    )
    if platform.machine() != "x86_64":
        pytest.skip("numbers of x86_64")
    assert printed(fenced, source) == "[(-1, 1), (-1, 1), (-1, 38)]"


def test_what_the_kernel_holds_for_a_process_is_bounded(fenced):
    source = (
        "import fcntl, os, socket\n"
        "here, there = socket.socketpair()\nfailed = []\n"
        "try: here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)\n"
        "except OSError: failed.append('socket')\n"
        "try: fcntl.fcntl(os.pipe()[0], 1031, 1 << 20)\n"
        "except OSError: failed.append('pipe')\n"
        "count = 0\n"
        "try:\n"
        "    while count < 10_000:\n"
        "        os.close(os.open(str(count), os.O_CREAT))\n"
        "        count += 1\n"
        "except OSError: failed.append('files')\n"
        "print(failed, count < 4097)"
    )
    assert printed(fenced, source) == "['socket', 'pipe', 'files'] True"


# where the kernel bounds no group


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(module, "make_group", lambda *_: None)
    with Sandbox(find("none"), Edition(), replace(SMALL, together=250 << 20)) as made:
        yield made


HOLDS = (
    "import mmap, os, time\n"
    "for _ in range(3):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    "        block = mmap.mmap(-1, 120 << 20)\n"
    "        for at in range(0, len(block), 4096): block[at] = 1\n"
    "        time.sleep(30)\n"
    "time.sleep(1)"
)


def test_shared_memory_of_many_is_seen_and_ended_without_a_word(watched):
    assert watched.watched
    assert watched.excess() == ""
    worker = watched.fork()
    request = {"do": "cell", "id": "a", "source": HOLDS, "seed": 1, "given": False}
    worker.channel.send(request)
    end = time.monotonic() + 20
    while not watched.excess() and time.monotonic() < end:
        time.sleep(0.05)
    assert "too much memory" in watched.excess()
    watched.look()
    while watched.excess() and time.monotonic() < end:
        time.sleep(0.05)
    assert watched.excess() == ""
    worker.end()
    assert printed(watched, "print(1)") == "1"


def test_too_many_processes_are_seen(watched, monkeypatch):
    monkeypatch.setattr(Sandbox, "_most", 1)
    worker = watched.fork()
    assert "too many processes" in watched.excess()
    worker.end()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="files and processes on Linux")
def test_a_long_run_keeps_nothing_open(assignment, situation):
    def held():
        return len(list(Path("/proc/self/fd").iterdir())), weigh(os.getpid()).processes

    with Lane(assignment, situation) as lane:
        for number in range(60):
            answer = "while True: pass" if number % 20 == 7 else "mean = len"
            lane.grade(f"s{number}", raw(written({"mean": answer})))
            if number == 9:
                before = held()
        time.sleep(0.5)
        assert held() == before
