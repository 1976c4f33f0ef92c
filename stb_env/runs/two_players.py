"""Two players: an agent and the user whom it asks, as a PettingZoo environment.

As in PettingZoo's own modules, `env` makes the environment, and `raw_env` the same without the check of the
order of calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from gymnasium.error import ResetNeeded
from gymnasium.spaces import Dict, Discrete, Space
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from stb_env.backend.backend import Backend
from stb_env.backend.user import ASK_USER, Said, User
from stb_env.core import jsontext
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.core.request import Request, Slow, after
from stb_env.envs.state import State
from stb_env.envs.tool_env import Observation, ToolEnv, Transition
from stb_env.errors import ConfigError, did_you_mean
from stb_env.runs.driven import DrivenEpisode
from stb_env.runs.make import make_env
from stb_env.spaces import TextSpace
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.trajectory import Trajectory
from stb_env.wrappers.base import ToolWrapper
from stb_env.wrappers.ruled import AroundBackend

AGENT, USER = "agent", "user"


class TwoPlayers(AECEnv):  # type: ignore[misc] # PettingZoo publishes no types
    """An agent with tools and the user whom it asks: each acts when it is its turn.

    The agent acts as in the environment itself. The user acts when asked: by the tool ``ask_user``, or by
    what the agent writes to it in a dialogue. Its action is a text, or JSON of what ``ask_user`` returns; the
    empty text ends a dialogue. It observes ``Dict(query, facts, asked, dialogue: text; turn: Discrete)``:
    the request, what it knows (JSON), what it is asked now, and what it was asked and said before (JSON).
    ``info["script"]`` is what the user of the single-player environment says, so a player who repeats that
    plays the very same episodes.

    The players cooperate: both earn each reward of the environment. A wrong fact of the user's can make the
    request fail for both.

    Args:
        env: An id of an environment in which a user is asked, a `ToolEnv`, or one in wrappers of this
            package. It stays as it is; a fork of it is played.
        **settings: Settings of the environment, where an id was given.

    Raises:
        ConfigError: Nobody is asked in the environment's tasks, or an argument is none of the environment's.

    Examples:
        >>> from stb_env import load_agent
        >>> from stb_env.testing.notes import notes
        >>> game = env(notes(user=lambda task, state, text: "Tuesday."))
        >>> game.reset(seed=0)
        >>> game.step("Which day?")
        >>> game.agent_selection, game.last()[0]["asked"], game.last()[4]["script"]
        ('user', 'Which day?', 'Tuesday.')
        >>> game.step("Friday.")
        >>> game.agent_selection, game.last()[0]["result"]
        ('agent', '{"error": "", "response": "Friday."}')
    """

    metadata: ClassVar[JsonObject] = {
        "name": "stb_two_players_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
    }

    def __init__(self, env: str | AnyEnv, **settings: object) -> None:
        if isinstance(env, str):
            env = make_env(env, settings)
        elif settings:
            raise ConfigError(f"settings go with an environment id, not with an object: {sorted(settings)}")
        if not isinstance(env, ToolEnv | ToolWrapper):
            raise ConfigError(
                f"two players need a ToolEnv or a wrapper of stb_env.wrappers around one, got "
                f"{type(env).__name__}; put wrappers of other packages around the players"
            )
        self._env: Any = env.fork()
        base: Any = self._env.unwrapped
        rules = base.rules
        if rules.user is None and ASK_USER not in {tool.name for tool in base.tasks.at(0).tools}:
            raise ConfigError(
                f"nobody is asked in these tasks: they have no user and no tool {ASK_USER}; take an "
                "environment of dialogues, or a setting that leaves details to the user, such as hidden=2"
            )
        user = None if rules.user is None else _Played(rules.user)
        base.rules = replace(rules, user=user, layers=(*rules.layers, _asking))
        self._episode = DrivenEpisode(self._env)
        if self._episode.searches:
            raise ConfigError("a user is not asked again, and a search goes back in an episode; leave it out")
        self._playing: Slow[Transition] | None = None
        self._asked: _Question | None = None
        self._dialogue: list[JsonObject] = []
        self._seen: Observation = {}
        self.possible_agents = [AGENT, USER]
        self.agents: list[str] = []
        self.render_mode = env.render_mode
        limits = rules.limits
        user_space = Dict(
            {
                "query": TextSpace(limits.query),
                "facts": TextSpace(limits.tools),
                "asked": TextSpace(limits.result),
                "dialogue": TextSpace(limits.tools),
                "turn": Discrete(base.max_turns + 1),
            }
        )
        self.observation_spaces = {AGENT: self._env.observation_space, USER: user_space}
        self.action_spaces = {AGENT: self._env.action_space, USER: TextSpace(limits.result)}

    # -- PettingZoo --------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> Space[Any]:
        """Return a player's observation space."""
        space: Space[Any] = self.observation_spaces[_known(agent)]
        return space

    def action_space(self, agent: str) -> Space[Any]:
        """Return a player's action space; the agent's samples are calls, the user's texts."""
        space: Space[Any] = self.action_spaces[_known(agent)]
        return space

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """Start an episode, in which the agent acts first; see `ToolEnv.reset` for the arguments."""
        self._leave()
        # PettingZoo's api_test hands every environment an option of this name.
        wanted = {name: value for name, value in (options or {}).items() if name != "options"}
        self._seen, info = self._env.reset(seed=seed, options=wanted)
        self._episode.begin(seed, self._seen, info)
        self._dialogue = []
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {AGENT: info, USER: {"task_id": info["task_id"]}}
        self.agent_selection = AGENT
        self._skip_agent_selection = None

    def observe(self, agent: str) -> Observation:
        """Return what the agent saw last, or what the user sees now."""
        if _known(agent) == AGENT:
            return dict(self._seen)
        task: Task = self._env.task
        return {
            "query": task.query,
            "facts": jsontext.dumps(task.record.get("knows", {})),
            "asked": "" if self._asked is None else _text(self._asked.asked),
            "dialogue": jsontext.dumps(self._dialogue),
            "turn": self._env.unwrapped.snapshot().turn,
        }

    def step(self, action: object) -> None:
        """Play an action of whose turn it is; None lets a player leave whose episode is over.

        Raises:
            ResetNeeded: No episode is running.
            ConfigError: What the user says is neither a text nor plain JSON.
        """
        if not self.agents:
            raise ResetNeeded("no episode is running; call reset() first")
        player = self.agent_selection
        if self.terminations[player] or self.truncations[player]:
            self._was_dead_step(action)
            return
        if player == USER:
            _check_said(action)
        self._clear_rewards()
        self._cumulative_rewards[player] = 0.0
        if player == AGENT:
            self._playing = self._env._step(action)
            self._go_on(self._playing, None)
        elif self._asked is not None and self._playing is not None:
            self._dialogue.append({"asked": self._asked.asked, "said": action})
            self._asked = None
            self._go_on(self._playing, action)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the episode as text (``ansi``); with ``human`` each action was already written out."""
        text: str | None = self._env.render() if self.render_mode == "ansi" else None
        return text

    def close(self) -> None:
        """Release what the environment holds."""
        self._leave()
        self._env.close()

    # -- what players and recorders read ---------------------------------------------------------------

    def env_of(self, agent: str) -> AnyEnv:
        """Return the environment that a player acts in, to look into and never to step."""
        _known(agent)
        played: AnyEnv = self._env
        return played

    def trajectory(self, trial: int = 0) -> Trajectory:
        """Return the episode so far as a run saves it, to write, view and export; see `DrivenEpisode`."""
        return self._episode.trajectory(trial)

    # -- inside ----------------------------------------------------------------------------------------

    def _go_on(self, playing: Slow[Transition], answer: object) -> None:
        """Play on until the user is asked or the action has been played."""
        try:
            request = playing.send(answer)
            while not isinstance(request.run, _Question):
                request = after(playing, request)
        except StopIteration as stop:
            self._played(stop.value)
        else:
            self._asked = request.run
            self.infos[USER] = {**self.infos[USER], "script": self._asked.script}
            self.agent_selection = USER

    def _played(self, transition: Transition) -> None:
        self._episode.take(transition)
        self._playing = None
        self._seen, reward, terminated, truncated, info = transition
        self.rewards = dict.fromkeys(self.agents, float(reward))
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        told = {name: info[name] for name in ("task_id", "valid", "verdict", "failure") if name in info}
        self.infos = {AGENT: info, USER: told}
        self.agent_selection = AGENT

    def _leave(self) -> None:
        """Leave an action half way, where the user was asked and did not answer."""
        if self._playing is not None:
            self._playing.close()
        self._playing = self._asked = None


@dataclass(frozen=True, slots=True)
class _Question:
    """Slow work that the user's player does.

    Attributes:
        asked: A text of the agent's, or the arguments of ``ask_user``.
        script: What the user of the single-player environment says.
    """

    asked: Json
    script: Json

    def __call__(self) -> Json:
        raise ConfigError("the user is a player here: act through the environment of both players")


class _Played:
    """A user whose words are a player's; the script goes on beside, and says when nothing more is wanted."""

    def __init__(self, script: User[object]) -> None:
        self._script = script

    @property
    def fingerprint(self) -> dict[str, object]:
        return {"user": "player"}

    def start(self, task: Task, seed: int) -> Any:
        return self._script.start(task, seed)

    def reply(self, task: Task, state: object, text: str) -> Slow[Said]:
        said = yield from self._script.reply(task, state, text)
        heard = yield Request(run=_Question(text, said.text or ""))
        return said._replace(text=_text(heard) or None)


