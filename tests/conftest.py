"""What all tests share.

A test with the mark `oracle`, `browser` or `postgres` says which command brings what it needs, and
in CI it may not be skipped: a skipped comparison would look like a passed one. Nor may one that
needs a sandbox.
"""

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
NEEDS = {"oracle": "torch", "browser": "playwright", "postgres": "psycopg"}
SANDBOX = re.compile(r"no sandbox here|bundled bwrap")

# Messages name commands as they were called; here they are always called `cgkit`.
os.environ.pop("CGKIT_CALLED", None)

# Nothing is kept between runs, and CI tries the same examples every time.
settings.register_profile(
    "cgkit", database=None, deadline=None, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("cgkit")


def pytest_runtest_setup(item):
    """Skip a test whose mark needs a package that is not installed."""
    for mark, package in NEEDS.items():
        if item.get_closest_marker(mark) and importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is missing; install it by: python start.py test -m {mark}")


def lacks_sandbox(call):
    """Say whether a test skips itself since it found no sandbox.

    The lock brings one, so that every Linux machine has it.
    """
    lacking = SANDBOX.search(str(call.excinfo.value)) if call.excinfo else None
    return sys.platform == "linux" and lacking is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip into a failure where it must not happen."""
    report = yield
    kept = any(item.get_closest_marker(mark) for mark in NEEDS) or lacks_sandbox(call)
    if report.skipped and kept and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure in CI: {call.excinfo.value}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Do the same for a whole file that skips itself, in a run that asks for these marks."""
    report = yield
    expression = re.sub(r"not\s*(\([^)]*\)|\w+)", "", collector.config.getoption("markexpr"))
    asked = any(mark in re.findall(r"\w+", expression) for mark in NEEDS)
    if report.skipped and os.environ.get("CI") and asked:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} skips itself, which is a failure in CI"
    return report


@pytest.fixture
def tiny_course(tmp_path, monkeypatch):
    """Copy a course of one chapter and one assignment, and change into it."""
    root = tmp_path / "tiny course"
    shutil.copytree(ROOT / "tests" / "expected" / "tiny", root)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    monkeypatch.chdir(root)
    return root
