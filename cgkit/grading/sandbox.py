"""Fences around students' code, and what this machine offers of them.

    situation = find("system")              bwrap of the system, "bundled" wheel, or "none"
    with Sandbox(situation, Edition()) as sandbox:
        worker = sandbox.fork()             8 ms: a fenced Python that has NumPy loaded
        worker.channel ... worker.end()

One sandbox serves one lane: pieces of work come one after the other. Without namespaces (`"none"`)
a worker is a process with limits, and everything made by it is labelled UNSANDBOXED.

- What is not available is refused, never silently weakened.
- Inside there are Python, NumPy, graphviz, the student edition and an empty scratch space; nothing
  of the course, of the class, or of the network.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cgkit.errors import EnvironmentFault
from cgkit.grading.bubblewrap import bundled, command, covered
from cgkit.grading.edition import Edition, write_edition, write_guest
from cgkit.grading.frames import Channel
from cgkit.grading.leftovers import claim
from cgkit.grading.memory import Group, family, make_group, weigh
from cgkit.grading.runtime import Runtime, needed
from cgkit.grading.situation import UNSANDBOXED, Limits, Situation, Which

__all__ = ["UNSANDBOXED", "Limits", "Sandbox", "Situation", "Worker", "find"]

_START = 30.0
_ANSWER = 10.0
_ROUNDS = 3
_ASK = "pass sandbox='none' if you mean it; a student's code then runs with your rights"
_RIGHTS = "students' code runs with your rights"
_SLOWER = "no namespaces inside the sandbox, so that each submission starts one of its own: slower"
_NO_PROC = "no /proc inside, since this machine covers parts of its own"
_UNWEIGHED = "the memory of all processes of a submission together is not bounded here"
_UNBOUNDED = "nothing here bounds the memory that students' code uses"


def find(which: Which | None = None) -> Situation:
    """Find a fence.

    Parameters
    ----------
    which
        ``"system"`` or ``"bundled"`` for that bubblewrap, ``"none"`` for no fence at all; the best
        one there is when left out, which is never ``"none"``.

    Raises
    ------
    EnvironmentFault
        It is not there or does not work here; the message says why, and how to go on without.
    """
    if which == "none":
        return _bare()
    found: dict[Which, str | None] = {"system": shutil.which("bwrap"), "bundled": bundled()}
    kinds = [kind for kind in found if which in (None, kind)]
    reasons = dict.fromkeys(kinds, "no bwrap")
    for poorer in _levels():
        for kind in kinds:
            path = found[kind]
            tried = _tried(replace(poorer, which=kind, bwrap=Path(path))) if path else ""
            if isinstance(tried, Situation):
                return tried
            reasons[kind] = tried or reasons[kind]
    why = "; ".join(f"{kind}: {reason}" for kind, reason in reasons.items())
    raise EnvironmentFault("no sandbox on this machine", why=why, attempt=_ASK)


def _levels() -> Iterator[Situation]:
    """Give what to try, the best first."""
    yield Situation("system")
    yield Situation("system", inner=False, lost=(_SLOWER,))
    yield Situation("system", inner=False, lost=(_SLOWER, _NO_PROC), proc=False)


def _bare() -> Situation:
    """Give the situation without any fence."""
    linux = sys.platform.startswith("linux")
    return Situation("none", inner=False, lost=(_RIGHTS, *([] if linux else [_UNBOUNDED])))


def _tried(situation: Situation) -> Situation | str:
    """Start a sandbox and fork in it; give the situation with all that is lost, or why not."""
    try:
        with Sandbox(situation, Edition()) as sandbox:
            sandbox.fork().end()
            blind = sandbox.watched and not sandbox.load
    except EnvironmentFault as fault:
        return fault.why or fault.what
    return replace(situation, lost=(*situation.lost, _UNWEIGHED)) if blind else situation


@dataclass
class Worker:
    """One fenced process that waits for requests."""

    sandbox: Sandbox
    number: int
    channel: Channel
    alive: bool = True

    def end(self) -> None:
        """End it and everything it started."""
        if self.alive:
            self.alive = False
            self.sandbox.end(self.number)
            self.channel.close()


@dataclass
class Sandbox:
    """A warm Python behind the outer fence.

    Parameters
    ----------
    situation
        From `find`.
    edition
        What a student can import.
    limits
        What one piece of work may use.
    """

    situation: Situation
    edition: Edition
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self._claim = claim()
        self._folder = self._claim.path
        self._folder.chmod(0o755)
        self._group: Group | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None
        self._owner, self._used = 0, False
        self._heard = bytearray()
        self._trusted: frozenset[int] = frozenset()
        write_guest(self._folder / "guest")
        write_edition(self.edition, self._folder / "edition")

    def __enter__(self) -> Sandbox:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # life

    def start(self) -> None:
        """Start, or start again, the warm Python.

        Raises
        ------
        EnvironmentFault
            It does not come up.
        """
        if self._owner == os.getpid():
            self.stop()
        self._owner, self._used = os.getpid(), False
        ours, theirs = socket.socketpair()
        self._group = make_group(self.limits.together, 4 * self.limits.processes)
        self._claim.note(self._group.folders if self._group else ())
        try:
            self._process = self._started(theirs.fileno())
        finally:
            theirs.close()
        self._orders, self._heard = ours, bytearray()
        try:
            answer = self._next(time.monotonic() + _START)
        except (OSError, ValueError):
            answer = {}
        if not answer.get("ok"):
            raise EnvironmentFault("the sandbox does not start", why=self._last_words())
        self._trusted = frozenset(family(self._process.pid) if self.watched else ())

    def _started(self, file: int) -> subprocess.Popen[bytes]:
        """Start the warm Python, in its group; without one where nobody may join it."""
        words = self._command(file)
        try:
            return subprocess.Popen(
                words,
                pass_fds=[file],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                preexec_fn=self._group.join if self._group else None,
                cwd=self._folder,
                env={} if self.situation.which != "none" else _bare_environment(),
            )
        except subprocess.SubprocessError:
            if self._group is None:
                raise
            self._group.remove()
            self._group = None
            return self._started(file)

    def stop(self) -> None:
        """End the warm Python and all it forked."""
        if self._orders is not None:
            self._orders.close()
            self._orders = None
        if self._process is not None:
            if self.situation.which == "none":
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(2)  # it ends its children first
            self._process.kill()
            self._process.wait()
            if self._process.stderr:
                self._process.stderr.close()
            self._process = None
        if self._group is not None:
            self._group.remove()
            self._group = None

    def close(self) -> None:
        """Stop, and remove every trace."""
        self.stop()
        self._claim.remove()

    def _last_words(self) -> str:
        if self._process is None or self._process.stderr is None:
            return ""
        self._process.kill()
        said = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return said[-1][:300] if said else "it said nothing"

    # work

    def fork(self, limits: Limits | None = None) -> Worker:
        """Give a fresh worker.

        Raises
        ------
        EnvironmentFault
            None can be made.
        """
        if self._once and self._used:
            self.start()  # one fence only: nobody's work meets another's
        self._used = True
        ours, theirs = socket.socketpair()
        number = time.monotonic_ns()
        order = {"do": "fork", "number": number, "limits": vars(limits or self.limits)}
        try:
            answer = self._order(order, [theirs.fileno()])
        finally:
            theirs.close()
        if not answer.get("ok"):
            ours.close()
            raise EnvironmentFault("no worker", why=str(answer.get("why", "no answer")))
        return Worker(self, number, Channel(ours))

    def end(self, number: int) -> None:
        """End a worker."""
        self._order({"do": "end", "number": number}, [])

    def clear(self) -> None:
        """End all workers; start again if the warm Python is gone, or was used behind one fence."""
        gone = self._process is None or self._process.poll() is not None or self._once
        answer = {} if gone else self._order({"do": "clear", "number": time.monotonic_ns()}, [])
        if not answer.get("ok"):
            self.start()

    def leave(self) -> None:
        """End what was started by this process, and nothing that was there before a fork."""
        if self._owner == os.getpid():
            self.stop()

    @property
    def _once(self) -> bool:
        """Whether the warm Python serves one piece of work only: one fence around both."""
        return not self.situation.inner and self.situation.which != "none"

    @property
    def watched(self) -> bool:
        """Whether somebody must look at what is used, because the kernel does not."""
        return self._group is None and sys.platform.startswith("linux")

    @property
    def load(self) -> int:
        """The bytes that all processes inside hold together."""
        return weigh(self._process.pid).memory if self._process else 0

    def excess(self) -> str:
        """Say what all processes inside use too much of; "" when there is nothing to say."""
        if self._process is None or not self.watched:
            return ""
        load = weigh(self._process.pid)
        if load.memory > self.limits.together:
            return "the processes of your code used too much memory"
        return "your code started too many processes" if load.processes > self._most else ""

    @property
    def _most(self) -> int:
        return len(self._trusted) + 2 * self.limits.processes

    def look(self) -> None:
        """End all work that uses too much, without a word to the warm Python."""
        for _ in range(_ROUNDS if self.excess() else 0):
            assert self._process is not None
            for pid in set(family(self._process.pid)) - self._trusted:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def _order(self, order: dict[str, Any], files: list[int]) -> dict[str, Any]:
        """Send one order and wait for its answer; answers to older orders are passed over."""
        assert self._orders is not None
        end = time.monotonic() + _ANSWER
        try:
            self._orders.settimeout(_ANSWER)
            socket.send_fds(self._orders, [json.dumps(order).encode() + b"\n"], files)
            while True:
                answer = self._next(end)
                if answer.get("number", order["number"]) == order["number"]:
                    return answer
        except (OSError, ValueError) as error:
            return {"ok": False, "why": f"the sandbox does not answer ({type(error).__name__})"}

    def _next(self, end: float) -> dict[str, Any]:
        """Give the next answer, a line of JSON; what comes after it is kept."""
        assert self._orders is not None
        while b"\n" not in self._heard:
            self._orders.settimeout(max(0.001, end - time.monotonic()))
            part = self._orders.recv(1 << 16)
            if not part:
                raise ConnectionResetError
            self._heard += part
        line, _, rest = bytes(self._heard).partition(b"\n")
        self._heard = bytearray(rest)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _command(self, file: int) -> list[str]:
        edition, fenced = self.edition, self.situation.bwrap is not None
        runtime = needed(edition.folders, linked=fenced)
        guest, packages, copied = self._places(runtime, fenced)
        configuration = {
            "fenced": fenced and self.situation.inner,
            "drop": fenced,
            "crowded": self._group is None and not (fenced and os.getuid() == 0),
            "cover": covered(runtime),
            "guest": guest,
            "paths": [copied, packages],
            "home": "/scratch" if fenced else "",
            "inert": edition.inert,
            "missing": edition.missing,
            "barred": edition.barred,
            "warm": ["graphviz", *edition.packages],
            "rehearsed": edition.warm,
            "environment": edition.environment,
        }
        start = f"{guest}/cgkit/grading/inside/start.py"
        options = ["-P", "-s", "-B", "-S", "-X", "utf8"]  # not -I: it would shuffle sets anew
        inner = [str(runtime.python), *options, start, str(file), json.dumps(configuration)]
        if self.situation.bwrap is None:
            return inner
        masked = tuple(runtime.masked(edition.missing))
        proc = self.situation.proc
        return command(self.situation.bwrap, runtime, self._folder, masked, proc=proc) + inner

    def _places(self, runtime: Runtime, fenced: bool) -> tuple[str, str, str]:
        if fenced:
            return "/guest", "/packages", "/edition"
        packages = self._folder / "packages"
        packages.mkdir(exist_ok=True)
        for folder in runtime.packages:
            link = packages / folder.name
            if not link.exists():
                link.symlink_to(folder, target_is_directory=True)
        return str(self._folder / "guest"), str(packages), str(self._folder / "edition")


def _bare_environment() -> dict[str, str]:
    kept = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    found = {name: os.environ[name] for name in kept if name in os.environ}
    return {**found, "PYTHONHASHSEED": "0"}
