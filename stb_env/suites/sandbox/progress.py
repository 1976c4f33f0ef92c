"""Progress of an episode: the share of its subgoals that are reached, for dense rewards."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.backend.world import Tables
from stb_env.core import jsontext
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.changes import changes, same
from stb_env.tasks import Task
from stb_env.tools import Status
from stb_env.trajectory import CallRecord


def progress(task: Task, state: object, calls: Sequence[CallRecord]) -> float:
    """Return the share of subgoals reached: gold calls made, and tables left as they should be.

    Args:
        task: A sandbox task.
        state: The world's state.
        calls: The episode's calls so far.

    Returns:
        From 0 to 1. It falls again where a table that was right is changed once more.

    Examples:
        >>> from stb_env.suites.sandbox.tasks import SandboxTasks
        >>> progress(SandboxTasks("train").at(0), Tables(), [])
        0.0
    """
    # A refusal counts as well: some tasks can only be solved by learning that a first wish is refused.
    made = {_call_key(call.name, call.arguments) for call in calls if call.result.status <= Status.TOOL_ERROR}
    wanted = {_call_key(call.name, call.arguments) for call in task.gold}
    writes = task.goal.get("writes", {})
    reached = len(wanted & made)
    if writes and isinstance(state, Tables):
        done = changes(household(task.record.get("household", 0)), state)
        reached += sum(same(change, done.get(table)) for table, change in writes.items())
    total = len(wanted) + len(writes)
    return reached / total if total else 0.0


def _call_key(name: str, arguments: object) -> str:
    return jsontext.dumps([name, sorted(arguments.items()) if isinstance(arguments, dict) else arguments])
