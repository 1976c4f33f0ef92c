"""What another process takes: memory and time."""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = 4_096
_TICK = 100


def resident(pid: int) -> float:
    """Return the bytes of memory that a process holds, or 0 where the system does not say."""
    file = Path(f"/proc/{pid}/statm")
    if not file.is_file():
        return 0.0
    return float(file.read_text(encoding="ascii").split()[1]) * _told("SC_PAGE_SIZE", _PAGE)


def cpu_seconds(pid: int) -> float:
    """Return the seconds for which a process has had a processor, or 0 where the system does not say."""
    file = Path(f"/proc/{pid}/stat")
    if not file.is_file():
        return 0.0
    # Behind the name, which may hold anything.
    fields = file.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _told("SC_CLK_TCK", _TICK)


def _told(name: str, usual: int) -> int:
    return os.sysconf(name) if hasattr(os, "sysconf") else usual
