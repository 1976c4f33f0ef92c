"""An episode that somebody else's loop drives: one tool call at a time, by name and arguments."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from stb_env.actions import Action
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.envs.finish import said_in
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.runs.episode import recorded, step_record
from stb_env.runs.make import make_env
from stb_env.runs.opening import Opening
from stb_env.tools import FINISH, Status, ToolResult
from stb_env.trajectory import CallRecord, Trajectory
from stb_env.wrappers.base import ToolWrapper
from stb_env.wrappers.tool_finder import OpenRules

OVER = "The episode is over."


@dataclass(frozen=True, slots=True)
class Reply:
    """Result of a call, for a tool message.

    Attributes:
        text: The content of the tool message: JSON of ``error`` and ``response``; `OVER`; or what the user of
            a conversation said back.
        status: The observation's status: 1 to 4 are the caller's faults, 7 is a failure of the
            infrastructure; see the observation.
        reward: What this call earned.
        over: Whether the episode is over.
    """

    text: str
    status: int
    reward: float
    over: bool

    @property
    def error(self) -> bool:
        """True if a framework should mark the message as a tool's error."""
        return self.status not in (0, 6)

    @property
    def answers_call(self) -> bool:
        """True if the text is the result of calls, not the reply to a text without any."""
        return self.status != Status.NO_CALL and self.text[:1] in ("{", "[")


