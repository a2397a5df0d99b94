"""The measurement runs, and both ways of grading give the same marks; time is only printed."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("throughput.py")


@pytest.mark.slow
def test_both_ways_give_the_same_marks():
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "00_start", "2", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    first, *figures = done.stdout.splitlines()
    assert first == "00_start: 2 submissions, 2 workers, the same marks both ways"
    assert len(figures) == 3
