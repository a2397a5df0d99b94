"""What of this machine bears on a time: processor, processors free for us, load, versions.

    processor  Some CPU @ 2.6 GHz, 2 of 2 processors
    python     3.11.7, Linux
    versions   numpy 2.4.6, torch 2.13.0
    load       12.6: others are at work, so trust ratios more than times

Nothing here names the machine, its user or its folders.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

QUIET = 0.5
"""Load for each processor up to which a machine counts as idle."""


def facts(packages: Iterable[str]) -> dict[str, str]:
    """Give what bears on a time, and no name or place of the machine.

    Parameters
    ----------
    packages
        Those whose versions count; the ones that are not installed are left out.

    Returns
    -------
    dict of str to str
        A line for each fact.
    """
    found = {
        "processor": f"{processor(read_cpuinfo())}, {usable()} of {os.cpu_count()} processors",
        "python": f"{platform.python_version()}, {platform.system()}",
        "versions": versions(packages),
    }
    if hasattr(os, "getloadavg"):
        found["load"] = load(os.getloadavg()[0], usable())
    return found


def read_cpuinfo() -> str:
    """Give what Linux tells of its processors; nothing elsewhere."""
    file = Path("/proc/cpuinfo")
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


def processor(cpuinfo: str) -> str:
    r"""Name the processor.

    Examples
    --------
    >>> processor("processor : 0\nmodel name\t: Some CPU\n")
    'Some CPU'
    """
    named = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return named[1].strip() if named else platform.processor() or platform.machine()


def usable() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def versions(packages: Iterable[str]) -> str:
    """Give the versions of packages that are installed.

    Examples
    --------
    >>> versions(["no-such-package"])
    ''
    """
    found = []
    for package in packages:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def load(average: float, processors: int) -> str:
    """Say whether others are at work.

    Examples
    --------
    >>> load(0.1, processors=2)
    '0.1'
    >>> load(12.61, processors=2)
    '12.6: others are at work, so trust ratios more than times'
    """
    busy = average > QUIET * processors
    said = ": others are at work, so trust ratios more than times" if busy else ""
    return f"{average:.1f}{said}"
