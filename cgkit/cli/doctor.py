"""`cgkit doctor`: is this machine ready, and if not, what cures it.

    ✓ python      3.11.7
    ✗ packages    numpy 1.26.4 in place of 2.4.6
                  cure: remove the folder .venv, then run: python start.py doctor

Each check is a function that gives what it found or raises `Fault` with a cure. Nothing is mended
here, and a check that breaks in an unforeseen way is a failing line, never a traceback.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click

from cgkit.cli.report import Item, Progress, explain, finish, json_option
from cgkit.errors import EnvironmentFault, RenderError
from cgkit.notebooks.project import find_project

OLDEST = (3, 11)
FREE_BYTES = 500 << 20
SERVER_EXTENSIONS = (
    "nbgrader.server_extensions.formgrader",
    "nbgrader.server_extensions.validate_assignment",
)
LAB_EXTENSION = "@jupyter/nbgrader"
MADE_BY_START = "made-by-cgkit.json"
REINSTALL = "remove the folder .venv, then run: python start.py doctor"


class Fault(EnvironmentFault):
    """Something is missing; the cure is what to do about it."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(what)
        self.cure = cure


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Check this machine; each fault comes with its cure."""
    root = find_project(Path.cwd()).root
    checks = checks_for(root)
    items = []
    with Progress("checking", total=len(checks)) as progress:
        for name, check in checks.items():
            progress.step(name)
            items.append(examined(name, check))
    finish("doctor", items, as_json, code=3)


def checks_for(root: Path) -> dict[str, Callable[[], str]]:
    """Name the checks of a course, in the order in which one would mend what they find."""
    return {
        "python": lambda: python_version(sys.version_info[:3]),
        "environment": lambda: environment(Path(sys.prefix), Path(sys.base_prefix)),
        "packages": lambda: packages(root / "requirements.lock"),
        "graphviz": graphviz,
        "kernel": kernel,
        "nbgrader": nbgrader_extensions,
        "alembic": lambda: alembic(Path(sys.executable).parent),
        "folders": lambda: writable(folders_in_use(root)),
        "disk": lambda: disk(shutil.disk_usage(root).free),
    }


def examined(name: str, check: Callable[[], str]) -> Item:
    """Run one check and turn whatever happens into an item.

    Examples
    --------
    >>> examined("disk", lambda: "12 GB free")
    Item(name='disk', status='ok', detail='12 GB free')
    """
    try:
        return Item(name, "ok", check())
    except Fault as fault:
        return Item(name, "failed", f"{fault}\ncure: {fault.cure}")
    except Exception as error:
        reason = explain(error) or type(error).__name__
        return Item(name, "failed", f"{reason}\ncure: {REINSTALL}")


def python_version(version: tuple[int, ...]) -> str:
    """Check that Python is new enough."""
    text = ".".join(map(str, version))
    if version < OLDEST:
        raise Fault(f"Python {text} is too old", "install Python 3.11 or newer; " + REINSTALL)
    return text


def environment(prefix: Path, base: Path) -> str:
    """Check that packages are kept apart from the system's."""
    if prefix == base and not (prefix / "conda-meta").is_dir():
        raise Fault(
            "cgkit is installed into the system's own Python",
            "use the course's own environment: python start.py doctor",
        )
    return str(prefix)


def packages(lock: Path) -> str:
    """Check that each package has the version that the lock names."""
    if not lock.exists():
        cure = f"git checkout {lock.name}, or a fresh copy of the course"
        raise Fault(f"{lock.name} is missing", cure)
    wrong = [
        f"{name} {found or 'is missing'}" + (f" in place of {wanted}" if found else "")
        for name, wanted in pins(lock.read_text(encoding="utf-8"))
        if (found := installed_version(name)) != wanted
    ]
    if not wrong:
        return f"all as in {lock.name}"
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    by_pip = f'"{sys.executable}" -m pip install --require-hashes -r "{lock}"'
    made_by_start = (Path(sys.prefix) / MADE_BY_START).exists()
    raise Fault(", ".join(wrong[:5]) + more, REINSTALL if made_by_start else by_pip)


def pins(lock: str) -> Iterator[tuple[str, str]]:
    r"""Read from a lock the packages that this machine needs, with their versions.

    Examples
    --------
    >>> list(pins("a==1.0 \\\n  --hash=sha256:00\nb==2 ; sys_platform == 'none' \\\n"))
    [('a', '1.0')]
    """
    from packaging.requirements import Requirement

    for line in re.findall(r"^\w[^\\\n]*", lock, re.MULTILINE):
        requirement = Requirement(line.strip())
        if requirement.marker is None or requirement.marker.evaluate():
            yield requirement.name, str(requirement.specifier).removeprefix("==")


