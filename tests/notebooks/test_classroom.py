"""The sample class: reading who hands in what, and making the notebooks."""

import json

import pytest

from cgkit.cells import parse
from cgkit.errors import NotebookError
from cgkit.notebooks.classroom import hand_in, put_down, read_class
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
    assert (ada.base, ada.rest, ada.file) == ("solution", "full", "01_sums.ipynb")
    assert (ada.notes, ada.flags, ada.odd, ada.hostile) == ((), (), (), False)
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


def test_what_is_odd_is_handed_in_with_it(classroom, tmp_path):
    table = '[dan]\nfile = "my sums.ipynb"\nodd = ["a test deleted", "a link beside"]\n'
    (dan,) = classroom(table + 'notes = ["deleted"]\nhostile = true\n')
    assert (dan.notes, dan.hostile) == (("deleted",), True)
    put_down(dan, CELLS, released(), tmp_path / "dan" / "01_sums")
    names = {path.name: path for path in (tmp_path / "dan" / "01_sums").iterdir()}
    assert set(names) == {"my sums.ipynb", "table.csv"}
    assert names["table.csv"].is_symlink()
    ids = [cell["id"] for cell in json.loads(names["my sums.ipynb"].read_text())["cells"]]
    assert ids == ["setup", "add", "test_more", "why"]


def test_a_list_of_its_own_belongs_to_the_assignment(tmp_path):
    (tmp_path / "class.toml").write_text("[ada]\n")
    (ada,) = read_class(tmp_path, CELLS, "01_sums")
    assert (ada.assignment, ada.file) == ("01_sums", "01_sums.ipynb")


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
        ('[ada]\nodd = ["on fire"]\n', "no oddity 'on fire'"),
        ('[ada]\nrest = "none"\n', "rest is one of"),
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
