"""``stb/Remote-v0``: an environment that a server plays, with the whole contract of a local one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any, Self, Unpack

from gymnasium.error import ResetNeeded

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.kinds import Count
from stb_env.core.request import Slow, drive
from stb_env.core.settings import checks_settings
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.observation import Limits
from stb_env.envs.reset_options import read_options
from stb_env.envs.rules import Compat, Rules
from stb_env.envs.state import State
from stb_env.envs.tool_env import Info, Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.serve.remote.client_session import Line, Place
from stb_env.serve.remote.server import TOKEN, Server
from stb_env.serve.remote.stand_ins import (
    RemoteBackend,
    RemoteJudge,
    RemoteOracle,
    RemoteWording,
    potential_there,
)
from stb_env.serve.remote.tasks import RemoteTasks
from stb_env.serve.sessions.wire import action_data, read_task
from stb_env.tools import FINISH, Status, Tool, ToolResult
from stb_env.trajectory import CallRecord, ProgramRecord, Step, messages
from stb_env.usage import Usage

_SHARED = ("task_id", "suite", "group", "calls", "usage", "valid", "text", "tools", "messages", "program")
_NOT_EXTRA = frozenset({*_SHARED, "usage_by_role", "failure", "verdict"})


class RemoteEnv(ToolEnv):
    """Plays episodes on a server; observations, infos and trajectories are those of a local environment.

    The server plays and judges. Here is a mirror of the episode, so that rendering, snapshots and forks
    cost no request: a snapshot keeps the session as it stands, and whoever goes on from there plays a fork.
    What fails on the way ends the episode as invalid.

    Args:
        server: Where the sessions are.
        chosen: ``id`` and ``settings`` of the environment there.
        **settings: ``order``, ``shard`` and ``render_mode``, as for `ToolEnv`.

    Raises:
        ConfigError: The server does not have the environment, or not with these settings.
        InfrastructureError: The server cannot be reached.
    """

    def __init__(self, server: Server, chosen: Mapping[str, object], **settings: Any) -> None:
        about = drive(server.request("POST", "/environments/describe", chosen))
        self._server, self._chosen = server, chosen
        # The session that this environment alone may play on; None where others may go back to it.
        self._own: Line | None = None
        super().__init__(
            RemoteTasks(server, chosen, about["tasks"]),
            RemoteBackend(about["backend"]),
            RemoteJudge(server, chosen, about["judge"], exact=about["exact"]),
            max_turns=about["max_turns"],
            limits=about["limits"],
            compat=about["compat"],
            reward=about["reward"],
            potential=potential_there if about["reward"] == "dense" else None,
            # A server that keeps its solutions says so when it is asked; a task without gold would not.
            oracle=RemoteOracle(server, chosen) if about["oracle"] or not about["answers"] else None,
            wording=RemoteWording(about),
            **settings,
        )

    @property
    def rules(self) -> Rules:
        """The server's rules, as far as they show."""
        rules: Rules = self.__dict__["_rules"]
        return rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        if rules != self.__dict__.setdefault("_rules", rules):
            raise ConfigError(
                "the rules of a remote environment are its server's: no other judge, fault, layer or limit "
                "can be set here; set it at the server"
            )

    @property
    def messages(self) -> list[dict[str, object]]:
        """The episode so far as OpenAI chat messages."""
        state = self._running()
        opening = [dict(message) for message in state.backend.opening]
        return [*opening, *messages("", "", state.steps)[1:]]

    def close(self) -> None:
        """Close the session where nothing goes back to it, and the connections."""
        own, self._own = self._own, None
        if own is not None:
            self._server.forget(own.key)
            own.end()
        drive(self._server.tidy(least=1))
        self._server.close()

    # -- branching -------------------------------------------------------------------------------

    def snapshot(self) -> State:
        """Return the episode's state: immutable, picklable, free to keep while the server keeps the session.

        Raises:
            ResetNeeded: No episode was started.
        """
        state = self._running()
        self._own = None
        return state

    def restore(self, state: State) -> None:
        """Continue from a state of this or an equal environment.

        Raises:
            DataError: The state's task does not exist here.
        """
        self._own = None
        self._task = self.tasks.get(state.task_id)
        self._state = state
        self._show(state.backend)

    def fork(self) -> Self:
        """Return an independent environment in the same state.

        The server forks when one of the two goes on.
        """
        self._own = None
        return super().fork()

    def __getstate__(self) -> dict[str, object]:
        self._own = None
        return self.__dict__

    # -- core --------------------------------------------------------------------------------------

    def _reset(
        self, seed: int | None, options: Mapping[str, object] | None
    ) -> Slow[tuple[Observation, Info]]:
        chosen = read_options(options)
        drawn, episode_seed = self._drawn(seed)
        wanted: JsonObject = {"seed": int(chosen.get("seed", episode_seed))}
        if chosen.get("task_id") is not None:
            wanted["task_id"] = str(chosen["task_id"])
        else:
            wanted["index"] = self._index(drawn, chosen)
        tasks: RemoteTasks = self.tasks  # type: ignore[assignment] # made so above
        known = tasks.known(wanted.get("task_id"))
        reset = {"options": wanted, "mirror": True, "task": known is None}
        line, reply = yield from self._opened(reset)
        self._task = known if known is not None else tasks.keep(read_task(reply["task"]))
        observation, info = reply["observation"], reply["info"]
        self._own = line
        place = Place(line, observation["query"], observation["tools"], tuple(info["messages"]))
        self._state = State(self._task.id, reply["seed"], backend=place)
        self._show(place)
        return observation, info

    def _opened(self, reset: Mapping[str, object]) -> Slow[tuple[Line, JsonObject]]:
        """Start an episode: in the session that is this environment's own, or else in a new one."""
        yield from self._server.tidy()
        if self._own is not None:
            path = f"/sessions/{self._own.key}/reset"
            return self._own, (yield from self._server.request("POST", path, reset))
        reply = yield from self._server.request("POST", "/sessions", {**self._chosen, "reset": reset})
        return Line(self._server, reply["session"]), reply

    def _step(self, action: object) -> Slow[Transition]:
        state = self._running()
        if state.over:
            raise ResetNeeded("this episode is over; call env.reset() before env.step()")
        try:
            line = yield from self._line(state.backend.line)
            # A retried step has the number of the one that may have been played.
            body = {**action_data(action), "number": state.turn + 1, "mirror": True}
            reply = yield from self._server.request("POST", f"/sessions/{line.key}/step", body)
        except InfrastructureError as error:
            self._state = _lost(state, error)
            transition: Transition = self._observation(), 0.0, False, True, self._info(bookend=True)
        else:
            self._own = line
            transition = self._mirrored(state, line, reply)
        if self.render_mode == "human":
            self.render()
        return transition

    def _line(self, line: Line) -> Slow[Line]:
        """Return a session that nothing else goes back to."""
        if self._own is line:
            return line
        yield from self._server.tidy()
        reply = yield from self._server.request("POST", f"/sessions/{line.key}/fork", {})
        return Line(self._server, reply["session"])

    def _mirrored(self, state: State, line: Line, reply: JsonMapping) -> Transition:
        place: Place = state.backend._replace(line=line)
        shown, info = reply["observation"], reply["info"]
        place = place._replace(tools=shown.get("tools", place.tools))
        observation = {
            "query": place.query,
            "tools": place.tools,
            **{name: shown[name] for name in ("result", "status", "turn")},
        }
        step = _step_of(reply)
        self._state = state._replace(
            turn=shown["turn"],
            backend=place,
            steps=(*state.steps, step),
            result=step.result,
            status=step.status,
            over=step.terminated or step.truncated,
            valid=info["valid"],
            final_answer=info.get("final_answer", ""),
            answer=info.get("answer"),
            cannot=info.get("cannot"),
            verdict=info.get("verdict"),
            failure=info.get("failure"),
            potential=reply.get("potential", 0.0),
            usage=Usage(**info["usage"]),
            by_role=tuple((role, Usage(**usage)) for role, usage in info.get("usage_by_role", {}).items()),
        )
        self._show(place)
        return observation, step.reward, step.terminated, step.truncated, info

    def _show(self, place: Place) -> None:
        self._query = place.query
        if place.tools is not self.__dict__.get("_tools_text"):
            self._tools_text = place.tools
            offered = _offered(place.tools)
            self._tools = {tool.name: tool for tool in reversed(offered) if tool.name != FINISH}
            self.action_space.tools = offered  # type: ignore[attr-defined] # always a ToolCallSpace


