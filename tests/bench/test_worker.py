"""What a peer's process answers, asked without a process."""

import io
import json

import numpy as np
import pytest

from cgkit.bench.row import Work
from cgkit.bench.worker import MOST_CALLS, Desk, batch, calls_for, serve


def asked(*questions):
    """Ask and give the answers, as they would cross to the bench."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    answers = io.StringIO()
    serve(io.StringIO(lines), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def opening(name):
    return {"do": "open", "set_up": f"fake_peers:{name}", "size": {}}


def test_open_outputs_calibrate_and_time(fakes, tmp_path):
    file = tmp_path / "outputs.npz"
    opened, outputs, calibrated, timed = asked(
        opening("doubling"),
        {"do": "outputs", "file": str(file)},
        {"do": "calibrate", "seconds": 0.0},
        {"do": "time", "calls": 3},
    )
    assert opened == {"opened": True}
    assert outputs == {"names": ["y"]}
    assert calibrated == {"calls": 1}
    assert timed["seconds"] > 0
    with np.load(file) as arrays:
        assert arrays["y"].tolist() == [0.0, 2.0, 4.0]


def test_errors_are_answers_and_the_next_question_is_heard(fakes):
    failed, unopened, unknown, opened = asked(
        opening("failing"),
        {"do": "time", "calls": 1},
        {"do": "dance"},
        opening("doubling"),
    )
    assert failed == {"error": "LookupError: no set-up today"}
    assert unopened == {"error": "ValueError: nothing was opened"}
    assert unknown["error"].startswith("ValueError: no question 'dance'; there are open, outputs")
    assert opened == {"opened": True}


def test_a_line_that_is_no_message_is_answered():
    answers = io.StringIO()
    serve(io.StringIO("hello\n"), answers)
    assert json.loads(answers.getvalue())["error"].startswith("Garbled: no message")


def counted(seconds):
    """Give work that takes so long by its own clock, and the list of its runs."""
    runs = []
    return Work(lambda: runs.append(1), dict, seconds=lambda _: seconds), runs


def test_a_batch_runs_as_often_as_it_is_asked():
    work, runs = counted(0.5)
    assert batch(work, calls=6) == 3.0
    assert len(runs) == 6


def test_a_batch_is_timed_by_the_clock_where_work_has_none():
    runs = []
    assert batch(Work(lambda: runs.append(1), dict), calls=5) > 0
    assert len(runs) == 5


@pytest.mark.parametrize("seconds", [0.001, 0.003, 0.02])
def test_calls_last_as_long_as_is_asked_and_not_much_longer(seconds):
    work, _ = counted(seconds)
    calls = calls_for(work, 0.01)
    assert calls * seconds >= 0.01
    assert calls <= max(1, 1.3 * 0.01 / seconds + 1)


def test_a_clock_that_stands_still_does_not_hang():
    work, _ = counted(0.0)
    work = Work(lambda: None, dict, seconds=lambda _: 0.0)
    assert calls_for(work, 1.0) == MOST_CALLS


def test_one_call_warms_the_caches_before_many_and_not_before_one(fakes):
    runs = []
    desk = Desk()
    desk._work = Work(lambda: runs.append(1), dict, seconds=lambda _: 2.0)
    assert desk.answer({"do": "time", "calls": 1}) == {"seconds": 2.0}
    assert len(runs) == 1
    assert desk.answer({"do": "time", "calls": 3}) == {"seconds": 2.0}
    assert len(runs) == 1 + 1 + 3
