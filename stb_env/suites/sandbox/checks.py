"""Checks of the Sandbox's own tasks: gold must be true, not only reach the maximum."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.changes import changes
from stb_env.suites.sandbox.conventions import unlimited_pages
from stb_env.suites.sandbox.facts import values_of
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.solving import run
from stb_env.tasks import Task
from stb_env.testing.report import Report


def check(report: Report, env: ToolEnv, tasks: Sequence[Task]) -> None:
    """Derive the truth of tasks a second time.

    Args:
        report: Gets ``gold is true``: gold is the same where every list has one page, so that no solution
            takes a part of the rows for all of them.
        env: The environment.
        tasks: The tasks.
    """
    del env
    untrue = [task.id for task in tasks if not is_true(task)]
    detail = f"{len(tasks) - len(untrue)} of {len(tasks)} have the same gold with unlimited pages"
    report.add("gold is true", not untrue, detail + (f", not {', '.join(untrue[:5])}" if untrue else ""))


def is_true(task: Task) -> bool:
    """Return whether the gold of a task is the same with unlimited pages.

    Examples:
        >>> from stb_env.suites.sandbox.tasks import SandboxTasks
        >>> is_true(SandboxTasks("train").at(0))
        True
    """
    # Drawn before: a draw runs solutions, too.
    plan, state = plan_of(task.id), household(task.record.get("household", 0))
    with unlimited_pages():
        solved = run(plan, state)
    gap = solved.answer.gap
    found = {
        "answer": values_of(solved.answer.facts),
        "cannot": gap.to_dict() if gap else None,
        "writes": changes(state, solved.state),
    }
    return found == dict(task.goal)
