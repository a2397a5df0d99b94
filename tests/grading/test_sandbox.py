"""The three situations, asked for by argument; what each holds back and what each says."""

import contextlib
import json
import os
import shutil
import socket
import sys
import time
from pathlib import Path

import pytest
from classwork import printed, run

from cgkit.errors import EnvironmentFault
from cgkit.grading import sandbox as module
from cgkit.grading.bubblewrap import bundled
from cgkit.grading.edition import Edition
from cgkit.grading.frames import Closed
from cgkit.grading.memory import weigh
from cgkit.grading.sandbox import UNSANDBOXED, Limits, Sandbox, Situation, find

SMALL = Limits(memory=600 << 20, together=700 << 20, processes=12, scratch=4 << 20)
HERE = {"system": shutil.which("bwrap"), "bundled": bundled(), "none": "always there"}


def situation_of(which):
    if not HERE[which]:
        pytest.skip(f"no {which} bwrap on this machine")
    try:
        return find(which)
    except EnvironmentFault as fault:
        pytest.skip(f"{which} bwrap does not work here: {fault.why}")


@pytest.fixture(scope="module", params=["system", "bundled"])
def fenced(request):
    with Sandbox(situation_of(request.param), Edition(), SMALL) as made:
        yield made


@pytest.fixture(scope="module")
def bare():
    with Sandbox(find("none"), Edition(), SMALL) as made:
        yield made


def test_numpy_and_drawings_are_there(fenced):
    text = printed(fenced, "import numpy as np, graphviz\nprint(np.arange(3).sum())")
    assert text == "3"


@pytest.mark.parametrize(
    "place",
    [
        str(Path(__file__).resolve()),
        str(Path(module.__file__).resolve()),
        "/etc/passwd",
        "/proc/1/root/etc/passwd",
        "/usr/bin/env",
        "/sys/kernel",
        str(Path.home() / ".bashrc"),
    ],
)
def test_no_file_of_the_machine_is_there(fenced, place):
    answer = run(fenced, f"import os\nos.stat({place!r})")
    assert answer["error"]["type"] in ("FileNotFoundError", "PermissionError")


def test_nothing_of_the_course_is_there(fenced):
    source = (
        "import os\n"
        "print([p + '/' + f for p, _, fs in os.walk('/') for f in fs\n"
        "       if 'cgkit/checks' in p + '/' + f or 'solutions' in p or f.endswith('.ipynb')\n"
        "       or 'hidden' in f.lower() or 'gradebook' in f\n"
        "       or ('__pycache__' in p and p.startswith(('/guest', '/edition')))])"
    )
    assert printed(fenced, source) == "[]"


def test_ready_made_modules_are_not_even_files(fenced):
    source = (
        "import os\n"
        "found = [p + '/' + f for p, _, fs in os.walk('/') for f in fs\n"
        "         if f.startswith(('graphlib', 'networkx')) and not f.endswith('.txt')]\n"
        "print(sum(os.path.isfile(f) and len(open(f, 'rb').read()) for f in found))"
    )
    assert printed(fenced, source) == "0"


def test_there_is_no_network(fenced):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        answer = run(fenced, f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)")
    assert answer["error"]["type"] in ("OSError", "ConnectionRefusedError")


def test_nothing_is_written_but_in_a_scratch_space_that_vanishes(fenced):
    source = (
        "import os\nopen('note', 'w').write('mine')\nfailed = []\n"
        "for place in ('/', '/guest', '/edition', '/packages/numpy', '/dev', '/proc/sys/kernel'):\n"
        "    try: open(place + '/x', 'w')\n"
        "    except OSError: failed.append(place)\n"
        "print(len(failed), os.listdir('.'))"
    )
    assert printed(fenced, source) == "6 ['note']"
    assert printed(fenced, "import os\nprint(os.listdir('.'), os.listdir('/dev/shm'))") == "[] []"


def test_the_scratch_space_is_bounded(fenced):
    answer = run(fenced, "open('big', 'wb').write(bytes(8 << 20))")
    assert answer["error"]["type"] == "OSError"


