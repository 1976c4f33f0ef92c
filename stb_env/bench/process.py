"""What another process takes: memory and time."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

_PAGE = 4_096


def resident(pid: int) -> float:
    """Return the bytes of memory that a process holds, or 0 where the system does not say."""
    file = Path(f"/proc/{pid}/statm")
    if not file.is_file():
        return 0.0
    page = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else _PAGE
    return float(file.read_text(encoding="ascii").split()[1]) * page


def cpu_seconds(pid: int) -> float:
    """Return the seconds for which a process has had a processor, or 0 where the system does not say."""
    # Linux alone has a clock for every process, under this number.
    return time.clock_gettime((~pid << 3) | 2) if sys.platform == "linux" else 0.0
