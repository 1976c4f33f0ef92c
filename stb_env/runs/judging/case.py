"""Rebuild the case that a judge saw from a saved episode."""

from __future__ import annotations

from stb_env.errors import DataError
from stb_env.formats.branches import played_branch
from stb_env.judges.judge import Case
from stb_env.steps import READS
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, Tool
from stb_env.trajectory import CallRecord, Trajectory


def case_of(episode: Trajectory, task: Task | None = None, *, unanswered: bool = False) -> Case:
    """Rebuild what a judge saw of an episode.

    Args:
        episode: Ended with an answer.
        task: Its task; without one it is made of the saved query and tools, and which APIs are relevant
            is unknown.
        unanswered: Whether an episode that ended without an answer is taken too, its answer empty.

    Raises:
        DataError: The episode has no answer.
    """
    # Of a search the judge saw the branch that was played, and no other.
    episode = played_branch(episode)
    if not is_answered(episode) and not unanswered:
        raise DataError(f"episode {episode.key} ended without an answer; there is nothing to judge")
    calls = tuple(CallRecord.from_dict(call) for step in episode.steps for call in step["calls"])
    answer, cannot = episode.answer, episode.cannot
    return Case(
        task or _task(episode),
        episode.final_answer,
        calls,
        answer=None if answer is None else dict(answer),
        cannot=None if cannot is None else dict(cannot),
        reads=tuple(map(CallRecord.from_dict, episode.steps[-1].get(READS, ()) if episode.steps else ())),
    )


def is_answered(episode: Trajectory) -> bool:
    """Return whether an episode ended with a Finish that gives an answer."""
    last = episode.steps[-1]["calls"] if episode.steps else ()
    return any(call["name"] == FINISH and call["status"] == Status.FINISHED for call in last)


def _task(episode: Trajectory) -> Task:
    functions = [spec["function"] for spec in episode.tools]
    # Unchecked: an episode that was played elsewhere is judged as it is, whatever its tools are named.
    tools = tuple(
        Tool(
            function["name"],
            function.get("description") or "",
            function.get("parameters") or {},
            checked=False,
        )
        for function in functions
        if function["name"] != FINISH
    )
    return Task(
        episode.task_id, episode.query, tools, suite=episode.suite, group=episode.group, checked=False
    )
