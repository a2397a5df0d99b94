"""The bench's end of a peer's process: start it, ask it, end it.

    with PeerProcess("torch", threads=2, scratch=folder) as process:
        process.ask({"do": "open", "set_up": ..., "size": ...}, limit=60.0)
        process.ask({"do": "time", "calls": 100}, limit=10.0)

Every peer gets the same processors and the same number of threads, set before it is imported. A
question has a time limit; whoever exceeds it, falls silent or dies is a `PeerFault`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self

from cgkit.bench.protocol import Garbled, Message, parse, send
from cgkit.errors import CgkitError

THREAD_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "BLIS_NUM_THREADS",
)  # fmt: skip
FAREWELL = 2.0
"""Seconds that a process has to end by itself."""

# Processors first: thread pools are made when a package is imported, and inherit them.
_START = """
import os
if {cpus}:
    os.sched_setaffinity(0, {cpus})
from cgkit.bench.worker import main
main()
"""


class PeerFault(CgkitError):
    """A peer that cannot do its work."""


class PeerProcess:
    """A process in which one peer works.

    Parameters
    ----------
    name
        What to call it in an error.
    threads
        How many threads, and processors, it may use.
    scratch
        A folder for its temporary files, which the caller removes.
    """

    def __init__(self, name: str, threads: int, scratch: Path) -> None:
        self.name = name
        self.threads = threads
        self._answers: queue.Queue[str] = queue.Queue()
        self._said: deque[str] = deque(maxlen=1)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START.format(cpus=processors(threads))],
            env=environment(dict(os.environ), threads, scratch),
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._listeners = [
            threading.Thread(target=listen, daemon=True)
            for listen in (self._hear_answers, self._hear_words)
        ]
        for listener in self._listeners:
            listener.start()

    def _hear_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _hear_words(self) -> None:
        assert self._process.stderr is not None
        self._said.extend(line.strip() for line in self._process.stderr if line.strip())

    def ask(self, question: Message, limit: float) -> Message:
        """Ask one question and give the answer.

        Parameters
        ----------
        question
            One of those in `cgkit.bench.protocol`.
        limit
            Seconds after which the answer comes too late.

        Raises
        ------
        PeerFault
            It answers with an error, not in time, or not at all.
        """
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, question)
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            self._process.kill()
            raise PeerFault(
                f"{self.name} gave no answer to '{question['do']}' within {limit:g} seconds"
            ) from None
        except OSError:
            line = ""
        if not line:
            raise PeerFault(f"the process of {self.name} ended", why=self._last_words())
        try:
            answer = parse(line)
        except Garbled as error:
            raise PeerFault(f"{self.name} gave {error}") from None
        if "error" in answer:
            raise PeerFault(f"{self.name} fails: {answer['error']}")
        return answer

    def _last_words(self) -> str:
        """Give the exit code and the last line that it wrote on standard error."""
        code = self._process.wait(FAREWELL)
        for listener in self._listeners:
            listener.join(FAREWELL)
        return "; ".join([f"exit code {code}", *self._said])

    def close(self) -> None:
        """End the process: kindly, then firmly."""
        process = self._process
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for listener, pipe in zip(self._listeners, (process.stdout, process.stderr), strict=True):
            listener.join(FAREWELL)
            if pipe is not None and not listener.is_alive():
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._process.kill()
        self.close()


def processors(count: int) -> list[int]:
    """Choose the processors that every peer runs on; none where one cannot choose.

    Examples
    --------
    >>> len(processors(1)) <= 1
    True
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    return sorted(os.sched_getaffinity(0))[:count]


def environment(base: dict[str, str], threads: int, scratch: Path) -> dict[str, str]:
    """Give the variables of a peer's process: its threads, and where temporary files go.

    Examples
    --------
    >>> environment({"PATH": "/usr/bin"}, 2, Path("scratch"))["OMP_NUM_THREADS"]
    '2'
    """
    pools = dict.fromkeys(THREAD_VARIABLES, str(threads))
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    return {**base, **pools, **places, "PYTHONHASHSEED": "0"}