@checks_settings
def make(
    url: str,
    id: str = "",
    env_id: str = "",
    token_env: str = TOKEN,
    timeout: float = 330.0,
    retries: int = 3,
    split: str | None = None,
    max_turns: Count | None = None,
    compat: Compat | None = None,
    program: bool | None = None,
    choices: dict[str, Any] | None = None,
    **settings: Unpack[EnvSettings],
) -> RemoteEnv:
    """Make an environment that a server plays.

    Args:
        url: Where the server is, such as ``http://127.0.0.1:8000``.
        id: Id of the environment there. `gymnasium.make` has the word for its own: there it is ``env_id``.
        env_id: The same.
        token_env: Environment variable with the token, where the server wants one.
        timeout: Seconds that one request may take.
        retries: Attempts after the first.
        split: As the environment takes it.
        max_turns: As the environment takes it, up to what the server allows.
        compat: As the environment takes it.
        program: As the environment takes it.
        choices: Further settings that its suite lets clients choose, such as ``{"level": 3}``.
        **settings: ``order``, ``shard`` and ``render_mode``, as for `ToolEnv`; ``reward`` as the environment
            takes it, and ``limits`` up to what the server allows.

    Raises:
        ConfigError: The URL is none, or the server does not have this environment with these settings.
        InfrastructureError: The server cannot be reached.
    """
    if settings.pop("actions", "calls") != "calls":
        raise ConfigError(
            "the server says whether actions are programs, for all who play there: `stb-env serve "
            "--actions code`; leave out actions here"
        )
    limits = settings.pop("limits", None)
    bounds = asdict(limits) if isinstance(limits, Limits) else limits
    asked = {**(choices or {}), "split": split, "max_turns": max_turns, "limits": bounds, "compat": compat}
    asked |= {"program": program, "reward": settings.pop("reward", None)}
    if bool(id) == bool(env_id):
        raise ConfigError(
            "name the environment of the server, such as id='stb/Sandbox-v1' (env_id in gym.make)"
        )
    chosen = {
        "id": id or env_id,
        "settings": {name: value for name, value in asked.items() if value is not None},
    }
    server = Server(url, token_env, timeout, retries)
    return RemoteEnv(server, chosen, **settings)


