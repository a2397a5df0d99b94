"""Processes that grade: each holds one lane, takes one submission after the other, and can be lost.

    with Crew(order, count=2) as crew:
        for name, result in crew.grade(jobs): ...

    this process ──order, submissions──► python -m cgkit.grading.workers ──► Lane ──► judge, sandbox
          ▲                                             │
          └──────────────── results ────────────────────┘

- They are started as programs, never forked: this process may have threads, a gradebook, a server.
- One that dies is replaced and its submission tried once more; then that submission is marked as
  not graded, and the others go on.
- They end when this process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, TYPE_CHECKING, Any, NoReturn, Self, TypeAlias

from cgkit.errors import CgkitError, EnvironmentFault, NotebookError
from cgkit.grading.kept import Learned, learned_body, learned_from
from cgkit.grading.result import Result, from_body, to_body
from cgkit.grading.sandbox import Situation

if TYPE_CHECKING:
    from cgkit.grading.lane import Lane

Load: TypeAlias = Callable[[], bytes]
Tried: TypeAlias = Result | CgkitError

_FAULTS = {"EnvironmentFault": EnvironmentFault, "NotebookError": NotebookError}
_PATIENCE = 5.0
_COLLECTED = (100_000, 20, 20)
"""How seldom to look for garbage that holds itself; what crosses is large, and holds nothing."""


@dataclass(frozen=True)
class Order:
    """What a worker grades, and how."""

    assignment: str
    source: Path
    """The notebook with answers and hidden tests."""
    situation: Situation
    secret: bytes
    learned: Learned | None = None
    """From an earlier reference run."""

    def body(self) -> dict[str, Any]:
        """Give the order as JSON can hold it."""
        situation = asdict(self.situation)
        bwrap = situation["bwrap"]
        return {
            "assignment": self.assignment,
            "source": str(self.source),
            "situation": {**situation, "bwrap": str(bwrap) if bwrap else None},
            "secret": self.secret.hex(),
            "learned": learned_body(self.learned) if self.learned else None,
        }


class Worker:
    """One such process, seen from here.

    Parameters
    ----------
    order
        What it grades.
    processor
        Its own, if it has one.
    """

    def __init__(self, order: Order, processor: int | None = None) -> None:
        self.order = order
        self._processor = processor
        self.learned = order.learned
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._lock = threading.Lock()
        self.ended = False

    def begin(self) -> None:
        """Start the process, unless all has ended; what it says first is read by `ready`.

        Raises
        ------
        EnvironmentFault
            This system cannot copy a running process.
        """
        if not hasattr(os, "fork"):
            why = "each submission is judged in a copy of a running process, and Windows has none"
            attempt = "WSL on Windows: wsl --install, then the same commands there"
            raise EnvironmentFault("grading needs Linux or macOS", why=why, attempt=attempt)
        with self._lock:  # `end` may be called meanwhile, by the thread that waits for results
            if self.ended:
                return
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-m", "cgkit.grading.workers"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                start_new_session=True,  # Ctrl-C is for this process, which then ends the others
                env={**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"},
            )
        self._send(json.dumps({**self.order.body(), "processor": self._processor}).encode())

    def ready(self) -> None:
        """Wait until it can grade.

        Raises
        ------
        CgkitError
            It cannot: the assignment or this machine is at fault.
        """
        answer = self._answer()
        if answer is None:
            raise EnvironmentFault("a grading process ended as it began", why=self._last_words())
        if "fault" in answer:
            kind = _FAULTS.get(answer["kind"], CgkitError)
            raise kind(answer["fault"], why=answer["why"], attempt=answer["attempt"])
        self.learned = self.learned or learned_from(answer["learned"])

    def grade(self, student: str, raw: bytes) -> Result:
        """Grade one submission; start anew, once, if the process is lost over it."""
        for _ in range(2):
            if self._process is None:
                self.begin()
                self.ready()
            self._send(json.dumps({"student": student, "size": len(raw)}).encode(), raw)
            answer = self._answer()
            if answer is not None:
                return from_body(answer["result"])
            self._lose()
            if self.ended:
                break
        why = "the process that grades was lost twice over this submission"
        return Result(student, label=self.order.situation.label, failed=why)

    def end(self) -> None:
        """End the process for good; whoever waits for its answer gets none."""
        with self._lock:
            self.ended = True
        self._lose()

    def _lose(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # it, and a judge that it left behind
        process.wait()
        for pipe in (process.stdin, process.stdout, self._said):
            with contextlib.suppress(OSError):  # something may still wait to be sent to it
                if pipe is not None:
                    pipe.close()

    def _send(self, line: bytes, raw: bytes = b"") -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        with contextlib.suppress(OSError, ValueError):  # gone; the missing answer says so
            process.stdin.write(line + b"\n" + raw)
            process.stdin.flush()

    def _answer(self) -> dict[str, Any] | None:
        process = self._process
        if process is None or process.stdout is None:
            return None
        try:
            line = process.stdout.readline()
            answer = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):
            return None
        return answer if isinstance(answer, dict) else None

    def _last_words(self) -> str:
        if self._said is None or self._said.closed:
            return ""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else "it said nothing"


class Crew:
    """Several workers that share the submissions of one assignment.

    Parameters
    ----------
    order
        What they grade.
    count
        How many there are.
    """

    def __init__(self, order: Order, count: int) -> None:
        self._workers = [Worker(order, processor) for processor in _processors(count)]
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        try:
            for worker in self._workers:
                worker.begin()
            for worker in self._workers:
                worker.ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def learned(self) -> Learned | None:
        """What the first of them learned from the reference."""
        return self._workers[0].learned

    def stop(self) -> None:
        """End all of them."""
        for worker in self._workers:
            worker.end()
        for thread in self._threads:
            thread.join()

    def grade(self, jobs: Sequence[tuple[str, Load]]) -> Iterator[tuple[str, Result]]:
        """Grade some submissions; each comes as soon as it is done.

        Parameters
        ----------
        jobs
            Whose, and what reads it when its turn has come.

        Raises
        ------
        CgkitError
            A worker had to be replaced, and no new one can be made.
        """
        waiting: queue.SimpleQueue[tuple[str, Load]] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        done: queue.SimpleQueue[tuple[str, Tried]] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=_work, args=(worker, waiting, done), daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()
        for _ in jobs:
            student, result = done.get()
            if isinstance(result, CgkitError):
                raise result
            yield student, result


def _work(
    worker: Worker,
    waiting: queue.SimpleQueue[tuple[str, Load]],
    done: queue.SimpleQueue[tuple[str, Tried]],
) -> None:
    """Let one worker take submissions until there are no more."""
    while not worker.ended:
        try:
            student, load = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            done.put((student, worker.grade(student, load())))
        except CgkitError as error:
            done.put((student, error))
        except Exception as error:  # said by no answer, it would be waited for without end
            why = f"{type(error).__name__}: {error}"
            done.put((student, CgkitError(f"grading {student} failed", why=why)))


def _processors(count: int) -> list[int | None]:
    """Give each of some workers one of the processors that are ours, in turn."""
    if not hasattr(os, "sched_getaffinity"):
        return [None] * count
    ours = sorted(os.sched_getaffinity(0))
    return [ours[(os.getpid() + number) % len(ours)] for number in range(count)]


# the process itself


def _stay(processor: int | None) -> None:
    """Stay on one processor, with the sandbox that is started from here.

    A judge and the code it asks take turns, thousands of times a submission. To wake somebody on
    another processor takes ten times as long as to go on with somebody on one's own.
    """
    if processor is not None:
        os.sched_setaffinity(0, {processor})


def _lane(order: dict[str, Any]) -> Lane:
    from cgkit.grading.lane import Lane, read_assignment  # not everywhere can it be imported

    source = Path(order["source"])
    assignment = read_assignment(order["assignment"], json.loads(source.read_bytes()))
    given = order["situation"]
    bwrap = Path(given["bwrap"]) if given["bwrap"] else None
    situation = Situation(**{**given, "bwrap": bwrap, "lost": tuple(given["lost"])})
    learned = learned_from(order["learned"]) if order["learned"] else None
    return Lane(
        assignment,
        situation,
        secret=bytes.fromhex(order["secret"]),
        policy=learned.policy if learned else None,
        reference=learned.reference if learned else None,
    )


def serve(orders: IO[bytes], answers: IO[bytes]) -> None:
    """Take one order and then submissions, until there are no more."""

    def say(body: dict[str, Any]) -> None:
        answers.write(json.dumps(body).encode() + b"\n")
        answers.flush()

    try:
        order = json.loads(orders.readline())
        _stay(order.get("processor"))
        with _lane(order) as lane:
            lane.refuse_unfair()
            say({"learned": learned_body(Learned(lane.policy, lane.reference or Result("")))})
            for line in iter(orders.readline, b""):
                job = json.loads(line)
                raw = orders.read(job["size"])
                say({"result": to_body(lane.grade(job["student"], raw))})
    except CgkitError as error:
        words = {"fault": error.what, "why": error.why, "attempt": error.attempt}
        say({**words, "kind": type(error).__name__})


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def main() -> None:
    """Serve on standard input and output."""
    signal.signal(signal.SIGTERM, _leave)
    gc.set_threshold(*_COLLECTED)  # judges, which are forked from here, live short
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed by accident must not be taken for an answer
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
