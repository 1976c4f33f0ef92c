"""Stable-Baselines3's vectorised environment and masks, as MaskablePPO collects its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script
from stb_env.rollout.make import make
from stb_env.tools import FINISH
from stb_env.wrappers import DiscreteActions


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
