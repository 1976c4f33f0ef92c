"""Everything that a report says about one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.evaluation.comparison import read_judged_run
from stb_env.evaluation.discrepancies import JudgedRun, reward_modes
from stb_env.evaluation.run_costs import read_seconds
from stb_env.runs.metrics.cost import Cost, cost, role_usage
from stb_env.runs.metrics.intervals import bootstrap_interval
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.metrics.sopr import GroupRate, sopr
from stb_env.runs.saved_player import player_of
from stb_env.show.report.document.played_task import PlayedTask, played_tasks
from stb_env.show.report.document.spread import Spread
from stb_env.show.report.document.tool_calls import ToolCalls, tool_calls
from stb_env.show.report.document.votes import JudgeAgreement, VoteAgreement, judge_agreements
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage


@dataclass(frozen=True, slots=True)
class Failure:
    """A kind of failure of a run's invalid episodes.

    Attributes:
        kind: What failed.
        stage: Where.
        episodes: How many it ended.
        message: What the first of them says.
    """

    kind: str
    stage: str
    episodes: int
    message: str


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run of a report.

    Attributes:
        name: What the report calls it.
        judged: The run with the verdicts that count.
        agent: Who played: an evaluation's name of the agent, or the agent and its model.
        summary: Its rates, as `stb_env.runs.metrics.rates.summarize` gives them.
        rate: Mean score of its votes among all planned episodes, as every table of scores has it; None where
            its episodes have different numbers of votes.
        solved_interval: 95 % bootstrap interval of the solved share of valid trials, over tasks.
        cost: What it cost, and what a solved task did.
        roles: What each role used.
        failures: What ended its invalid episodes, the most frequent first.
        tasks: What became of each task.
        tools: Its calls by tool.
        measures: Values of each episode by what was measured: turns, calls, tokens, dollars, seconds.
        votes: How far the votes of its judge agree.
        judges: How far other judges agree with it.
    """

    name: str
    judged: JudgedRun
    agent: str
    summary: JsonMapping
    rate: GroupRate | None
    solved_interval: tuple[float, float]
    cost: Cost
    roles: Mapping[str, Usage]
    failures: Sequence[Failure]
    tasks: Sequence[PlayedTask]
    tools: Sequence[ToolCalls]
    measures: Mapping[str, Sequence[float]]
    votes: VoteAgreement
    judges: Sequence[JudgeAgreement]

    @property
    def env(self) -> str:
        """Id of the environment."""
        return str(self.judged.manifest.get("env", "-"))

    @property
    def reward_mode(self) -> str:
        """Reward mode of its episodes; several modes with commas."""
        return reward_modes(self.judged.episodes)

    @property
    def missing(self) -> int:
        """Episodes that are planned and not saved."""
        return max(0, int(self.summary["planned"]) - int(self.summary["episodes"]))

    @property
    def measured(self) -> bool:
        """True if any episode is valid: without one there is no rate."""
        return bool(self.summary["episodes"] > self.summary["invalid"])

    @property
    def waiting(self) -> int:
        """Episodes that were played, and that the judge whose verdicts count has not judged yet."""
        return sum(episode.awaits_verdict for episode in self.judged.episodes)

    @property
    def invalid_share(self) -> float | None:
        """Share of invalid episodes among those that do not wait for a verdict; None where all do."""
        decided = int(self.summary["episodes"]) - self.waiting
        return self.outcomes["invalid"] / decided if decided else None

    @property
    def outcomes(self) -> dict[str, int]:
        """Planned episodes, counted by how they ended."""
        ended = {name: int(self.summary[name]) for name in ("solved", "unsure", "unsolved", "invalid")}
        ended["invalid"] -= self.waiting
        return {**ended, "waiting": self.waiting, "not played": self.missing}

    @property
    def unscored(self) -> int:
        """Planned episodes without a verdict."""
        return self.missing + int(self.summary["invalid"])

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data; of what was measured, how it is spread.

        Without a valid episode there is no rate.
        """
        unmeasured = () if self.measured else ("solved_valid", "solved_all", "mean", "std", "interval")
        interval = list(self.solved_interval) if self.measured else None
        return {
            "name": self.name,
            "folder": str(self.judged.folder),
            "env": self.env,
            "agent": self.agent,
            "judge": self.judged.judge,
            "reward_mode": self.reward_mode,
            **self.summary,
            **dict.fromkeys(unmeasured),
            "invalid": self.outcomes["invalid"],
            "invalid_share": self.invalid_share,
            "waiting": self.waiting,
            "rate": None if self.rate is None else self.rate.to_dict(),
            "missing": self.missing,
            "solved_interval": interval,
            "cost": self.cost.to_dict(),
            "roles": {role: usage.report() for role, usage in self.roles.items()},
            "failed": [
                {"kind": one.kind, "stage": one.stage, "episodes": one.episodes, "message": one.message}
                for one in self.failures
            ],
            "tools": [tool.to_dict() for tool in self.tools],
            "spreads": {name: Spread.of(values).to_dict() for name, values in self.measures.items()},
            "votes": self.votes.to_dict(),
            "judge_agreement": [one.to_dict() for one in self.judges],
            "tasks": [task.to_dict() for task in self.tasks],
        }


def read_reported_run(name: str, folder: Path, judge: str | None = None) -> ReportedRun:
    """Read a saved run for a report.

    Args:
        name: What the report calls it.
        folder: The run.
        judge: Whose verdicts count; those of the run's own judge where not given.

    Raises:
        ConfigError: The folder holds no run, or nothing says how it was played.
        DataError: The run or its verdicts cannot be read.

    Examples:
        >>> read_reported_run("nothing", Path("runs/nothing"))
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: runs/nothing holds no run; give a folder that `stb-env run --out` wrote
    """
    judged = read_judged_run(folder, judge)
    episodes = judged.episodes
    who = player_of(folder)
    valid: dict[str, list[bool]] = {}
    for episode in episodes:
        if episode.valid:
            valid.setdefault(episode.task_id, []).append(episode.solved)
    return ReportedRun(
        name,
        judged,
        who.name,
        summarize(episodes, who.planned),
        _rate(episodes, who.planned),
        bootstrap_interval([sum(trials) / len(trials) for trials in valid.values()]),
        cost(episodes),
        role_usage(episodes),
        _failures(judged),
        played_tasks(episodes),
        tool_calls(episodes),
        _measures(judged),
        VoteAgreement.of(episodes),
        judge_agreements(folder, judged.judge, episodes),
    )


def _rate(episodes: Sequence[Trajectory], planned: int | None) -> GroupRate | None:
    try:
        return sopr(episodes, planned=planned).overall
    except ConfigError:
        return None


def _failures(run: JudgedRun) -> list[Failure]:
    counts: Counter[tuple[str, str]] = Counter()
    messages: dict[tuple[str, str], str] = {}
    for episode in run.episodes:
        if not episode.valid:
            failure = episode.failure or {}
            # As `summarize` calls what no one could judge.
            kind = str(failure.get("kind", "na")), str(failure.get("stage", "-"))
            counts[kind] += 1
            messages.setdefault(kind, str(failure.get("message", "nothing could be judged")))
    return [Failure(*kind, count, messages[kind]) for kind, count in counts.most_common()]


def _measures(run: JudgedRun) -> dict[str, list[float]]:
    seconds = read_seconds(run.folder)
    return {
        "turns": [len(episode.steps) for episode in run.episodes],
        "calls": [sum(len(step["calls"]) for step in episode.steps) for episode in run.episodes],
        "tokens": [episode.usage.get("total_tokens", 0) for episode in run.episodes],
        "dollars": [episode.usage.get("cost", 0.0) for episode in run.episodes],
        "seconds": [seconds[episode.key] for episode in run.episodes if episode.key in seconds],
    }
