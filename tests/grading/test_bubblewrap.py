from pathlib import Path

import pytest

from cgkit.grading import bubblewrap
from cgkit.grading.bubblewrap import bundled, command
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


def test_only_root_keeps_rights_and_only_until_it_is_nobody(monkeypatch):
    said = words(monkeypatch, 0)
    assert said.count("--cap-add") == 3
    assert said[said.index("--cap-drop") + 1] == "ALL"
    assert "--unshare-user" not in said
    assert "--unshare-user" in words(monkeypatch, 1000)


def test_a_missing_wheel_is_none(monkeypatch):
    monkeypatch.setattr(bubblewrap.importlib.util, "find_spec", lambda name: None)
    assert bundled() is None
