"""A warm Python that forks one worker for each piece of work, and ends it when told to.

    python -I -B -S -X utf8 -m ... FD CONFIGURATION       (started by cgkit.grading.sandbox)

    {"do": "fork", "number": 7, "limits": {...}} + a socket   ──►  {"number": 7, "ok": true}
    {"do": "end", "number": 7}                                ──►  {"number": 7, "ok": true}

NumPy is loaded before the first fork, and the garbage collector is told to leave it alone. A worker
is ended by killing the first process of its namespace, which takes all others with it.
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
from cgkit.grading.inside import fence, standins, watch
from cgkit.grading.inside.worker import Worker

WARM = (array, ast, collections, contextlib, dataclasses, functools, heapq, inspect, itertools,
        math, operator, re, string, time, traceback, types, typing, np.random)  # fmt: skip
"""Loaded once for all: what students import most."""


class Zygote:
    """Waits for orders and forks.

    Parameters
    ----------
    orders
        A socket that keeps messages whole.
    configuration
        ``fenced`` (whether there are namespaces), ``paths``, ``inert``, ``missing``.
    """

    def __init__(self, orders: socket.socket, configuration: dict[str, Any]) -> None:
        self._orders = orders
        self._configuration = configuration
        self._living: dict[int, int] = {}

    def serve(self) -> NoReturn:
        """Obey until the other side is gone."""
        fence.dumpable(False)
        while True:
            ready, _, _ = select.select([self._orders], [], [], 0.2)
            self._bury()
            if ready:
                order, files, _, _ = socket.recv_fds(self._orders, 1 << 16, 1)
                if not order:
                    self._end_all()
                    os._exit(0)
                self._obey(json.loads(order), files)

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
        self._orders.send(json.dumps(answer).encode())

    def _end(self, number: int) -> None:
        pid = self._living.pop(number, 0)
        if pid:
            for kill in (os.kill, os.killpg):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(pid, signal.SIGKILL)

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
        standins.install(configuration["inert"], configuration["missing"], worker.note)
        watch.install(worker.note, configuration["paths"])
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
    for name in configuration["warm"]:
        importlib.import_module(name)
    own = (configuration["guest"], *configuration["paths"])
    sys.path[:] = [place for place in sys.path if place not in own]
    random.seed(0)
    np.random.seed(0)
    gc.collect()
    gc.freeze()
    orders.send(json.dumps({"number": 0, "ok": True, "pid": os.getpid()}).encode())
    Zygote(orders, configuration).serve()
