"""The conversation, with an honest worker and with one that lies."""

import contextlib
import json
import socket
import struct
import threading
import time

import numpy as np
import pytest

from cgkit.grading.codec import Refused
from cgkit.grading.edition import Edition
from cgkit.grading.frames import Channel, Closed
from cgkit.grading.link import Link
from cgkit.grading.outcomes import Died, NotData, StudentError, TimedOut
from cgkit.grading.policy import Behavior, Learner, Policy
from cgkit.grading.sandbox import Limits, Sandbox, find


def link_to(sandbox, code, policy=None):
    made = Link(sandbox, policy or Learner())
    made.run("a", code, 1)
    made.deadline = time.monotonic() + 5
    return made


def test_values_go_in_and_come_out(sandbox):
    link = link_to(sandbox, "def f(*a, **k): return a, k")
    array = np.arange(3.0)
    (given,), named = link.get("f")(array, key={"a": (1, 2)})
    assert given.tolist() == [0, 1, 2]
    assert named == {"key": {"a": (1, 2)}}
    link.end()


def test_functions_go_in_and_are_called_back(sandbox):
    link = link_to(sandbox, "def f(g, n): return [g(i) for i in range(n)]")
    calls = []
    assert link.get("f")(lambda i: calls.append(i) or i * 2, 3) == [0, 2, 4]
    assert calls == [0, 1, 2]
    assert link.get("f")(abs, 2) == [0, 1]
    link.end()


def test_an_array_that_a_callback_gives_back_is_that_array(sandbox):
    """An addition tells both operands the same gradient: who writes into one writes into both."""
    code = (
        "import numpy as np\n"
        "def f(g):\n"
        "    x = np.zeros(2)\n"
        "    one, other = g(x)\n"
        "    return one is x, other is x, [float(v) for v in one]\n"
    )
    link = link_to(sandbox, code)
    assert link.get("f")(lambda x: (x, x)) == (True, True, [0, 0])
    assert link.get("f")(lambda x: (x, x + 0)) == (True, False, [0, 0])

    def writes(x):
        x += 1
        return x, x

    assert link.get("f")(writes) == (False, False, [1, 1])
    link.end()


def test_errors_of_a_callback_go_in_by_name_only(sandbox):
    code = "def f(g):\n    try: g()\n    except KeyError as e: return type(e).__name__, str(e)"
    link = link_to(sandbox, code)

    def fail():
        raise KeyError("secret" * 100)

    name, text = link.get("f")(fail)
    assert name == "KeyError"
    assert len(text) <= 310
    link.end()


def test_what_cannot_go_in_is_refused_before_anything_is_sent(sandbox):
    link = link_to(sandbox, "def f(x): return 1")
    with pytest.raises(Refused):
        link.get("f")(object())
    assert link.get("f")(1) == 1
    link.end()


def test_an_answer_must_be_of_a_kind_the_reference_gave(sandbox):
    code = "def f(): return (n for n in 'ab')\nclass A: pass\ndef g(): return A()\nh = A()"
    function, walks = Behavior(frozenset({"function"})), Behavior(frozenset({"iterator"}))
    policy = Policy({"f": walks, "f=": function, "g=": function})
    link = link_to(sandbox, code, policy)
    assert list(link.get("f")()) == ["a", "b"]
    with pytest.raises(NotData, match="g gave an object"):
        link.get("g")()
    with pytest.raises(NotData, match="h holds"):
        link.get("h")
    link.end()


def test_a_class_may_stand_where_the_reference_has_a_function(sandbox):
    code = "class F:\n    def __call__(self, x): return x + 1\nf = F()"
    policy = Policy({"f=": Behavior(frozenset({"function"}))})
    link = link_to(sandbox, code, policy)
    assert link.get("f")(1) == 2
    link.end()


@pytest.mark.parametrize("odd", ["lambda: 0", "1 << 10**8", "[f]", "object()"])
def test_what_cannot_be_read_is_no_refusal(sandbox, odd):
    learner = Learner()
    link = link_to(sandbox, "def f(): return 1", learner)
    link.get("f")()
    link.end()
    link = link_to(sandbox, f"def f(): return {odd}", learner.policy({}))
    with pytest.raises(NotData) as caught:
        link.get("f")()
    assert not isinstance(caught.value, TypeError | ValueError)
    link.end()


def test_no_error_of_a_students_ends_the_cases_of_a_test(sandbox):
    link = link_to(sandbox, "def f(x): raise StopIteration")
    with pytest.raises(StudentError):
        list(map(link.get("f"), [1, 2, 3]))
    link.end()


