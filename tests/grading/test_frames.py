"""Messages arrive whole and in time, whatever the other side does."""

import contextlib
import json
import socket
import struct
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgkit.grading.codec import MOST_BYTES, Refused
from cgkit.grading.frames import MOST_TEXT, Channel, Closed, OutOfTime


@pytest.fixture
def ends():
    here, there = socket.socketpair()
    yield Channel(here), there
    here.close()
    there.close()


def soon(seconds=0.3):
    return time.monotonic() + seconds


def test_a_message_arrives_with_its_bytes(ends):
    channel, there = ends
    Channel(there).send({"a": [1, "ü"]}, b"\x00\xff")
    assert channel.receive(soon()) == ({"a": [1, "ü"]}, b"\x00\xff")


@settings(max_examples=60)
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_end_in_a_message_or_a_sentence(junk, framed):
    here, there = socket.socketpair()
    head = struct.pack(">II", len(junk), 0) if framed else b""
    there.sendall(head + junk)
    there.close()
    with here, contextlib.suppress(Closed):
        Channel(here).receive(soon(5))


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 10_000, '{"a":', "\x00"])
def test_malformed_texts_close(ends, text):
    channel, there = ends
    data = text.encode()
    there.sendall(struct.pack(">II", len(data), 0) + data)
    with pytest.raises(Closed, match="malformed"):
        channel.receive(soon(5))


@pytest.mark.parametrize("sizes", [(MOST_TEXT + 1, 0), (0, MOST_BYTES + 1), (2**32 - 1, 2**32 - 1)])
def test_a_message_that_would_be_too_large_is_not_waited_for(ends, sizes):
    channel, there = ends
    there.sendall(struct.pack(">II", *sizes))
    with pytest.raises(Closed, match="larger"):
        channel.receive(soon(5))


def test_a_large_message_is_not_sent(ends):
    channel, _ = ends
    with pytest.raises(Refused):
        channel.send("x" * (MOST_TEXT + 1))


def test_silence_ends_at_the_deadline(ends):
    channel, _ = ends
    start = time.monotonic()
    with pytest.raises(OutOfTime):
        channel.receive(soon(0.2))
    assert 0.15 < time.monotonic() - start < 2


def test_dripping_does_not_stretch_the_deadline(ends):
    channel, there = ends
    data = json.dumps("x" * 1000).encode()
    stop = threading.Event()

    def drip():
        there.sendall(struct.pack(">II", len(data), 0))
        for byte in data:
            if stop.wait(0.05):
                return
            there.send(bytes([byte]))

    thread = threading.Thread(target=drip)
    thread.start()
    start = time.monotonic()
    with pytest.raises(OutOfTime):
        channel.receive(soon(0.4))
    assert time.monotonic() - start < 2
    stop.set()
    thread.join()


def test_a_reader_that_does_not_read_ends_at_the_deadline(ends):
    channel, _ = ends
    with pytest.raises(OutOfTime):
        channel.send("x" * (8 << 20), deadline=soon(0.3))


def test_the_end_of_the_other_side_is_no_end_of_input(ends):
    channel, there = ends
    there.close()
    with pytest.raises(Closed) as info:
        channel.receive(soon())
    assert not isinstance(info.value, EOFError)
    with pytest.raises(Closed):
        channel.send("anyone?" * 100_000)


def test_waiting_sees_what_nobody_asked_for(ends):
    channel, there = ends
    assert not channel.waiting()
    there.send(b"x")
    assert channel.waiting()


def test_waiting_sees_the_end(ends):
    channel, there = ends
    there.close()
    assert channel.waiting()
