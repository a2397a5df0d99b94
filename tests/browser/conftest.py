"""JupyterLab as `cgkit lab` opens it, and a browser that looks at it.

Debian's Chromium is driven by playwright. The home folder is an empty one, so that nothing is
trusted that a user has not trusted. What the browser saw lies in build/screens/ afterwards.
"""

import html
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCREENS = ROOT / "build" / "screens"
TOKEN = "look"
FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]
SECONDS = 60
SIZE = {"width": 1280, "height": 1000}
IDLE = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@dataclass(frozen=True)
class Lab:
    """A running server."""

    address: str
    """Where it answers, without a slash at the end."""
    start: str
    """The page that `cgkit lab` would open, as it stands in the file that Jupyter leaves."""
    workspace: Path
    """The folder with the copies of notebooks."""
    environment: dict[str, str]
    """What a command needs to belong to the same user."""


@contextmanager
def served(home: Path, *words: str) -> Iterator[Lab]:
    """Run `cgkit lab` until the end of the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    workspace = home / "workspace"
    environment = {**os.environ, "HOME": str(home), "JUPYTER_TOKEN": TOKEN}
    verb = [sys.executable, "-c", "from cgkit.cli import main; main()", "lab"]
    more = ["--no-browser", f"--port={port}", f"--workspace={workspace}", *words]
    with (home / "lab.log").open("w") as log:
        process = subprocess.Popen(
            [*verb, *more],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _await_server(process, f"{address}/api/status?token={TOKEN}", home / "lab.log")
        yield Lab(address, _start_page(home), workspace, environment)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)
        with suppress(ProcessLookupError):  # the server, if it was too busy to hear that
            os.killpg(process.pid, signal.SIGKILL)


def _await_server(process: Any, address: str, log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def _start_page(home: Path) -> str:
    (file,) = home.rglob("jpserver-*-open.html")
    found = re.search(r'href="(http[^"]+)"', file.read_text(encoding="utf-8"))
    assert found is not None
    return html.unescape(found[1])


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with served(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="session")
def formgrader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The class of `cgkit demo`, graded if it is not there."""
    if not (ROOT / "build" / "demo" / "grades.csv").is_file():
        words = [sys.executable, "-c", "from cgkit.cli import main; main()", "demo"]
        subprocess.run(words, cwd=ROOT, check=True)
    with served(tmp_path_factory.mktemp("home"), "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is missing; on Debian: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


class Eyes:
    """One page of a browser, and what one does with it in JupyterLab."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def open(self, lab: Lab, name: str) -> None:
        """Open a notebook of the workspace and wait until its kernel is ready."""
        self.page.goto(f"{lab.address}/lab/tree/{name}?token={TOKEN}&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(IDLE)

    def command(self, name: str, **words: Any) -> Any:
        """Run one of JupyterLab's commands and give what it gives."""
        script = "([name, words]) => jupyterapp.commands.execute(name, words)"
        return self.page.evaluate(script, [name, words])

    def theme(self, name: str) -> None:
        """Change the colors; a choice that lasts, so each test makes its own."""
        self.command("apputils:change-theme", theme=f"JupyterLab {name}")
        light = str(name == "Light").lower()
        self.page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")

    def keep(self, name: str) -> None:
        """Keep a picture of what the page shows now."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENS / f"{name}.png")


@pytest.fixture
def eyes(chromium: Any) -> Iterator[Eyes]:
    """A page of its own, which reaches this machine only."""
    context = chromium.new_context(viewport=SIZE)
    context.route(re.compile(r"^https?://(?!127\.0\.0\.1)"), lambda route: route.abort())
    page = context.new_page()
    page.set_default_timeout(SECONDS * 1000)
    yield Eyes(page)
    context.close()
