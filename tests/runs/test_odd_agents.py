"""Agents that come to no action: invalid episodes that say so, at any concurrency, and no endless wait."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow
from stb_env.runs import Agent, Job, groups, run_batch
from stb_env.show.cli import app
from stb_env.testing.notes import notes

ANSWER = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}
JOBS = [Job("day", trial, trial) for trial in range(3)]


class Prefetching(Agent):
    """Waits for something that was cancelled."""

    name = "odd"

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        task = asyncio.create_task(asyncio.Event().wait())
        task.cancel()
        await task


class Leaving(Agent):
    name = "odd"

    def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        raise SystemExit(3)


class LeavingLater(Agent):
    name = "odd"

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        raise SystemExit(3)


class Streaming(Agent):
    name = "odd"

    async def act(self, observation: JsonMapping, info: JsonMapping) -> AsyncIterator[Any]:
        yield ANSWER


class Yielding(Agent):
    name = "odd"

    def act(self, observation: JsonMapping, info: JsonMapping) -> Iterator[Any]:
        yield ANSWER


class Silent(Agent):
    name = "odd"

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        return None


CALLS = "a call, a list of calls or a text"
ODD = {
    Prefetching: r"agent 'odd' raised AwaitedCancelledError \(\w+\.py, line \d+\), which is a bug in it",
    Leaving: r"agent 'odd' raised SystemExit \(test_odd_agents\.py, line \d+\), which is a bug in it",
    LeavingLater: r"agent 'odd' raised SystemExit \(test_odd_agents\.py, line \d+\), which is a bug in it",
    Streaming: f"agent 'odd' returned an async generator, expected an action; return {CALLS}",
    Yielding: "agent 'odd' yielded an object of type dict, expected a Request of slow work; return the "
    "action instead of yielding it",
    Silent: f"agent 'odd' returned None, expected an action; return {CALLS}",
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_agent_makes_the_same_invalid_episodes_at_any_concurrency(odd: type[Agent]) -> None:
    alone, together = (run_batch(notes, odd, JOBS, concurrency=concurrency) for concurrency in (1, 3))
    assert [episode.to_json() for episode in alone] == [episode.to_json() for episode in together]
    for episode in alone:
        assert episode.failure is not None
        assert (episode.valid, episode.failure["kind"], episode.failure["stage"]) == (
            False,
            "internal",
            "agent",
        )
        assert re.fullmatch(ODD[odd], episode.failure["message"])


@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("odd", [Prefetching, Leaving, LeavingLater, Streaming])
def test_groups_of_an_odd_agent_come_to_an_end(odd: type[Agent], concurrency: int) -> None:
    [group] = groups(notes(), ["day"], 2, agent=odd, concurrency=concurrency)
    assert [episode.valid for episode in group.episodes] == [False, False]


class Forgetful(Agent):
    """Forgets to await its own question, and looks its answer up when the episode begins."""

    name = "forgetful"

    async def reset(self, env: Any, seed: int) -> None:
        await asyncio.sleep(0)
        self.answer = ANSWER

    async def _ask(self) -> Any:
        return self.answer

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        return self._ask()


class Careful(Forgetful):
    """Begins with slow work."""

    def reset(self, env: Any, seed: int) -> Slow[None]:  # type: ignore[override] # a generator in place of a coroutine
        self.answer = yield Request(run=lambda: ANSWER)


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("make_agent", [Forgetful, Careful])
def test_what_an_agent_waits_for_is_waited_for(make_agent: type[Agent], concurrency: int) -> None:
    played = run_batch(notes, make_agent, JOBS, concurrency=concurrency)
    assert [episode.reward for episode in played] == [1.0, 1.0, 1.0]


class Interrupting(Agent):
    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        raise KeyboardInterrupt


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_interrupt_on_the_background_loop_ends_the_batch_and_not_the_loop(concurrency: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_batch(notes, Interrupting, JOBS, concurrency=concurrency)
    assert [episode.reward for episode in run_batch(notes, Forgetful, JOBS, concurrency=concurrency)] == [
        1.0
    ] * 3


def test_a_run_of_an_agent_that_waits_for_what_was_cancelled_ends_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        "import asyncio\n"
        "async def prefetch(observation, info):\n"
        "    task = asyncio.create_task(asyncio.Event().wait())\n"
        "    task.cancel()\n"
        "    await task\n"
    )
    command = [
        "run",
        "stb/Sandbox-v1",
        "--agent",
        f"{file}:prefetch",
        "--episodes",
        "4",
        "--concurrency",
        "2",
    ]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "run")])
    assert result.exit_code == 1, result.output
    lines = (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()
    assert [json.loads(line)["failure"]["kind"] for line in lines] == ["internal"] * 4
