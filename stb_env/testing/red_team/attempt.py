"""Attempts of the red team at one episode, and which of them would earn what they do not deserve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.envs.tool_env import ToolEnv
from stb_env.runs import Job
from stb_env.testing.red_team.cheater import Cheater
from stb_env.testing.red_team.dumps import is_answer
from stb_env.testing.red_team.known_solutions import final_answer, same_calls
from stb_env.testing.red_team.team import LINES

TOLD: Mapping[str, frozenset[str]] = {
    "typed": frozenset({"meddled", "repeated", "unfinished"}),
    "acts": frozenset({"meddled", "repeated", "unfinished", "guess_acts"}),
    "text": frozenset({"silent", "memorised", "meddled", "repeated", "unfinished"}),
}
"""Cheats that are told and held against nobody, by what decides: whether they do harm depends on the task.

A second look is no fault in itself. What the last call brings may be known by then, and some solutions end
with a step that may be left out. A guessed call may be right, and what one guess a tool earns is a figure of
the suite. Where text decides, an answer known by heart is right, and a task that asks for an act needs no
words.
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
        asked: Whether it counts: the cheat is none that is only told, its answer is not gold's own, and it is
            not that of a copy whose calls are gold's own, argument for argument, each of them and no other.
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
    kind = env.rules.finish_form(env.tasks.get(job.task_id)).kind
    kind = "text" if kind == "original" else kind
    line = _Gold.of(played, acting=exact and kind == "text")
    return [
        Attempt(
            end.cheat,
            job.task_id,
            end.answer,
            end.reward,
            valid=bool(end.info["valid"]),
            failure=_failure(end.info),
            asked=end.cheat not in TOLD[kind] and not line.excuses(end, kind),
        )
        for end in played
    ]


class _End(NamedTuple):
    cheat: str
    answer: str
    reward: float
    info: JsonMapping
    calls: tuple[str, ...]


class _Gold(NamedTuple):
    """Calls and answer of gold in an episode, and of the copy of the most similar task.

    Attributes:
        calls: Gold's calls.
        answer: Its answer.
        copy: The copy's end.
        needs_no_words: Whether gold's calls with a mere "Done." solve the task.
    """

    calls: Sequence[str]
    answer: str
    copy: _End | None
    needs_no_words: bool

    @classmethod
    def of(cls, played: Sequence[_End], *, acting: bool) -> _Gold:
        by_cheat = {end.cheat: end for end in played}
        whole, silent = by_cheat["memorised"], by_cheat.get("silent")
        calls = by_cheat["repeated"].calls
        return cls(
            silent.calls if silent else tuple(dict.fromkeys(calls)),
            _normal(whole.answer),
            by_cheat.get("neighbour"),
            acting and silent is not None and silent.reward >= 1.0,
        )

    def excuses(self, end: _End, kind: str) -> bool:
        """Return whether an end deserves what it earns."""
        copied = self.copy is not None and same_calls(self.copy.calls, self.calls)
        if end.cheat == "neighbour" and copied:
            # Two queries can be alike to the call, and both answers are right.
            return True
        if kind == "acts":
            # A copy that makes every call of gold solves the task, whatever else it does.
            return end.cheat == "neighbour" and set(self.calls) <= set(end.calls)
        if kind == "typed":
            # Nobody needs a call to see that a request leaves something out.
            return end.answer.startswith('{"cannot"') and _normal(end.answer) == self.answer
        return (
            self.needs_no_words
            or _normal(end.answer) == self.answer
            or is_answer(end.cheat, end.answer)
            or (
                copied and self.copy is not None and bool(self.copy.answer) and self.copy.answer in end.answer
            )
            # A copy can solve a dialogue on the way to its own end: it made every call and said so.
            or (end.cheat == "neighbour" and not end.answer and set(self.calls) <= set(end.calls))
        )


def _line(env: ToolEnv, job: Job, line: type[Cheater]) -> Iterator[_End]:
    player = line(next(iter(line.says)))
    observation, info = env.reset(seed=job.seed, options={"task_id": job.task_id})
    player.reset(env, job.seed)
    total, over = 0.0, False
    calls: tuple[str, ...] = ()
    while not over:
        player.listen(observation, info)
        action = player.next_action(observation, info)
        if action is None:
            yield from _answered(env, player, total, calls)
            return
        observation, reward, terminated, truncated, info = env.step(action)
        calls += tuple(jsontext.dumps([call["name"], call["arguments"]]) for call in info["calls"])
        total += float(reward)
        over = terminated or truncated
    # Where acts decide, a cheat that only says something else is none; here nothing was left to be said.
    acting = env.rules.finish_form(env.tasks.get(job.task_id)).kind == "acts"
    for cheat in player.final_actions() if acting else line.says:
        yield _End(cheat, "", total, info, calls)


def _answered(env: ToolEnv, player: Cheater, total: float, calls: tuple[str, ...]) -> Iterator[_End]:
    for cheat, action in player.final_actions().items():
        _, reward, _, _, info = env.fork().step(action)
        yield _End(cheat, _said(action), total + float(reward), info, calls)


def _said(action: Mapping[str, object]) -> str:
    """Return what counts of an answer: what is typed of it, and else its text."""
    given = final_answer(dict(action)) or {}
    typed = {name: given[name] for name in ("answer", "cannot") if given.get(name) is not None}
    return jsontext.dumps(typed) if typed else str(given.get("final_answer", ""))


def _failure(info: Mapping[str, object]) -> str:
    failure: Any = info.get("failure")
    # In replay nobody knows what a cheat would have been answered, and it earns nothing.
    return "" if failure is None or failure["kind"] == "cache_miss" else str(failure.get("message", ""))


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
