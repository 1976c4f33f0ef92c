"""API-Bank's own standing check: every recorded call, played again."""

from __future__ import annotations

from collections.abc import Sequence

from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.api_bank.errata import errata
from stb_env.suites.api_bank.reproduction import CURED, RELEASED, Replay, replays
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tasks import Task
from stb_env.testing.report import Report

REPRODUCED = 0.97
"""Share of the recorded calls that must come out as recorded."""


def check(report: Report, env: ToolEnv, tasks: Sequence[Task]) -> None:
    """Play every recorded call again, as the original does and as this package does.

    Args:
        report: Takes the checks and their counts.
        env: An environment of API-Bank; one whose calls something else answers has nothing to check.
        tasks: The tasks whose calls are played.
    """
    world = env.rules.backend
    if not isinstance(world, ApiBankWorld):
        return
    rows = {row.setting: row for row in replays(tasks, world)}
    cured = rows[CURED]
    report.counts["gold_calls"] = {
        "tried": cured.tried,
        "reproduced": cured.reproduced,
        "explained": cured.explained,
    }
    report.counts["replays"] = [row.to_dict() for row in rows.values()]
    report.counts["errata"] = errata().version
    bar = max(REPRODUCED, *(RELEASED[task.record["level"]] for task in tasks))
    report.add(
        "recorded calls reproduce", cured.share >= bar, f"{_counts(cured)}, at least {bar:.1%} demanded"
    )
    for row in rows.values():
        unexplained = [miss for miss in row.misses if not miss[-1]]
        causes = ", ".join(f"{cause or 'unknown'} {count}" for cause, count in row.causes.items())
        detail = f"{_counts(row)}{': ' if causes else ''}{causes} {unexplained[:3] or ''}".rstrip()
        report.add(f"misses explained: {row.setting}", not unexplained, detail)


def _counts(row: Replay) -> str:
    return f"{row.reproduced} of {row.tried} ({row.share:.1%})"
