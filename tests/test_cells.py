"""Texts split into cells, and the sentence each mistake in them earns."""

import pytest

from cgkit.cells import CellError, by_id, hidden_lines, parse, read
from cgkit.errors import NotebookError

TEXT = """\
# Licence line of the file, kept out of the notebook.

# %% [markdown] readonly
# ## Mean
#
#     indented stays indented

# %% readonly id=setup
import math

# %% solution id=mean
def mean(values):
    ### BEGIN SOLUTION
    # the comment is no secret
    return math.fsum(values) / len(values)
    ### END SOLUTION


# %% test points=3 id=test_mean
assert mean([1, 2]) == 1.5
### BEGIN HIDDEN TESTS
assert mean([7]) == 7
### END HIDDEN TESTS

# %% [markdown] manual points=10 id=written
# Why?

# %% volatile

time.time()
"""


def test_a_text_gives_its_cells_in_order():
    cells = parse(TEXT)
    assert [(c.kind, c.role, c.grade_id, c.points, c.volatile, c.line) for c in cells] == [
        ("markdown", "readonly", "", 0, False, 3),
        ("code", "readonly", "setup", 0, False, 8),
        ("code", "solution", "mean", 0, False, 11),
        ("code", "test", "test_mean", 3, False, 19),
        ("markdown", "manual", "written", 10, False, 25),
        ("code", "plain", "", 0, True, 28),
    ]
    assert cells[0].text == "## Mean\n\n    indented stays indented"
    assert cells[1].text == "import math"
    assert cells[5].text == "time.time()"


def test_a_stretch_task_gives_no_points():
    assert parse("# %% test points=0 id=a\n1\n")[0].points == 0


def test_cells_are_found_by_id():
    assert list(by_id(parse(TEXT))) == ["setup", "mean", "test_mean", "written"]


def test_hidden_lines_are_the_answers_and_the_hidden_tests_only():
    cells = by_id(parse(TEXT))
    assert hidden_lines(cells["mean"]) == ("return math.fsum(values) / len(values)",)
    assert hidden_lines(cells["test_mean"]) == ("assert mean([7]) == 7",)
    assert hidden_lines(cells["setup"]) == ()


def test_hidden_lines_of_a_written_answer_keep_headings():
    text = "# %% [markdown] manual points=1 id=w\n# Why?\n# ### BEGIN SOLUTION\n# # Because\n"
    (cell,) = parse(text + "# ### END SOLUTION\n")
    assert hidden_lines(cell) == ("# Because",)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "no cell here"),
        ("import math\n# %%\n1\n", 1, "code before the first cell mark"),
        ("# %%\n1\n#%%\n2\n", 3, "begins with '# %%'"),
        ("# %%\n1\n  # %%\n2\n", 3, "begins with '# %%'"),
        ("# %%%\n1\n", 1, "begins with '# %%'"),
        ("# %% soluton id=a\n1\n", 1, "did you mean 'solution'?"),
        ("# %% frobnicate\n1\n", 1, "a cell mark knows [markdown], readonly"),
        ("# %% markdown\n# a\n", 1, "did you mean '[markdown]'?"),
        ("# %% test id points=5\n1\n", 1, "'id' needs a value, as in 'id=name'"),
        ("# %% test=5 id=a\n1\n", 1, "'test' takes no value"),
        ("# %% test id=a id=b points=1\n1\n", 1, "'id' stands twice"),
        ("# %% test solution id=a points=1\n1\n", 1, "not both"),
        ("# %% test id=a\n1\n", 1, "a test cell says its points, as in 'points=5'"),
        ("# %% [markdown] manual id=a\n# a\n", 1, "a manual cell says its points"),
        ("# %% test id=a points=-1\n1\n", 1, "points=-1 is not a whole number"),
        ("# %% test id=a points=2.5\n1\n", 1, "points=2.5 is not a whole number"),
        ("# %% readonly id=a points=2\n1\n", 1, "only test and manual cells have points"),
        ("# %% test points=2\n1\n", 1, "a test cell needs a name"),
        ("# %% solution\n1\n", 1, "a solution cell needs a name"),
        ("# %% readonly id=a.b\n1\n", 1, "id=a.b is not usable"),
        ("# %% readonly id=\n1\n", 1, "'id' needs a value"),
        ("# %% readonly id=a\n1\n# %% readonly id=a\n2\n", 3, "the cell at line 1 already"),
        ("# %% [markdown] test id=a points=1\n# 1\n", 1, "holds code, not markdown"),
        ("# %% volatile readonly id=a\n1\n", 1, "only a plain code cell can be volatile"),
        ("# %%\n1\n\n# %%\n\n\n", 4, "this cell is empty"),
        ("# %% [markdown]\n# a\nb\n", 3, "begins with '# '"),
        ("# %% [markdown]\n# a\n\n# b\n", 3, "or is '#' alone"),
        ("# %% [markdown]\n\n# a\n#b\n", 4, "begins with '# '"),
        ("# %% solution id=a\nanswer = 1\n", 1, "'### BEGIN SOLUTION'"),
        ("# %% solution id=a\n\n1\n### BEGIN SOLUTION\n", 4, "without '### END SOLUTION'"),
        ("# %% solution id=a\n### END SOLUTION\n", 2, "'### BEGIN SOLUTION' is missing"),
        (
            "# %% solution id=a\n### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION\n",
            3,
            "'### END SOLUTION' is missing",
        ),
        ("# %% solution id=a\n# begin  solution\n", 2, "'### BEGIN SOLUTION'"),
        ("# %%\nx = 1  # END SOLUTION\n", 2, "a line of its own"),
        ("# %%\n### BEGIN SOLUTION\n### END SOLUTION\n", 2, "solution or manual"),
        ("# %% solution id=a\n### BEGIN HIDDEN TESTS\n", 2, "belongs into a cell marked test"),
    ],
)
def test_a_broken_text_is_refused_at_its_line(text, line, words):
    with pytest.raises(CellError) as caught:
        parse(text, "solutions/09.py")
    assert caught.value.line == line
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"solutions/09.py, line {line}: ")


def test_mismatched_region_names_are_refused():
    text = "# %% test points=1 id=a\n### BEGIN HIDDEN TESTS\n### END SOLUTION\n"
    with pytest.raises(CellError, match="line 3"):
        parse(text)


def test_a_file_is_read_with_windows_line_ends_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes("\ufeff# %%\r\nname = '图'\r\n".encode())
    assert read(path)[0].text == "name = '图'"


def test_a_file_that_is_not_utf8_is_refused_at_its_line(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"# %%\n1\n# caf\xe9\n")
    with pytest.raises(CellError, match=r"line 3: not UTF-8"):
        read(path, "a.py")


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(NotebookError, match=r"cannot read 09\.py: No such file"):
        read(tmp_path / "09.py", "09.py")
