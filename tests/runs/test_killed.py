"""A run that is killed at any moment goes on to the same bytes, each episode once and none torn.

Set STB_LONG_RUNS to play 5,000 episodes instead of a few hundred.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from stb_env import plan, run_batch
from stb_env.runs import Agent, Job, Run
from stb_env.saved_episodes import read_trajectories
from stb_env.testing.notes import notes
from tests.kills import killed_when, needs_fork
from tests.processes import lines

EPISODES = 5_000 if os.environ.get("STB_LONG_RUNS") else 240


class Scripted(Agent):
    """Answers after a moment in which others play."""

    name = "scripted"

    async def act(self, observation: object, info: object) -> object:
        await asyncio.sleep(0)
        return {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}


def jobs() -> list[Job]:
    return plan(notes().tasks, episodes=1, trials=EPISODES)


def sit(folder: Path) -> None:
    with closing(Run(folder, {})) as run:
        run_batch(notes, Scripted, jobs(), run, concurrency=64)


@pytest.mark.heavy
@needs_fork
@pytest.mark.serial
def test_a_run_on_a_loop_that_is_killed_three_times_ends_in_the_bytes_of_an_unbroken_one(
    tmp_path: Path,
) -> None:
    file = tmp_path / "killed" / "trajectories.jsonl"
    for share in (0.1, 0.4, 0.7):
        killed_when(partial(sit, file.parent), lambda wanted=int(share * EPISODES): lines(file) >= wanted)
        assert share * EPISODES <= lines(file) <= EPISODES
    sit(file.parent)
    sit(tmp_path / "unbroken")
    assert len({episode.key for episode in read_trajectories(file)}) == EPISODES
    assert file.read_bytes() == (tmp_path / "unbroken" / "trajectories.jsonl").read_bytes()
