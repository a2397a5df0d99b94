"""How the bench and a peer's process speak: one JSON object a line, a question, then its answer.

    {"do": "open", "set_up": "MODULE:NAME", "size": {...}, "cpus": [0]}   {"opened": true}
                                                                          {"missing": "torch"}
    {"do": "outputs", "file": "PATH"}         writes them there           {"names": ["y"]}
    {"do": "calibrate", "seconds": 0.01}      how many calls last so long {"calls": 200}
    {"do": "time", "calls": 200}              seconds for one call        {"seconds": 0.00005}

    any of them                                                           {"error": "..."}

The process ends when its input does. What a peer prints goes elsewhere and spoils nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

Message = dict[str, Any]


class Garbled(ValueError):
    """A line that is no message."""


def send(stream: IO[str], message: Mapping[str, Any]) -> None:
    """Write one message, now.

    Examples
    --------
    >>> import sys
    >>> send(sys.stdout, {"do": "time", "calls": 3})
    {"do": "time", "calls": 3}
    """
    stream.write(json.dumps(message) + "\n")
    stream.flush()


def parse(line: str) -> Message:
    """Read one message.

    Raises
    ------
    Garbled
        The line is no JSON object.

    Examples
    --------
    >>> parse('{"seconds": 0.5}')
    {'seconds': 0.5}
    """
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Garbled(f"no message: {line.strip()!r:.80}")
    return found
