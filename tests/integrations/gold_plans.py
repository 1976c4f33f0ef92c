"""What is known to solve a task, as calls that any framework can be made to play."""

from __future__ import annotations

import stb_env
from stb_env.jsontypes import JsonObject


def gold_turns(env_id: str, task_id: str) -> list[list[JsonObject]]:
    """Return the calls of each turn of the gold agent, Finish included."""
    env, agent = stb_env.make(env_id), stb_env.load_agent("gold")()
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    agent.reset(env, 0)
    turns: list[list[JsonObject]] = []
    over = False
    while not over:
        action = agent.act(observation, info)
        turns.append(action if isinstance(action, list) else [action])
        observation, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    return turns


def query_of(env_id: str, task_id: str) -> str:
    return stb_env.make(env_id).tasks.get(task_id).query