class _Asked(AroundBackend):
    """A backend in which a player answers the calls of ``ask_user`` that are answered at all."""

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        result, state = yield from self.backend.answer(state, tool, call)
        if tool.name != ASK_USER or result.error:
            return result, state
        heard = yield Request(run=_Question(call.arguments, result.response))
        return replace(result, text=ToolResult.of(_reply(heard), source=result.source).text), state


def _asking(backend: Backend[Any], state: State) -> Backend[Any]:
    del state
    return _Asked(backend)


def _check_said(action: object) -> None:
    try:
        jsontext.dumps(action)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(
            f"the user says a text or plain JSON, such as {{'says': ..., 'value': ...}}; got a "
            f"{type(action).__name__} that is neither: {error}"
        ) from error


def _reply(heard: object) -> object:
    """Return what a player says to a question as the tool returns it."""
    if isinstance(heard, str):
        with suppress(ValueError):
            heard = jsontext.loads(heard)
    return heard if isinstance(heard, Mapping) else {"says": _text(heard)}


def _text(said: object) -> str:
    return said if isinstance(said, str) else jsontext.dumps(said)


def _known(agent: str) -> str:
    if agent not in (AGENT, USER):
        raise ConfigError(
            f"no player {agent!r}; there are agent and user.{did_you_mean(agent, (AGENT, USER))}"
        )
    return agent


def raw_env(env: str | AnyEnv, **settings: object) -> TwoPlayers:
    """Return `TwoPlayers`; see there for the arguments."""
    return TwoPlayers(env, **settings)


def env(env: str | AnyEnv, **settings: object) -> Any:
    """Return `TwoPlayers` that complain about calls in a wrong order; see there for the arguments."""
    return OrderEnforcingWrapper(raw_env(env, **settings))
