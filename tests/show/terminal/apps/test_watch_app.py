"""A person watches an agent play: step by step, or to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stb_env import load_agent, play
from stb_env.runs import Agent, Job, as_agent
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory

pytest.importorskip("textual", reason="watching in the terminal needs the extra play")

from textual.pilot import Pilot

from stb_env.show.terminal.apps.watch_app import WatchApp
from tests.show.terminal.apps.test_play_app import story, where

Test = Callable[[WatchApp, Pilot[None]], Awaitable[None]]


def watched(agent: Agent, test: Test) -> list[Trajectory]:
    kept: list[Trajectory] = []
    app = WatchApp(notes(), agent, Job("move", 0, 7), "test/Notes-v0", kept.append)

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await test(app, pilot)

    asyncio.run(run())
    return kept


async def run_on(app: WatchApp, pilot: Pilot[None]) -> None:
    await pilot.press("a")
    await app.workers.wait_for_complete()
    await pilot.pause()


def test_space_lets_it_take_one_step_and_a_the_rest():
    async def test(app: WatchApp, pilot: Pilot[None]) -> None:
        assert "turn 0 of 24" in where(app)
        await pilot.press("space")
        # The agent decides in a thread; one that never does runs into the test's time-out.
        while "turn 0 of 24" in where(app):
            await pilot.pause()
        assert "turn 1 of 24" in where(app)
        assert "note-001: Dentist on Tuesday" in story(app)
        assert "verdict" not in story(app)
        await run_on(app, pilot)
        assert "verdict: solved, score 1, by exact" in story(app)

    (episode,) = watched(load_agent("gold")(), test)
    assert episode == play(notes(), load_agent("gold")(), task_id="move", seed=7)


def test_who_leaves_early_keeps_nothing():
    async def test(app: WatchApp, pilot: Pilot[None]) -> None:
        await pilot.press("space", "ctrl+q")

    assert watched(load_agent("gold")(), test) == []


def test_a_bug_of_the_agents_ends_the_episode_and_not_the_screen():
    def hasty(observation: Any, info: Any) -> Any:
        return info["hint"]

    (episode,) = watched(as_agent(hasty), run_on)
    assert episode.failure is not None
    assert (episode.valid, episode.failure["kind"]) == (False, "internal")
