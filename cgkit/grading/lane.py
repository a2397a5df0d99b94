"""One lane: a trusted process with a sandbox, grading submissions one after the other.

    with Lane(assignment, find()) as lane:
        result = lane.grade("ada", raw)

    lane ──fork──► judge ──asks──► zygote ──fork──► fence ──► the student's code
      ▲              │ result as JSON
      └──────────────┘

- The lane itself never looks at a submission: a judge does, in a process with limits.
- The first thing a lane does is to grade the author's own answers; from them it learns what answers
  may give back and how long they may take. A policy learned elsewhere can be handed over instead.
- Whichever lane grades a submission, the result is the same.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import hmac
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cgkit.errors import NotebookError
from cgkit.grading.edition import Edition
from cgkit.grading.evidence import flags_of
from cgkit.grading.judge import Judge, Seeds, Times
from cgkit.grading.master import Master, answered, read_master
from cgkit.grading.policy import Behavior, Learner, Policy
from cgkit.grading.prepare import Prepared, prepare, rehearse
from cgkit.grading.rebuild import Plan, own_cells, rebuild
from cgkit.grading.result import CellResult, Result, from_body, to_body
from cgkit.grading.sandbox import Limits, Sandbox, Situation
from cgkit.grading.settings import edition_of

JUDGE_MEMORY = 4 << 30
"""Bytes of address space of one judge."""
_SLACK = 20.0
_LOOK = 0.5


@dataclass(frozen=True)
class Assignment:
    """What is graded, and how."""

    name: str
    master: Master
    edition: Edition = field(default_factory=Edition)
    times: Times = field(default_factory=Times)
    limits: Limits = field(default_factory=Limits)


def read_assignment(name: str, notebook: Mapping[str, Any], **settings: Any) -> Assignment:
    """Make an assignment of its source notebook.

    Parameters
    ----------
    name
        Such as "01_graphs".
    notebook
        Format 4, as JSON holds it, with answers and hidden tests.
    **settings
        ``edition``, ``times``, ``limits``; what the author says in the notebook when left out.

    Raises
    ------
    NotebookError
        It is no notebook, or says what is not understood.
    """
    master = read_master(notebook)
    edition = settings.setdefault("edition", edition_of(master))
    if "limits" not in settings and edition.memory:
        most = Limits()
        settings["limits"] = replace(
            most, memory=edition.memory, together=edition.memory + most.together
        )
    return Assignment(name, master, **settings)


class Lane:
    """Grades submissions of one assignment.

    Parameters
    ----------
    assignment
        What is graded.
    situation
        From `cgkit.grading.sandbox.find`.
    secret
        Decides the seeds of tests; keep it from students.
    policy
        Learned by another lane; learned anew when left out.
    reference
        How the author's own answers came out in that lane.
    """

    def __init__(
        self,
        assignment: Assignment,
        situation: Situation,
        *,
        secret: bytes = b"",
        policy: Policy | None = None,
        reference: Result | None = None,
    ) -> None:
        self.assignment = assignment
        self.situation = situation
        self.policy = policy or Policy()
        self.reference = reference
        self._learned = policy is not None
        self._secret = secret
        self._prepared = Prepared()
        self._sandbox = Sandbox(situation, assignment.edition, assignment.limits)

    def __enter__(self) -> Lane:
        try:
            self._sandbox.start()
            rehearse(self.assignment.master, prepare(self.assignment.master))
            self._prepared = prepare(self.assignment.master)  # what tests changed is as it was
            gc.collect()
            gc.freeze()
            if not self._learned:
                self._learn()
            if self.reference is not None:
                self._prepared = self._prepared.with_results(self.reference)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.close()

    def grade(self, student: str, raw: bytes) -> Result:
        """Grade one submission; whatever it holds, a result comes back.

        Parameters
        ----------
        student
            Who; decides the seeds.
        raw
            The submitted file.
        """
        start = time.monotonic()
        known = self.assignment.times.slower * sum(self.policy.seconds.values())
        wall = max(self.assignment.times.total, known) + _SLACK
        body = _forked(lambda: self._judged(student, raw, self.policy), self._sandbox, wall)
        seconds = round(time.monotonic() - start, 4)
        if "fault" in body:
            return replace(self._nothing(student, str(body["fault"])), seconds=seconds)
        return replace(from_body(body), seconds=seconds)

    def _judged(self, student: str, raw: bytes, policy: Policy) -> str:
        """Judge one submission; runs in a process of its own."""
        plan = self._prepared.lightened(rebuild(self.assignment.master, raw))
        judge = self._judge(plan, self._seeds(student), policy)
        try:
            cells = judge.run()
        finally:
            self._sandbox.leave()
        result = Result(
            student=student,
            cells=cells,
            notes=plan.notes,
            flags=flags_of(plan, self.assignment.edition, judge.seen),
            sources={**plan.sources, **own_cells(plan)},
            label=self.situation.label,
            forks=judge.forks,
        )
        return json.dumps(to_body(result))

    def _judge(self, plan: Plan, seeds: Seeds, policy: Policy) -> Judge:
        times, prepared = self.assignment.times, self._prepared
        return Judge(plan, self._sandbox, policy, seeds, times, prepared.names, prepared.results)

    def _seeds(self, student: str) -> Seeds:
        name = f"{self.assignment.name}/{student}".encode("utf-8", "surrogateescape")
        outside = hmac.new(self._secret, name, "sha256").digest()
        inside = hashlib.sha256(b"inside/" + name).digest()
        return Seeds(*(int.from_bytes(digest[:4], "big") for digest in (inside, outside)))

    def _nothing(self, student: str, why: str) -> Result:
        """Give the result of a submission whose judge did not come back."""
        cells = tuple(
            CellResult(cell.cell, "test", out_of=cell.points, message=why, error="Judge",
                       by_hand=why)
            for cell in self.assignment.master.cells
            if cell.role == "test"
        )  # fmt: skip
        return Result(student, cells, label=self.situation.label, failed=why)

    # learning

    def _learn(self) -> None:
        """Grade the author's answers and learn from them.

        Raises
        ------
        NotebookError
            They cannot be graded: the assignment or this machine is at fault.
        """
        raw = json.dumps(answered(self.assignment.master)).encode()
        body = _forked(lambda: self._taught(raw), self._sandbox, 600)
        if "fault" in body:
            what = f"the answers of {self.assignment.name} cannot be graded"
            raise NotebookError(what, why=body["fault"])
        behaviors = {
            name: Behavior(frozenset(kinds), frozenset(changes))
            for name, (kinds, changes) in body["behaviors"].items()
        }
        self.policy = Policy(behaviors, body["seconds"])
        self.reference = from_body(body["result"])

    def refuse_unfair(self) -> None:
        """Refuse an assignment whose own answers do not get all points: nobody else's would.

        Raises
        ------
        NotebookError
            Some test judges the answers of the assignment otherwise than its author meant.
        """
        short = [
            f"{cell.cell} gives {cell.score:g} of {cell.out_of:g}: "
            + " ".join(cell.message.split())
            for cell in (self.reference.cells if self.reference else ())
            if cell.kind == "test" and (cell.error or cell.score != cell.out_of)
        ]
        if short:
            what = f"{self.assignment.name} would be graded unfairly: not even its own answers pass"
            more = f"; and {len(short) - 3} more" if len(short) > 3 else ""
            attempt = "another way to test this; solutions/AUTHORS.md says what a test can see"
            raise NotebookError(what, why="; ".join(short[:3]) + more, attempt=attempt)

    def _taught(self, raw: bytes) -> str:
        plan = self._prepared.lightened(rebuild(self.assignment.master, raw))
        learner = Learner()
        judge = self._judge(plan, self._seeds(""), learner)
        try:
            cells = judge.run()
        finally:
            self._sandbox.leave()
        learned = learner.policy({cell.cell: cell.seconds for cell in cells})
        behaviors = {
            name: (sorted(one.kinds), sorted(one.changes))
            for name, one in learned.behaviors.items()
        }
        result = to_body(Result("", cells, plan.notes, forks=judge.forks))
        return json.dumps({"behaviors": behaviors, "seconds": learned.seconds, "result": result})


def _forked(work: Callable[[], str], sandbox: Sandbox, wall: float) -> dict[str, Any]:
    """Do work that gives JSON in a process with limits; give what it says, or its ``fault``."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        _child(work, read, write)
    os.close(write)
    try:
        return _collected(read, time.monotonic() + wall, sandbox.look)
    finally:
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        sandbox.clear()


