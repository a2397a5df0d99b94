"""autograd's source distribution: fetched when a person asks, checked, and its tests unpacked.

    fetch(folder)      pip download autograd==1.9.1  ─> folder/autograd-1.9.1.tar.gz
    unpacked(folder)   ─> folder/autograd-1.9.1/tests

Only `fetch` uses the network. What is unpacked are the tests alone, and only from an archive that
says of itself that it is this version.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from email.parser import Parser
from pathlib import Path

from cgkit.errors import EnvironmentFault

NAME = "autograd"
VERSION = "1.9.1"
WHOLE = f"{NAME}-{VERSION}"
FETCH = f"python start.py conformance {NAME} --fetch"


def archive_in(folder: Path) -> Path:
    """Give the place of the source distribution."""
    return folder / f"{WHOLE}.tar.gz"


def fetch(folder: Path) -> None:
    """Fetch the source distribution by its name and version, unless it is there.

    Raises
    ------
    EnvironmentFault
        pip did not bring it, or brought something else.
    """
    if archive_in(folder).exists() and version_of(archive_in(folder)) == VERSION:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        options = ["--disable-pip-version-check", "--no-input", "--no-deps", "--no-binary", NAME]
        pip = [sys.executable, "-m", "pip", "download", *options, "--dest", place]
        done = subprocess.run(
            [*pip, f"{NAME}=={VERSION}"], capture_output=True, text=True, check=False
        )
        brought = archive_in(Path(place))
        if done.returncode or not brought.exists():
            last = (done.stderr.strip() or "pip brought no source distribution").splitlines()[-1]
            raise EnvironmentFault(
                f"the source distribution of {NAME} {VERSION} cannot be fetched",
                why=last,
                attempt="again, when the package server answers",
            )
        _check(brought)
        brought.replace(archive_in(folder))


def version_of(archive: Path) -> str:
    """Read which version of autograd an archive says it is; nothing if it says none."""
    try:
        with tarfile.open(archive) as tar:
            file = tar.extractfile(f"{WHOLE}/PKG-INFO")
            text = file.read().decode("utf-8") if file else ""
    except (tarfile.TarError, OSError, KeyError, UnicodeDecodeError):
        return ""
    words = Parser().parsestr(text, headersonly=True)
    return str(words["Version"]) if words["Name"] == NAME else ""


def _check(archive: Path) -> None:
    found = version_of(archive)
    if found != VERSION:
        raise EnvironmentFault(
            f"{archive.name} is not {NAME} {VERSION}",
            why=f"it says it is version {found}" if found else "it does not say what it is",
            attempt=f"remove it, then: {FETCH}",
        )


def unpacked(folder: Path) -> Path:
    """Unpack the tests anew, and give their folder.

    Raises
    ------
    EnvironmentFault
        They were not fetched, or are of another version.
    """
    archive = archive_in(folder)
    if not archive.exists():
        raise EnvironmentFault(f"the tests of {NAME} {VERSION} are not here", attempt=FETCH)
    _check(archive)
    with tarfile.open(archive) as tar:
        names = [x for x in tar if x.isfile() and x.name.startswith(f"{WHOLE}/tests/")]
        tar.extractall(folder, [x for x in names if x.name.endswith(".py")], filter="data")
    return folder / WHOLE / "tests"
