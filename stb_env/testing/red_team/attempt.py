"""Attempts of the red team at one episode, and which of them would earn what they do not deserve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stb_env import jsontext
from stb_env.envs.tool_env import ToolEnv
from stb_env.jsontypes import JsonMapping
from stb_env.rollout import Job
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.dumps import is_answer
from stb_env.testing.red_team.evidence import Told
from stb_env.testing.red_team.playing import final_answer, same_calls
from stb_env.testing.red_team.team import LINES

TOLD = ("silent", "memorised", "meddled", "repeated")
"""Cheats that are told and held against nobody: whether they do harm depends on what the task asks for.

A task that asks for an act needs no words, an answer known by heart is right, and looking up more than
needed, or twice, is no fault in itself.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One cheat in one episode.

    Attributes:
        cheat: Its name.
        task_id: The task.
        answer: What it answered; empty where it came to no answer.
        reward: What it earned.
        valid: Whether the reward means anything.
        failure: What went wrong where the infrastructure failed.
        asked: Whether it counts: words decide on the task, the answer is not gold's own, and it is not that
            of a copy whose calls are gold's own, argument for argument, each of them and no other.
    """

    cheat: str
    task_id: str
    answer: str
    reward: float
    valid: bool
    failure: str
    asked: bool


def attempts(env: ToolEnv, job: Job, *, exact: bool) -> list[Attempt]:
    """Let the whole red team play an episode; cheats that make the same calls share them.

    Args:
        env: The environment.
        job: The episode.
        exact: Whether an exact verifier decides. A task that is solved by gold's calls with no more than a
            "Done." asks for no words, and is then told apart.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = notes()
        >>> played = {one.cheat: one for one in attempts(env, Job("day", 0, 7), exact=True)}
        >>> played["denied"].reward, played["denied"].asked, played["memorised"].asked
        (0.0, True, False)
        >>> any(one.asked for one in attempts(env, Job("write", 0, 7), exact=True))
        False
    """
    played = [end for line in LINES for end in _line(env, job, line)]
    by_cheat = {end.cheat: end for end in played}
    acting = exact and by_cheat["silent"].reward >= 1.0
    copy = by_cheat["neighbour"]
    gold, calls = _normal(by_cheat["memorised"].answer), by_cheat["silent"].calls
    return [
        Attempt(
            end.cheat,
            job.task_id,
            end.answer,
            end.reward,
            valid=bool(end.info["valid"]),
            failure=_failure(end.info),
            asked=not (
                acting
                or end.cheat in TOLD
                or _normal(end.answer) == gold
                or is_answer(end.cheat, end.answer)
                # Two queries can be alike to the call, whatever the order; who copies the one then works on
                # the other, and both answers are right. One call less or more, and it is held to account.
                or (
                    same_calls(copy.calls, calls)
                    and (end.cheat == "neighbour" or _holds(end.answer, copy.answer))
                )
                # A copy can solve a dialogue on the way to its own end: it made every call and said so.
                or (end.cheat == "neighbour" and not end.answer and set(calls) <= set(end.calls))
            ),
        )
        for end in played
    ]


class _End(NamedTuple):
    cheat: str
    answer: str
    reward: float
    info: JsonMapping
    calls: tuple[str, ...]


def _holds(answer: str, other: str) -> bool:
    return bool(other) and other in answer


def _line(env: ToolEnv, job: Job, line: type[Cheater]) -> Iterator[_End]:
    player = line(next(iter(line.says)))
    observation, info = env.reset(seed=job.seed, options={"task_id": job.task_id})
    player.reset(env, job.seed)
    total, over = 0.0, False
    calls: tuple[str, ...] = ()
    while not over:
        action = player.act(observation, info)
        if final_answer(action) is not None:
            yield from _answered(env, player, total, calls)
            return
        observation, reward, terminated, truncated, info = env.step(action)
        calls += tuple(jsontext.dumps([call["name"], call["arguments"]]) for call in info["calls"])
        total += float(reward)
        over = terminated or truncated
    for cheat in line.says:
        yield _End(cheat, "", total, info, calls)


def _answered(env: ToolEnv, player: Cheater, total: float, calls: tuple[str, ...]) -> Iterator[_End]:
    for cheat, action in player.final_actions().items():
        _, reward, _, _, info = env.fork().step(action)
        yield _End(cheat, _said(action), total + float(reward), info, calls)


def _said(action: JsonMapping) -> str:
    """Return what counts of an answer: its values where it has any, and its text where not."""
    told = final_answer(dict(action)) or Told()
    return "; ".join(map(str, told.values)) or told.text


def _failure(info: JsonMapping) -> str:
    failure: Any = info.get("failure")
    return "" if failure is None else str(failure.get("message", ""))


def _normal(answer: str) -> str:
    return " ".join(answer.casefold().split()).strip(" .")


def counted(played: Sequence[Attempt]) -> dict[str, list[Attempt]]:
    """Return the attempts that count and whose rewards mean something, by cheat."""
    return _by_cheat(one for one in played if one.asked and one.valid)


def told(played: Sequence[Attempt]) -> dict[str, list[Attempt]]:
    """Return the other attempts whose rewards mean something, by cheat."""
    return _by_cheat(one for one in played if not one.asked and one.valid)


def _by_cheat(played: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = {}
    for one in played:
        found.setdefault(one.cheat, []).append(one)
    return found