class DrivenEpisode:
    """Plays one episode after another for a framework that has a loop of its own.

    A framework asks its model, and brings every tool call here. What all of them need is the same: tool specs
    with a description on every parameter, a call by name, text without a call as the answer (in conversations
    as what the user hears; where answers are typed it is none, and costs a turn), quiet after the end, and a
    failure that is no reward of 0.

    Args:
        env: An environment or a wrapper of this package, or an id of any suite.
        **settings: Settings of the environment, where an id is given.

    Raises:
        ConfigError: There is no such id or setting.

    Examples:
        >>> episode = DrivenEpisode("stb_env.testing.notes:test/Notes-v0")
        >>> episode.start(task_id="day")
        >>> [tool["function"]["name"] for tool in episode.tools]
        ['add_note', 'find_notes', 'delete_note', 'Finish']
        >>> episode.call("find_notes", {"word": "dentist"}).text
        '{"error": "", "response": {"notes": {"note-001": "Dentist on Tuesday"}}}'
        >>> episode.conclude("Tuesday").over, episode.reward
        (True, 1.0)
        >>> episode.call("find_notes", {"word": "bank"}).text
        'The episode is over.'
    """

    def __init__(self, env: ToolEnv | ToolWrapper | str, **settings: object) -> None:
        self.env = make_env(env, settings) if isinstance(env, str) else env
        self._observation: Observation = {}
        self._opening = Opening({}, {})
        self._last: Info = {}
        self._steps: list[JsonObject] = []
        self._seed = 0
        self._over = False

    # -- the course of an episode --------------------------------------------------------------------

    def start(self, *, task_id: str | None = None, seed: int | None = None) -> None:
        """Start an episode of a task, or of one that the seed draws.

        Raises:
            DataError: There is no task of that id.
        """
        self.begin(seed, *self.env.reset(seed=seed, options=_options(task_id)))

    async def astart(self, *, task_id: str | None = None, seed: int | None = None) -> None:
        """Start an episode on the event loop; see `start`."""
        self.begin(seed, *(await self.env.areset(seed=seed, options=_options(task_id))))

    def call(self, name: str, arguments: JsonMapping | str) -> Reply:
        """Call a tool; after the end nothing is called.

        Args:
            name: Name of the tool; one that there is not costs a turn.
            arguments: Its arguments, or the text that a model wrote for them.
        """
        return self._late() if self._over else self.take(self.env.step(_action(name, arguments)))

    async def acall(self, name: str, arguments: Mapping[str, object] | str) -> Reply:
        """Call a tool on the event loop; see `call`."""
        return self._late() if self._over else self.take(await self.env.astep(_action(name, arguments)))

    async def acalls(self, calls: Sequence[tuple[str, Mapping[str, object] | str]]) -> list[Reply]:
        """Make the calls of one message as one turn, as an agent of ours does, and return a reply to each.

        Calls after a Finish that ends the episode are not made.

        Args:
            calls: Name and arguments of each.
        """
        inner: Any = self.env.unwrapped
        if len(calls) < 2 or self._over or inner.rules.programs is not None:
            return [await self.acall(name, arguments) for name, arguments in calls]
        action = [{"id": f"call_{number}", **_action(*call)} for number, call in enumerate(calls)]
        whole = self.take(await self.env.astep(action))
        made = {call["id"]: CallRecord.from_dict(call).result for call in self._last["calls"]}
        late = OVER if self._over else ToolResult.of("", error="a message has one Finish", source="env").text
        return [
            Reply(late, int(Status.OK), 0.0, self._over)
            if result is None
            else Reply(result.text, int(result.status), whole.reward, self._over)
            for result in (made.get(call["id"]) for call in action)
        ]

    def say(self, text: str) -> Reply:
        """Take a message that a model wrote without its framework's calls; after the end nothing changes.

        Calls that are written in the text are made. Any other text is heard by the user, in a task that is a
        conversation, and the reply is what they say back; elsewhere it is the answer, or, where answers are
        typed, a turn that is lost.
        """
        action = self._spoken(text)
        return self.conclude(text) if action is None else self._heard(self.take(self.env.step(action)))

    async def asay(self, text: str) -> Reply:
        """Take a message without calls on the event loop; see `say`."""
        action = self._spoken(text)
        if action is None:
            return await self.aconclude(text)
        return self._heard(self.take(await self.env.astep(action)))

    def tell(self, text: str) -> Reply:
        """Tell the user something, whatever it looks like; where nobody listens it costs a turn."""
        return self._late() if self._over else self.take(self.env.step(Action((), text)))

    async def atell(self, text: str) -> Reply:
        """Tell the user something on the event loop; see `tell`."""
        return self._late() if self._over else self.take(await self.env.astep(Action((), text)))

    def conclude(self, text: str) -> Reply:
        """Take a model's last text as its answer; after the end nothing changes.

        Where answers are typed it is none: the episode goes on, and a turn is lost. A text in which calls are
        written is no answer either; they are made.
        """
        if (acting := self._acting(text)) is not None:
            return self.take(self.env.step(acting))
        given = self._answer(text)
        return self.tell(text) if given is None else self.call(FINISH, given)

    async def aconclude(self, text: str) -> Reply:
        """Take a model's last text as its answer on the event loop; see `conclude`."""
        if (acting := self._acting(text)) is not None:
            return self.take(await self.env.astep(acting))
        given = self._answer(text)
        return await (self.atell(text) if given is None else self.acall(FINISH, given))

    def begin(self, seed: int | None, observation: Observation, info: Info) -> None:
        """Take note of an episode that the caller has reset."""
        self._observation, self._last = observation, info
        self._opening, self._steps = Opening(observation, info), []
        self._seed, self._over = seed or 0, False

    def take(self, transition: Transition) -> Reply:
        """Take note of a step that the caller has played, and return its result."""
        observation, reward, terminated, truncated, info = transition
        self._observation, self._last = observation, info
        self._over = terminated or truncated
        self._steps.append(step_record(info, float(reward), terminated, truncated))
        return Reply(str(observation["result"]), int(observation["status"]), float(reward), self._over)

    def fork(self) -> Self:
        """Return an independent episode that stands where this one does; costs a few microseconds."""
        branch = copy.copy(self)
        branch.env = self.env.fork()
        branch._steps = list(self._steps)
        return branch

    def close(self) -> None:
        """Release the environment."""
        self.env.close()

    # -- what a framework reads ----------------------------------------------------------------------

    @property
    def tools(self) -> list[JsonObject]:
        """OpenAI function specs of what may be called now, Finish included, every parameter described."""
        return [_described(tool) for tool in json.loads(self._observation["tools"])]

    @property
    def messages(self) -> list[dict[str, object]]:
        """The opening messages: system and user."""
        return [dict(message) for message in self._opening.info["messages"]]

    @property
    def query(self) -> str:
        """The user's request."""
        return str(self._observation["query"])

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return str(self._last["task_id"])

    @property
    def converses(self) -> bool:
        """True if a user hears the agent's text, and answers."""
        inner: Any = self.env.unwrapped
        return inner.rules.user is not None

    @property
    def tools_change(self) -> bool:
        """True if an episode offers other tools later than at its start."""
        inner: Any = self.env.unwrapped
        return inner.visible is not None or isinstance(inner.rules, OpenRules)

    @property
    def searches(self) -> bool:
        """True if the environment goes back in an episode, as a search does."""
        env: AnyEnv = self.env
        while isinstance(env, ToolWrapper):
            if env.goes_back:
                return True
            env = env.env
        return False

    @property
    def started(self) -> bool:
        """True once an episode has begun."""
        return bool(self._opening.info)

    @property
    def over(self) -> bool:
        """True if the episode is over."""
        return self._over

    @property
    def reward(self) -> float | None:
        """The sum of the rewards so far; None where a failure of the infrastructure ended the episode."""
        return sum((step["reward"] for step in self._steps), 0.0) if self.valid else None

    @property
    def valid(self) -> bool:
        """True unless an infrastructure failure has ended the episode."""
        return bool(self._last["valid"])

    @property
    def verdict(self) -> JsonObject | None:
        """The judge's decision, at the end."""
        return self._last.get("verdict")

    @property
    def failure(self) -> JsonObject | None:
        """The failure that ended the episode; None for a valid one."""
        return self._last.get("failure")

    def trajectory(self, trial: int = 0) -> Trajectory:
        """Return the episode so far as a run saves it.

        What the framework's model cost is not in it. An episode without a seed is saved as of seed 0.

        Args:
            trial: Which repetition of the task it is.
        """
        return recorded(
            self.env,
            self._opening,
            self._observation,
            self._last,
            list(self._steps),
            seed=self._seed,
            trial=trial,
        )

    # -- inside --------------------------------------------------------------------------------------

    def _spoken(self, text: str) -> Action | None:
        """Return what a text does; None where it can only be the answer, or comes too late."""
        inner: Any = self.env.unwrapped
        action: Action = inner.read(text)
        return None if self._over or answer_of(self.env, action, text) is not None else action

    def _acting(self, text: str) -> Action | None:
        """Return what a text does where calls are written in it; None elsewhere, and after the end."""
        inner: Any = self.env.unwrapped
        action: Action = inner.read(text)
        return None if action.is_text or self._over else action

    def _answer(self, text: str) -> dict[str, object] | None:
        """Return the arguments of Finish that give a text as the answer; None where answers are typed."""
        inner: Any = self.env.unwrapped
        return said_in(inner.finish.parameters, text)

    def _heard(self, reply: Reply) -> Reply:
        """Return what a user said back as their words, not as the JSON of a call's result."""
        if self._last["calls"] or "program" in self._last or reply.status != Status.OK:
            return reply
        return replace(reply, text=str(json.loads(reply.text)["response"]))

    def _late(self) -> Reply:
        return Reply(OVER, int(self._observation["status"]), 0.0, over=True)


def answer_of(env: AnyEnv, action: Action, text: str) -> JsonObject | None:
    """Return the call of Finish that a model's text stands for; None where it is no answer.

    A text is the answer where it makes no call, no user hears it, and answers are text.

    Args:
        env: The environment that it is said to.
        action: The text, as the environment reads it.
        text: The text.
    """
    inner: Any = env.unwrapped
    if not action.is_text or inner.rules.user is not None:
        return None
    given = said_in(inner.finish.parameters, text)
    return None if given is None else _action(FINISH, given)


def _options(task_id: str | None) -> dict[str, object] | None:
    return None if task_id is None else {"task_id": task_id}


def _action(name: str, arguments: Mapping[str, object] | str) -> JsonObject:
    return {"name": name, "arguments": arguments}


def _described(tool: JsonObject) -> dict[str, object]:
    """Fill in a parameter's name where it has no description: several frameworks refuse one without."""
    function = tool["function"]
    parameters = function["parameters"]
    properties = {
        name: schema if schema.get("description") else {**schema, "description": name}
        for name, schema in parameters.get("properties", {}).items()
    }
    return {**tool, "function": {**function, "parameters": {**parameters, "properties": properties}}}
