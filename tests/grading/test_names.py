import pytest

from cgkit.grading.names import bound, defined, read, tree_of


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = b = 1\nc, (d, *e) = x", "abcde"),
        ("a: int = 1\nb += 1", "ab"),
        ("def f(x):\n    y = 1\nclass G:\n    z = 1", "fG"),
        ("import a.b, c as d\nfrom e import f as g", "adg"),
        ("if x:\n    a = 1\nelse:\n    b = 1\nfor c in y: d = c", "abcd"),
        ("with x as a: pass\ntry: b = 1\nexcept E as c: pass", "abc"),
        ("[a for a in x]\nlambda b: b\n(c := 1)", "c"),
        ("%time\na = 1", "a"),
        ("def f(:\n  x = 1\nclass G", "fG"),
        ("", ""),
    ],
)
def test_names_that_a_cell_binds(source, names):
    assert bound(source) == set(names)


def test_names_that_a_cell_defines_and_reads():
    source = "a = f(b)\ndef g(x):\n    return x + h"
    assert defined(source) == {"g"}
    assert read(source) == {"f", "b", "x", "h"}
    assert read("(") == frozenset()


@pytest.mark.parametrize(
    "source", ["(", "\x00", "(" * 5000, *("x" + "+x" * count for count in (1_000, 1_500, 100_000))]
)
def test_code_that_cannot_be_parsed_is_none_or_a_tree(source):
    tree_of(source)
    bound(source)


@pytest.mark.parametrize("count", [500, 1_000, 1_500, 2_000])
def test_a_long_sum_hides_no_name(count):
    source = f"def f():\n    pass\ntotal = {'+'.join(['1'] * count)}"
    assert bound(source) >= {"f"}
