"""What can be odd about a submitted file, one small function each.

    Parcel(notebook, "01_graphs.ipynb") ──ODDITIES["a test copied"]──► put_down(folder)

Students copy cells, rename files, strip metadata, hand in links and folders. Each name here is used
by the sample class, where it says what mark and what note it must lead to.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[["Parcel"], None]

HUGE = 200_000_000


@dataclass
class Parcel:
    """What a student hands in, before it is written."""

    notebook: Json
    file: str
    """The name of the notebook, below the student's folder; "" for none."""
    raw: bytes | None = None
    """What is written in place of the notebook."""
    beside: dict[str, str] = field(default_factory=dict)
    """Other files by name."""
    links: dict[str, str] = field(default_factory=dict)
    """Links by name."""
    sparse: int = 0
    """Bytes to which the file is lengthened."""

    @property
    def cells(self) -> list[Json]:
        """The cells of the notebook."""
        cells: list[Json] = self.notebook["cells"]
        return cells

    @property
    def last_test(self) -> int:
        """The place of the last test cell that gives points."""
        return max(place for place, cell in enumerate(self.cells) if _gives_points(cell))

    @property
    def test(self) -> Json:
        """That cell."""
        return self.cells[self.last_test]

    @property
    def answers(self) -> list[Json]:
        """The cells that students write."""
        return [cell for cell in self.cells if _nbgrader(cell).get("solution")]

    def bytes(self) -> bytes:
        """Give the notebook as it is written."""
        return self.raw if self.raw is not None else json.dumps(self.notebook).encode()

    def put_down(self, folder: Path) -> None:
        """Write all of it into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.file:
            path = folder / self.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.bytes())
            if self.sparse:
                os.truncate(path, self.sparse)
        for name, text in self.beside.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name, target in self.links.items():
            (folder / name).symlink_to(target)


def _gives_points(cell: Json) -> bool:
    nbgrader = _nbgrader(cell)
    return bool(nbgrader.get("grade") and nbgrader["points"] and not nbgrader["solution"])


def _nbgrader(cell: Json) -> Json:
    found: Json = cell["metadata"].get("nbgrader", {})
    return found


# cells


def _test_copied(parcel: Parcel) -> None:
    parcel.cells.append(copy.deepcopy(parcel.test))


def _test_split(parcel: Parcel) -> None:
    extra = {"cell_type": "code", "id": "half", "metadata": {}, "outputs": []}
    source = parcel.test["source"]
    parcel.cells.insert(
        parcel.last_test, {**extra, "execution_count": None, "source": source[: len(source) // 2]}
    )
    parcel.test["source"] = source[len(source) // 2 :]


def _test_deleted(parcel: Parcel) -> None:
    del parcel.cells[parcel.last_test]


def _test_as_text(parcel: Parcel) -> None:
    for name in ("outputs", "execution_count"):
        parcel.test.pop(name, None)
    parcel.test["cell_type"] = "markdown"


def _test_edited(parcel: Parcel) -> None:
    parcel.test["source"] = "100"


def _points_edited(parcel: Parcel) -> None:
    _nbgrader(parcel.test)["points"] = 1_000


def _metadata_stripped(parcel: Parcel) -> None:
    for cell in parcel.cells:
        cell["metadata"] = {}


def _metadata_and_ids_stripped(parcel: Parcel) -> None:
    _metadata_stripped(parcel)
    for cell in parcel.cells:
        cell.pop("id", None)


def _grade_id_missing(parcel: Parcel) -> None:
    for cell in parcel.answers:
        _nbgrader(cell).pop("grade_id")


def _schema_2(parcel: Parcel) -> None:
    _nbgrader(parcel.answers[0])["schema_version"] = 2


def _ids_twice(parcel: Parcel) -> None:
    for cell in parcel.cells[:6]:
        cell["id"] = "same"


def _null_byte(parcel: Parcel) -> None:
    parcel.answers[0]["source"] += "\n# \x00"


def _answer_as_text(parcel: Parcel) -> None:
    cell = parcel.answers[0]
    for name in ("outputs", "execution_count"):
        cell.pop(name, None)
    cell["cell_type"] = "markdown"


def _format_3(parcel: Parcel) -> None:
    for cell in parcel.cells:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    parcel.notebook = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": parcel.cells, "metadata": {}}],
    }


def _foreign_kernel(parcel: Parcel) -> None:
    parcel.notebook["metadata"] = {
        "kernelspec": {"display_name": "R", "language": "R", "name": "ir"},
        "language_info": {"name": "R"},
    }


def _no_kernel(parcel: Parcel) -> None:
    parcel.notebook["metadata"] = {}


# bytes


def _byte_order_mark(parcel: Parcel) -> None:
    parcel.raw = b"\xef\xbb\xbf" + parcel.bytes()


def _utf_16(parcel: Parcel) -> None:
    text = json.dumps(parcel.notebook, ensure_ascii=False)
    parcel.raw = text.encode("utf-16")


def _empty(parcel: Parcel) -> None:
    parcel.raw = b""


def _truncated(parcel: Parcel) -> None:
    parcel.raw = parcel.bytes()[: len(parcel.bytes()) // 2]


def _not_json(parcel: Parcel) -> None:
    parcel.raw = b"print('hello')\n"


def _huge(parcel: Parcel) -> None:
    parcel.sparse = HUGE


# files


def _no_notebook(parcel: Parcel) -> None:
    parcel.file = ""
    parcel.beside["report.txt"] = "My work is in the cloud."


def _nothing(parcel: Parcel) -> None:
    parcel.file = ""


def _another_beside(parcel: Parcel) -> None:
    parcel.beside["Untitled.ipynb"] = '{"cells": [], "nbformat": 4, "nbformat_minor": 5}'


def _files_beside(parcel: Parcel) -> None:
    parcel.beside["data/table.csv"] = "1,2\n"


def _shadow_beside(parcel: Parcel) -> None:
    parcel.beside["cgkit.py"] = "raise SystemExit\n"


def _link_to_system(parcel: Parcel) -> None:
    parcel.links[parcel.file], parcel.file = "/etc/passwd", ""


def _link_beside(parcel: Parcel) -> None:
    parcel.links["table.csv"] = "/etc/passwd"


def _link_upward(parcel: Parcel) -> None:
    parcel.links["up"] = "../.."


def _folder_of_that_name(parcel: Parcel) -> None:
    parcel.file = f"{parcel.file}/{parcel.file}"


ODDITIES: Mapping[str, Change] = {
    "a test copied": _test_copied,
    "a test split": _test_split,
    "a test deleted": _test_deleted,
    "a test turned to text": _test_as_text,
    "a test edited": _test_edited,
    "points edited": _points_edited,
    "an answer turned to text": _answer_as_text,
    "metadata stripped": _metadata_stripped,
    "metadata and ids stripped": _metadata_and_ids_stripped,
    "grade_id missing": _grade_id_missing,
    "schema 2 in a cell": _schema_2,
    "ids that stand twice": _ids_twice,
    "a null byte": _null_byte,
    "format 3": _format_3,
    "a foreign kernel": _foreign_kernel,
    "no kernel and no language": _no_kernel,
    "a byte order mark": _byte_order_mark,
    "UTF-16": _utf_16,
    "empty": _empty,
    "truncated": _truncated,
    "not JSON": _not_json,
    "200 MB": _huge,
    "no notebook": _no_notebook,
    "an empty folder": _nothing,
    "another notebook beside": _another_beside,
    "files beside": _files_beside,
    "a file that shadows cgkit": _shadow_beside,
    "a link to a system file": _link_to_system,
    "a link beside": _link_beside,
    "a link to the folder above": _link_upward,
    "a folder of that name": _folder_of_that_name,
}
