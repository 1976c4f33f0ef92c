"""SkyRL-gym, whose loop is its trainer's: what it makes and steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script, written


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