def _step_of(reply: JsonMapping) -> Step:
    info, shown = reply["info"], reply["observation"]
    calls = [CallRecord.from_dict(call) for call in info["calls"]]
    if "texts" in reply:
        pairs = zip(calls, reply["texts"], strict=True)
        calls = [call._replace(result=replace(call.result, text=text)) for call, text in pairs]
    return Step(
        tuple(calls),
        info.get("text", ""),
        shown["result"],
        Status(shown["status"]),
        reply["reward"],
        reply["terminated"],
        reply["truncated"],
        {name: value for name, value in info.items() if name not in _NOT_EXTRA},
        ProgramRecord.from_dict(info["program"]) if "program" in info else None,
    )


def _lost(state: State, error: InfrastructureError) -> State:
    """Return the end of an episode whose server gave no answer."""
    result = ToolResult.of("", error=str(error), source="env", status=Status.FAILURE)
    step = Step((), "", result.text, Status.FAILURE, truncated=True)
    return state._replace(
        turn=state.turn + 1,
        steps=(*state.steps, step),
        result=result.text,
        status=Status.FAILURE,
        over=True,
        valid=False,
        failure=error.failure(),
    )


@lru_cache(maxsize=256)
def _offered(text: str) -> tuple[Tool, ...]:
    """Return the tools of an observation, Finish among them."""
    functions = [spec["function"] for spec in json.loads(text)]
    return tuple(
        Tool(function["name"], function["description"], function["parameters"], checked=False)
        for function in functions
    )
