"""Our own loop, and an episode that is driven by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stb_env.baselines import load_agent
from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script, calls_of
from stb_env.rollout import DrivenEpisode, play
from stb_env.rollout.make import make


@contextmanager
def own_loop(script: Script) -> Iterator[Play]:
    """Play in our own loop."""
    del script
    env, gold = make(ENV_ID), load_agent("gold")()
    yield Play(lambda ids: mean([play(env.fork(), gold, task_id=task, seed=0).reward for task in ids]))


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
