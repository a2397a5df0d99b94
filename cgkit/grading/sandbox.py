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
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from cgkit.errors import EnvironmentFault
from cgkit.grading.bubblewrap import bundled, command, covered
from cgkit.grading.edition import Edition, write_edition, write_guest
from cgkit.grading.frames import Channel
from cgkit.grading.memory import Group, make_group, weight
from cgkit.grading.runtime import Runtime, needed

Which: TypeAlias = Literal["system", "bundled", "none"]
UNSANDBOXED = "UNSANDBOXED"

_START = 30.0
_ANSWER = 10.0
_ASK = "pass sandbox='none' if you mean it; a student's code then runs with your rights"


@dataclass(frozen=True)
class Limits:
    """What one piece of work may use."""

    memory: int = 1 << 30
    """Bytes of one process."""
    together: int = 3 << 29
    """Bytes of all processes together."""
    processes: int = 16
    """Processes and threads."""
    scratch: int = 32 << 20
    """Bytes of files."""
    file: int = 32 << 20
    """Bytes of one file."""
    files: int = 64
    """Open files."""
    stack: int = 8 << 20
    """Bytes of one stack."""
    seconds: int = 120
    """Seconds of processor time."""


@dataclass(frozen=True)
class Situation:
    """What stands between a student's code and the machine."""

    which: Which
    """Where the outer fence comes from."""
    bwrap: Path | None = None
    """The program that puts it up."""
    inner: bool = True
    """Whether each piece of work gets a fence of its own inside."""
    lost: tuple[str, ...] = ()
    """What this machine does not offer, in sentences."""

    @property
    def label(self) -> str:
        """What every result says about it; "" when it is all there."""
        if self.which == "none":
            return UNSANDBOXED
        return "" if self.inner else "ONE FENCE"


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
        return Situation("none", inner=False, lost=("students' code runs with your rights",))
    found = {"system": shutil.which("bwrap"), "bundled": bundled()}
    reasons = []
    for kind in ("system", "bundled"):
        path = found[kind]
        if which in (None, kind):
            if path is None:
                reasons.append(f"{kind}: no bwrap")
                continue
            tried = _tried(kind, Path(path))
            if isinstance(tried, Situation):
                return tried
            reasons.append(f"{kind}: {tried}")
    raise EnvironmentFault("no sandbox on this machine", why="; ".join(reasons), attempt=_ASK)


def _tried(which: Literal["system", "bundled"], bwrap: Path) -> Situation | str:
    """Start a sandbox and fork in it; give what works, or why nothing does."""
    whole = Situation(which, bwrap)
    poorer = replace(whole, inner=False, lost=("no namespaces inside the sandbox",))
    reason = ""
    for situation in (whole, poorer):
        try:
            with Sandbox(situation, Edition()) as sandbox:
                sandbox.fork().end()
        except EnvironmentFault as fault:
            reason = fault.why or fault.what
        else:
            return situation
    return reason


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
        self._folder = Path(tempfile.mkdtemp(prefix="cgkit-grading-"))
        self._folder.chmod(0o755)
        self._group: Group | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None
        self._owner, self._used = 0, False
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
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._group = make_group(self.limits.together, 4 * self.limits.processes)
        words = self._command(theirs.fileno())
        self._process = subprocess.Popen(
            words,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=self._group.join if self._group else None,
            cwd=self._folder,
            env={} if self.situation.which != "none" else _bare_environment(),
        )
        theirs.close()
        self._orders = ours
        ours.settimeout(_START)
        try:
            answer = json.loads(ours.recv(1 << 16) or b"{}")
        except (OSError, ValueError):
            answer = {}
        if not answer.get("ok"):
            raise EnvironmentFault("the sandbox does not start", why=self._last_words())

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
        shutil.rmtree(self._folder, ignore_errors=True)

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
        if not self.situation.inner and self.situation.which != "none" and self._used:
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
        """End all workers; start again if the warm Python is gone."""
        gone = self._process is None or self._process.poll() is not None
        answer = {} if gone else self._order({"do": "clear", "number": time.monotonic_ns()}, [])
        if not answer.get("ok"):
            self.start()

    def leave(self) -> None:
        """End what was started by this process, and nothing that was there before a fork."""
        if self._owner == os.getpid():
            self.stop()

    def weight(self) -> int:
        """Give the bytes that all processes inside hold together."""
        return weight(self._process.pid) if self._process else 0

    @property
    def watched(self) -> bool:
        """Whether somebody must look at the weight, because the kernel does not."""
        return self._group is None and sys.platform.startswith("linux")

    def _order(self, order: dict[str, Any], files: list[int]) -> dict[str, Any]:
        """Send one order and wait for its answer; answers to older orders are passed over."""
        assert self._orders is not None
        end = time.monotonic() + _ANSWER
        try:
            socket.send_fds(self._orders, [json.dumps(order).encode()], files)
            while True:
                self._orders.settimeout(max(0.001, end - time.monotonic()))
                answer: dict[str, Any] = json.loads(self._orders.recv(1 << 16) or b'{"ok":false}')
                if answer.get("number", order["number"]) == order["number"]:
                    return answer
        except (OSError, ValueError) as error:
            return {"ok": False, "why": f"the sandbox does not answer ({type(error).__name__})"}

    def _command(self, file: int) -> list[str]:
        runtime, fenced = needed(), self.situation.bwrap is not None
        guest, packages, edition = self._places(runtime, fenced)
        configuration = {
            "fenced": fenced and self.situation.inner,
            "drop": fenced,
            "cover": covered(runtime),
            "guest": guest,
            "paths": [edition, packages],
            "home": "/scratch" if fenced else "",
            "inert": self.edition.inert,
            "missing": self.edition.missing,
            "warm": ["graphviz"],
        }
        start = f"{guest}/cgkit/grading/inside/start.py"
        options = ["-I", "-B", "-S", "-X", "utf8"]
        inner = [str(runtime.python), *options, start, str(file), json.dumps(configuration)]
        if self.situation.bwrap is None:
            return inner
        masked = tuple(runtime.masked(self.edition.missing))
        return command(self.situation.bwrap, runtime, self._folder, masked) + inner

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
    return {name: os.environ[name] for name in kept if name in os.environ}
