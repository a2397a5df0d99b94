"""Copies of the course's notebooks to work in, so that the originals stay as they were built.

    course/01_graphs.ipynb      ──► workspace/course/01_graphs.ipynb
    assignments/01_graphs/...   ──► workspace/assignments/01_graphs/...

JupyterLab rewrites a notebook whenever it saves it. A copy that was worked in is never written
again: when the original changes later, only untouched copies follow it. `originals.json` holds
what each copy was made from.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cgkit.notebooks.project import Project

FOLDER = "workspace"
LEDGER = "originals.json"


@dataclass(frozen=True)
class Copied:
    """What became of the copies."""

    fresh: tuple[str, ...]
    """Made or renewed just now."""
    behind: tuple[str, ...]
    """Worked in, and the original has changed since."""


def fill(project: Project, workspace: Path) -> Copied:
    """Copy what is new, and leave alone whatever was worked in.

    Parameters
    ----------
    project
        The course.
    workspace
        The folder of the copies, made if need be.

    Returns
    -------
    Copied
        Names relative to the workspace.
    """
    workspace.mkdir(parents=True, exist_ok=True)
    ledger = _read(workspace / LEDGER)
    fresh, behind = [], []
    for source in originals(project):
        name = project.relative(source)
        copy = workspace / name
        now = _digest(source)
        made_from = ledger.get(name)
        if copy.exists() and now == made_from:
            continue
        if copy.exists() and _digest(copy) not in (now, made_from):
            behind.append(name)
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        ledger[name] = now
        fresh.append(name)
    (workspace / LEDGER).write_text(json.dumps(ledger, indent=1), encoding="utf-8")
    return Copied(tuple(fresh), tuple(behind))


def originals(project: Project) -> Iterator[Path]:
    """Walk over the files that students receive: chapters, and all that lies in assignments."""
    for text in project.texts:
        if text.kind == "chapter" and text.built.exists():
            yield text.built
    for path in sorted(project.assignments.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.parts[-3:]):
            yield path


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _read(ledger: Path) -> dict[str, str]:
    try:
        found = json.loads(ledger.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
