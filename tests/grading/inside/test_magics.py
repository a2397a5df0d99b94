import pytest

from cgkit.grading.inside.magics import plain_python


@pytest.mark.parametrize("line", ["%reset -f", "%%time", "!ls", "?np.sum", "np.sum?", "np.sum??"])
def test_lines_of_the_notebook_become_pass(line):
    assert plain_python(f"x = 1\n{line}\ny = 2") == "x = 1\npass\ny = 2"


@pytest.mark.parametrize("magic", ["bash", "latex", "html", "writefile x.py", "javascript", "!"])
def test_cells_in_other_languages_are_no_python(magic):
    assert plain_python(f"%%{magic}\nls -l $HOME\n<b>x</b>") == "pass\npass\npass"


def test_timed_cells_are():
    assert plain_python("\n%%timeit -n 3\nx = 1") == "\npass\nx = 1"


def test_python_is_left_alone():
    source = 'text = """\n%reset\n!ls\n"""\nz = 7\\\n% 3'
    assert plain_python(source) == source


def test_what_is_no_python_either_way_keeps_its_lines():
    assert plain_python("def f(:\n%time").split("\n") == ["def f(:", "pass"]