def test_what_is_late_is_late_for_good(sandbox):
    link = link_to(sandbox, "def f():\n    while True: pass\ndef g(): return 1")
    g = link.get("g")
    link.deadline = time.monotonic() + 0.3
    with pytest.raises(TimedOut):
        link.get("f")()
    start = time.monotonic()
    with pytest.raises(TimedOut):
        g()
    assert time.monotonic() - start < 0.1
    assert not link.alive


def test_a_death_is_seen_between_questions(sandbox):
    link = link_to(sandbox, "import os, threading\nthreading.Timer(0.2, os._exit, [1]).start()")
    assert link.alive
    time.sleep(0.5)
    assert not link.alive
    with pytest.raises(Died):
        link.get("os")


def test_a_changed_limit_of_recursion_is_seen_by_a_check(sandbox):
    import sys

    before = sys.getrecursionlimit()
    raised = "def f():\n    import sys\n    sys.setrecursionlimit(10**6)"
    for code in (raised, f"{raised}\n    sys.setrecursionlimit(1000)"):
        link = link_to(sandbox, code)
        link.get("f")()
        assert sys.getrecursionlimit() == before + 1
        sys.setrecursionlimit(before)
        link.end()


def test_the_weight_of_all_processes_is_watched_where_no_group_is(monkeypatch):
    small = Limits(memory=1 << 30, together=250 << 20)
    with Sandbox(find("none"), Edition(), small) as sandbox:
        monkeypatch.setattr(Sandbox, "watched", True)
        code = (
            "def f():\n    import os, time\n    for _ in range(4):\n"
            "        if not os.fork():\n            block = bytearray(b'x') * (100 << 20)\n"
            "            time.sleep(20)\n    time.sleep(20)"
        )
        link = link_to(sandbox, code)
        link.deadline = time.monotonic() + 15
        with pytest.raises(Died, match="too much memory"):
            link.get("f")()


# a worker that lies


class Liar:
    """Answers whatever it is told to, in place of a sandbox."""

    watched = False

    def __init__(self, *answers):
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours)
        self.thread = threading.Thread(target=self.answer, args=(theirs, answers))
        self.thread.start()

    def answer(self, end, answers):
        other = Channel(end)
        with end, contextlib.suppress(Closed, OSError):
            for answer in answers:
                other.receive()
                if isinstance(answer, bytes):
                    end.sendall(answer)
                else:
                    other.send(answer)

    def fork(self):
        return self

    def end(self):
        self.channel.close()
        self.thread.join()


HANDLE = {"handle": {"at": 0, "is": "function", "type": "t", "name": "f"}}
LIES = {
    "no dict": [5],
    "empty": {},
    "a callback that was never given": {"callback": 3, "arguments": [], "named": {}},
    "a callback with nonsense": {"callback": "x", "arguments": 5, "named": None},
    "an error that is none": {"error": 5},
    "an error of odd parts": {"error": {"type": [], "bases": {}, "text": {}, "kind": 7}},
    "a handle of odd parts": {"value": {"handle": {"at": "0", "is": [], "name": {}}}},
    "no handle": {"value": {"handle": 5}},
    "an argument that was not sent": {"value": {"argument": 9}},
    "a pickle": {"value": {"pickle": "x"}},
    "an array without bytes": {"value": {"array": ["<f8", [10], 0, 80]}},
    "an array of objects": {"value": {"array": ["|O", [1], 0, 8]}},
    "changed what was not sent": {"value": 1, "changed": [[5, 1]]},
    "changed nonsense": {"value": 1, "changed": 5},
    "printed a number": {"value": 1, "printed": 10**50, "warned": [1], "seen": {"a": 1}},
    "seen nonsense": {"value": 1, "seen": [1, [2], [3, 4]]},
    "a changed argument that is no number": {"value": 1, "changed": [[0.0, 1], [False, [2]]]},
    "an exception of an endless number": {"error": {"kind": {"handle": {"at": 1e999, "name": ""}}}},
    "an exception without a name": {"error": {"type": "\ud800\0", "text": "x"}},
    "noise": struct.pack(">II", 3, 0) + b"[[[",
    "too much": struct.pack(">II", 2**31, 2**31),
    "deep": json.dumps({"value": 1}).encode(),
}


@pytest.mark.parametrize("name", LIES)
def test_lies_end_in_a_sentence_and_nothing_else(name):
    liar = Liar({"value": HANDLE}, *[LIES[name]] * 3)
    link = Link(liar, Learner())
    link.deadline = time.monotonic() + 1
    function = link.get("f")
    try:
        function([1])
    except (Refused, StudentError, Died, TimedOut) as error:
        said = str(error)
    else:
        said = "a value"
    assert said
    link.end()
