"""The rules of an episode: what one action does to a state. No Gymnasium in here, and no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from stb_env.actions import (
    MAX_TEXT,
    MAX_VALUES,
    Action,
    Program,
    exceeds,
    finish_last,
    parse_action,
    parse_said,
    read_program,
)
from stb_env.actions.thought import thought_of
from stb_env.backend.backend import Backend
from stb_env.backend.user import Said, User
from stb_env.core.request import Slow, aside, of_role
from stb_env.envs import step_codes as original
from stb_env.envs.finish import Finish, FinishForm, finish_form, finish_record
from stb_env.envs.observation import Limits
from stb_env.envs.played_calls import (
    NO_CALL,
    PlayedCalls,
    answered,
    bounded,
    call_record,
    play_as_the_original_does,
    play_call,
    refused,
)
from stb_env.envs.program_session import Ran
from stb_env.envs.programs import NO_PROGRAM, Programs, outside_program
from stb_env.envs.state import State
from stb_env.errors import BackendError, InfrastructureError, JudgeError, STBError, bug_in
from stb_env.judges.judge import Judge, Reads
from stb_env.steps import READS
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord, ProgramRecord, Step
from stb_env.verdict import RewardMode, Verdict, Vote

TOO_LARGE = (
    f"the action is too large to be read: it may have {MAX_TEXT:,} characters, and {MAX_VALUES:,} values in "
    "its arguments; divide it"
)
_TOO_LATE = "the turn limit came before an answer"

Compat = Literal["original"]
Potential = Callable[[Task, Any, Sequence[CallRecord]], float]
"""Of a task, the backend's state and the calls so far."""

