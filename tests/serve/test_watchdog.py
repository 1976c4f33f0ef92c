"""A server that is stuck in one call of C code is ended by the process that watches it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

# The hash of tuples that hold one another takes hours, in which Python runs nothing else.
STUCK = "pair = (1, 1)\nfor _ in range(60):\n    pair = (pair, pair)\nhash(pair)"
ENDS = "import time\ntime.sleep(1.5)"


def watched(code: str) -> subprocess.CompletedProcess[str]:
    script = f"from stb_env.serve.watchdog import watch\nwatch(1.2)\n{code}"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)


def test_a_process_that_is_stuck_is_ended_and_says_so():
    done = watched(STUCK)
    assert done.returncode == -9
    assert "the server was stuck for 1.2 s" in done.stderr


def test_a_process_that_waits_is_left_alone():
    # Its output is closed with it: the watching process holds none of it open.
    done = watched(ENDS)
    assert (done.returncode, done.stderr) == (0, "")