def test_workers_do_not_see_each_other(fenced):
    first = fenced.fork()
    text = printed(
        fenced, "import os\nprint([p for p in os.listdir('/proc') if p.isdigit()], os.getpid())"
    )
    first.end()
    assert text == "['1'] 1"


def test_no_rights_and_no_way_to_more(fenced):
    source = (
        "import ctypes, os\n"
        "status = open('/proc/self/status').read()\n"
        "print(status.split('CapEff:')[1].split()[0], status.split('NoNewPrivs:')[1].split()[0],\n"
        "      os.getuid() != 0)\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.unshare(0x10000000), libc.mount(b'a', b'/scratch', b'tmpfs', 0, b''),\n"
        "      libc.ptrace(0, 0, 0, 0), libc.memfd_create(b'x', 0))"
    )
    assert printed(fenced, source) == "0000000000000000 1 True\n-1 -1 -1 -1"


def test_memory_is_bounded(fenced):
    assert run(fenced, "block = bytearray(900 << 20)")["error"]["type"] == "MemoryError"


def test_processes_are_bounded(fenced):
    source = (
        "import os, time\ncount = 0\n"
        "try:\n"
        "    while count < 100:\n"
        "        if os.fork() == 0:\n            time.sleep(30)\n            os._exit(0)\n"
        "        count += 1\n"
        "except OSError: pass\n"
        "print(count <= 12)"
    )
    assert printed(fenced, source) == "True"


def test_ending_a_worker_ends_what_it_started(fenced):
    worker = fenced.fork()
    source = "import os, time\nif os.fork() == 0:\n    time.sleep(100)"
    worker.channel.send({"do": "cell", "id": "a", "source": source, "seed": 1, "given": False})
    worker.channel.receive(time.monotonic() + 5)
    before = fenced.load
    worker.end()
    time.sleep(0.2)
    assert fenced.load < before


def test_a_sandbox_that_was_killed_starts_again(fenced):
    fenced._process.kill()
    fenced._process.wait()
    fenced.clear()
    assert printed(fenced, "print(1)") == "1"


def test_orders_that_nobody_waited_for_do_no_harm(fenced):
    order = {"do": "end", "number": 12345}
    fenced._orders.send(json.dumps(order).encode() + b"\n")
    assert printed(fenced, "print(2)") == "2"


def test_fences_have_no_label(fenced):
    assert fenced.situation.label == ""
    assert fenced.situation.lost == ()


def test_with_one_fence_each_work_has_its_own(fenced):
    poorer = Situation(fenced.situation.which, fenced.situation.bwrap, inner=False)
    assert poorer.label == "ONE FENCE"
    with Sandbox(poorer, Edition(), SMALL) as sandbox:
        assert printed(sandbox, "open('note', 'w').write('x')\nprint(1)") == "1"
        assert printed(sandbox, "import os\nprint(os.listdir('.'))") == "[]"
        assert run(sandbox, "open('/etc/passwd')")["error"]["type"] == "FileNotFoundError"


def test_behind_one_fence_nothing_stays_for_the_next_judge(fenced):
    # a judge is forked, so that the lane does not know what was used
    poorer = Situation(fenced.situation.which, fenced.situation.bwrap, inner=False)
    source = (
        "import os, time\nopen('note', 'w').write('x')\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(60)"
    )
    with Sandbox(poorer, Edition(), SMALL) as sandbox:
        judge = os.fork()
        if not judge:
            with contextlib.suppress(BaseException):
                run(sandbox, source)
            os._exit(0)
        os.waitpid(judge, 0)
        sandbox.clear()
        text = printed(
            sandbox, "import os\nprint(os.listdir('.'), len([p for p in os.listdir('/proc')\n"
            "if p.isdigit() and b'sleep(60)' in open(f'/proc/{p}/cmdline', 'rb').read()]))"
        )  # fmt: skip
        assert text == "[] 0"
        load = weigh(sandbox._process.pid)
        assert load.processes <= 5


