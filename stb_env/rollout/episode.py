"""One episode, from reset to trajectory."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium as gym

from stb_env.envs.finish import read_finish
from stb_env.errors import InfrastructureError
from stb_env.jsontypes import JsonObject
from stb_env.request import Request, Slow, adrive, drive
from stb_env.rollout.agent import Agent
from stb_env.tools import FINISH, ToolCall
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage


def play(env: gym.Env[Any, Any], agent: Agent, *, task_id: str, seed: int, trial: int = 0) -> Trajectory:
    """Play one task to its end.

    Args:
        env: Any environment or wrapper of this package.
        agent: Plays it; a failure of its own model ends the episode as invalid.
        task_id: The task.
        seed: Seed of the episode and of the agent.
        trial: Which repetition this is.

    Returns:
        The trajectory.

    Raises:
        ActionError: The agent returned None.

    Examples:
        >>> from stb_env import load_agent, play
        >>> from stb_env.testing.notes import notes
        >>> play(notes(), load_agent("gold")(), task_id="move", seed=0).reward
        1.0
    """
    return drive(episode(env, agent, task_id=task_id, seed=seed, trial=trial))


async def aplay(
    env: gym.Env[Any, Any], agent: Agent, *, task_id: str, seed: int, trial: int = 0
) -> Trajectory:
    """Play one task to its end on the event loop; see `play`.

    Examples:
        >>> import asyncio
        >>> from stb_env import load_agent
        >>> from stb_env.testing.notes import notes
        >>> asyncio.run(aplay(notes(), load_agent("gold")(), task_id="move", seed=0)).reward
        1.0
    """
    return await adrive(episode(env, agent, task_id=task_id, seed=seed, trial=trial))


def episode(
    env: gym.Env[Any, Any], agent: Agent, *, task_id: str, seed: int, trial: int = 0
) -> Slow[Trajectory]:
    """Yield the slow work of one task, and return the trajectory; see `play`."""
    observation, info = yield _request(env, "reset", seed=seed, options={"task_id": task_id})
    first = info
    steps: list[JsonObject] = []
    failure: JsonObject | None = None
    total, over = 0.0, False
    try:
        agent.reset(env, seed)
    except InfrastructureError as error:
        failure, over = error.failure(), True
    while not over:
        try:
            action = yield from agent.deciding(observation, info)
        except InfrastructureError as error:
            failure = error.failure()
            break
        observation, reward, terminated, truncated, info = yield _request(env, "step", action)
        total += float(reward)
        over = terminated or truncated
        step = _step(info, float(reward), terminated, truncated)
        steps.append(step | ({"engine": dict(agent.engine)} if agent.engine else {}))
    return Trajectory(
        suite=first["suite"],
        group=first["group"],
        task_id=first["task_id"],
        trial=trial,
        seed=seed,
        query=_query(env, observation),
        tools=first["tools"],
        messages=info["messages"] if "messages" in info else _messages(env, first),
        steps=steps,
        answer=_answer(steps),
        verdict=info.get("verdict"),
        reward=total,
        valid=bool(info["valid"]) and failure is None,
        failure=failure or info.get("failure"),
        usage=(Usage(**info["usage"]) + agent.usage).to_dict(),
        tree=info.get("tree"),
    )


def _request(env: gym.Env[Any, Any], what: str, *args: Any, **options: Any) -> Request:
    """Return a call of the environment as slow work; one that cannot wait on a loop gets a thread there."""
    later = getattr(env, f"a{what}", None)
    return Request(
        run=partial(getattr(env, what), *args, **options),
        arun=None if later is None else partial(later, *args, **options),
    )


def _query(env: gym.Env[Any, Any], observation: JsonObject) -> str:
    """Return the query, which a wrapper may have left out of what is observed."""
    if "query" in observation:
        return str(observation["query"])
    return str(env.get_wrapper_attr("task").query)


def _messages(env: gym.Env[Any, Any], first: JsonObject) -> list[JsonObject]:
    """Return the conversation of an episode that its agent left unfinished."""
    said: list[JsonObject] | None = getattr(env, "messages", None)
    return first["messages"] if said is None else said


def _step(info: JsonObject, reward: float, terminated: bool, truncated: bool) -> JsonObject:
    step = {"calls": info["calls"], "reward": reward, "terminated": terminated, "truncated": truncated}
    return step | {name: info[name] for name in ("text", "code", "original_observation") if name in info}


def _answer(steps: list[JsonObject]) -> str:
    for call in reversed(steps[-1]["calls"] if steps else []):
        if call["name"] == FINISH:
            return read_finish(ToolCall(FINISH, call["arguments"])).answer
    return ""
