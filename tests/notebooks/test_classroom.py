"""The sample class: reading who hands in what, and making the notebooks."""

import pytest

from cgkit.cells import parse
from cgkit.errors import NotebookError
from cgkit.notebooks.classroom import hand_in, read_class
from cgkit.notebooks.compose import compose

TEXT = """\
# %% readonly id=setup
import math

# %% solution id=add
def add(a, b):
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION

# %% test points=3 id=test_add
assert add(1, 2) == 3

# %% test points=0 id=test_more
1

# %% [markdown] manual points=10 id=why
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
"""
CELLS = parse(TEXT)


@pytest.fixture
def classroom(tmp_path):
    """Write a class and read it."""

    def make(table, **answers):
        folder = tmp_path / "01_sums"
        folder.mkdir(exist_ok=True)
        (folder / "class.toml").write_text(table, encoding="utf-8")
        for name, text in answers.items():
            (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        return read_class(folder, CELLS)

    return make


def released():
    text = TEXT.replace("    return a + b\n", "    raise NotImplementedError\n")
    notebook = compose(parse(text), source="", fingerprint="")
    for cell in notebook.cells:
        if "BEGIN" in cell.source:
            lines = [line for line in cell.source.splitlines() if "###" not in line]
            cell.source = "\n".join(lines)
    return notebook


def sources(notebook):
    return {cell.id: cell.source for cell in notebook.cells}


def test_defaults_are_a_perfect_student(classroom):
    (ada,) = classroom("[ada]\n")
    assert (ada.base, ada.rest, ada.file, ada.marked) == ("solution", "full", "01_sums.ipynb", True)
    assert ada.expected(CELLS) == {"test_add": 3, "test_more": 0}
    made = sources(hand_in(ada, CELLS, released()))
    assert made["add"] == "def add(a, b):\n    return a + b"
    assert made["why"] == "Because."


def test_the_release_as_it_is_expects_nothing(classroom):
    (bob,) = classroom('[bob]\nbase = "release"\nabout = "nothing"\n')
    assert bob.expected(CELLS) == {"test_add": 0, "test_more": 0}
    original = released()
    assert hand_in(bob, CELLS, original) == original


def test_answers_take_the_place_of_cells_and_extras_follow_them(classroom):
    text = "# %%\nfirst = 1\n# %% id=add\nadd = sum(\n# %%\nx = 1\n# %%\ny = 2\n"
    (cleo,) = classroom('[cleo]\nbase = "release"\n[cleo.marks]\ntest_add = 1.5\n', cleo=text)
    made = hand_in(cleo, CELLS, released())
    assert [cell.source for cell in made.cells][:5] == [
        "first = 1",
        "import math",
        "add = sum(",
        "x = 1",
        "y = 2",
    ]
    assert len({cell.id for cell in made.cells}) == len(made.cells)
    assert cleo.expected(CELLS)["test_add"] == 1.5


def test_a_renamed_notebook_expects_no_mark(classroom):
    (dan,) = classroom('[dan]\nfile = "my sums.ipynb"\nrest = "none"\n')
    assert (dan.file, dan.marked) == ("my sums.ipynb", False)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[ada\n", "cannot read 01_sums/class.toml"),
        ("ada = 1\n", r"\[ada\] is not a table"),
        ("[ada]\nmark = 3\n", "cannot have mark = 3"),
        ('[ada]\nmarks = "full"\n', "cannot have marks = 'full'"),
        ('[ada]\nbase = "nothing"\n', "base is one of"),
        ("[ada.marks]\ntest_sub = 1\n", "no test cell 'test_sub'"),
        ("[ada.marks]\nadd = 1\n", "no test cell 'add'"),
        ('[ada.says]\ntest_sub = "x"\n', "no test cell 'test_sub'"),
    ],
)
def test_a_wrong_table_is_named(classroom, table, words):
    with pytest.raises(NotebookError, match=words):
        classroom(table)


def test_wrong_answers_are_named(classroom):
    with pytest.raises(NotebookError, match=r"ada\.txt, line 1: the assignment has no cell 'sub'"):
        classroom("[ada]\n", ada="# %% id=sub\n1\n")
    with pytest.raises(NotebookError, match="does not name zoe"):
        classroom("[ada]\n", ada="# %% id=add\n1\n", zoe="# %%\n1\n")
