"""A nested state as a file, and back: the nesting as JSON beside its arrays, in one container.

write(path, state)   ─ encode ─> manifest, arrays ─> members ─> the file
read(path)           <─ decode ─────────────────────────────────┘
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cgkit.saved.arrays import from_npy, to_npy
from cgkit.saved.container import read_members, write_members
from cgkit.saved.nesting import MANIFEST, decode, encode


def write(path: str | Path, state: Any) -> None:
    """Write a state into a file, in place of what it held; see `cgkit.saved.save`."""
    manifest, found = encode(state)
    members = {MANIFEST: manifest, **{f"{i}.npy": to_npy(x) for i, x in enumerate(found)}}
    write_members(Path(path), members)


def read(path: str | Path) -> Any:
    """Read the state in a file; see `cgkit.saved.load`."""
    members = read_members(Path(path))
    parts = {name: from_npy(x, name, path) for name, x in members.items() if name != MANIFEST}
    return decode(members[MANIFEST], parts, path)
