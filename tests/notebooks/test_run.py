"""Running notebooks: outputs, errors, loops without end, kernels that die."""

import pytest

from cgkit.cells import parse
from cgkit.errors import EnvironmentFault
from cgkit.notebooks.compose import compose
from cgkit.notebooks.run import EXIT, KERNEL_DIED, TIME_LIMIT, Limits, error_of, run


def notebook(*cells):
    text = "\n".join(f"# %%\n{cell}" for cell in cells)
    return compose(parse(text), source="a.py", fingerprint="")


def names(ran):
    """Name the error of each cell, or give what it showed."""
    shown = []
    for cell in ran.cells:
        error = error_of(cell)
        texts = [output.get("data", {}).get("text/plain") for output in cell.outputs]
        shown.append(error.ename if error else texts)
    return shown


def test_cells_run_in_order_in_one_kernel_and_the_original_stays(tmp_path):
    original = notebook("import os\nx = 20", "print(x)\nx + 1", "os.getcwd()", "1 / 0", "x")
    steps = []
    ran = run(original, tmp_path, step=lambda number, total: steps.append((number, total)))
    assert names(ran) == [[], [None, "21"], [repr(str(tmp_path))], "ZeroDivisionError", ["20"]]
    assert steps == [(number, 5) for number in range(1, 6)]
    assert [cell.execution_count for cell in ran.cells] == [1, 2, 3, 4, 5]
    assert all(not cell.outputs for cell in original.cells)
    assert ran.metadata.language_info == {"name": "python"}


def test_what_is_printed_in_pieces_is_one_output_even_when_long(tmp_path):
    pieces = "import sys\nfor i in range(9):\n    print(i, flush=True)\nprint('e', file=sys.stderr)"
    ran = run(notebook(pieces, "print('x' * 1_000_000)"), tmp_path)
    first, second = (cell.outputs for cell in ran.cells)
    assert sorted(output.name for output in first) == ["stderr", "stdout"]
    assert "".join(f"{i}\n" for i in range(9)) in [output.text for output in first]
    assert len(second[0].text) == 1_000_001


def test_preparation_leaves_no_trace_and_the_first_error_can_end_it(tmp_path):
    ran = run(
        notebook("hash('a'), ready", "1 / 0", "2"),
        tmp_path,
        Limits(stop_at_error=True, prepare="ready = 'yes'"),
    )
    again = run(notebook("hash('a'), ready"), tmp_path, Limits(prepare="ready = 'yes'"))
    assert names(ran)[1:] == ["ZeroDivisionError", []]
    assert names(ran)[0] == names(again)[0]
    assert "yes" in names(ran)[0][0]
    assert [cell.execution_count for cell in ran.cells] == [1, 2, None]


def test_a_cell_without_end_costs_its_time_limit_and_no_more(tmp_path):
    ran = run(notebook("x = 5", "while True:\n    pass", "x"), tmp_path, Limits(cell=1))
    assert names(ran) == [[], TIME_LIMIT, ["5"]]
    assert "after 1 seconds" in error_of(ran.cells[1]).evalue


def test_what_a_stopped_cell_says_itself_is_kept(tmp_path):
    careful = """
try:
    while True:
        pass
except KeyboardInterrupt:
    raise ValueError("which loop never ends?") from None
"""
    ran = run(notebook(careful.strip(), "2"), tmp_path, Limits(cell=1))
    assert names(ran) == ["ValueError", ["2"]]


def test_a_cell_that_ignores_interrupts_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr("cgkit.notebooks.run.PATIENCE", 1)
    stubborn = """
import time
def wait():
    while True:
        try:
            while True:
                time.sleep(0.01)
        except BaseException:
            pass
wait()
"""
    ran = run(notebook(stubborn.strip(), "2"), tmp_path, Limits(cell=1))
    assert names(ran) == [TIME_LIMIT, []]


def test_a_kernel_that_dies_ends_the_run(tmp_path):
    ran = run(notebook("import os\nos._exit(1)", "2"), tmp_path)
    assert names(ran) == [KERNEL_DIED, []]


@pytest.mark.parametrize("source", ["exit()", "quit", "def f():\n    exit()\nf()"])
def test_the_cell_that_calls_exit_is_the_one_that_is_blamed(tmp_path, source):
    ran = run(notebook(source, "1"), tmp_path)
    assert names(ran) == [EXIT, []]


def test_a_foreign_kernel_name_does_no_harm(tmp_path):
    foreign = notebook("1")
    foreign.metadata.kernelspec = {"name": "julia-1.9", "display_name": "Julia"}
    ran = run(foreign, tmp_path)
    assert names(ran) == [["1"]]
    assert ran.metadata.kernelspec.name == "julia-1.9"


def test_a_kernel_that_cannot_start_is_a_fault_of_the_machine(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"kernel does not start[\s\S]*cgkit doctor"):
        run(notebook("1"), tmp_path / "no such folder")