def test_a_fence_without_a_proc_still_holds(fenced):
    poorer = Situation(fenced.situation.which, fenced.situation.bwrap, inner=False, proc=False)
    with Sandbox(poorer, Edition(), SMALL) as sandbox:
        seen = "import os\nprint(sum(name.isdigit() for name in os.listdir('/proc')) < 5)"
        assert printed(sandbox, seen) == "True"
        assert run(sandbox, "open('/etc/passwd')")["error"]["type"] == "FileNotFoundError"
        source = "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))"
        assert printed(sandbox, source) == "-1"


# without any fence


def test_no_fence_must_be_asked_for_and_is_labelled(bare):
    assert bare.situation.label == UNSANDBOXED
    assert bare.situation.lost
    assert printed(bare, "import numpy as np\nprint(np.ones(3).sum())") == "3.0"


def test_without_a_fence_limits_still_hold(bare):
    assert run(bare, "block = bytearray(900 << 20)")["error"]["type"] == "MemoryError"


def test_without_a_fence_modules_are_still_left_out(bare):
    source = "import networkx\ntry: networkx.Graph()\nexcept ImportError as error: print(error)"
    assert "left out" in printed(bare, source)
    assert run(bare, "import hypothesis")["error"]["type"] == "ModuleNotFoundError"


def test_without_a_fence_a_hanging_worker_still_ends(bare):
    worker = bare.fork()
    request = {"do": "cell", "id": "a", "source": "while True: pass", "seed": 1, "given": False}
    worker.channel.send(request)
    time.sleep(0.2)
    worker.end()
    assert printed(bare, "print(3)") == "3"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are found on Linux only")
def test_without_a_fence_what_a_worker_started_ends_with_it(bare):
    worker = bare.fork()
    source = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(60)\n"
        "    os._exit(0)\n"
        "os.wait()"
    )
    worker.channel.send({"do": "cell", "id": "a", "source": source, "seed": 1, "given": False})
    worker.channel.receive(time.monotonic() + 5)
    before = weigh(bare._process.pid).processes
    worker.end()
    assert before >= 3
    assert weigh(bare._process.pid).processes == 1


def test_a_group_that_cannot_be_joined_is_done_without(monkeypatch):
    class Closed:
        folders, removed = (), False

        def join(self):
            raise PermissionError("not yours")

        def remove(self):
            self.removed = True

    group = Closed()
    monkeypatch.setattr(module, "make_group", lambda *_: group)
    with Sandbox(find("none"), Edition(), SMALL) as sandbox:
        assert group.removed
        assert printed(sandbox, "print(1)") == "1"


def test_nothing_stays_behind():
    with Sandbox(find("none"), Edition(), SMALL) as sandbox:
        folder, worker = sandbox._folder, sandbox.fork()
        assert folder.exists()
    assert not folder.exists()
    with pytest.raises(Closed):
        worker.channel.receive(time.monotonic() + 5)
    worker.channel.close()


def test_a_machine_without_bwrap_refuses_and_says_how_to_go_on(monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    monkeypatch.setattr(module, "bundled", lambda: None)
    with pytest.raises(EnvironmentFault) as info:
        find()
    assert "system: no bwrap; bundled: no bwrap" in str(info.value)
    assert "sandbox='none'" in str(info.value)


def test_a_bwrap_that_does_not_work_is_not_used(monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(module.shutil, "which", lambda name: str(broken))
    with pytest.raises(EnvironmentFault, match="system: no namespaces"):
        find("system")


def test_a_full_worker_keeps_no_other_from_starting(fenced):
    # the limit on processes counts those of one worker, not all of one user
    full = fenced.fork()
    source = (
        "import os, time\nfor _ in range(50):\n"
        "    try:\n        if os.fork() == 0: time.sleep(100)\n    except OSError: pass"
    )
    full.channel.send({"do": "cell", "id": "a", "source": source, "seed": 1, "given": False})
    full.channel.receive(time.monotonic() + 5)
    with Sandbox(fenced.situation, Edition(), SMALL) as other:
        assert printed(other, "print(1)") == "1"
    assert printed(fenced, "print(2)") == "2"
    full.end()
