import pytest

from cgkit.checks.dot_words import DotError, words


def texts(text):
    return [word.text for word in words(text)][:-1]


def test_marks_names_and_numbers():
    assert texts("a->b--c[w=-.5];d:n") == [
        *("a", "->", "b", "--", "c", "[", "w", "=", "-.5", "]", ";", "d", ":", "n")
    ]


def test_comments_are_dropped():
    assert texts("# first line\na // rest\n/* two\nlines */ b") == ["a", "b"]
    assert texts('"a # b // c"') == ["a # b // c"]


def test_quotes_and_html():
    quoted, html, _ = words('"say \\"hi\\" \\n \\\nmore" <<b>x</b>>')
    assert quoted.text == 'say "hi" \\n more'
    assert quoted.quoted
    assert html.text == "<<b>x</b>>"


def test_places_are_counted_from_one():
    last = list(words("a\n  b"))[1]
    assert (last.line, last.column) == (2, 3)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('a -> "b', "never closed"),
        ("a [label=<<b>x</b]", "never closed"),
        ("/* a", "never closed"),
        ("a ! b", "no meaning"),
        ("3a -> b", "needs quotes"),
        ("a -> x'", "no meaning"),
    ],
)
def test_what_is_no_word(text, what):
    with pytest.raises(DotError, match=what):
        list(words(text))
