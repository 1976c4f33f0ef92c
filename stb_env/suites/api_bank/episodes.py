"""Scores played episodes call by call, so that they compare with predictions for samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.evaluator import argument_facts
from stb_env.suites.api_bank.judge import DialogueJudge
from stb_env.suites.api_bank.matching import GoldRecord, is_needed, match
from stb_env.suites.api_bank.metrics import Attempt, ErrorType, Score, error_type
from stb_env.suites.api_bank.retrieval_world import found_names
from stb_env.tasks import Task, TaskSource
from stb_env.tools import Status
from stb_env.trajectory import CallRecord, Trajectory


def episode_scores(
    episodes: Iterable[Trajectory], tasks: TaskSource, judge: DialogueJudge
) -> tuple[list[Score], int]:
    """Score the recorded calls and the replies of episodes.

    A recorded call that no call of the episode is right for counts as the first other call of that API, or
    else the first other call at all, each used once; where none is left, nothing was called. The ROUGE-L of
    an episode is the mean over its replies.

    Args:
        episodes: The episodes, with their verdicts.
        tasks: Their tasks.
        judge: Matches calls.

    Returns:
        The scores, and how many episodes are left out since they are not valid.
    """
    scores: list[Score] = []
    invalid = 0
    for episode in episodes:
        if not episode.valid:
            invalid += 1
            continue
        task = tasks.get(episode.task_id)
        scores += _scores(task, episode, judge)
    return scores, invalid


def _scores(task: Task, episode: Trajectory, judge: DialogueJudge) -> Iterator[Score]:
    level = task.record["level"]
    calls = [CallRecord.from_dict(call) for step in episode.steps for call in step["calls"]]
    start = judge.world.start(task, episode.seed)
    matched = match(judge.world, task.goal["calls"], calls, start)
    others = list(matched.others)
    for gold, right in zip(task.goal["calls"], matched.right, strict=True):
        if not is_needed(gold):
            continue
        error = None if right is not None else _error(task, gold, _taken(others, gold["name"]), calls, judge)
        yield Score(level, task.id, right=right is not None, error=error)
    metrics: JsonMapping = (episode.verdict or {}).get("metrics", {})
    if task.goal["replies"]:
        yield Score(level, task.id, rouge=metrics.get("rouge_l", 0.0))


def _taken(others: list[CallRecord], name: str) -> CallRecord | None:
    """Take the call out of the list that stands for a recorded call of this API."""
    place = next((place for place, call in enumerate(others) if call.name == name), 0)
    return others.pop(place) if others else None


def _error(
    task: Task,
    gold: GoldRecord,
    call: CallRecord | None,
    calls: Sequence[CallRecord],
    judge: DialogueJudge,
) -> ErrorType:
    level = task.record["level"]
    if call is None:
        return error_type(Attempt(level, gold["name"], calls=0))
    api = judge.world.apis.apis.get(call.name)
    readable = not isinstance(call.arguments, str)
    facts = argument_facts(api, call.arguments) if api and not isinstance(call.arguments, str) else {}
    return error_type(
        Attempt(
            level,
            gold["name"],
            call.name,
            readable=readable,
            is_search=gold["name"] == SEARCHER,
            was_found=call.name in _found_before(calls, call),
            raised=call.result.status is Status.TOOL_ERROR,
            **facts,
        )
    )


def _found_before(calls: Sequence[CallRecord], call: CallRecord) -> set[str]:
    found: set[str] = set()
    for earlier in calls:
        if earlier is call:
            break
        if earlier.name == SEARCHER:
            found.update(found_names(earlier.result))
    return found
