"""Peers of a test's own: right, wrong, broken, silent; some say what they took."""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from cgkit.bench.row import Work

X = np.arange(3.0)


def doubling():
    return Work(lambda: X * 2, lambda result: {"y": result})


def doubling_in_place():
    out = np.empty(3)
    return Work(lambda: np.multiply(X, 2, out=out), lambda result: {"y": result})


def tripling():
    return Work(lambda: X * 3, lambda result: {"y": result})


def printing():
    sys.stdout.write("this is no answer\n")
    sys.stdout.flush()
    return doubling()


def failing():
    raise LookupError("no set-up today")


def breaking():
    return Work(lambda: 1 / 0, lambda result: {})


def dying():
    sys.stderr.write("first words\nlast words\n")
    sys.stderr.flush()
    os._exit(7)


def sleeping():
    time.sleep(60)


def dying_later():
    left = [1, 1, 1]

    def run():
        return left.pop() if left else os._exit(7)

    return Work(run, lambda result: {"y": X * 2}, seconds=float)


def circumstances():
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    pools = [os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"]]
    told = [*pools, str(cpus), tempfile.gettempdir()]
    return Work(lambda: told, lambda result: {"told": result})


def ours(log):
    return logged(log, "A", [4.0, 2.0, 3.0])


def theirs(log):
    return logged(log, "B", [8.0, 8.0, 9.0])


def theirs_reusing(log):
    return logged(log, "C", [6.0, 7.0, 1.0])


def logged(log, letter, seconds):
    """Write down each run; the first two compare and calibrate, the others take these seconds."""
    rest = iter([1.0, 1.0, *seconds])

    def run():
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(letter)
        return next(rest)

    return Work(run, lambda result: {"y": X}, seconds=float)
