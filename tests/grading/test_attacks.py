"""Cheats and hostile programs, each with what it must get.

A cheat gives a wrong answer and reaches for the marks: 0 on its question, full marks elsewhere, and
a flag with the line. A hostile program costs its own question, and never the lane.
"""

import pytest
from classwork import POINTS, raw, written

from cgkit.grading import evidence

WRONG = "def mean(values):\n    return 0\n"

# name: (text of the cell `mean`, kind of flag)
CHEATS = {
    "input transformer": (
        WRONG + "get_ipython().input_transformers_cleanup.append(lambda lines: [])",
        evidence.NOTEBOOK,
    ),
    "always equal": (
        "class Same:\n    def __eq__(self, other):\n        return True\n"
        "    def __array__(self, *a, **k):\n        return 5.0\n"
        "def mean(values):\n    return Same()\n",
        evidence.ALWAYS_EQUAL,
    ),
    "display hook": (
        WRONG + "import sys\nsys.displayhook = lambda value: print(4)",
        evidence.NOTEBOOK,
    ),
    "patched checker": (
        WRONG + "check.evaluate = lambda *a, **k: 4",
        evidence.PATCHES,
    ),
    "patched allclose": (WRONG + "np.allclose = lambda *a, **k: True", evidence.PATCHES),
    "setattr": (WRONG + "setattr(np, 'allclose', lambda *a: True)", evidence.PATCHES),
    "replaced module": (
        WRONG + "import sys, types\nsys.modules['cgkit'] = types.ModuleType('cgkit')",
        evidence.PATCHES,
    ),
    "reference by import": (
        "from cgkit.interpret import evaluate\ndef mean(values):\n    return evaluate(values)\n",
        evidence.REFERENCE,
    ),
    "reference by alias": (
        "import cgkit as k\ndef mean(values):\n    return k.ops.mean(values)\n",
        evidence.REFERENCE,
    ),
    "reference by __import__": (
        "def mean(values):\n    return __import__('cgkit.ops').ops.mean(values)\n",
        evidence.REFERENCE,
    ),
    "reference by getattr": (
        "import cgkit\ndef mean(values):\n    return getattr(cgkit, 'op' + 's').mean(values)\n",
        evidence.REFERENCE,
    ),
    "search of memory": (
        "import gc\ndef mean(values):\n"
        "    for thing in gc.get_objects():\n"
        "        if type(thing).__name__ == 'function' and thing.__module__ == 'cgkit.checks':\n"
        "            return 5\n"
        "    return [one for one in gc.get_objects() if type(one) is dict and "
        "'secret_values' in one][0]\n",
        evidence.FRAMES,
    ),
    "search of frames": (
        "import sys\ndef mean(values):\n    frame = sys._getframe()\n"
        "    while frame:\n        if 'secret_values' in frame.f_globals:\n            return 5\n"
        "        frame = frame.f_back\n    return 0\n",
        evidence.FRAMES,
    ),
    "reads solutions": (
        "def mean(values):\n    return eval(open('../../../solutions/small/small.ipynb').read())\n",
        evidence.FILES,
    ),
    "reads the gradebook": (
        "import sqlite3\ndef mean(values):\n"
        "    return sqlite3.connect('/srv/course/gradebook.db').execute('select 1')\n",
        evidence.FILES,
    ),
    "lists folders": (
        "import os\ndef mean(values):\n    return len(os.listdir('/srv/solutions')) * 0 + 2\n",
        evidence.FILES,
    ),
    "network": (
        "import urllib.request\ndef mean(values):\n"
        "    return float(urllib.request.urlopen('http://127.0.0.1:8888/').read())\n",
        evidence.NETWORK,
    ),
    "writes results": (
        "open('/tmp/results.json', 'w').write('{\"test_mean\": 4}')\n" + WRONG,
        evidence.FILES,
    ),
    "pickle": (
        "import pickle\nclass Bomb:\n    def __reduce__(self):\n        return (exit, ())\n"
        "def mean(values):\n    return pickle.dumps(Bomb())\n",
        evidence.PICKLES,
    ),
    "ready-made": (
        "import networkx as nx\ndef mean(values):\n    return nx.mean(values)\n",
        evidence.READY_MADE,
    ),
    "shell": ("!cat ../secrets\n" + WRONG, evidence.PROGRAMS),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_gets_nothing_and_is_flagged(lane, name):
    text, kind = CHEATS[name]
    result = lane.grade("mallory", raw(written({"mean": text})))
    scores = {one.cell: one.score for one in result.cells if one.kind == "test"}
    assert scores == {**POINTS, "test_mean": 0}
    assert kind in {flag.what for flag in result.flags}, result.flags
    assert all(flag.evidence for flag in result.flags)


def test_an_honest_answer_is_not_flagged(lane):
    result = lane.grade("ada", raw(written()))
    assert result.score == sum(POINTS.values())
    assert result.flags == ()
    assert result.notes == ()


def test_an_object_that_counts_up_orders_nothing(lane):
    text = (
        "class Rising(list):\n    at = 0\n    def index(self, value):\n"
        "        self.at += 1\n        return self.at\n"
        "def order(graph):\n    return Rising()\n"
    )
    result = lane.grade("mallory", raw(written({"order": text})))
    assert result.by_cell()["test_order"].score == 0


def test_arguments_are_not_changed_behind_the_test(lane):
    # right on what is left of the list, and wrong on the list that was given
    text = "def mean(values):\n    values[:] = [0]\n    return 0\n"
    result = lane.grade("mallory", raw(written({"mean": text})))
    assert result.by_cell()["test_mean"].score == 0


def test_a_reference_that_is_not_there_says_so(lane):
    text = "import cgkit\ndef mean(values):\n    return cgkit.mean(values)\n"
    cell = lane.grade("mallory", raw(written({"mean": text}))).by_cell()["test_mean"]
    assert "cgkit.mean is left out when your work is graded" in cell.message


# what it does when `mean` is called
HOSTILE = {
    "endless loop": ("while True: pass", "TimedOut"),
    "loop that catches everything": (
        "while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
        "TimedOut",
    ),
    "leaves": ("import os; os._exit(0)", "Died"),
    "kills its group": ("import os; os.killpg(0, 9); os._exit(1)", "Died"),
    "segfault": ("import ctypes; ctypes.string_at(0)", "Died"),
    "overflow of the stack": (
        "import sys; sys.setrecursionlimit(10**9)\n"
        "    deep = ()\n    for _ in range(10**6): deep = (deep,)\n    repr(deep)",
        ("TimedOut", "Died"),
    ),
    "memory bomb": ("return len(bytearray(4 << 30))", "MemoryError"),
    "many processes": (
        "import os\n    while True:\n        try: os.fork()\n        except OSError: pass",
        ("TimedOut", "Died"),
    ),
    "memory in many processes": (
        "import os, time\n    for _ in range(6):\n        if os.fork() == 0:\n"
        "            block = bytearray(400 << 20)\n"
        "            for place in range(0, len(block), 4096): block[place] = 1\n"
        "            time.sleep(60)\n    time.sleep(60)",
        ("TimedOut", "Died"),
    ),
    "huge number": ("return 1 << 10**8", "NotData"),
    "holds itself": ("a = []; a.append(a); return a", "NotData"),
    "huge array": ("return np.broadcast_to(1.0, (1 << 20, 1 << 20))", "NotData"),
    "sleeps": ("import time; time.sleep(1000)", "TimedOut"),
    "closes everything": ("import os; os.closerange(0, 1000); return 2", "Died"),
    "talks nonsense": (
        "import os\n    for number in range(3, 40):\n"
        "        try: os.write(number, b'x' * 64)\n        except OSError: pass\n    return 2",
        "Died",
    ),
    "raises what cannot be shown": (
        "class Bad(BaseException):\n        def __str__(self): raise Bad\n    raise Bad",
        "Bad",
    ),
    "exits": ("raise SystemExit(0)", "SystemExit"),
    "fakes the end of input": ("raise EOFError", "EOFError"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_costs_its_own_question(lane, name):
    body, error = HOSTILE[name]
    result = lane.grade("mallory", raw(written({"mean": f"def mean(values):\n    {body}\n"})))
    assert not result.failed
    cells = result.by_cell()
    assert cells["test_mean"].score == 0
    assert cells["test_mean"].error in ((error,) if isinstance(error, str) else error)
    scores = {one.cell: one.score for one in result.cells if one.kind == "test"}
    assert scores == {**POINTS, "test_mean": 0}


# what it does when its cell is run; the answers themselves are right
AT_ONCE = {
    "200,000 lines": "for number in range(200_000): print(number)",
    "one long line": "print('x' * (100 << 20))",
    "a thread left running": (
        "import threading\n"
        "def forever():\n    while True: pass\n"
        "threading.Thread(target=forever, daemon=True).start()"
    ),
    "atexit": "import atexit, os\natexit.register(os._exit, 3)",
    "del np": "del np",
    "reset": "%reset -f",
    "input": "name = input('who are you? ')",
    "warnings": "import warnings, sys\nwarnings.warn('old')\nprint('careful', file=sys.stderr)",
    "names of the tests": "t = ns = score = check = result = found = items = right = 5",
    "np is something else": "np = 5",
    "random state": "import random\nrandom.seed(0)\nnp.random.seed(0)",
    "rebinds print": "print = None",
    "closes stdout": "import sys\nsys.stdout.close()",
    "patches builtins": "import builtins\nbuiltins.len = lambda thing: 0",
    "leaves after all": "import atexit",
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_odd_cells_cost_nothing(lane, name):
    extras = {"colors": [AT_ONCE[name]]}
    result = lane.grade("odd", raw(written(extras=extras)))
    assert not result.failed
    scores = {one.cell: one.score for one in result.cells if one.kind == "test"}
    assert scores == POINTS
    assert all(len(one.printed) < 70_000 for one in result.cells)


@pytest.mark.parametrize(
    "answer", ["-1", "float('nan')", "True", "np.float64(1.0)", "'4'", "None", "(4, 'all')"]
)
def test_what_an_answer_gives_is_never_points(lane, answer):
    text = f"def mean(values):\n    return {answer}\n"
    assert lane.grade("loose", raw(written({"mean": text}))).by_cell()["test_mean"].score == 0


def test_a_name_that_is_rebound_later_counts_as_it_was(lane):
    result = lane.grade("late", raw(written(extras={"test_mean": ["mean = 3"]})))
    assert result.by_cell()["test_mean"].score == 4


def test_a_hang_in_a_cell_costs_what_it_defines(lane):
    text = "def mean(values):\n    return sum(values) / len(values)\nwhile True: pass"
    scores = {one.cell: one.score for one in lane.grade("h", raw(written({"mean": text}))).cells}
    assert scores["test_order"] == 3
    assert scores["test_mean"] == 0


def test_the_lane_grades_on_after_all_of_that(lane):
    again = lane.grade("ada", raw(written()))
    assert again.score == sum(POINTS.values())
