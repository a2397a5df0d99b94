"""A small assignment for tests of grading, and ways to hand something in.

mean(values) 4 points    order(graph) 3 points    sort_in_place(items) 2 points    colors 1 point
"""

import json
import time

GIVEN = """
import math
import numpy as np
from cgkit.checks import graphs as check
"""

MEAN = """
def mean(values):
    ### BEGIN SOLUTION
    return sum(values) / len(values)
    ### END SOLUTION
"""

TEST_MEAN = """
assert mean([1, 2, 3]) == 2
### BEGIN HIDDEN TESTS
secret_values = [3, 4, 8]
assert np.allclose(mean(secret_values), 5.0)
assert mean([7.5]) == 7.5
### END HIDDEN TESTS
"""

ORDER = """
def order(graph):
    ### BEGIN SOLUTION
    done = []
    while len(done) < len(graph):
        for node, reads in graph.items():
            if node not in done and all(one in done for one in reads):
                done.append(node)
    return done
    ### END SOLUTION
"""

TEST_ORDER = """
hidden_graph = {"c": ["a", "b"], "b": ["a"], "a": []}
found = order(hidden_graph)
right = sum(found.index(one) < found.index(node)
            for node, reads in hidden_graph.items() for one in reads)
(right, f"{right} of 3 edges point forward")
"""

SORT = """
def sort_in_place(items):
    ### BEGIN SOLUTION
    items.sort()
    ### END SOLUTION
"""

TEST_SORT = """
items = [3, 1, 2]
sort_in_place(items)
assert items == [1, 2, 3]
"""

COLORS = """
colors = None
### BEGIN SOLUTION
colors = {"red": (1, 0, 0)}
### END SOLUTION
"""

TEST_COLORS = """
assert colors == {"red": (1, 0, 0)}
"""

POINTS = {"test_mean": 4, "test_order": 3, "test_sort": 2, "test_colors": 1}


def cell(name, source, role="plain", points=None, kind="code"):
    """Give one cell of the assignment as JSON holds it."""
    flags = {
        "given": (False, False, True),
        "solution": (False, True, False),
        "test": (True, False, True),
        "manual": (True, True, False),
    }
    metadata = {}
    if role in flags:
        grade, solution, locked = flags[role]
        metadata["nbgrader"] = {
            "grade_id": name, "grade": grade, "solution": solution, "locked": locked,
            "schema_version": 3, "task": False, "cell_type": kind,
        }  # fmt: skip
        if points is not None:
            metadata["nbgrader"]["points"] = points
    made = {"cell_type": kind, "id": name, "metadata": metadata, "source": source.strip("\n")}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def notebook(cells):
    """Give a notebook as JSON holds it."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def assignment_cells():
    """Give the cells of the assignment, fresh ones each time."""
    return [
        cell("title", "# Work", "given", kind="markdown"),
        cell("setup", GIVEN, "given"),
        cell("mean", MEAN, "solution"),
        cell("try_mean", "mean([1, 2])"),
        cell("test_mean", TEST_MEAN, "test", 4),
        cell("order", ORDER, "solution"),
        cell("test_order", TEST_ORDER, "test", 3),
        cell("sort", SORT, "solution"),
        cell("test_sort", TEST_SORT, "test", 2),
        cell("colors", COLORS, "solution"),
        cell("test_colors", TEST_COLORS, "test", 1),
        cell(
            "essay", "### BEGIN SOLUTION\nmodel answer\n### END SOLUTION", "manual", 5, "markdown"
        ),
    ]


def written(answers=None, *, extras=None):
    """Give the released notebook with right answers, some of them replaced.

    answers   id of a cell -> its text
    extras    id of a cell -> texts of cells that follow it
    """
    from cgkit.grading.master import answered, read_master

    made = answered(read_master(notebook(assignment_cells())))
    cells = []
    for one in made["cells"]:
        if answers and one["id"] in answers:
            one = {**one, "source": answers[one["id"]]}
        cells.append(one)
        for number, text in enumerate((extras or {}).get(one["id"], ())):
            extra = {"cell_type": "code", "id": f"x{one['id']}{number}", "metadata": {}}
            cells.append({**extra, "source": text})
    return {**made, "cells": cells}


def raw(made):
    """Give a notebook as bytes."""
    return json.dumps(made).encode()


def run(sandbox, source):
    """Run one cell in a fresh worker; give the answer."""
    worker = sandbox.fork()
    request = {"do": "cell", "id": "a", "source": source, "seed": 1, "given": False}
    try:
        worker.channel.send(request)
        return worker.channel.receive(time.monotonic() + 10)[0]
    finally:
        worker.end()


def printed(sandbox, source):
    """Give what a cell prints that raises nothing."""
    answer = run(sandbox, source)
    assert "error" not in answer, answer["error"]
    return answer.get("printed", "").strip()
