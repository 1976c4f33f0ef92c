"""Agents: play episodes."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from typing import Any, ClassVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow, changed, is_slow, settled
from stb_env.errors import NoActionError
from stb_env.usage import NO_USAGE, Usage

_NOTHING: JsonMapping = {}

Policy = Callable[[JsonMapping, JsonMapping], Any]


class Agent:
    """Maps observations to actions. Subclass it, or pass any ``policy(observation, info) -> action``.

    One agent plays one episode at a time; concurrent episodes get an agent each.

    Attributes:
        name: Label in manifests and tables.
        needs: What it needs besides an environment, in words; empty for nothing.
        usage: Model calls, tokens and cost of the running episode.
        engine: What the model's engine gave with the last action: finish reason, token ids, logprobs, as they
            came. It is kept with the step and never shown to the environment; empty where there is none.

    Examples:
        >>> from stb_env import Agent, play
        >>> from stb_env.testing.notes import notes
        >>> class Quitter(Agent):
        ...     name = "quitter"
        ...     def act(self, observation, info):
        ...         return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        >>> play(notes(), Quitter(), task_id="day", seed=0).verdict["status"]
        'unsolved'
    """

    name: str = ""
    needs: ClassVar[str] = ""
    usage: Usage = NO_USAGE
    engine: JsonMapping = _NOTHING

    @property
    def blocks(self) -> bool:
        """True if a decision blocks its thread: `act` is neither async nor a generator.

        Many episodes of an agent that does not block share one thread.
        """
        return not (inspect.iscoroutinefunction(self.act) or is_slow(self.act))

    def wrap(self, env: AnyEnv) -> AnyEnv:
        """Return the environment that this agent wants to play, for example one wrapped in a search.

        Called once, before the first episode.

        Args:
            env: The environment of the run.
        """
        return env

    def reset(self, env: AnyEnv, seed: int) -> Any:
        """Prepare for an episode that has just been reset; may be ``async``, or a generator of slow work.

        Args:
            env: The environment, for agents that fork it or sample its action space.
            seed: All of the agent's own randomness follows from it.
        """

    def preparing(self, env: AnyEnv, seed: int) -> Slow[None]:
        """Yield the slow work of `reset`."""
        yield from settled(self.reset(env, seed))

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Any:
        """Return the next action; may be ``async``, or a generator of slow work.

        Raises:
            InfrastructureError: The agent's own model gave no usable answer; the episode ends as invalid.
        """
        raise NotImplementedError(f"{type(self).__name__} must define act(observation, info)")

    def deciding(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Yield the slow work that the next action takes, and return it: what `act` comes to.

        Raises:
            NoActionError: `act` returned nothing, or something that only comes to an action when iterated.
            InfrastructureError: As in `act`.
        """
        action = self.act(observation, info)
        if isinstance(action, Generator):
            action = changed(action, self._requested)
        action = yield from settled(action)
        if action is None or isinstance(action, AsyncGenerator):
            got = "None" if action is None else "an async generator"
            raise NoActionError(
                f"agent {self.name!r} returned {got}, expected an action; return a call, a list of calls or "
                "a text"
            )
        return action

    def _requested(self, request: object) -> Request:
        if isinstance(request, Request):
            return request
        raise NoActionError(
            f"agent {self.name!r} yielded an object of type {type(request).__name__}, expected a Request of "
            "slow work; return the action instead of yielding it"
        )


class _PolicyAgent(Agent):
    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.name = getattr(policy, "__name__", type(policy).__name__)

    @property
    def blocks(self) -> bool:
        return not (inspect.iscoroutinefunction(self.policy) or is_slow(self.policy))

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        return self.policy(observation, info)


AgentFactory = Callable[[], Agent]


def as_agent(agent: Agent | Policy) -> Agent:
    """Return an `Agent`: the given one, or one around a plain function.

    Examples:
        >>> as_agent(lambda observation, info: "...").act({}, {})
        '...'
    """
    return agent if isinstance(agent, Agent) else _PolicyAgent(agent)