def _child(work: Callable[[], str], read: int, write: int) -> None:
    """Do the work and end; never returns."""
    try:
        os.close(read)
        _bound_memory()
        try:
            text = work()
        except BaseException as error:  # of the grader's own making; the lane must live on
            text = json.dumps({"fault": f"{type(error).__name__}: {error}"[:2_000]})
        data = text.encode()
        while data:
            data = data[os.write(write, data) :]
    finally:
        os._exit(0)


def _bound_memory() -> None:
    """Bound the memory of this process; macOS knows the limit and does not take it."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = JUDGE_MEMORY if hard == resource.RLIM_INFINITY else min(hard, JUDGE_MEMORY)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (OSError, ValueError):
        if sys.platform.startswith("linux"):
            raise


def _collected(read: int, end: float, look: Callable[[], None]) -> dict[str, Any]:
    """Take what a judge says; now and then look at what its student's code uses meanwhile."""
    parts = bytearray()
    while True:
        left = end - time.monotonic()
        if left <= 0:
            return {"fault": "the judge ran out of time"}
        if not select.select([read], [], [], min(left, _LOOK))[0]:
            look()
            continue
        part = os.read(read, 1 << 16)
        if not part:
            break
        parts += part
    try:
        body: dict[str, Any] = json.loads(parts)
    except ValueError:
        return {"fault": "the judge ran out of memory, or was ended"}
    return body
