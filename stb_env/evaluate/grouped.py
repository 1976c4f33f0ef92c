"""A run that is played in groups, from settings to saved groups: what ``stb-env groups`` is."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from stb_env.evaluate.session import Progress, Session
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.metrics.cost import role_usage
from stb_env.metrics.rates import summarize
from stb_env.rollout.breaker import STOP_AFTER, Breaker
from stb_env.rollout.deadlines import NO_DEADLINES, Deadlines
from stb_env.rollout.group.crew import check_reward
from stb_env.rollout.group.group_run import GroupKey, GroupRun
from stb_env.rollout.group.stream import Remark, group_seed, groups
from stb_env.rollout.group.trials import Trials

_log = logging.getLogger(__name__)


def play_groups(
    session: Session,
    out: Path,
    trials: Trials,
    *,
    seed: int = 0,
    concurrency: int = 1,
    progress: Progress | None = None,
    stop_after: int = STOP_AFTER,
    remark: Remark = _log.warning,
    deadlines: Deadlines = NO_DEADLINES,
) -> JsonObject:
    """Play a group of each of a session's tasks that is not saved yet, and return the summary.

    Args:
        session: Environment, agent and tasks.
        out: Folder of the run.
        trials: How each group is played.
        seed: Seed of the groups.
        concurrency: Trials played at the same time.
        progress: Told how many of how many groups are saved.
        stop_after: Equal failures in a row that end the run; 0 for no end.
        remark: Told of each bug of the agent's, once; a log where not given.
        deadlines: How long calls, steps and trials may take.

    Raises:
        ConfigError: The folder holds a run with another configuration, or rewards are dense.
        RunStopped: An endpoint is not there, episodes keep failing alike, or the disk refuses them.
    """
    check_reward(session.env)
    planned = [(job.task_id, group_seed(seed, job.task_id)) for job in session.jobs]
    manifest = session.manifest
    if not out.exists():
        # Before a folder is made: a run that cannot begin leaves nothing behind.
        session.check_endpoints()
        manifest = session.asked_manifest()
    with closing(GroupRun(out, {**manifest, "groups": asdict(trials)})) as saved:
        left = saved.begin(planned, trials.k)
        breaker = Breaker(stop_after, session.check_endpoints)
        for done in _played(session, saved, left, trials, seed, concurrency, breaker, remark, deadlines):
            if progress is not None:
                progress(len(planned) - len(left) + done, len(planned))
        summary = {
            "env": session.env_id,
            "agent": session.manifest["agent"],
            **group_figures(saved.lines),
            **summarize(saved.run.trajectories),
        }
        if roles := role_usage(saved.run.trajectories):
            summary["roles"] = {role: usage.report() for role, usage in roles.items()}
        saved.finish(summary)
    return summary


def group_figures(lines: Sequence[JsonMapping]) -> JsonObject:
    """Return what groups come to together.

    Args:
        lines: The lines of ``groups.jsonl``.

    Examples:
        >>> group_figures([])["groups"]
        0
    """
    known = [line["staleness"] for line in lines if line["staleness"]["steps"]]
    steps = sum(stale["steps"] for stale in known)
    return {
        "groups": len(lines),
        "varied": sum(line["varied"] for line in lines),
        "stopped": sum(len(line["trials"]) < line["planned"] for line in lines),
        "masked": sum(reward is None for line in lines for reward in line["rewards"]),
        "staleness": {
            "steps": steps,
            "mean": sum(stale["mean"] * stale["steps"] for stale in known) / steps if steps else 0.0,
            "most": max((stale["most"] for stale in known), default=0),
        },
    }


def _played(
    session: Session,
    saved: GroupRun,
    left: Sequence[GroupKey],
    trials: Trials,
    seed: int,
    concurrency: int,
    breaker: Breaker,
    remark: Remark,
    deadlines: Deadlines,
) -> Iterator[int]:
    """Play groups and save them; yields how many are saved by now, 0 first."""
    yield 0
    stream = groups(
        session.env,
        [task_id for task_id, _ in left],
        trials.k,
        agent=session.make_agent,
        seed=seed,
        branch_at=trials.branch_at,
        stop_equal=trials.stop_equal,
        advantages=trials.estimator,
        concurrency=concurrency,
        remark=remark,
        deadlines=deadlines,
    )
    with closing(stream):
        for number, group in enumerate(stream, 1):
            saved.add(group)
            yield number
            for episode in group.episodes:
                breaker.watch(episode)