def installed_version(name: str) -> str:
    """Give the version of an installed package, or nothing."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def graphviz() -> str:
    """Draw a small picture, and say which Graphviz drew it."""
    from cgkit.render.engine import render

    try:
        picture = render("digraph { x -> y }", "svg")
    except RenderError as error:
        raise Fault(str(error).splitlines()[0], REINSTALL) from error
    if b"<svg" not in picture:
        raise Fault("Graphviz gave no picture", REINSTALL)
    dot = shutil.which("dot")
    return f"draws with {dot}" if dot else "draws with the one bundled in pygraphviz"


def kernel() -> str:
    """Start the kernel that notebooks ask for, and look which Python it runs."""
    from jupyter_client.manager import KernelManager

    if find_spec("ipykernel") is None:
        raise Fault("ipykernel is missing", REINSTALL)
    manager = KernelManager(kernel_name="python3", transport_encryption="auto")
    try:
        manager.start_kernel(stderr=subprocess.DEVNULL)
        client = manager.blocking_client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            found = prefix_of(client)
        finally:
            client.stop_channels()
    finally:
        if manager.has_kernel:
            manager.shutdown_kernel(now=True)
    if Path(found) != Path(sys.prefix):
        raise Fault(
            f"the kernel python3 runs in {found}, where cgkit is not",
            "start the course by: python start.py lab, or remove the other kernel: "
            "jupyter kernelspec remove python3",
        )
    return "python3 starts, in this environment"


def prefix_of(client: object) -> str:
    """Ask a kernel for the folder of its environment."""
    texts: list[str] = []

    def hear(message: dict[str, dict[str, str]]) -> None:
        texts.append(message["content"].get("text", ""))

    client.execute_interactive(  # type: ignore[attr-defined]
        "import sys; print(sys.prefix)", timeout=60, output_hook=hear, store_history=False
    )
    return "".join(texts).strip()


def nbgrader_extensions() -> str:
    """Check that JupyterLab shows nbgrader's menu, Validate and formgrader."""
    from jupyter_core.paths import jupyter_config_path, jupyter_path
    from jupyter_server.extension.config import ExtensionConfigManager
    from jupyterlab_server.config import get_federated_extensions, get_page_config

    manager = ExtensionConfigManager(read_config_path=jupyter_config_path())
    for name in SERVER_EXTENSIONS:
        if not manager.enabled(name):  # type: ignore[no-untyped-call]
            raise Fault(
                f"the server extension {name} is off",
                f"jupyter server extension enable --sys-prefix {name}",
            )
    places = jupyter_path("labextensions")
    if LAB_EXTENSION not in get_federated_extensions(places):
        raise Fault(f"the JupyterLab extension {LAB_EXTENSION} is missing", REINSTALL)
    disabled = get_page_config(places).get("disabledExtensions", [])
    if any(str(name).startswith(LAB_EXTENSION) for name in disabled):
        raise Fault(
            f"the JupyterLab extension {LAB_EXTENSION} is off",
            f"jupyter labextension enable {LAB_EXTENSION}",
        )
    return "Validate and formgrader are on"


def alembic(scripts: Path) -> str:
    """Check that nbgrader will find alembic, which makes its gradebook, and can run it."""
    found = shutil.which("alembic", path=str(scripts)) or shutil.which("alembic")
    if not found:
        raise Fault("alembic is not found, and no gradebook can be made without it", REINSTALL)
    try:
        subprocess.run([found, "--version"], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise Fault(f"{found} does not run", REINSTALL) from error
    return found


def folders_in_use(root: Path) -> list[Path]:
    """Name the folders that working with the course writes to."""
    from jupyter_core.paths import jupyter_runtime_dir

    ours = [root / name for name in ("assignments", "build", "classes", "workspace")]
    return [root, *ours, Path(jupyter_runtime_dir()), Path(tempfile.gettempdir())]


def writable(folders: list[Path]) -> str:
    """Check that files can be made in each folder."""
    for folder in folders:
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if not there.is_dir():
            raise Fault(f"{there} is a file, and a folder is needed", "rename or remove that file")
        try:
            with tempfile.NamedTemporaryFile(dir=there):
                pass
        except OSError as error:
            raise Fault(
                f"cannot write in {there}: {explain(error)}",
                "make that folder yours, or copy the course to a place of your own",
            ) from error
    return "can be written"


def disk(free: int) -> str:
    """Check that there is room to work."""
    if free < FREE_BYTES:
        raise Fault(f"only {free >> 20} MB are free", "free 500 MB or more")
    return f"{free / (1 << 30):.1f} GB free"
