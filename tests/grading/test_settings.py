"""What an author says in a locked cell is read, or refused with its place; and it works inside."""

import json
from pathlib import Path

import pytest
from classwork import cell, notebook, raw

from cgkit.errors import NotebookError
from cgkit.grading.edition import READY_MADE
from cgkit.grading.lane import Lane, read_assignment
from cgkit.grading.master import answered, read_master
from cgkit.grading.settings import edition_of, settings_of

ROOT = Path(__file__).resolve().parents[2]


def assignment(*lines, answer="def f(x):\n    return x", test="assert f(1) == 1", extra=()):
    solution = f"### BEGIN SOLUTION\n{answer}\n### END SOLUTION"
    return notebook(
        [
            cell("setup", "\n".join(lines), "given"),
            *extra,
            cell("f", solution, "solution"),
            cell("test_f", test, "test", 4),
        ]
    )


def edition(*lines):
    return edition_of(read_master(assignment(*lines)))


def test_without_a_line_all_is_as_usual():
    assert edition("import numpy as np").missing == READY_MADE


def test_lines_are_read():
    made = edition(
        "# grading: give cgkit.errors:CycleError, cgkit.types:TensorType",
        "# grading: forbid heapq, functools:cache",
        "# grading: forbid numpy.linalg:lstsq",
        "# grading: allow graphlib",
        "import numpy as np",
    )
    assert made.names == ("cgkit.errors:CycleError", "cgkit.types:TensorType")
    assert "heapq" in made.missing
    assert "graphlib" not in made.missing
    assert made.barred == ("functools:cache", "numpy.linalg:lstsq")


def test_a_cell_can_be_run_for_all():
    made = edition("# grading: warm", "import math")
    assert made.warm == ("# grading: warm\nimport math",)


