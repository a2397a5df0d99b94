"""`cgkit lab`: JupyterLab on the course, in copies that one may change.

    cgkit lab            chapters and assignments, copied into workspace/
    cgkit lab --demo     formgrader on the class that `cgkit demo` graded

The kernel is this environment's, whatever kernels the machine has besides. Settings and the layout
of windows are kept in the workspace, apart from the user's own.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click

from cgkit.cli import workspace as copies
from cgkit.cli.report import spoken
from cgkit.errors import EnvironmentFault
from cgkit.notebooks.project import Project, find_project

NEWS = "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
QUIET = {"fetchNews": "false", "checkForUpdates": False}
HOST = "127.0.0.1"
# through the login page, which keeps the token of the address; formgrader's own pages lose it, and
# then wait for their data in vain
FORMGRADER = "/login?next=/formgrader"


@click.command()
@click.option("--no-browser", is_flag=True, help="Only start the server and print its address.")
@click.option("--port", type=click.IntRange(1, 65535), help="The port; a free one by itself.")
@click.option("--demo", "on_demo", is_flag=True, help="Open formgrader on the demo class.")
@click.option(
    "--workspace",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where your copies lie; the folder workspace/ by itself.",
)
def command(no_browser: bool, port: int | None, on_demo: bool, workspace: Path | None) -> None:
    """Open JupyterLab on the course.

    You work in copies, which are yours: they are never overwritten. Stop with Ctrl-C.
    """
    project = find_project(Path.cwd())
    place = (workspace or project.root / copies.FOLDER).resolve()
    folder, start = demo_place(project) if on_demo else course_place(project, place)
    if port is not None and taken(port):
        raise EnvironmentFault(
            f"port {port} is in use", attempt="another --port, or none, to get a free one"
        )
    settings = place / ".lab"
    silence_news(settings / "settings")
    arguments = lab_arguments(folder, start, settings, port=port, browser=not no_browser)
    shown = {"CGKIT_CLASS": str(project.build / "demo")} if on_demo else {}
    sys.exit(serve([sys.executable, "-m", "jupyterlab", *arguments], folder, shown))


def course_place(project: Project, place: Path) -> tuple[Path, str]:
    """Fill the workspace; give the server's folder and the page that opens first."""
    copied = copies.fill(project, place)
    for name in copied.behind:
        click.echo(
            f"{name} has changed since you began it. Yours is kept; to get the new one, rename "
            f"yours in {place} and start again.",
            err=True,
        )
    inside = place.is_relative_to(project.root)
    root = project.root if inside else place
    chapter = min((place / "course").glob("*.ipynb"), default=place)
    return root, f"/lab/tree/{chapter.relative_to(root).as_posix()}"


def demo_place(project: Project) -> tuple[Path, str]:
    """Find the class that the demo graded; give its folder and the page that opens first."""
    if not (project.build / "demo" / "gradebook.db").exists():
        raise EnvironmentFault(
            "there is no demo class to look at", attempt=f"{spoken('demo')}, which grades one"
        )
    return project.root, FORMGRADER


def lab_arguments(
    folder: Path, start: str, settings: Path, *, port: int | None = None, browser: bool = True
) -> list[str]:
    """Give the words after `python -m jupyterlab`.

    Parameters
    ----------
    folder
        The folder that the server shows.
    start
        The page that opens first.
    settings
        Where the settings of Lab and the layout of its windows are kept.
    port
        A port to take and no other; None for any that is free.
    browser
        Whether to open one.
    """
    words = [
        f"--ip={HOST}",
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url={start}",
        f"--LabApp.user_settings_dir={settings / 'settings'}",
        f"--LabApp.workspaces_dir={settings / 'workspaces'}",
        "--LabApp.expose_app_in_browser=True",
        "--KernelManager.transport_encryption=auto",
        "--ServerApp.answer_yes=True",
        "--Application.log_level=WARN",
    ]
    if port is not None:
        words += [f"--port={port}", "--ServerApp.port_retries=0"]
    if not browser:
        words.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-root")
    return words


def taken(port: int) -> bool:
    """Say whether something on this machine listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def silence_news(settings: Path) -> None:
    """Answer Lab's question about news beforehand, unless the user has answered it."""
    file = settings / NEWS
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(QUIET), encoding="utf-8")


def serve(words: list[str], folder: Path, variables: Mapping[str, str]) -> int:
    """Run the server until it is stopped; Ctrl-C reaches it as well, and we wait for it."""
    # in a terminal of Lab, `cgkit` itself is on the path
    ours = {"JUPYTER_PREFER_ENV_PATH": "1", "CGKIT_CALLED": ""}
    environment = {**os.environ, **ours, **variables}
    process = subprocess.Popen(words, cwd=folder, env=environment)
    while True:
        with suppress(KeyboardInterrupt):
            code = process.wait()
            return 0 if code == 0 else 3
