"""The state of an episode: one immutable, picklable value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.envs.finish import finish_form
from stb_env.judges.judge import Case
from stb_env.steps import READS
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, ToolCall
from stb_env.trajectory import CallRecord, Step
from stb_env.trajectory_line import text_of
from stb_env.usage import NO_USAGE, ByRole, Usage, spent_by
from stb_env.verdict import RewardMode, Verdict


class State(NamedTuple):
    """Everything that an episode is, apart from shared, read-only content.

    Attributes:
        task_id: Which task is played.
        seed: Seed of the episode; what is random during steps follows from (seed, counter).
        turn: Number of actions taken.
        backend: The backend's own state.
        steps: Every action with what followed.
        result: The observation's ``result`` text.
        status: The observation's ``status``.
        over: Whether the episode has ended.
        valid: Whether its reward may be counted.
        final_answer: The prose of the answer, where one was given.
        answer: The typed answer, where one was given.
        cannot: Why the request cannot be met, where the agent said so.
        verdict: The verdict as plain data, where there is one.
        failure: The infrastructure failure as plain data, where there was one.
        potential: How far the task has come, from 0 to 1, where rewards are shaped by that.
        usage: What the environment's own models (simulator, judge, user) used so far.
        user: What the user remembers, in tasks that are conversations.
        by_role: The usage of each role that used any: ``simulator``, ``judge``, ``user``.
        namespace: What programs left to the next one, where actions are programs: the interpreter's own
            bytes. They hold how long it computed too, so equal episodes may differ in them.
    """

    task_id: str
    seed: int
    turn: int = 0
    backend: Any = None
    steps: tuple[Step, ...] = ()
    result: str = ""
    status: Status = Status.OK
    over: bool = False
    valid: bool = True
    final_answer: str = ""
    answer: JsonObject | None = None
    cannot: JsonObject | None = None
    verdict: JsonMapping | None = None
    failure: JsonMapping | None = None
    usage: Usage = NO_USAGE
    potential: float = 0.0
    user: Any = None
    by_role: ByRole = ()
    namespace: bytes = b""

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Every call of the episode so far, in order."""
        return tuple(call for step in self.steps for call in step.calls)

    @property
    def text(self) -> str:
        """The answer as text; see `stb_env.trajectory_line.text_of`."""
        return text_of(self.final_answer, self.answer, self.cannot)

    def case(self, task: Task) -> Case:
        """Return what a judge sees of the episode."""
        replies = tuple(self._replies(task))
        reads = tuple(map(CallRecord.from_dict, self.steps[-1].extra.get(READS, ()) if self.steps else ()))
        return Case(
            task, self.final_answer, self.calls, self.backend, replies, self.answer, self.cannot, reads
        )

    def spent(self, role: str, more: Iterable[Usage | None]) -> Self:
        """Return the state after a role has used more."""
        state = self
        for usage in more:
            if usage is not None:
                by_role = spent_by(state.by_role, role, usage)
                state = state._replace(usage=state.usage + usage, by_role=by_role)
        return state

    def judged(self, verdict: Verdict, reward: RewardMode, *, truncated: bool = False) -> Self:
        """Return the state at its end, with a verdict that the last step earns its reward by."""
        earned = verdict.reward(reward)
        return self.spent("judge", [verdict.usage])._replace(
            over=True,
            valid=verdict.status != "na",
            verdict=verdict.to_dict(),
            steps=self._last_step(reward=earned, terminated=not truncated, truncated=truncated),
        )

    def failed(self, failure: Mapping[str, object], lost: Usage | None) -> Self:
        """Return the state at its end by a failure of the infrastructure.

        Args:
            failure: The failure as plain data.
            lost: The usage of what failed.
        """
        stage = str(failure["stage"])
        return self.spent(stage if stage in ("judge", "user") else "simulator", [lost])._replace(
            over=True,
            valid=False,
            failure=failure,
            status=Status.FAILURE,
            steps=self._last_step(status=Status.FAILURE, truncated=True),
        )

    def _last_step(self, **changes: Any) -> tuple[Step, ...]:
        return (*self.steps[:-1], self.steps[-1]._replace(**changes))

    def _replies(self, task: Task) -> Iterator[str]:
        form = finish_form(task)
        for step in self.steps:
            if not step.calls and step.program is None and step.status is Status.OK:
                yield step.text
            for call in step.calls:
                # A Finish that the user heard and answered is a reply as any other.
                if call.name == FINISH and call.result.status is Status.OK:
                    yield form.read(ToolCall(call.name, call.arguments, call.id)).final_answer