def test_a_test_cell_is_never_run_where_answers_run():
    cells = assignment("import math")["cells"]
    test = next(one for one in cells if one["metadata"]["nbgrader"]["grade"])
    test["source"] = "# grading: warm\n" + test["source"]
    with pytest.raises(NotebookError, match="where students' code runs"):
        edition_of(read_master(notebook(cells)))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("# grading: forbit heapq", "not understood"),
        ("# Grading: forbid heapq", "not understood"),
        ("#grading: forbid heapq", "not understood"),
        ("# grading:", "not understood"),
        ("# grading: forbid", "needs names"),
        ("# grading: warm x", "takes no names"),
        ("# grading: forbid heapq functools", "is no name"),
        ("# grading: give cgkit.errors:Nothing", "is not defined"),
        ("# grading: give numpy:array", "not part of cgkit"),
        ("# grading: forbid no_such_module", "no module no_such_module"),
        ("# grading: forbid functools:cash", "functools has no cash"),
        ("# grading: forbid no_such:cash", "no module no_such"),
        ("# grading: forbid math:pi", "neither a function nor a class"),
        ("# grading: forbid numpy", "cannot be missing"),
        ("# grading: forbid numpy.linalg", "only a whole package"),
        ("# grading: forbid sys", "Python itself needs sys"),
        ("# grading: forbid cgkit.order", "nothing of cgkit is there"),
        ("# grading: allow torch", "cannot be shown inside"),
        ("# grading: allow heapq", "is there already"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(line, words):
    with pytest.raises(NotebookError, match=words) as caught:
        edition("import math", line)
    assert "cell setup, line 2" in str(caught.value)


def test_a_line_that_a_student_could_change_is_refused():
    cells = assignment("import math")["cells"]
    cells[1]["source"] += "\n# grading: allow graphlib"
    with pytest.raises(NotebookError, match="belongs into a locked cell"):
        settings_of(read_master(notebook(cells)))


@pytest.mark.parametrize("name", ["01_graphs"])
def test_the_course_says_what_is_not_to_be_used(name):
    path = ROOT / "solutions" / name / f"{name}.ipynb"
    made = edition_of(read_master(json.loads(path.read_text(encoding="utf-8"))))
    assert made.barred
    assert set(READY_MADE) <= set(made.missing)


# inside


def graded(situation, made, *answers):
    lesson = read_assignment("toy", made)
    whole = answered(lesson.master)
    with Lane(lesson, situation) as lane:
        for answer in answers:
            cells = [
                {**one, "source": answer} if one["id"] == "f" and answer else one
                for one in whole["cells"]
            ]
            yield lane.grade("ada", raw({**whole, "cells": cells}))


def test_a_given_function_may_use_what_a_student_may_not(situation):
    made = assignment(
        "# grading: forbid builtins:sorted",
        "def listed(items):\n    return ', '.join(sorted(items))",
        answer="def f(items):\n    items = list(items)\n    items.sort()\n    return items",
        test="assert f(['b', 'a']) == ['a', 'b']",
    )
    (result,) = graded(situation, made, "def f(items):\n    return listed(items).split(', ')")
    assert result.score == result.out_of
    assert not result.flags


def test_forbidden_names_refuse_students_and_serve_libraries(situation):
    made = assignment(
        "# grading: forbid heapq, functools:cache, builtins:sorted, numpy.linalg:lstsq",
        "import functools",
        "import numpy as np",
        answer="def f(items):\n    items = list(items)\n    items.sort()\n    return items",
        test="assert f([2, 3, 1]) == [1, 2, 3]",
    )
    honest = (
        "import collections, random, statistics\n"
        "def f(items):\n"
        "    collections.Counter('aab').most_common(1)\n"  # which is built upon heapq
        "    np.polyfit([1, 2, 3], [1, 2, 3], 1)\n"  # and this upon lstsq
        "    return list(np.sort(items).tolist())"
    )
    cheats = [
        "import heapq\ndef f(items):\n    return heapq.nsmallest(3, items)",
        "import _heapq\nf = lambda items: [_heapq.heappop(items) for _ in range(3)]",
        "def f(items):\n    return sorted(items)",
        "import builtins\nf = getattr(builtins, 'sor' + 'ted')",
        "f = sorted",
        "f = functools.partial(sorted)",
        "def f(items):\n    return np.linalg.lstsq(np.eye(3), items)",
        "@functools.cache\ndef f(items):\n    return [1, 2, 3]",
    ]
    right, *wrong = graded(situation, made, honest, *cheats)
    assert (right.score, right.flags) == (4, ())
    for cheat, result in zip(cheats, wrong, strict=True):
        assert result.score == 0, cheat
        assert {flag.what for flag in result.flags} == {"uses a ready-made answer"}, cheat
        assert any("not to be used" in one.message for one in result.cells), cheat


def test_given_names_are_there_and_no_others(situation):
    made = assignment(
        "# grading: give cgkit.errors:CycleError",
        "from cgkit.errors import CycleError",
        answer="def f(x):\n    raise CycleError([x])",
        test="try:\n    f('a')\nexcept CycleError as error:\n    pass\nelse:\n    assert False",
    )
    good, bad = graded(
        situation,
        made,
        "",
        "from cgkit.order import topological_order\ndef f(x):\n    return topological_order(x)",
    )
    assert good.score == 4
    assert bad.score == 0
    assert any("left out" in one.message for one in bad.cells) or bad.flags


@pytest.mark.slow
def test_kernels_are_compiled_and_simulated(situation, monkeypatch):
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    kernel = (
        "@cuda.jit\ndef kernel(a, out):\n    i = cuda.grid(1)\n"
        "    if i < a.size:\n        out[i] = 2 * a[i]\n"
        "@numba.njit\ndef total(a):\n    return a.sum()\n"
        "def f(a):\n    out = np.zeros_like(a)\n    kernel[1, a.size](a, out)\n"
        "    return total(out)"
    )
    made = assignment(
        "# grading: allow numba",
        "import numba\nimport numpy as np\nfrom numba import cuda",
        extra=[
            cell(
                "warm",
                "# grading: warm\nimport numba\nnumba.njit(lambda x: x + x)(1.0)",
                "given",
            )
        ],
        answer=kernel,
        test="assert f(np.arange(4.0)) == 12",
    )
    (result,) = graded(situation, made, "")
    assert (result.score, result.flags) == (4, ())


def test_a_cell_is_run_before_all_students(situation):
    made = assignment(
        "import math",
        extra=[cell("warm", "# grading: warm\nimport sys\nsys.warmed = 7", "given")],
        test="assert f(1) == 1",
    )
    early = "import sys\nwarm = sys.warmed\ndef f(x):\n    return warm - 6"
    (result,) = graded(situation, made, early)
    assert result.score == 4
