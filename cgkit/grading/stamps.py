"""When something was handed in, as nbgrader's list of assignments and teachers write it.

read_timestamp("2030-02-01 12:30:00 Europe/Berlin")  ──►  half past eleven, in UTC
"""

from __future__ import annotations

import datetime
import zoneinfo


def read_timestamp(text: str) -> datetime.datetime:
    """Read a time and give it in UTC, without a zone, as nbgrader stores it.

    Raises
    ------
    ValueError
        It is no time.

    Examples
    --------
    >>> read_timestamp("2030-02-01 12:30:00.5 UTC")
    datetime.datetime(2030, 2, 1, 12, 30, 0, 500000)
    >>> read_timestamp("2030-02-01 12:30:00 +0200").hour
    10
    """
    text, _, zone = text.strip().partition(" UTC")
    parts = text.split()
    if len(parts) == 3:  # a name such as Europe/Berlin, or an offset
        text, zone = " ".join(parts[:2]), parts[2]
    if zone[:1] in ("+", "-"):
        text, zone = text + zone, ""
    try:
        when = datetime.datetime.fromisoformat(text)
        if zone:
            when = when.replace(tzinfo=zoneinfo.ZoneInfo(zone))
        if when.tzinfo is not None:
            when = when.astimezone(datetime.UTC).replace(tzinfo=None)
    except (OverflowError, KeyError, OSError) as error:
        raise ValueError(str(error)) from error
    return when
