import pytest

from cgkit.grading import evidence
from cgkit.grading.differences import (
    ADDED,
    AS_TEXT,
    CHANGED,
    COPIED,
    DELETED,
    EARLIER,
    POINTS,
    SPLIT,
    Difference,
)
from cgkit.grading.edition import Edition
from cgkit.grading.evidence import flags_in, flags_of, flags_of_files
from cgkit.grading.rebuild import Plan, PlanCell


def kinds(source):
    return [flag.what for flag in flags_in(source, "mean", Edition())]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import networkx", evidence.READY_MADE),
        ("from graphlib import TopologicalSorter", evidence.READY_MADE),
        ("from cgkit import Tensor", evidence.REFERENCE),
        ("import cgkit.autodiff as a", evidence.REFERENCE),
        ("k = __import__('cgkit')", evidence.REFERENCE),
        ("import numpy as np\nnp.sum = max", evidence.PATCHES),
        ("import numpy.linalg as la\nla.norm = max", evidence.PATCHES),
        ("import sys\nsys.modules['cgkit'] = None", evidence.PATCHES),
        ("import builtins\nbuiltins.len = max", evidence.PATCHES),
        ("class A:\n    def __eq__(self, o): return True", evidence.ALWAYS_EQUAL),
        ("import sys\nsys.displayhook = print", evidence.NOTEBOOK),
        ("ip.ast_transformers.append(1)", evidence.NOTEBOOK),
        ("import inspect\ninspect.currentframe()", evidence.FRAMES),
        ("import gc\ngc.get_objects()", evidence.FRAMES),
        ("(lambda: 0).__globals__", evidence.FRAMES),
        ("x = '../../../gradebook.db'", evidence.FILES),
        ("open('x')", evidence.FILES),
        ("import socket", evidence.NETWORK),
        ("import os\nos.system('ls')", evidence.PROGRAMS),
        ("from os import system\nsystem('ls')", evidence.PROGRAMS),
        ("!curl x", evidence.PROGRAMS),
        ("%%bash\ncurl x", evidence.PROGRAMS),
        ("%reset -f", evidence.RESET),
        ("import ctypes", evidence.NATIVE),
        ("import pickle\npickle.loads(b'')", evidence.PICKLES),
        ("exec('np.sum = max')", evidence.TEXT),
        ("import numpy as np\nvars(np)['sum'] = max", evidence.PATCHES),
        ("import sys\nsys.meta_path.insert(0, Finder())", evidence.PATCHES),
        ("import os\nfor fd in range(9): os.write(fd, b'4')", evidence.FILES),
    ],
)
def test_telling_lines(source, kind):
    assert kind in kinds(source)


@pytest.mark.parametrize(
    "source",
    [
        "import math, operator, heapq\nfrom collections import deque",
        "from cgkit import render\nfrom cgkit.checks import graphs as check\nrender.install()",
        "class P:\n    def __eq__(self, other):\n        return self.x == other.x",
        "class P:\n    def __init__(self):\n        self.x = 1\np = P()\np.y = 2",
        "import numpy as np\nx = np.zeros(3)\nx[0] = 1",
        '"""A text of many lines\nthat says ../ somewhere"""',
        "import json\njson.loads('1')",
        "walk = [1]\nglob = 2",
        "import re, sys\nre.compile('a')\nsys.stdout.write('a')\nsys.path.append('..')",
        "class Graph:\n    def eval(self): return self.exec()\nGraph().eval()",
        "def eval(graph): return graph\neval({})",
        "def walk(graph, node):\n    for one in graph[node]:\n        walk(graph, one)",
        "walk(graph, 'z')",  # the helper of another cell
        "class Door:\n    def open(self): self.kill()\nDoor().open()",
        "def system(a, b): return a\nsystem(1, 2)",
        "open = [1]\nopen.append(2)",
        "class Node:\n    def run(self):\n        self.execution_count += 1",
        "def f():\n    'All hidden tests should pass with this.'",
        "raise ValueError('see solutions/ of the book, or ../notes')",
        "import inspect, gc\ninspect.signature(len)\ngc.collect()",
        "%load_ext autoreload\n%autoreload 2",
        "def f(:",
    ],
)
def test_ordinary_code_is_not_flagged(source):
    assert kinds(source) == []


def test_a_flag_names_line_and_cell():
    (flag,) = flags_in("x = 1\nimport socket", "mean", Edition())
    assert (flag.where, flag.evidence) == ("mean", "line 2: import socket")


def test_many_flags_are_counted_and_none_of_another_kind_is_lost():
    source = "open('x')\n" * 10 + "import socket"
    cells = tuple(PlanCell("extra", f"own{number}", source) for number in range(3))
    flags = flags_of(Plan(cells, frozenset()), Edition())
    assert len(flags) == 3 * (evidence.MOST_ALIKE + 1) + 1
    assert {flag.where for flag in flags if flag.what == evidence.NETWORK} == {
        "own0", "own1", "own2",
    }  # fmt: skip
    assert flags[-1].evidence == "15 more like these"
    many = tuple(PlanCell("extra", f"own{number}", source) for number in range(100))
    assert len(flags_of(Plan(many, frozenset()), Edition())) == evidence.MOST_FLAGS + 1


def test_only_the_students_cells_are_looked_at():
    cells = (
        PlanCell("given", "setup", "import socket"),
        PlanCell("test", "t", "import pickle"),
        PlanCell("extra", "own1", "import gc\ngc.get_objects()"),
    )
    seen = [("setup", "network", "x"), ("own1", "file read", "/etc/passwd")]
    flags = flags_of(Plan(cells, frozenset()), Edition(), seen)
    assert [(flag.what, flag.where, flag.how) for flag in flags] == [
        (evidence.FRAMES, "own1", "text"),
        (evidence.FILES, "own1", "run"),
    ]


def test_only_tests_that_lost_a_line_or_claim_other_points_are_flagged():
    edited = (
        Difference("t1", CHANGED, "not there: assert f(1) == 1"),
        Difference("t2", POINTS, "400 instead of 4"),
        *(Difference("t3", what) for what in (ADDED, AS_TEXT, COPIED, DELETED, EARLIER, SPLIT)),
    )
    flags = flags_of(Plan((), frozenset(), edited=edited), Edition())
    assert [(flag.where, flag.evidence) for flag in flags] == [
        ("t1", "not there: assert f(1) == 1"),
        ("t2", "400 instead of 4"),
    ]


@pytest.mark.parametrize(
    ("what", "which", "words"),
    [
        ("file written", "/scratch/pmltf8au", "file written: /scratch/..."),
        ("file written", "/tmp/tmpq_3mltf8/a.txt", "file written: /tmp/.../a.txt"),
        ("file written", "/tmp/results.json", "file written: /tmp/results.json"),
        ("process forked", "()", "process forked"),
    ],
)
def test_what_was_seen_is_told_in_the_same_words_each_time(what, which, words):
    (flag,) = flags_of(Plan((), frozenset()), Edition(), [("mean", what, which)])
    assert flag.evidence == words


def test_files_that_hide_modules():
    names = ["cgkit.py", "checker.py", "numpy/", "data.csv", "mycgkit.py", "a.ipynb"]
    assert [flag.evidence for flag in flags_of_files(names)] == ["cgkit.py", "checker.py", "numpy/"]
