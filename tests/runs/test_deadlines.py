"""Deadlines of calls, steps and episodes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow, drive
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.runs import Deadlines, aplay, as_agent, play, run_batch
from stb_env.runs.deadlines import Watch
from stb_env.runs.job import Job
from stb_env.runs.timing import Stopwatch, Timing
from stb_env.testing.notes import notes

ANSWER = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}
BRIEF = 0.01


async def hanging(observation: JsonMapping, info: JsonMapping) -> Any:
    await asyncio.Event().wait()


def played_alone(**deadlines: float) -> Any:
    return play(notes(), as_agent(hanging), task_id="day", seed=0, deadlines=Deadlines(**deadlines))


def played_on_a_loop(**deadlines: float) -> Any:
    return asyncio.run(
        aplay(notes(), as_agent(hanging), task_id="day", seed=0, deadlines=Deadlines(**deadlines))
    )


@pytest.mark.parametrize("stage", ["call", "step", "episode"])
@pytest.mark.parametrize("played", [played_alone, played_on_a_loop])
def test_what_takes_too_long_is_invalid_and_says_which_deadline_passed(
    played: Callable[..., Any], stage: str
) -> None:
    episode = played(**{stage: BRIEF})
    assert (episode.valid, episode.reward, episode.steps) == (False, 0.0, [])
    assert episode.failure == {
        "kind": "timeout",
        "stage": stage,
        "retryable": True,
        "message": f"the {stage} took longer than its deadline of 0.01 s",
    }


def test_the_earliest_of_several_deadlines_counts() -> None:
    assert played_alone(call=60, step=BRIEF, episode=60).failure["stage"] == "step"


def test_a_judge_that_hangs_ends_the_episode_and_not_the_batch() -> None:
    class Hanging:
        name = "hanging"

        def judge(self, case: Any) -> Slow[Any]:
            return (yield Request(run=lambda: None, arun=asyncio.Event().wait))

    env = notes()
    env.rules = replace(env.rules, judge=Hanging())

    async def answering(observation: JsonMapping, info: JsonMapping) -> Any:
        return ANSWER

    jobs = [Job("day", trial, trial) for trial in range(3)]
    played = run_batch(
        env.fork, lambda: as_agent(answering), jobs, concurrency=2, deadlines=Deadlines(call=BRIEF)
    )
    assert [episode.failure["stage"] for episode in played if episode.failure] == ["call"] * 3
    assert [len(episode.steps) for episode in played] == [1, 1, 1]


def test_code_that_blocks_is_given_up_as_soon_as_it_comes_back() -> None:
    now = [0.0]
    watch = Watch(Deadlines(step=5), clock=lambda: now[0])

    def slow() -> Slow[str]:
        return (yield Request(run=lambda: now.__setitem__(0, 6.0)))

    watch.begin_step()
    with pytest.raises(InfrastructureError, match=r"^the step took longer than its deadline of 5 s$"):
        drive(watch.keep(slow()))
    with pytest.raises(InfrastructureError, match=r"^the step took longer than its deadline of 5 s$"):
        watch.check()


def test_a_new_step_has_its_own_time() -> None:
    now = [0.0]
    watch = Watch(Deadlines(step=5, episode=100), clock=lambda: now[0])
    for _ in range(10):
        watch.begin_step()
        now[0] += 4
        watch.check()


def test_time_for_which_an_episode_is_stopped_counts_neither_as_its_own_nor_against_a_deadline() -> None:
    now = [0.0]
    stopwatch = Stopwatch(lambda: now[0])
    watch = Watch(Deadlines(step=5, episode=5), clock=stopwatch.now)

    def deciding() -> Slow[None]:
        now[0] += 2
        with stopwatch.stopped():
            now[0] += 100
        yield from ()

    watch.begin_step()
    stopwatch.begin_step()
    drive(watch.keep(stopwatch.deciding(deciding())))
    watch.check()
    stopwatch.end_step()
    assert stopwatch.read() == Timing(2.0, {"agent": 2.0}, (2.0,))


def test_a_deadline_that_is_not_reached_changes_no_byte() -> None:
    async def answering(observation: JsonMapping, info: JsonMapping) -> Any:
        return ANSWER

    plain = play(notes(), as_agent(answering), task_id="day", seed=0)
    timed = play(
        notes(), as_agent(answering), task_id="day", seed=0, deadlines=Deadlines(call=60, step=60, episode=60)
    )
    assert timed.to_json() == plain.to_json()


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_deadline_is_above_zero(seconds: float) -> None:
    with pytest.raises(ConfigError, match=rf"^the episode deadline must be above 0 seconds, got {seconds}$"):
        Deadlines(episode=seconds)


@pytest.mark.parametrize("seconds", ["3", True])
def test_a_deadline_is_a_number(seconds: Any) -> None:
    with pytest.raises(
        ConfigError, match=rf"^the call deadline must be a number of seconds, got {seconds!r}$"
    ):
        Deadlines(call=seconds)
