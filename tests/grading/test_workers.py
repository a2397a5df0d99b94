"""Processes that grade: they can be lost, and nothing is lost with them."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from classwork import assignment_cells, cell, notebook, raw, written

from cgkit.errors import CgkitError, EnvironmentFault, NotebookError
from cgkit.grading import workers
from cgkit.grading.kept import Learned
from cgkit.grading.policy import Policy
from cgkit.grading.result import CellResult, Result
from cgkit.grading.sandbox import Situation
from cgkit.grading.workers import Crew, Order, Worker

# A stand-in for the process: it grades by a word in the submission and remembers nothing.
STAND_IN = """
import json, os, signal, sys, time
order = json.loads(sys.stdin.buffer.readline())
def say(body):
    print(json.dumps(body), flush=True)
if order["assignment"] == "broken":
    say({"fault": "no", "why": "a", "attempt": "b", "kind": "EnvironmentFault"})
    sys.exit()
if order["assignment"] == "mute":
    sys.exit("last words")
policy = {"behaviors": {}, "seconds": {}}
say({"learned": {**policy, "reference": {"student": "", "cells": [], "flags": [], "notes": []}}})
for line in iter(sys.stdin.buffer.readline, b""):
    job = json.loads(line)
    word = sys.stdin.buffer.read(job["size"]).decode()
    if word == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "die once":
        if not os.path.exists(order["source"]):
            open(order["source"], "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
    if word == "sleep":
        time.sleep(60)
    say({"result": {"student": job["student"], "cells": [], "flags": [], "notes": [word]}})
"""


@pytest.fixture
def order(tmp_path, monkeypatch):
    """An order whose worker is the stand-in."""
    real = subprocess.Popen

    def stand_in(words, **settings):
        assert words[-1] == "cgkit.grading.workers"
        return real([sys.executable, "-c", STAND_IN], **settings)

    monkeypatch.setattr(workers.subprocess, "Popen", stand_in)
    return Order("small", tmp_path / "died", Situation("none"), b"secret")


def load(text):
    return text.encode()


def jobs(**texts):
    return [(name, partial(load, text)) for name, text in texts.items()]


def test_every_submission_comes_back_whoever_grades_it(order):
    wanted = {f"s{number}": f"word {number}" for number in range(9)}
    with Crew(order, 3) as crew:
        found = dict(crew.grade(jobs(**wanted)))
    assert {name: result.notes for name, result in found.items()} == {
        name: (text,) for name, text in wanted.items()
    }


def test_a_worker_that_dies_over_a_submission_is_replaced_and_tries_again(order):
    with Crew(order, 1) as crew:
        found = dict(crew.grade(jobs(ada="die once", bob="fine")))
    assert found["ada"].notes == ("die once",)
    assert (found["ada"].failed, found["bob"].failed) == ("", "")


def test_a_submission_that_takes_its_worker_down_twice_is_given_up_alone(order):
    with Crew(order, 2) as crew:
        found = dict(crew.grade(jobs(ada="die", bob="fine", cleo="good")))
    assert "lost twice" in found["ada"].failed
    assert found["ada"].label == "UNSANDBOXED"
    assert (found["bob"].failed, found["cleo"].failed) == ("", "")


def test_stopping_ends_processes_that_are_at_work(order):
    began = time.monotonic()
    with Crew(order, 2) as crew:
        answers = crew.grade(jobs(ada="fine", bob="sleep", cleo="sleep"))
        next(answers)
        pids = [worker._process.pid for worker in crew._workers]
    assert time.monotonic() - began < 20
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not [thread for thread in crew._threads if thread.is_alive()]


@pytest.mark.parametrize(
    ("name", "words"), [("broken", "no\n  a\n  try      b"), ("mute", "last words")]
)
def test_a_worker_that_cannot_begin_says_why(order, tmp_path, name, words):
    bad = Order(name, tmp_path / "x", Situation("none"), b"")
    with pytest.raises(EnvironmentFault) as caught, Crew(bad, 2):
        pass
    assert words in str(caught.value)


def test_a_worker_that_cannot_be_replaced_stops_the_work(order, tmp_path, monkeypatch):
    with Crew(order, 1) as crew:
        mute = Order("mute", tmp_path / "x", Situation("none"), b"")
        crew._workers[0].order = mute
        with pytest.raises(EnvironmentFault, match="ended as it began"):
            list(crew.grade(jobs(ada="die", bob="fine")))


def test_what_has_ended_does_not_begin_again(order):
    worker = Worker(order)
    worker.begin()
    worker.ready()
    worker.end()
    worker.end()
    worker.begin()
    assert worker._process is None
    with pytest.raises(EnvironmentFault):
        worker.ready()


def test_a_system_that_cannot_fork_is_told_in_a_sentence(order, monkeypatch):
    monkeypatch.delattr(workers.os, "fork")
    with pytest.raises(EnvironmentFault, match=r"needs Linux or macOS[\s\S]*WSL"), Crew(order, 1):
        pass


def test_what_only_some_systems_have_is_imported_by_the_process_alone():
    program = (
        "import sys\n"
        "sys.modules['resource'] = sys.modules['fcntl'] = None\n"
        "import cgkit.cli.grade, cgkit.cli.demo\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_error_while_work_is_read_ends_the_run_and_is_waited_for_by_nobody(order):
    def broken():
        raise PermissionError("not yours")

    with Crew(order, 2) as crew, pytest.raises(CgkitError, match="grading eve failed") as caught:
        list(crew.grade([("eve", broken), *jobs(ada="a")]))
    assert caught.value.why == "PermissionError: not yours"


# the process itself, in this one


def test_serving_grades_and_ends_with_its_orders(monkeypatch):
    class Fake:
        policy, reference = Policy(), Result("", (CellResult("t", "test"),))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def refuse_unfair(self):
            pass

        def grade(self, student, data):
            return Result(student, notes=(data.decode(),))

    monkeypatch.setattr(workers, "_lane", lambda order: Fake())
    job = json.dumps({"student": "ada", "size": 7}).encode()
    orders, answers = io.BytesIO(b"{}\n" + job + b"\n{\n\n ok}"), io.BytesIO()
    workers.serve(orders, answers)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert first["learned"]["reference"]["cells"][0]["cell"] == "t"
    assert second["result"]["notes"] == ["{\n\n ok}"]


def test_serving_says_what_is_wrong_with_the_assignment(tmp_path):
    (tmp_path / "a.ipynb").write_text('{"cells": 3}')
    order = Order("small", tmp_path / "a.ipynb", Situation("none"), b"x")
    answers = io.BytesIO()
    workers.serve(io.BytesIO(json.dumps(order.body()).encode() + b"\n"), answers)
    answer = json.loads(answers.getvalue())
    assert (answer["kind"], "no notebook" in answer["fault"]) == ("NotebookError", True)


@pytest.mark.slow
def test_an_assignment_that_would_be_graded_unfairly_is_refused(tmp_path, situation):
    cells = [*assignment_cells(), cell("t", "assert type(mean([1])) is str", "test", 1)]
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(cells)))
    order = Order("small", tmp_path / "a.ipynb", situation, b"x")
    with pytest.raises(NotebookError, match="small would be graded unfairly"):
        Crew(order, 1).__enter__()


def test_an_order_survives_its_way(tmp_path):
    learned = Learned(Policy(seconds={"a": 1.0}), Result(""))
    order = Order("small", tmp_path, Situation("none"), b"\x00\xff", learned)
    body = json.loads(json.dumps(order.body()))
    assert bytes.fromhex(body["secret"]) == b"\x00\xff"
    assert body["learned"]["seconds"] == {"a": 1.0}


# real ones


@pytest.mark.slow
def test_a_real_worker_grades_as_a_lane_does(tmp_path, situation, lane):
    source = tmp_path / "small.ipynb"
    source.write_text(json.dumps(notebook(assignment_cells())))
    order = Order("small", source, situation, b"not told")
    with Crew(order, 2) as crew:
        found = dict(
            crew.grade(
                [
                    ("ada", lambda: raw(written())),
                    ("bob", lambda: raw(written({"mean": "def mean(values):\n    return 1"}))),
                    ("eve", lambda: b"nonsense"),
                ]
            )
        )
        learned = crew.learned
    assert {name: result.score for name, result in found.items()} == {"ada": 10, "bob": 6, "eve": 0}
    assert found["ada"] == lane.grade("ada", raw(written()))
    # what was learned once need not be learned again, and gives the same
    with Crew(Order("small", source, situation, b"not told", learned), 1) as crew:
        ((_, again),) = crew.grade([("ada", lambda: raw(written()))])
    assert again == found["ada"]


@pytest.mark.slow
def test_a_worker_ends_when_its_master_is_killed(tmp_path, situation):
    source = tmp_path / "small.ipynb"
    source.write_text(json.dumps(notebook(assignment_cells())))
    program = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from cgkit.grading.sandbox import find\n"
        "from cgkit.grading.workers import Order, Worker\n"
        f"worker = Worker(Order('small', Path({str(source)!r}), find(), b''))\n"
        "worker.begin(); worker.ready()\n"
        "print(worker._process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as master:
        pid = int(master.stdout.readline())
        os.kill(pid, 0)
        master.send_signal(signal.SIGKILL)
    end = time.monotonic() + 15
    while time.monotonic() < end and _alive(pid):
        time.sleep(0.1)
    assert not _alive(pid)


def _alive(pid):
    """Tell whether a process runs; one that waits to be buried does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123 (it may vanish meanwhile)
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="processors cannot be chosen")
def test_each_worker_stays_on_one_processor_and_they_share_all_of_ours(tmp_path, situation):
    source = tmp_path / "small.ipynb"
    source.write_text(json.dumps(notebook(assignment_cells())))
    ours = os.sched_getaffinity(0)
    with Crew(Order("small", source, situation, b""), 2) as crew:
        theirs = [os.sched_getaffinity(worker._process.pid) for worker in crew._workers]
    assert [len(one) for one in theirs] == [1, 1]
    assert set.union(*theirs) <= ours
    assert len(set.union(*theirs)) == min(2, len(ours))
    assert os.sched_getaffinity(0) == ours


@pytest.mark.slow
def test_an_assignment_whose_answers_fail_is_named(tmp_path, situation):
    source = tmp_path / "small.ipynb"
    source.write_text('{"cells": [{"cell_type": "code"}]}')
    with (
        pytest.raises(NotebookError, match="no notebook"),
        Crew(Order("small", source, situation, b""), 1),
    ):
        pass
