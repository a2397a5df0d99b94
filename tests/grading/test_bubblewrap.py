from pathlib import Path

import pytest

from cgkit.grading import bubblewrap
from cgkit.grading.bubblewrap import bundled, command, nobody_is_there
from cgkit.grading.runtime import Runtime

RUNTIME = Runtime(
    Path("/opt/python/bin/python3"),
    (Path("/opt/python/lib/python3"),),
    ("/lib/libm.so.6",),
    (Path("/site/numpy"),),
)


def words(monkeypatch, user):
    monkeypatch.setattr(bubblewrap.os, "getuid", lambda: user)
    return command(Path("/usr/bin/bwrap"), RUNTIME, Path("/made"), [Path("/hidden.py")])


@pytest.mark.parametrize("user", [0, 1000])
def test_nothing_is_shared_and_nothing_stays(monkeypatch, user):
    said = words(monkeypatch, user)
    assert {"--unshare-net", "--unshare-pid", "--unshare-ipc", "--clearenv"} < set(said)
    assert "--die-with-parent" in said
    assert "--share-net" not in said
    assert said[-1] == "--"


def test_every_file_is_bound_for_reading_only(monkeypatch):
    said = words(monkeypatch, 1000)
    bound = [said[place + 2] for place, word in enumerate(said) if word == "--ro-bind"]
    assert bound == [
        "/opt/python/bin/python3",
        "/lib/libm.so.6",
        "/opt/python/lib/python3",
        "/packages/numpy",
        "/hidden.py",
        "/guest",
        "/edition",
    ]
    assert not {"--bind", "--dev-bind"} & set(said)


def test_no_space_is_left_in_which_one_work_could_leave_something_to_the_next(
    monkeypatch, tmp_path
):
    (tmp_path / "site-packages").mkdir()
    runtime = Runtime(Path("/opt/python/bin/python3"), (tmp_path,), (), (Path("/site/numpy"),))
    said = command(Path("/usr/bin/bwrap"), runtime, Path("/made"), [])
    spaces = [said[place + 1] for place, word in enumerate(said) if word == "--tmpfs"]
    closed = [said[place + 1] for place, word in enumerate(said) if word == "--remount-ro"]
    assert str(tmp_path / "site-packages") in spaces
    assert {*spaces} - {*closed} <= {"/scratch", "/tmp", "/dev/shm"}  # the inner fence covers these


def test_only_root_keeps_rights_and_only_until_it_is_nobody(monkeypatch):
    said = words(monkeypatch, 0)
    assert said.count("--cap-add") == 3
    assert said[said.index("--cap-drop") + 1] == "ALL"
    assert "--unshare-user" not in said
    assert "--unshare-user" in words(monkeypatch, 1000)


def test_where_proc_is_covered_there_is_an_empty_folder():
    said = command(Path("/usr/bin/bwrap"), RUNTIME, Path("/made"), [], proc=False)
    assert "--proc" not in said
    assert said[said.index("/proc") - 1] == "--dir"


@pytest.mark.parametrize(
    ("users", "there"),
    [("0 0 4294967295", True), ("0 1000 1", False), ("0 1000 1\n1 100000 65535", True)],
)
def test_root_of_a_container_may_be_alone(tmp_path, monkeypatch, users, there):
    (tmp_path / "uid_map").write_text(users)
    (tmp_path / "gid_map").write_text("0 0 4294967295")
    assert nobody_is_there(tmp_path) is there
    assert nobody_is_there(tmp_path / "nothing")
    monkeypatch.setattr(bubblewrap, "nobody_is_there", lambda: there)
    said = words(monkeypatch, 0)
    assert ("--unshare-user" in said) is not there
    assert ("--cap-add" in said) is there


def test_a_missing_wheel_is_none(monkeypatch):
    monkeypatch.setattr(bubblewrap.importlib.util, "find_spec", lambda name: None)
    assert bundled() is None
