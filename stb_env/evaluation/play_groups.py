"""A run that is played in groups, from settings to saved groups: what ``stb-env groups`` is."""

from __future__ import annotations

import itertools
import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from stb_env.core import checksums, jsontext
from stb_env.core.files import write_text
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, DataError
from stb_env.evaluation.play_run import Progress, check_shared_service
from stb_env.evaluation.remote_run import RemoteRun
from stb_env.evaluation.resolved import Resolved
from stb_env.runs.batch import Cluster, Remark
from stb_env.runs.failure_limit import Breaker
from stb_env.runs.groups.curriculum import Curriculum
from stb_env.runs.groups.group_run import GroupKey, GroupRun
from stb_env.runs.groups.staged_tasks import staged_curriculum, stages_of
from stb_env.runs.groups.stream import group_seed, groups
from stb_env.runs.groups.trials import Trials
from stb_env.runs.groups.workers import check_reward
from stb_env.runs.metrics.cost import role_usage
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.play_options import PlayOptions

_log = logging.getLogger(__name__)

_ROUND = 4
"""Groups that are drawn together, from how those before them went."""


def play_groups(
    run: Resolved,
    out: Path,
    trials: Trials,
    options: PlayOptions = PlayOptions(),  # noqa: B008 (frozen)
    *,
    stages: Sequence[JsonMapping] = (),
    progress: Progress | None = None,
    remark: Remark = _log.warning,
    cluster: Cluster | None = None,
) -> dict[str, object]:
    """Play a group of each of a run's tasks that is not saved yet, and return the summary.

    Args:
        run: Environment, agent, tasks, and the seed of the groups.
        out: Folder of the run.
        trials: How each group is played.
        options: How many trials are played at the same time, how long they may take, and when to stop.
        stages: Settings of stages, the easiest first, of which the tasks are drawn by how often those before
            were solved; without any the run's own tasks are played.
        progress: Told how many of how many groups are saved.
        remark: Told of each bug of the agent's, once; a log where not given.
        cluster: Machines that play, ``options.concurrency`` trials each worker; None plays here.

    Raises:
        ConfigError: The folder holds a run with another configuration, rewards are dense, or trials would
            write to one service with state at the same time.
        RunStopped: An endpoint is not there, episodes keep failing alike, or the disk refuses them.
    """
    check_reward(run.env)
    check_shared_service(run, options.concurrency, cluster)
    manifest = run.manifest
    if not out.exists():
        # Before a folder is made: a run that cannot begin leaves nothing behind.
        run.check_endpoints()
        manifest = run.asked_manifest()
    if stages:
        manifest = {**manifest, "curriculum": [dict(stage) for stage in stages]}
    syllabus = _Syllabus(run, out, stages) if stages else None
    with closing(GroupRun(out, {**manifest, "groups": asdict(trials)})) as saved:
        breaker = Breaker(options.stop_after, run.check_endpoints)
        planned = [(job.task_id, group_seed(run.spec.seed, job.task_id)) for job in run.jobs]
        for part in [planned] if syllabus is None else syllabus.rounds(saved, len(planned)):
            left = saved.begin(part, trials.k)
            for done in _played(run, saved, left, trials, options, breaker, remark, cluster):
                if progress is not None:
                    progress(len(part) - len(left) + done, len(planned))
        summary = {
            "env": run.spec.env_id,
            "agent": run.manifest["agent"],
            **group_figures(saved.lines),
            **summarize(saved.run.trajectories),
            **({} if syllabus is None else {"curriculum": syllabus.figures(saved)}),
        }
        if roles := role_usage(saved.run.trajectories):
            summary["roles"] = {role: usage.report() for role, usage in roles.items()}
        saved.finish(summary)
    return summary


