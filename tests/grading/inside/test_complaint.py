import linecache

from cgkit.grading.inside.complaint import complaint
from cgkit.grading.inside.handles import Handles


def caught(source):
    place = "<cell mean>"
    linecache.cache[place] = (len(source), None, source.splitlines(True), place)
    names = {"__name__": "__main__"}
    try:
        exec(compile(source, place, "exec"), names)
    except BaseException as error:
        return complaint(error, Handles())
    raise AssertionError("it did not raise")


def test_kind_words_and_line():
    body = caught("def f():\n    return 1 / 0\nf()\n")
    assert (body["type"], body["text"]) == ("ZeroDivisionError", "division by zero")
    assert body["bases"][:2] == ["ZeroDivisionError", "ArithmeticError"]
    assert body["where"][-1] == {"cell": "mean", "line": 2, "code": "return 1 / 0", "function": "f"}
    assert body["kind"] is None


def test_a_slip_names_its_line():
    body = caught("a = 1\nb = (\n")
    assert body["type"] == "SyntaxError"
    assert body["where"][-1]["line"] == 2


def test_classes_of_the_students_get_a_number():
    body = caught("class Mine(KeyError): pass\nraise Mine('k')\n")
    assert body["kind"]["handle"]["bases"][0] == "KeyError"


def test_what_cannot_be_shown_still_is_a_complaint():
    body = caught("class Bad(Exception):\n    def __str__(self): raise SystemExit\nraise Bad\n")
    assert body["text"] == "(its message cannot be shown)"


def test_only_the_last_lines_are_kept():
    body = caught("def f(n):\n    return f(n - 1) if n else 1 / 0\nf(50)\n")
    assert len(body["where"]) == 3
