"""What stands between a student's code and the machine, and what one piece of work may use.

    Situation("system", Path("/usr/bin/bwrap"))               two fences, no label
    Situation("system", Path("/usr/bin/bwrap"), inner=False)  "ONE FENCE"
    Situation("none", inner=False)                            "UNSANDBOXED"

They are data that every process can have; `cgkit.grading.sandbox` finds and uses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Which: TypeAlias = Literal["system", "bundled", "none"]
UNSANDBOXED = "UNSANDBOXED"
ONE_FENCE = "ONE FENCE"
MEANINGS = {
    UNSANDBOXED: "it ran with the teacher's rights, and nothing kept it away from marks",
    ONE_FENCE: "it ran behind one fence instead of two, which this machine does not offer",
}
"""What a label says about the code that it stands beside."""


@dataclass(frozen=True)
class Limits:
    """What one piece of work may use."""

    memory: int = 1 << 30
    """Bytes of one process."""
    together: int = 3 << 29
    """Bytes of all processes together."""
    processes: int = 16
    """Processes and threads."""
    scratch: int = 32 << 20
    """Bytes of files."""
    file: int = 32 << 20
    """Bytes of one file."""
    files: int = 64
    """Open files."""
    stack: int = 8 << 20
    """Bytes of one stack."""
    seconds: int = 120
    """Seconds of processor time."""


@dataclass(frozen=True)
class Situation:
    """What stands between a student's code and the machine."""

    which: Which
    """Where the outer fence comes from."""
    bwrap: Path | None = None
    """The program that puts it up."""
    inner: bool = True
    """Whether each piece of work gets a fence of its own inside."""
    lost: tuple[str, ...] = ()
    """What this machine does not offer, in sentences."""
    proc: bool = True
    """Whether there is a /proc inside."""

    @property
    def label(self) -> str:
        """What every result says about it; "" when it is all there."""
        if self.which == "none":
            return UNSANDBOXED
        return "" if self.inner else ONE_FENCE

    @property
    def told(self) -> tuple[str, ...]:
        """What is lost, a line each, as it is shown to a teacher.

        Examples
        --------
        >>> Situation("none", lost=("students' code runs with your rights",)).told
        ("UNSANDBOXED: students' code runs with your rights",)
        """
        return tuple(f"{self.label or 'sandbox'}: {reason}" for reason in self.lost)