Layer = Callable[[Backend, State], Backend]
"""Of a backend and the episode so far; returns what answers the calls of the next action."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of episodes: backend, judge and limits.

    A valid Finish ends an action: calls after it are not made, and its step names them under ``not_called``.
    With ``compat`` all calls are made, the Finish last.

    Attributes:
        backend: Answers tool calls.
        judge: Decides on final answers.
        max_turns: Actions after which an episode is cut off.
        limits: Bounds on texts.
        compat: ``"original"`` calls functions by suffix, validates nothing and reports step codes, as
            the environment of Guo et al., 2024, does.
        reward: What an episode earns at its end: the verdict's score, or with ``partial`` the share of its
            parts (see `stb_env.verdict.reward_of`).
        potential: How far an episode has come, from 0 to 1, where rewards are ``dense``. Each step
            then earns the potential it gained, and the last one pays all of it back: shaping by a
            potential leaves the best policy and every episode's undiscounted return as they are (Ng,
            Harada and Russell, 1999).
        parse: Reads what the agent wrote; tasks with a syntax of their own bring their own reader, which
            never raises, and is given no thoughts.
        halt_on_error: Whether the first failing call of an action keeps the later ones from being made, as
            an exception ends a program; a Finish is made all the same.
        user: Hears what the agent writes without a call, and says something back; None where such a text
            is the violation ``no_call``.
        user_hears_finish: Whether a Finish with an answer is said to the user as plain text is: what they say
            back is its result, and the episode ends where they have nothing more to say. By default a Finish
            ends the episode whatever the user still wants.
        layers: What is put around the backend for one action, the first innermost, given the episode so far;
            wrappers that answer some calls themselves are made so, and the backend's state stays its own.
        gives_up: Whether Finish offers to give the attempt up, since a search goes back then.
        original_finish: Whether Finish is that of the original, as a protocol has it.
        programs: Runs what the agent writes, where its actions are programs; None where they are calls. A
            program is one action, whatever it calls.
    """

    backend: Backend
    judge: Judge
    max_turns: int = 24
    limits: Limits = field(default_factory=Limits)
    compat: Compat | None = None
    reward: RewardMode = "sparse"
    potential: Potential | None = None
    parse: Callable[[Any], Action] = parse_action
    halt_on_error: bool = False
    user: User | None = None
    user_hears_finish: bool = False
    layers: tuple[Layer, ...] = ()
    gives_up: bool = False
    original_finish: bool = False
    programs: Programs | None = None

    def finish_form(self, task: Task) -> FinishForm:
        """Return how the episodes of a task end."""
        compat = self.compat is not None
        return finish_form(
            task, gives_up=self.gives_up, original=self.original_finish or compat, literal=compat
        )

    def start(self, task: Task, seed: int) -> State:
        """Return the state at the start of an episode."""
        user = None if self.user is None else self.user.start(task, seed)
        return State(task_id=task.id, seed=seed, backend=self.backend.start(task, seed), user=user)

    def advance(self, task: Task, tools: Mapping[str, Tool], state: State, action: object) -> Slow[State]:
        """Play one action.

        Args:
            task: The task of the state.
            tools: The task's tools by name.
            state: An episode that is not over.
            action: Anything; what is no call costs a turn.

        Returns:
            The next state. Failures of the infrastructure end the episode; they are not raised.
        """
        if self.layers:
            rules = replace(self, backend=self._answering(state), layers=())
            return (yield from rules.advance(task, tools, state, action))
        try:
            parsed = self.read(tools, action)
        except STBError:
            raise
        except Exception as error:  # noqa: BLE001 (no text of an agent's may end more than its episode)
            bug = BackendError(bug_in("the reader of actions", error, self.parse), stage="action")
            unread = self._with_step(task, state, Action((), ""), PlayedCalls(state.backend, []))
            return unread.failed(bug.failure(), None)
        if parsed.is_text and self.user is not None:
            return (yield from self._talk(task, state, parsed, self.user))
        calls = PlayedCalls(state.backend, [])
        ran = None
        if parsed.program is not None and self.programs is not None:
            ran = yield from self._run(self.programs, parsed.program, task, tools, state, calls)
        else:
            for call in parsed.calls:
                if calls.ends:
                    calls.left += (call,)
                elif self.programs is not None and (call.name != FINISH or len(parsed.calls) > 1):
                    calls.records.append(outside_program(call, len(parsed.calls), tools))
                elif call.name == FINISH or not calls.halted:
                    yield from self._play(task, tools, calls, call)
                    if calls.failure is not None:
                        break
        finish, failure, lost = calls.finish, calls.failure, calls.lost
        said = None
        if failure is None and finish is not None and finish.kind == "answer" and self.user_hears_finish:
            try:
                said = yield from self._heard(task, state, finish.final_answer)
            except InfrastructureError as error:
                failure, lost = error.failure(), error.usage
        if said is not None:
            state = state._replace(user=said.state).spent("user", [said.usage])
            if said.text is not None and not said.done:
                finish, calls.records = None, [answered(record, said.text) for record in calls.records]
            if ran is not None and said.text is not None:
                ran = ran._replace(output=f"{ran.output}{said.text}")
        before, state = state, self._with_step(task, state, parsed, calls, ran)
        if failure is not None:
            return state.failed(failure, lost)
        if finish is not None and finish.kind != "invalid":
            state = yield from self._end(task, state, finish)
        elif state.turn >= self.max_turns:
            state = state.judged(_unsolved(_TOO_LATE), self.reward, truncated=True)
        return self._shaped(task, before, state)

    def read(self, tools: Mapping[str, Tool], action: Any) -> Action:
        """Read an action; in the general forms, as one of an agent that has these tools.

        One that is larger than actions may be is a problem, found before anything of it is copied. The
        original looks functions up by suffix, so with ``compat`` nobody knows which names there are.
        """
        if isinstance(action, Action):
            parsed = action
        elif exceeds(action):
            return Action((), "", problem=TOO_LARGE)
        elif self.programs is not None:
            parsed = read_program(action)
        elif self.parse is parse_action:
            parsed = parse_action(action, known=None if self.compat else tools)
        else:
            parsed = parse_said(self.parse, action)
        # A text has fewer values than characters; in data, arguments may be a text that spells more.
        is_brief = isinstance(action, str) and len(action) <= MAX_VALUES
        if not is_brief and exceeds([call.arguments for call in parsed.calls]):
            return Action((), "", problem=TOO_LARGE)
        if parsed.thought and not parsed.written:
            parsed = replace(parsed, written=_written(action, parsed))
        return finish_last(parsed) if self.compat else parsed

    def _answering(self, state: State) -> Backend:
        backend = self.backend
        for layer in self.layers:
            backend = layer(backend, state)
        return backend

    def _talk(self, task: Task, state: State, parsed: Action, user: User) -> Slow[State]:
        before, text = state, parsed.text
        try:
            said = yield from of_role("user", user.reply(task, state.user, text))
        except InfrastructureError as error:
            unheard = self._with_step(task, state, parsed, PlayedCalls(state.backend, []))
            return unheard.failed(error.failure(), error.usage)
        result = bounded(ToolResult.of(said.text or "", source="env"), self.limits.result)
        state = state._replace(
            turn=state.turn + 1,
            steps=(*state.steps, Step((), text, result, Status.OK, extra=_thought(parsed))),
            result=result,
            status=Status.OK,
            user=said.state,
        )
        state = state.spent("user", [said.usage])
        if said.text is None:
            state = yield from self._end(task, state, Finish("answer", text))
        elif state.turn >= self.max_turns:
            state = state.judged(_unsolved(_TOO_LATE), self.reward, truncated=True)
        return self._shaped(task, before, state)

    def _heard(self, task: Task, state: State, answer: str) -> Slow[Said | None]:
        if self.user is None:
            return None
        return (yield from of_role("user", self.user.reply(task, state.user, answer)))

    def _play(self, task: Task, tools: Mapping[str, Tool], calls: PlayedCalls, call: ToolCall) -> Slow[None]:
        """Play one call of an action, and add it to those that were played."""
        if call.name == FINISH:
            calls.finish = self.finish_form(task).read(call)
            calls.records.append(finish_record(call, calls.finish))
            return
        try:
            record, calls.backend = yield from self.call(tools, calls.backend, call)
        except InfrastructureError as error:
            calls.failure, calls.lost = error.failure(), error.usage
            text = original.failure_text(error) if self.compat else str(error)
            record = refused(call, text, Status.FAILURE)
        calls.records.append(record)
        calls.halted = self.halt_on_error and bool(record.result.error)

    def call(
        self, tools: Mapping[str, Tool], state: object, call: ToolCall
    ) -> Slow[tuple[CallRecord, object]]:
        """Play a call of a tool; see `stb_env.envs.played_calls.play_call`."""
        play = play_as_the_original_does if self.compat else play_call
        return play(self.backend, state, tools, call)

    def _run(
        self,
        programs: Programs,
        program: Program,
        task: Task,
        tools: Mapping[str, Tool],
        state: State,
        calls: PlayedCalls,
    ) -> Slow[Ran]:
        """Run the program of an action; each call in it is played as one of the action's."""

        def play(call: ToolCall, problem: str) -> Slow[CallRecord | None]:
            if problem:
                calls.records.append(refused(call, problem, Status.INVALID_ARGUMENTS))
            else:
                yield from self._play(task, tools, calls, call)
            return None if calls.ends or calls.failure is not None else calls.records[-1]

        offered = (*tools.values(), self.finish_form(task).tool)
        try:
            return (yield from programs.run(program, offered, state.namespace, state.seed, play))
        except InfrastructureError as error:
            calls.failure, calls.lost = error.failure(), error.usage
            return Ran("", str(error), state.namespace)

    def _with_step(
        self,
        task: Task,
        state: State,
        parsed: Action,
        calls: PlayedCalls,
        ran: Ran | None = None,
    ) -> State:
        records, program = calls.records, None
        if ran is not None and parsed.program is not None:
            program = ProgramRecord(parsed.program.id, parsed.program.code, ran.error, ran.output)
        complaint = "" if records or program is not None else parsed.problem or self._no_call(task)
        status, result = calls.observed(program, self.limits.result, complaint)
        extra = _thought(parsed)
        if self.compat:
            extra = original.step_report(records) | extra
        if calls.left:
            # No calls of the episode: no judge, user or message may take them for some.
            extra["not_called"] = [{"name": call.name, "arguments": call.arguments} for call in calls.left]
        step = Step(tuple(records), parsed.text, result, status, extra=extra, program=program)
        after = State(
            state.task_id,
            state.seed,
            state.turn + 1,
            calls.backend,
            (*state.steps, step),
            result,
            status,
            usage=state.usage,
            user=state.user,
            by_role=state.by_role,
            namespace=state.namespace if ran is None else ran.namespace,
        )
        return after.spent("simulator", [record.result.usage for record in records])

    def _shaped(self, task: Task, before: State, state: State) -> State:
        if self.potential is None or not state.valid:
            return state
        reached = 0.0 if state.over else self.potential(task, state.backend, state.calls)
        step = state.steps[-1]._replace(reward=state.steps[-1].reward + reached - before.potential)
        return state._replace(potential=reached, steps=(*state.steps[:-1], step))

    def _no_call(self, task: Task) -> str:
        """Return what an action without a call is answered with; of a typed answer it names the fields."""
        complaint = NO_CALL if self.programs is None else NO_PROGRAM
        if not isinstance(task.answer, Mapping):
            return complaint
        return f"{complaint}; its answer has {', '.join(task.answer.get('properties', {})) or 'no fields'}"

    def _end(self, task: Task, state: State, finish: Finish) -> Slow[State]:
        if finish.kind == "give_up":
            return state.judged(_unsolved("the agent gave up"), self.reward)
        state = state._replace(final_answer=finish.final_answer, answer=finish.answer, cannot=finish.cannot)
        try:
            if isinstance(self.judge, Reads):
                state = yield from self._read(state, self.judge.reads(state.case(task)))
            verdict = yield from aside(self.judge.judge(state.case(task)))
        except InfrastructureError as error:
            return state.failed(error.failure(), error.usage)
        except STBError:
            raise
        except Exception as error:  # noqa: BLE001 (as above)
            bug = bug_in(f"judge {self.judge.name!r}", error, self.judge.judge)
            return state.failed(JudgeError(bug, kind="internal", retryable=False).failure(), None)
        return state.judged(verdict, self.reward)

    def _read(self, state: State, asked: Iterable[tuple[Tool, ToolCall]]) -> Slow[State]:
        """Make the calls that a judge asks for; the state of the backend stays as the episode left it."""
        records = []
        for tool, call in asked:
            result, _ = yield from self.backend.answer(state.backend, tool, call)
            records.append(call_record(call, result).to_dict())
        if not records:
            return state
        step = state.steps[-1]
        return state._replace(steps=(*state.steps[:-1], step._replace(extra={**step.extra, READS: records})))


def _thought(parsed: Action) -> dict[str, object]:
    """Return what a step keeps for the record alone: no message, judge or user is given it."""
    kept = {"thought": parsed.thought, "written": parsed.written, "problem": parsed.problem}
    return {name: text for name, text in kept.items() if text}


def _written(action: object, parsed: Action) -> str:
    """Return the text that holds a thought, as it was written; empty where a call was read out of it."""
    native = isinstance(action, Mapping) and bool(action.get("tool_calls"))
    text = action.get("content") if isinstance(action, Mapping) else action
    if not isinstance(text, str) or thought_of(action) or not (native or parsed.is_text):
        return ""
    return text[:MAX_TEXT]


def _unsolved(reason: str) -> Verdict:
    return Verdict.of("unsolved", judge="env", votes=(Vote("unsolved", reason),))
