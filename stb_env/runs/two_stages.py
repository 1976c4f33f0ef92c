"""Playing and judging as two stages: an episode can be saved before a model is asked for its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from stb_env.backend.virtual import VirtualBackend
from stb_env.core import jsontext
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Request, Slow, aside
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import InfrastructureError, JudgeError
from stb_env.judges.judge import Judge
from stb_env.judges.model_judge import VotingJudge
from stb_env.judges.original_pass import OriginalPassJudge
from stb_env.judges.own_judge import OwnJudge
from stb_env.models.chat import digest
from stb_env.runs.judging.case import case_of
from stb_env.runs.verdict_file import Judgement
from stb_env.trajectory import Key, Trajectory
from stb_env.usage import NO_USAGE

T = TypeVar("T")

Limit = Callable[[Slow[Any]], Slow[Any]]
"""Keeps slow work within deadlines, and takes its time."""


class Keeper(Protocol):
    """Saves episodes before they are judged, and their verdicts; a `Run` is one."""

    def unjudged(self, key: Key) -> Trajectory | None:
        """Return an episode that was played and waits for its verdict; None where there is none."""
        ...

    def keep(self, episode: Trajectory) -> None:
        """Save an episode that is still to be judged."""
        ...

    def decide(self, judgement: Judgement) -> None:
        """Save the verdict on an episode that was kept."""
        ...


def later_judge(env: AnyEnv) -> Judge | None:
    """Return an environment's judge where it can judge an episode later, from what is saved of it.

    Judges of ours that ask a model can, and so can somebody's own where tools are remote APIs. Others see the
    world as well, whose state is not saved.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> later_judge(notes()) is None
        True
    """
    inner = env.unwrapped
    if not isinstance(inner, ToolEnv):
        return None
    judge, remote = inner.rules.judge, isinstance(inner.rules.backend, VirtualBackend)
    if isinstance(judge, VotingJudge | OriginalPassJudge) or (isinstance(judge, OwnJudge) and remote):
        return judge
    return None


class Halt:
    """Ends the last step of an episode in the moment in which its judge would ask something.

    Attributes:
        came: Whether that moment came.

    Args:
        env: The environment. Where another one stands around it (a search, a shaped reward), what it makes of
            a verdict would be lost, so nothing is halted there; nor where a user has the last word.
    """

    def __init__(self, env: AnyEnv) -> None:
        self._may = isinstance(env, ToolEnv) and env.rules.potential is None and env.rules.user is None
        self.came = False

    def before_judge(self, slow: Slow[T]) -> Slow[T]:
        """Yield slow work up to a request for a judge."""
        return self._halting(slow) if self._may else slow

    def _halting(self, slow: Slow[T]) -> Slow[T]:
        try:
            request = next(slow)
            while True:
                if request.aside:
                    self.came = True
                    request = slow.throw(not_judged())
                    continue
                try:
                    answer = yield request
                except GeneratorExit:
                    slow.close()
                    raise
                except BaseException as error:  # noqa: BLE001 (handed to whoever asked)
                    request = slow.throw(error)
                else:
                    request = slow.send(answer)
        except StopIteration as stop:
            value: T = stop.value
            return value


def not_judged() -> JudgeError:
    """Return what an episode fails with that is still to be judged."""
    return JudgeError("played and not judged yet; the same command asks the judge")


def judged(
    env: AnyEnv, judge: Judge, episode: Trajectory, limit: Limit, keeper: Keeper | None
) -> Slow[Trajectory]:
    """Yield the slow work of judging an episode that was played, and return it with its verdict.

    Args:
        env: The environment in which it was played, in whatever state.
        judge: Its judge.
        episode: The episode.
        limit: Keeps the judge within deadlines.
        keeper: Saves the verdict; None saves nothing.
    """
    tool_env = env.unwrapped
    task = tool_env.tasks.get(episode.task_id) if isinstance(tool_env, ToolEnv) else None
    try:
        verdict = yield from limit(aside(judge.judge(case_of(episode, task, unanswered=True))))
    except InfrastructureError as error:
        spent = (error.usage or NO_USAGE).to_dict()
        return replace(episode.asked_judge(spent), failure=error.failure())
    said = jsontext.read_back(jsontext.dumps(verdict.to_dict()))
    usage = (verdict.usage or NO_USAGE).to_dict()
    settings = digest(getattr(judge, "fingerprint", judge.name))
    if keeper is not None:
        who = (*episode.key, judge.name, settings)
        judgement = Judgement(*who, verdict=said, usage=usage, answer=episode.answer_digest)
        yield Request(run=partial(keeper.decide, judgement), aside=True)
    return episode.judged(said, usage)
