"""A warm Python that forks one worker for each piece of work, and ends it when told to.

    python -P -s -B -S -X utf8 -m ... FD CONFIGURATION       (started by cgkit.grading.sandbox)

    {"do": "fork", "number": 7, "limits": {...}} + a socket   ──►  {"number": 7, "ok": true}
    {"do": "end", "number": 7}                                ──►  {"number": 7, "ok": true}

Orders and answers are lines of JSON, since not every system keeps messages whole.

NumPy is loaded before the first fork, and the garbage collector is told to leave it alone. A worker
is ended by killing the first process of its namespace, which takes all others with it. Without
namespaces every process below this one is killed; orphans are below it, too, where that can be had.
"""

from __future__ import annotations

import array
import ast
import collections
import contextlib
import dataclasses
import functools
import gc
import heapq
import importlib
import inspect
import itertools
import json
import math
import operator
import os
import random
import re
import select
import signal
import socket
import string
import sys
import time
import traceback
import types
import typing
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from cgkit.grading.frames import Channel
from cgkit.grading.inside import bars, fence, standins, watch
from cgkit.grading.inside.worker import Worker
from cgkit.grading.memory import family

WARM = (array, ast, collections, contextlib, dataclasses, functools, heapq, inspect, itertools,
        math, operator, re, string, time, traceback, types, typing, np.random)  # fmt: skip
"""Loaded once for all: what students import most."""
_COLLECTED = (100_000, 20, 20)
"""How seldom to look for garbage that holds itself; large values come in, and hold none."""
_ROUNDS = 100


class Zygote:
    """Waits for orders and forks.

    Parameters
    ----------
    orders
        A stream socket, whose other end the sandbox holds.
    configuration
        ``fenced`` (whether there are namespaces), ``crowded`` (whether nobody else bounds the
        number of processes), ``paths``, ``inert``, ``missing``, ``barred``.
    """

    def __init__(self, orders: socket.socket, configuration: dict[str, Any]) -> None:
        self._orders = orders
        self._configuration = configuration
        self._living: dict[int, int] = {}
        self._heard = b""

    def serve(self) -> NoReturn:
        """Obey until the other side is gone."""
        fence.dumpable(False)
        fence.adopt()
        while True:
            ready, _, _ = select.select([self._orders], [], [], 0.2)
            self._bury()
            if ready:
                heard, files, _, _ = socket.recv_fds(self._orders, 1 << 16, 4)
                if not heard:
                    self._end_all()
                    os._exit(0)
                *lines, self._heard = (self._heard + heard).split(b"\n")
                for line in lines:
                    order = json.loads(line)
                    self._obey(order, [files.pop(0)] if order["do"] == "fork" else [])

    def _obey(self, order: dict[str, Any], files: list[int]) -> None:
        answer: dict[str, Any] = {"number": order["number"], "ok": True}
        if order["do"] == "clear":
            self._end_all()
        elif order["do"] == "end":
            self._end(order["number"])
        else:
            try:
                self._living[order["number"]] = self._fork(order["limits"], files[0])
            except OSError as error:
                answer |= {"ok": False, "why": str(error)}
        for file in files:
            os.close(file)
        self._orders.sendall(json.dumps(answer).encode() + b"\n")

    def _end(self, number: int) -> None:
        pid = self._living.pop(number, 0)
        if pid:
            for kill in (os.kill, os.killpg):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(pid, signal.SIGKILL)
            if not self._configuration["fenced"]:
                self._end_strays()

    def _end_strays(self) -> None:
        """End everything below this process, whatever group or session it has moved to."""
        for _ in range(_ROUNDS):
            self._bury()
            strays = set(family(os.getpid())) - {os.getpid()}
            if not strays:
                return
            for pid in strays:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.002)

    def _end_all(self) -> None:
        for number in list(self._living):
            self._end(number)

    @staticmethod
    def _bury() -> None:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    def _fork(self, limits: dict[str, Any], file: int) -> int:
        """Fork a worker; give the pid by which it is ended.

        Raises
        ------
        OSError
            Its fence could not be put up.
        """
        read, write = os.pipe()
        keeper = os.fork()
        if not keeper:
            os.close(read)
            self._become(limits, file, write)
        os.close(write)
        with open(read, "rb") as news:  # noqa: PTH123 (a file descriptor)
            said = news.read().decode()
        if "!" in said or "ready" not in said:
            raise OSError(said.partition("!")[2] or "the worker did not start")
        words = said.split()
        return next((int(word) for word in words if word.isdigit()), keeper)

    def _become(self, limits: dict[str, Any], file: int, write: int) -> NoReturn:
        """Go on as keeper and worker; never returns."""
        try:
            self._orders.close()
            os.setpgid(0, 0)
            if self._configuration["fenced"]:
                pid = fence.enter(limits, self._configuration["cover"])
                if pid:
                    os.write(write, b"%d " % pid)
                    _keep(pid, (write, file))
            else:
                fence.die_with_parent()
                if self._configuration["crowded"]:
                    fence.crowd(limits["processes"], alone=self._configuration["drop"])
                fence.restrict(limits)
            os.write(write, b"ready ")
            os.close(write)
            self._work(socket.socket(fileno=file))
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.write(write, f"!{error}".encode())
        finally:
            os._exit(1)

    def _work(self, end: socket.socket) -> None:
        with contextlib.suppress(OSError):  # of all in the group, the kernel ends this one first
            Path("/proc/self/oom_score_adj").write_text("1000")
        worker = Worker(Channel(end))
        configuration = self._configuration
        home = configuration["home"] or str(Path.cwd())
        with contextlib.suppress(OSError):
            os.chdir(home)
        os.environ.update(HOME=home, TMPDIR=home)
        worker.settle()
        sys.path[:0] = configuration["paths"]
        own = (*configuration["paths"], configuration["guest"])
        standins.install(configuration["inert"], configuration["missing"], worker.note)
        bars.put_up(configuration["missing"], configuration["barred"], worker.note, own)
        watch.install(worker.note, filter(None, (*configuration["paths"], configuration["home"])))
        worker.serve()


def _keep(pid: int, files: tuple[int, ...]) -> NoReturn:
    """Wait for the fenced process, holding nothing of its."""
    for file in files:
        os.close(file)
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)
    os._exit(0)


def forget_cgkit() -> None:
    """Let `cgkit` mean the student edition from now on; this code lives on by its references."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "cgkit"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def drop_root() -> None:
    """Become nobody, if the sandbox was started as root."""
    if os.getuid() == 0:
        fence.whole_proc()
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)


def main(arguments: list[str]) -> NoReturn:
    """Start: warm up, become nobody, serve."""
    orders = socket.socket(fileno=int(arguments[0]))
    configuration = json.loads(arguments[1])
    if configuration["fenced"] or configuration["drop"]:
        drop_root()
    forget_cgkit()
    os.environ.update(configuration["environment"])
    for name in configuration["warm"]:
        importlib.import_module(name)
    for text in configuration["rehearsed"]:
        exec(compile(text, "<warm>", "exec"), {"__name__": "__main__"})
    own = (configuration["guest"], *configuration["paths"])
    sys.path[:] = [place for place in sys.path if place not in own]
    random.seed(0)
    np.random.seed(0)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTED)
    orders.sendall(json.dumps({"number": 0, "ok": True}).encode() + b"\n")
    Zygote(orders, configuration).serve()
