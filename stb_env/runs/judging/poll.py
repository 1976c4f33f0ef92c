"""Lets several models vote on which tasks of a data set can be solved, and keeps every vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from stb_env.core.checksums import write_noted
from stb_env.core.files import make_folder
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import drive
from stb_env.judges.solvability_panel import SolvabilityPanel
from stb_env.models.chat import digest
from stb_env.runs.judging.ordered_work import Progress, check_concurrency, read_lines, work_in_order
from stb_env.tasks import Task
from stb_env.usage import Usage
from stb_env.verdict_line import judge_line, read_judge_line

FILE = "solvability.jsonl"


@dataclass(frozen=True, slots=True)
class PolledTask:
    """The vote on one task: a line of ``solvability.jsonl``.

    Attributes:
        task_id: The task.
        settings: Digest of the panel's settings and the task's content.
        solvable: The decision, or None where votes are missing that could change it.
        votes: One vote of each model, as plain data; a missing one has the status None.
        usage: What they cost.
    """

    task_id: str
    settings: str
    solvable: bool | None
    votes: tuple[JsonMapping, ...]
    usage: JsonMapping = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the vote as one line of JSON."""
        return judge_line(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> PolledTask:
        """Read a line that `to_json` wrote.

        Raises:
            DataError: It is no line of a version that this package reads, or was changed.
        """
        return cls(**read_judge_line(line, cls.__dataclass_fields__, "vote on a task"))


@dataclass(frozen=True, slots=True)
class Polled:
    """Result of a vote on tasks.

    Attributes:
        asked: Tasks that were voted on this time.
        usage: What that cost; answers from a cache count what they cost when they were given.
        tasks: The newest vote on each task, in order.
        summary: The figures, as ``solvability.json`` has them.
    """

    asked: int
    usage: Usage
    tasks: Sequence[PolledTask]
    summary: JsonMapping


def poll_tasks(
    tasks: Sequence[Task],
    panel: SolvabilityPanel,
    out: str | Path,
    *,
    concurrency: int = 1,
    progress: Progress | None = None,
) -> Polled:
    """Let a panel vote on tasks, each vote on disk before the next; what is decided is not asked again.

    Args:
        tasks: The tasks.
        panel: The models.
        out: Folder for ``solvability.jsonl`` and ``solvability.json``; made where it does not exist.
        concurrency: Tasks voted on at the same time.
        progress: Told after each task how many of how many are done.

    Raises:
        ConfigError: ``concurrency`` is below 1.
        DataError: The folder's votes cannot be read.
    """
    check_concurrency(concurrency)
    out = Path(out)
    make_folder(out)
    known = {polled.task_id: polled for polled in read_lines(out / FILE, PolledTask.from_json)}
    settings = {task.id: digest([panel.fingerprint, task.key]) for task in tasks}
    todo = [task for task in tasks if not _decided(known.get(task.id), settings[task.id])]
    fresh = work_in_order(todo, partial(_poll, panel, settings), out / FILE, concurrency, progress)
    known |= {polled.task_id: polled for polled in fresh}
    newest = [known[task.id] for task in tasks]
    summary = _summary(panel, newest)
    write_noted(out / "solvability.json", summary)
    usage = sum((Usage(**polled.usage) for polled in fresh), Usage())
    return Polled(len(fresh), usage, newest, summary)


def _poll(panel: SolvabilityPanel, settings: Mapping[str, str], task: Task) -> PolledTask:
    poll = drive(panel.poll(task))
    votes = tuple(vote.to_dict() for vote in poll.votes)
    return PolledTask(task.id, settings[task.id], poll.solvable, votes, poll.usage.to_dict())


def _decided(polled: PolledTask | None, settings: str) -> bool:
    return polled is not None and polled.solvable is not None and polled.settings == settings


def _summary(panel: SolvabilityPanel, polled: Sequence[PolledTask]) -> dict[str, object]:
    decisions = [one.solvable for one in polled]
    models = {
        judge.name: {
            str(status): sum(one.votes[place]["status"] == status for one in polled)
            for status in ("solvable", "unsure", "unsolvable", None)
        }
        for place, judge in enumerate(panel.judges)
    }
    return {
        "tasks": len(polled),
        "needed": panel.needed,
        "solvable": decisions.count(True),
        "unsolvable": decisions.count(False),
        "undecided": decisions.count(None),
        "models": models,
        "solvable_ids": [one.task_id for one in polled if one.solvable],
    }
