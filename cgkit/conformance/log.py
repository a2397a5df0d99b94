"""Keep what is done, so that a run that was stopped goes on where it was.

    build/conformance/opinfo.jsonl
        {"fingerprint": "..."}                                     what was tested, with what
        {"case": "add 0", "outcomes": [["add", [], "", ""]]}        a line for each case done

Another fingerprint (a file of cgkit changed, or a version of what is run), and all is done anew. A
last line that is not whole was being written when the run stopped, and is dropped.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from cgkit.conformance.tally import Outcome
from cgkit.files import write_whole


def fingerprint(versions: str) -> str:
    """Sum up the library's own files, and the versions of what is run and of what it runs on."""
    root = Path(__file__).resolve().parent.parent
    total = hashlib.sha256(f"{versions}, {sys.version}, {np.__version__}".encode())
    for path in sorted(root.rglob("*.py")):
        total.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return total.hexdigest()[:16]


class Log:
    """What one suite has done, in a file.

    Parameters
    ----------
    path
        The file; folders are made.
    mark
        The fingerprint of this run.
    complain
        Called once, with the error, if nothing can be written there; the run goes on unkept.
    """

    def __init__(self, path: Path, mark: str, complain: Callable[[OSError], None]) -> None:
        self.path = path
        self.mark = mark
        self.complain = complain
        self.kept = True

    def read(self) -> dict[str, list[Outcome]]:
        """Give the outcomes of cases that are done; of none if anything changed since."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return {}
        done: dict[str, list[Outcome]] = {}
        for number, line in enumerate(lines):
            try:
                found = json.loads(line)
                if number == 0 and found["fingerprint"] != self.mark:
                    return {}
                if number:
                    each = [
                        Outcome(group, tuple(failed), why, way)
                        for group, failed, why, way in found["outcomes"]
                    ]
                    done[found["case"]] = each
            except (ValueError, TypeError, KeyError):
                break
        return done

    def start(self, done: dict[str, list[Outcome]]) -> None:
        """Begin the file anew, with what is known to be done."""
        lines = [json.dumps({"fingerprint": self.mark})]
        lines += [_line(case, outcomes) for case, outcomes in done.items()]
        self._keep("\n".join(lines) + "\n", anew=True)

    def write(self, case: str, outcomes: Sequence[Outcome]) -> None:
        """Note that a case is done."""
        self._keep(_line(case, outcomes) + "\n", anew=False)

    def _keep(self, text: str, *, anew: bool) -> None:
        if not self.kept:
            return
        try:
            if anew:
                write_whole(self.path, text)
                return
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            self.kept = False
            self.complain(error)

    def end(self) -> None:
        """Forget all: the run is whole."""
        if self.kept:
            self.path.unlink(missing_ok=True)


def _line(case: str, outcomes: Sequence[Outcome]) -> str:
    each = [[x.group, list(x.failed), x.reason, x.way] for x in outcomes]
    return json.dumps({"case": case, "outcomes": each})
