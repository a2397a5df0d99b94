"""Messages over a socket, each whole and in time, or not at all.

    Channel(socket).send({"do": "call"}, raw)     ──►   8 bytes of sizes │ JSON │ raw bytes
    Channel(socket).receive(deadline)             ──►   ({"do": "call"}, raw)

- A deadline is a moment of the monotonic clock. It bounds the whole message, so that a sender that
  drips one byte a second gains nothing.
- `Closed` means the other side went away or sent nonsense; `OutOfTime` that it did not answer.
  Neither is an EOFError or TimeoutError, which a student's own code raises.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

from cgkit.errors import CgkitError
from cgkit.grading.codec import MOST_BYTES, Refused

MOST_TEXT = 32 << 20
"""Bytes of JSON in one message."""
FOREVER = float("inf")

_SIZES = struct.Struct(">II")
_CHUNK, _LARGE = 1 << 13, 1 << 20
_WRITE = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Closed(CgkitError):
    """The other side closed the connection or broke the protocol."""


class OutOfTime(CgkitError):
    """The other side did not answer before the deadline."""


class Channel:
    """One end of a conversation.

    Parameters
    ----------
    end
        A connected stream socket; closed by `close`.

    Examples
    --------
    >>> here, there = map(Channel, socket.socketpair())
    >>> here.send({"do": "greet"}, b"raw")
    >>> there.receive()
    ({'do': 'greet'}, b'raw')
    >>> here.close(), there.close()
    (None, None)
    """

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._come = bytearray()

    def send(self, message: Any, raw: bytes = b"", deadline: float = FOREVER) -> None:
        """Send one message.

        Raises
        ------
        Refused
            It is too large; nothing was sent.
        Closed, OutOfTime
            The other side is gone, or does not read.
        """
        text = _WRITE(message).encode()
        if len(text) > MOST_TEXT or len(raw) > MOST_BYTES:
            raise Refused(f"more than {MOST_TEXT >> 20} MB of data")
        self._wait(deadline)
        try:
            self.end.sendall(_SIZES.pack(len(text), len(raw)) + text + raw)
        except TimeoutError:
            raise OutOfTime("it does not read what it is sent") from None
        except OSError as error:
            raise Closed(f"the connection broke ({type(error).__name__})") from None

    def receive(self, deadline: float = FOREVER) -> tuple[Any, bytes]:
        """Wait for one message; give it and its raw bytes.

        Raises
        ------
        Closed, OutOfTime
            The other side is gone or sent nonsense, or does not answer.
        """
        self._gather(_SIZES.size, deadline)
        text_size, raw_size = _SIZES.unpack_from(self._come)
        if text_size > MOST_TEXT or raw_size > MOST_BYTES:
            raise Closed("a message larger than any may be")
        start, middle = _SIZES.size, _SIZES.size + text_size
        self._gather(middle + raw_size, deadline)
        text = self._come[start:middle]
        raw = bytes(self._come[middle : middle + raw_size])
        del self._come[: middle + raw_size]
        try:
            return json.loads(text.decode()), raw
        except (ValueError, RecursionError) as error:
            raise Closed(f"a malformed message ({type(error).__name__})") from None

    def waiting(self) -> bool:
        """Tell whether something has come that nobody asked for, or the other side is gone."""
        if self._come:
            return True
        self.end.settimeout(0)
        try:
            self.end.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def close(self) -> None:
        """Close this end."""
        self.end.close()

    def _wait(self, deadline: float) -> None:
        if deadline == FOREVER:
            self.end.settimeout(None)
            return
        left = deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime("no answer in time")
        self.end.settimeout(left)

    def _gather(self, size: int, deadline: float) -> None:
        """Read until so many bytes are there; memory grows with what came, never with a promise."""
        while len(self._come) < size:
            self._wait(deadline)
            try:
                part = self.end.recv(max(_CHUNK, min(size - len(self._come), _LARGE)))
            except TimeoutError:
                raise OutOfTime("no answer in time") from None
            except OSError as error:
                raise Closed(f"the connection broke ({type(error).__name__})") from None
            if not part:
                raise Closed("the other side closed the connection")
            self._come += part
