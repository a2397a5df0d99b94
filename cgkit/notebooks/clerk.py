"""A process that runs nbgrader, order by order, so that it is imported once and never here.

    orders (JSON lines) ──► python -m cgkit.notebooks.clerk ──► one answer (a JSON line) for each

    {"do": "release", "assignment": "01_graphs"}   ──► {"ok": true}
    {"do": "feedback", "assignment": "02_nothing"} ──► {"ok": false, "why": "..."}

It works on the class that nbgrader_config.py finds, under the environment it is started with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from cgkit.errors import NotebookError

Order: TypeAlias = Mapping[str, str]
Answer: TypeAlias = dict[str, Any]


class Clerk:
    """The other process, seen from here.

    Parameters
    ----------
    root
        The folder with nbgrader_config.py.
    home
        The folder of the class, given to nbgrader_config.py as CGKIT_CLASS.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.log = home / "nbgrader.log"

    def __enter__(self) -> Self:
        self.home.mkdir(parents=True, exist_ok=True)
        self._log = self.log.open("a", encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cgkit.notebooks.clerk"],
            cwd=self.root,
            env=dict(os.environ, CGKIT_CLASS=str(self.home)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.stop()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()
        self._log.close()

    def stop(self) -> None:
        """End the process at once; whoever waits for an answer gets an error."""
        self._process.kill()

    def do(self, what: str, **words: str) -> Answer:
        """Give one order and wait for its answer.

        Raises
        ------
        NotebookError
            The process ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"do": what, **words}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self._log.flush()
            last = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
            why = "\n  ".join(last) or "no word from it"
            raise NotebookError(f"nbgrader stopped during {what}", why=why)
        answer: Answer = json.loads(line)
        return answer


def _release(api: Any, order: Order) -> Answer:
    return _outcome(api.generate_assignment(order["assignment"]))


def _enroll(api: Any, order: Order) -> Answer:
    """Write students into the gradebook, with names that formgrader can show."""
    with api.gradebook as gradebook:
        for student in order["students"].split():
            gradebook.update_or_create_student(
                student, first_name=student.title(), last_name="Sample"
            )
    return {"ok": True}


def _feedback(api: Any, order: Order) -> Answer:
    return _outcome(api.generate_feedback(order["assignment"]))


ORDERS: Mapping[str, Callable[[Any, Order], Answer]] = {
    "release": _release,
    "enroll": _enroll,
    "feedback": _feedback,
}


def _outcome(result: Mapping[str, Any]) -> Answer:
    """Turn what nbgrader's interface gives into an answer, with its last reason."""
    sys.stderr.write(result.get("log", "") + result.get("error", ""))
    if result["success"]:
        return {"ok": True}
    return {"ok": False, "why": _reason(result.get("log", ""), result.get("error", ""))}


def _reason(log: str, error: str) -> str:
    """Find the sentence that says most in a log and a traceback."""
    said = [line for line in log.splitlines() if line.startswith("[ERROR]")]
    last = [line for line in log.splitlines() if line and not line[0].isspace() and "Error" in line]
    lines = [*last, *said, *error.strip().splitlines()[-1:]]
    return lines[0].removeprefix("[ERROR] ") if lines else "nbgrader failed without a word"


def _api() -> Any:
    """Open nbgrader on the class of this environment."""
    from nbgrader.apps import NbGraderAPI
    from nbgrader.apps.baseapp import NbGrader

    application = NbGrader()
    application.load_config_file()
    # several clerks share one gradebook: each waits for its turn to write
    application.config.CourseDirectory.db_url += "?timeout=60"
    return NbGraderAPI(config=application.config)


def serve(lines: Iterable[str], api: Any) -> Iterator[Answer]:
    """Carry out orders one by one; a failed one is an answer too."""
    for line in lines:
        order = json.loads(line)
        try:
            yield ORDERS[order["do"]](api, order)
        except Exception as error:
            yield {"ok": False, "why": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Take orders from standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever nbgrader prints goes to the log
    for answer in serve(sys.stdin, _api()):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
