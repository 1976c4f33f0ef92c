"""Inspect AI: every environment is a task, and its verdicts are the scores.

``inspect eval stb_env/sandbox --model NAME`` plays an environment of this package; see `stb` for the options,
which follow ``-T``. Nothing needs a sandbox. `write_log` and `read_log` turn a run into a log and back.
"""

from __future__ import annotations

from stb_env.integrations.extra import missing

try:
    import inspect_ai  # noqa: F401 (what follows needs it)
except ImportError as error:
    raise missing("Inspect AI", "inspect") from error

from stb_env.integrations.inspect.scorer import verdict
from stb_env.integrations.inspect.solver import exact, reacting
from stb_env.integrations.inspect.task import stb

__all__ = ["exact", "reacting", "stb", "verdict"]
