"""One list of packages, said four times: pyproject.toml, the two locks, environment.yml.

    pyproject.toml ──► requirements.lock ──► start.py
          └─────────► environment.yml ──► conda

conda-forge is not asked here: this only holds the four in step.
"""

import contextlib
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ["requirements.lock", "requirements-dev.lock"]

# What conda-forge calls otherwise, and what it has beside the packages of PyPI.
CONDA_NAMES = {"graphviz": "python-graphviz", "matplotlib": "matplotlib-base"}
CONDA_ONLY = {"python", "pip", "graphviz"}

INDEX_ADDRESS = re.compile(
    "|".join(
        [
            r"pypi\.(?:python\.)?org",
            r"pythonhosted\.",
            r"anaconda\.(?:org|com)",
            r"--(?:extra-)?index[-]url",
            r"--find[-]links",
            r"(?:https?|file)://\S*/simple\b",
            r"registry\.npm",
            r"file:///",
        ]
    )
)
SKIPPED = {".git", ".venv", "build", "classes", "workspace"}


def direct() -> list[Requirement]:
    return [Requirement(text) for text in PROJECT["project"]["dependencies"]]


def group(name: str) -> list[Requirement]:
    return [Requirement(text) for text in PROJECT["dependency-groups"][name]]


def locked(name: str) -> dict[str, list[Requirement]]:
    """Read a lock: for each package its pins, one for each kind of machine."""
    pins: dict[str, list[Requirement]] = {}
    text = (ROOT / name).read_text(encoding="utf-8")
    for line in re.findall(r"^\w[^\\\n]*", text, re.MULTILINE):
        pin = Requirement(line.strip())
        pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    return pins


def conda() -> tuple[dict[str, str], list[str]]:
    """Read environment.yml: a version for each name, and what pip adds."""
    entries = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    named = [entry for entry in entries if isinstance(entry, str)]
    (by_pip,) = [entry["pip"] for entry in entries if isinstance(entry, dict)]
    return {name: version for name, _, version in (text.partition(" ") for text in named)}, by_pip


def conda_spelling(requirement: Requirement) -> tuple[str, str]:
    """Write a requirement as conda does: ==4.6.* is =4.6."""
    text = str(requirement.specifier)
    if text.startswith("=="):
        text = "=" + text[2:].removesuffix(".*")
    return CONDA_NAMES.get(requirement.name, requirement.name), text


def test_conda_names_the_same_packages():
    versions, by_pip = conda()
    everywhere = [wanted for wanted in [*direct(), *group("dev")] if not wanted.marker]
    wanted = dict(map(conda_spelling, everywhere))  # pip brings what is for some systems only
    wanted["setuptools"] = ""
    assert {name: text for name, text in versions.items() if name not in CONDA_ONLY} == wanted
    assert set(versions) >= CONDA_ONLY
    assert versions["python"] == PROJECT["project"]["requires-python"]
    assert by_pip == ["--editable ."]


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("requirements.lock", [*direct(), *group("build")]),
        ("requirements-dev.lock", group("dev")),
    ],
)
def test_locks_hold_what_the_project_names(lock, wanted):
    pins = locked(lock)
    for requirement in wanted:
        versions = [next(iter(pin.specifier)).version for pin in pins.get(requirement.name, [])]
        assert versions, f"{requirement.name} is not in {lock}"
        assert all(requirement.specifier.contains(version) for version in versions)


def test_what_builds_the_project_is_locked():
    # start.py builds without isolation, so that nothing escapes the hashes.
    wanted = [Requirement(text).name for text in PROJECT["build-system"]["requires"]]
    assert set(wanted) <= set(locked("requirements.lock"))


def test_the_locks_agree():
    students, developers = map(locked, LOCKS)
    for name in set(students) & set(developers):
        allowed = {str(pin.specifier) for pin in students[name]}
        assert {str(pin.specifier) for pin in developers[name]} <= allowed, name


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_exact_and_hashed(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\w)", text)
    for block in blocks:
        assert re.match(r"[\w.-]+==[\w.]+(?: ;[^\\]*)? \\\n", block), block[:60]
        assert "--hash=sha256:" in block
    assert len(blocks) == sum(map(len, locked(lock).values()))


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("requirements-*.txt")), ids=lambda path: path.name
)
def test_extras_are_exact(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in filter(None, (line.partition("#")[0].strip() for line in lines)):
        assert re.fullmatch(r"[\w.-]+(\[\w+\])?==[\w.]+", line), line


def texts() -> Iterator[tuple[Path, str]]:
    """Walk over the files of the project that are text, whatever their kind."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED and "cache" not in name]
        for path in (Path(folder, name) for name in names):
            with contextlib.suppress(UnicodeDecodeError):
                yield path, path.read_text(encoding="utf-8")


def test_no_file_holds_a_package_index():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path, text in texts()
        for match in INDEX_ADDRESS.finditer(text)
        if path != Path(__file__)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "https://pypi" + ".org/simple",
        "pip install --index" + "-url https://example.org/simple x",
        "file:///opt/wheels",
    ],
)
def test_an_index_address_is_seen(text):
    assert INDEX_ADDRESS.search(text)
