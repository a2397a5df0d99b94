"""What a killed process leaves is removed by the next, and nothing else is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cgkit.grading import leftovers
from cgkit.grading.leftovers import PREFIX, claim, sweep

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="sandboxes need fork")
HOLD = """
import sys, time
from pathlib import Path
from cgkit.grading.leftovers import claim
folder = claim()
folder.note([Path(word) for word in sys.argv[1:]])
print(folder.path, flush=True)
time.sleep(100)
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A place for temporary files of our own."""
    monkeypatch.setattr(leftovers.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_in_use_stays_and_goes_with_its_maker(place):
    folder = claim()
    sweep(young=0)
    assert folder.path.is_dir()
    folder.remove()
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_with_its_groups(place):
    group, busy = place / "group", place / "busy"
    group.mkdir()
    busy.mkdir()
    (busy / "cgroup.procs").touch()  # the kernel removes no group that holds processes
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(group), str(busy)],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(place)},
    ) as process:  # fmt: skip
        path = process.stdout.readline().strip()
        sweep(young=0)
        assert Path(path).is_dir()
        process.kill()
    sweep()
    assert Path(path).is_dir()
    sweep(young=0)
    assert {one.name for one in place.iterdir()} == {"busy"}


def test_what_is_no_folder_of_ours_stays(place):
    outside = place / "outside"
    outside.mkdir()
    (outside / "held").write_text("[]")
    (place / f"{PREFIX}link").symlink_to(outside)
    (place / f"{PREFIX}file").write_text("mine")
    (place / f"{PREFIX}empty").mkdir()
    odd = place / f"{PREFIX}odd"
    odd.mkdir()
    (odd / "held").write_text("no list")
    before = sorted(place.rglob("*"))
    sweep(young=0)
    assert sorted(place.rglob("*")) == before


def test_groups_of_all_that_were_started_are_noted(place):
    folder = claim()
    for number in range(30):
        folder.note([place / str(number)])
    noted = json.loads((folder.path / "held").read_text())
    assert len(noted) <= 21
    assert noted[-1] == str(place / "29")
    folder.remove()
