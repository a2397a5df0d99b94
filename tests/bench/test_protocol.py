"""Messages: one JSON object a line, there and back."""

import io

import pytest

from cgkit.bench.protocol import Garbled, parse, send


def test_what_is_sent_is_read():
    stream = io.StringIO()
    send(stream, {"do": "open", "size": {"shape": [2, 3]}, "text": "a\nb"})
    (line,) = stream.getvalue().splitlines()
    assert parse(line) == {"do": "open", "size": {"shape": [2, 3]}, "text": "a\nb"}


@pytest.mark.parametrize("line", ["", "no", "[1]", "3", "{", '"do"'])
def test_what_is_no_object_is_garbled(line):
    with pytest.raises(Garbled, match="no message"):
        parse(line)