class _Syllabus:
    """Tasks of a run that are drawn by stages, a round after the other.

    A round is drawn from how all groups before it went, so neither concurrency nor an interruption changes
    it. What was drawn is in ``curriculum.json`` before it is played.

    Args:
        run: The run.
        out: Its folder.
        stages: The settings of its stages.
    """

    def __init__(self, run: Resolved, out: Path, stages: Sequence[JsonMapping]) -> None:
        self._seed = run.spec.seed
        self._stages = {stage.name: stage for stage in stages_of(run.env, stages)}
        self._file = out / "curriculum.json"
        self._drawn: list[tuple[str, str]] = []
        if self._file.is_file():
            checksums.check(self._file)
            try:
                self._drawn = [(stage, task) for stage, task in json.loads(self._file.read_text("utf-8"))]
            except (ValueError, TypeError) as error:
                raise DataError(
                    f"{self._file} is damaged ({error}); restore it, or use another --out"
                ) from error

    def rounds(self, saved: GroupRun, count: int) -> Iterator[list[GroupKey]]:
        """Yield what is planned by now, longer each time, until so many groups are."""
        if self._drawn:
            yield self._planned(count)
        while len(self._drawn) < count:
            self._draw(saved, min(_ROUND, count - len(self._drawn)))
            checksums.forget(self._file.parent, self._file.name)
            write_text(self._file, jsontext.dumps(self._drawn))
            checksums.note(self._file.parent, self._file.name)
            yield self._planned(count)

    def figures(self, saved: GroupRun) -> dict[str, object]:
        """Return the current stage, and the groups and the success rate of each."""
        curriculum = self._curriculum(saved)
        groups = Counter(stage for stage, _ in self._drawn)
        return {"current": curriculum.current, "groups": dict(groups), "rates": dict(curriculum.rates)}

    def _planned(self, count: int) -> list[GroupKey]:
        return [(task_id, group_seed(self._seed, task_id)) for _, task_id in self._drawn[:count]]

    def _draw(self, saved: GroupRun, count: int) -> None:
        curriculum = self._curriculum(saved)
        for _ in range(count):
            name = curriculum.pick(len(self._drawn))
            tasks, known = self._stages[name].tasks, {task_id for _, task_id in self._drawn}
            indices = islice(itertools.count(), tasks.size)
            fresh = (task_id for index in indices if (task_id := tasks.at(index).id) not in known)
            found = next(fresh, None)
            if found is None:
                raise ConfigError(
                    f"all {tasks.size} tasks of the stage {name} are played; ask for fewer --tasks"
                )
            self._drawn.append((name, found))

    def _curriculum(self, saved: GroupRun) -> Curriculum:
        lines = {line["task_id"]: line for line in saved.lines}
        curriculum = staged_curriculum(self._stages.values(), self._seed)
        for stage, task_id in self._drawn:
            rewards = lines[task_id]["rewards"] if task_id in lines else []
            curriculum.note(stage, [int(reward == 1.0) for reward in rewards if reward is not None])
        return curriculum


def group_figures(lines: Sequence[JsonMapping]) -> dict[str, object]:
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
    run: Resolved,
    saved: GroupRun,
    left: Sequence[GroupKey],
    trials: Trials,
    options: PlayOptions,
    breaker: Breaker,
    remark: Remark,
    cluster: Cluster | None,
) -> Iterator[int]:
    """Play groups and save them; yields how many are saved by now, 0 first."""
    yield 0
    remote = None if cluster is None else RemoteRun.of(run)
    stream = groups(
        run.env if remote is None else remote.make_env,
        [task_id for task_id, _ in left],
        trials.k,
        agent=run.make_agent if remote is None else remote.make_agent,
        seed=run.spec.seed,
        branch_at=trials.branch_at,
        stop_equal=trials.stop_equal,
        advantages=trials.estimator,
        concurrency=options.concurrency,
        ordered=False,
        remark=remark,
        deadlines=options.deadlines,
        cluster=cluster,
        link=remote,
    )
    with closing(stream):
        for number, group in enumerate(stream, 1):
            saved.add(group)
            yield number
            for episode in group.episodes:
                breaker.watch(episode)
