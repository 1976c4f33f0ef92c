"""The loops that are measured, where their frameworks are installed, and those that play in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from stb_env import DiscreteActions, load_agent, make
from stb_env.experiments.bench.integrations.loop import ENV_ID, Loop, Play, Script, calls_of, mean, written
from stb_env.experiments.bench.integrations.served_loops import openenv, pydantic_ai, verifiers
from stb_env.experiments.bench.integrations.token_loops import environments, rollouts, verl
from stb_env.runs import DrivenEpisode
from stb_env.runs import play as play_episode
from stb_env.tools import FINISH

_MADE = {"id": "r", "created_at": 0.0, "model": "m", "object": "response", "tools": [], "tool_choice": "auto"}
_CALLED = {"type": "function_call_output", "call_id": "c", "output": "{}"}


@contextmanager
def own_loop(script: Script) -> Iterator[Play]:
    """Play in our own loop."""
    del script
    env, gold = make(ENV_ID), load_agent("gold")()
    yield Play(
        lambda ids: mean([play_episode(env.fork(), gold, task_id=task, seed=0).reward for task in ids])
    )


@contextmanager
def driven(script: Script) -> Iterator[Play]:
    """Play by calls of `DrivenEpisode`, on which every adapter stands."""
    root = make(ENV_ID)

    def one(task: str) -> float | None:
        episode = DrivenEpisode(root.fork())
        episode.start(task_id=task, seed=0)
        for turn in script.turns[task]:
            for name, arguments in calls_of(turn):
                episode.call(name, arguments)
        return episode.reward

    yield Play(lambda ids: mean([one(task) for task in ids]))


@contextmanager
def stable_baselines(script: Script) -> Iterator[Play]:
    """Play as many turns as a solution has; choices say nothing freely, so nothing is asked of the answer."""
    import numpy as np
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.vec_env import DummyVecEnv

    envs = DummyVecEnv([lambda: DiscreteActions(make(ENV_ID))])

    def one(task: str) -> float:
        envs.set_options({"task_id": task})
        envs.seed(0)
        envs.reset()
        info: Any = envs.reset_infos[0]
        turns, done = len(script.turns[task]), False
        for place in range(turns):
            finishing = place == turns - 1
            get_action_masks(envs)
            choices = [(f'"{FINISH}"' in text) == finishing for text in info["candidates"]]
            _, _, dones, (info,) = envs.step(np.array([choices.index(True)]))
            done = bool(dones[0])
        return float(done)

    def play(ids: Sequence[str]) -> float:
        return mean([one(task) for task in ids])

    yield Play(play)


@contextmanager
def skyrl(script: Script) -> Iterator[Play]:
    """Play as its generator does."""
    import skyrl_gym

    from stb_env.integrations.skyrl import ENV_CLASS, register

    if ENV_CLASS not in skyrl_gym.envs.registration.registry:
        register()

    def one(task: str) -> float:
        extras = {"extra_info": {"env_id": ENV_ID, "task_id": task, "seed": 0}, "max_turns": 24}
        env = skyrl_gym.make(ENV_CLASS, env_config={}, extras=extras)
        env.init([])
        with script.model():
            texts = [written(turn) for turn in script.turns[task]]
        earned = sum(env.step(text)["reward"] for text in texts)
        env.close()
        return float(earned)

    yield Play(lambda ids: mean([one(task) for task in ids]))


@contextmanager
def nemo_gym(script: Script) -> Iterator[Play]:
    """Play a session for each task."""
    from httpx import ASGITransport, AsyncClient
    from nemo_gym.config_types import BaseServerConfig
    from nemo_gym.server_utils import ServerClient
    from omegaconf import DictConfig

    from stb_env.integrations.nemo_gym import EpisodesConfig, EpisodesServer, dataset

    place = {"host": "127.0.0.1", "port": 1}
    config = EpisodesConfig(**place, entrypoint="app.py", name="stb", domain="agent", env_id=ENV_ID)
    others = ServerClient(head_server_config=BaseServerConfig(**place), global_config_dict=DictConfig({}))
    server = EpisodesServer(config=config, server_client=others)
    transport = ASGITransport(server.setup_webserver())
    rows = {row["task_id"]: row for row in dataset(ENV_ID, list(script.turns))}
    said = {**_MADE, "parallel_tool_calls": False, "output": [_CALLED]}

    async def one(task: str) -> float:
        async with AsyncClient(transport=transport, base_url="http://stb") as client:
            await client.post("/seed_session", json=rows[task])
            for turn in script.turns[task]:
                for name, arguments in calls_of(turn):
                    await client.post(f"/{name}", json=arguments)
            told: Any = await client.post("/verify", json={**rows[task], "response": said})
            return float(told.json()["reward"])

    async def play(ids: Sequence[str]) -> float:
        return mean([await one(task) for task in ids])

    with asyncio.Runner() as runner:
        yield Play(lambda ids: runner.run(play(ids)))


@contextmanager
def inspect(script: Script, form: object) -> Iterator[Play]:
    """Play as ``inspect eval`` does, logs included."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from stb_env.integrations.inspect import stb
    from stb_env.integrations.inspect.messages import chat

    def answer(messages: Sequence[Any], *_: object) -> ModelOutput:
        with script.model():
            told = [{"role": message.role, "content": message.text} for message in messages]
            made = ModelOutput.from_message(chat([script.next_turn(told)])[0])
            # Tokens that are not counted here would be counted by what has to be fetched.
            made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return made

    def play(ids: Sequence[str]) -> float:
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        with TemporaryDirectory() as folder:
            task = stb(ENV_ID, list(ids), form=form)
            log = evaluate(task, model=model, log_dir=folder, display="none", log_level="error")[0]
        return float(log.results.scores[0].metrics["mean"].value)

    yield Play(play)


OURS = Loop("our own loop", "stb_env", own_loop)

LOOPS = (
    Loop("a driven episode", "stb_env", driven),
    Loop("SkyRL-gym", "skyrl_gym", skyrl),
    Loop("Inspect AI, exact", "inspect_ai", partial(inspect, form="exact")),
    Loop("Inspect AI, react", "inspect_ai", partial(inspect, form="react")),
    Loop("TRL, environments", "trl", environments),
    Loop("TRL, rollouts", "trl", rollouts),
    Loop("verifiers, our harness", "stb_sandbox", verifiers),
    Loop("verl", "verl", verl),
    Loop("NeMo Gym", "nemo_gym", nemo_gym),
    Loop("Stable-Baselines3", "sb3_contrib", stable_baselines),
    Loop("OpenEnv's harness", "openenv", openenv),
    Loop("Pydantic AI, by MCP", "pydantic_ai", pydantic_ai),
)
"""All but our own, each with the module that it needs."""
