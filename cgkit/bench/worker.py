"""What runs in a peer's own process: make its work ready, run it when asked, say how long it took.

    {"do": "open", ...} ─> set-up ─> Work ─┬─ "outputs"    one run, read and written to a file
                                           ├─ "calibrate"  how many calls make a batch
                                           └─ "time"       one batch

The garbage collector works as it does for a user, but each batch begins with a clean heap.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import repeat
from typing import TextIO

import numpy as np

from cgkit.bench.protocol import Message, parse, send
from cgkit.bench.row import SetUp, Work

MOST_CALLS = 1 << 20


def main() -> None:
    """Serve questions from standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the bench ends this process, not the terminal
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a peer prints is no answer
        serve(sys.stdin, answers)


def serve(questions: TextIO, answers: TextIO) -> None:
    """Answer each question with one message; an error is an answer too."""
    desk = Desk()
    for line in questions:
        try:
            answer = desk.answer(parse(line))
        except Exception as error:  # whatever a peer raises belongs into the report
            answer = {"error": f"{type(error).__name__}: {error}"}
        send(answers, answer)


class Desk:
    """Holds the work of one peer, once it is opened."""

    def __init__(self) -> None:
        self._work: Work | None = None

    def answer(self, question: Message) -> Message:
        """Do what a question asks.

        Raises
        ------
        ValueError
            There is no such question, or nothing was opened.
        """
        asked = question.pop("do", None)
        answers: dict[object, Callable[..., Message]] = {
            "open": self._open,
            "outputs": self._outputs,
            "calibrate": self._calibrate,
            "time": self._time,
        }
        if asked not in answers:
            raise ValueError(f"no question {asked!r}; there are {', '.join(map(str, answers))}")
        return answers[asked](**question)

    def _open(self, set_up: str, size: Message) -> Message:
        self._work = found(set_up)(**size)
        return {"opened": True}

    def _outputs(self, file: str) -> Message:
        work = self._opened()
        arrays = {name: np.asarray(array) for name, array in work.read(work.run()).items()}
        np.savez(file, allow_pickle=False, **arrays)
        return {"names": list(arrays)}

    def _calibrate(self, seconds: float) -> Message:
        return {"calls": calls_for(self._opened(), seconds)}

    def _time(self, calls: int) -> Message:
        work = self._opened()
        gc.collect()
        if calls > 1:
            work.run()  # others ran meanwhile: the caches hold theirs
        return {"seconds": batch(work, calls) / calls}

    def _opened(self) -> Work:
        if self._work is None:
            raise ValueError("nothing was opened")
        return self._work


def found(set_up: str) -> SetUp:
    """Import a set-up by its address.

    Examples
    --------
    >>> found("cgkit.bench.worker:found") is found
    True
    """
    module, _, name = set_up.partition(":")
    function: SetUp = getattr(importlib.import_module(module), name)
    return function


def batch(work: Work, calls: int) -> float:
    """Run work so many times and give the seconds it took, all together.

    Examples
    --------
    >>> batch(Work(run=lambda: 0.25, read=dict, seconds=lambda result: result), calls=4)
    1.0
    """
    run = work.run
    if work.seconds is not None:
        return sum(work.seconds(run()) for _ in repeat(None, calls))
    start = time.perf_counter()
    for _ in repeat(None, calls):
        run()
    return time.perf_counter() - start


def calls_for(work: Work, seconds: float) -> int:
    """Find how many calls last so long: one, if one does.

    Examples
    --------
    >>> calls_for(Work(run=lambda: 0.25, read=dict, seconds=lambda result: result), seconds=1.0)
    4
    """
    calls = 1
    while (spent := batch(work, calls)) < seconds and calls < MOST_CALLS:
        wanted = int(calls * seconds / spent * 1.1) if spent > 0 else MOST_CALLS
        calls = min(max(wanted if wanted < 8 * calls else 8 * calls, calls + 1), MOST_CALLS)
    return calls


if __name__ == "__main__":
    main()
