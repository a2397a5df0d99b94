import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cgkit.grading import memory
from cgkit.grading.memory import ROOT, family, make_group, weigh


@pytest.fixture
def old_groups(tmp_path):
    for kind in ("memory", "pids"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "cgroup.procs").touch()
    return tmp_path


def test_limits_are_written_where_groups_are_found(old_groups):
    group = make_group(1000, 5, old_groups)
    memory, pids = group.folders
    assert (memory / "memory.limit_in_bytes").read_text() == "1000"
    assert (pids / "pids.max").read_text() == "5"
    group.join()
    assert (memory / "cgroup.procs").read_text() == str(os.getpid())


@pytest.fixture
def new_groups(tmp_path):
    """A user's slice whose groups can be bounded, and this process in one of them."""
    (tmp_path / "cgroup.controllers").touch()
    scope = tmp_path / "user.slice" / "shell.scope"
    scope.mkdir(parents=True)
    for folder in (tmp_path, scope.parent, scope):
        (folder / "cgroup.procs").touch()
    own = tmp_path / "own"
    own.write_text("4:memory:/\n0::/user.slice/shell.scope\n")
    return tmp_path, own


def test_a_group_is_made_in_the_slice_above_where_ones_own_cannot_bound(new_groups, monkeypatch):
    root, own = new_groups
    make = Path.mkdir

    def kernel(folder, *words, **more):
        make(folder, *words, **more)
        if folder.parent.name == "user.slice":
            for name in ("memory.max", "pids.max"):
                (folder / name).touch()

    monkeypatch.setattr(Path, "mkdir", kernel)
    (folder,) = make_group(1000, 5, root, own).folders
    assert folder.parent.name == "user.slice"
    assert (folder / "memory.max").read_text() == "1000"
    assert (folder / "pids.max").read_text() == "5"
    assert not list((root / "user.slice" / "shell.scope").glob("cgkit*"))


def test_a_group_that_nobody_may_join_is_not_made(new_groups, monkeypatch):
    root, own = new_groups
    monkeypatch.setattr(memory.os, "access", lambda *_: False)
    assert make_group(1000, 5, root, own) is None
    own.write_text("0::/../elsewhere\n")  # of another namespace of groups
    monkeypatch.undo()
    assert make_group(1000, 5, root, own) is None


def test_no_groups_are_none(tmp_path):
    assert make_group(1000, 5, tmp_path) is None
    assert make_group(1000, 5, tmp_path / "nothing") is None


def test_half_a_group_is_none_and_is_removed(old_groups):
    (old_groups / "pids" / "cgroup.procs").unlink()
    assert make_group(1000, 5, old_groups) is None


def test_a_group_of_the_kernel_comes_and_goes():
    group = make_group(1 << 30, 20)
    if group is None:
        pytest.skip(f"no groups can be made below {ROOT}")
    assert all(folder.is_dir() for folder in group.folders)
    group.remove()
    assert not any(folder.exists() for folder in group.folders)


def test_the_weight_of_a_family_counts_children():
    code = (
        "import os, time\nblock = bytearray(40 << 20)\n"
        "if os.fork() == 0:\n    block = bytearray(b'x') * (60 << 20)\n"
        "print('ready', flush=True)\ntime.sleep(30)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        child.stdout.readline()
        time.sleep(0.1)
        members = list(family(child.pid))
        assert len(members) == 2
        assert weigh(child.pid).memory > 80 << 20
    finally:
        for pid in members:
            os.kill(pid, 9)
        child.wait()
        child.stdout.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="weighed on Linux only")
def test_memory_that_is_shared_counts():
    code = (
        "import mmap, time\nblock = mmap.mmap(-1, 60 << 20)\n"
        "for at in range(0, len(block), 4096): block[at] = 1\n"
        "print('ready', flush=True)\ntime.sleep(30)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        load = weigh(child.pid)
        assert load.memory > 60 << 20
        assert load.processes == 1
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_process_that_is_gone_weighs_nothing():
    assert weigh(2**22 + 5).memory == 0
