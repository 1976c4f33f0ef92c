"""Many episodes on one event loop: the bytes of one after the other, and nothing finished lost."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stb_env import ChatAgent, ScriptedModel, Verdict, load_agent
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow
from stb_env.errors import ConfigError, RunStopped
from stb_env.models.chat import ChatRequest
from stb_env.models.meter import Meter, current_meter, metered
from stb_env.runs import Agent, Deadlines, Job, Run, arun_batch, as_agent, plan, run_batch
from stb_env.runs.failure_limit import Breaker
from stb_env.runs.players import AHEAD
from stb_env.saved_episodes import read_trajectories
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory
from tests.processes import lines

ANSWER = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}
GIVE_UP = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
MANIFEST = {"env": "test/Notes-v0"}
FILES = ["manifest.json", "timings.jsonl", "trajectories.jsonl"]


def jobs(count: int) -> list[Job]:
    return [Job("day", trial, trial) for trial in range(count)]


class Waiting(Agent):
    """Answers after other episodes had their turn, each a different number of times."""

    name = "waiting"

    def reset(self, env: Any, seed: int) -> None:
        self.seed = seed

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        for _ in range(self.seed * 7 % 5):
            await asyncio.sleep(0)
        return ANSWER if self.seed % 3 else GIVE_UP


def chat() -> ChatAgent:
    def said(request: ChatRequest) -> str:
        return "Tuesday" if len(request.messages) > 3 else "Let me think."

    return ChatAgent(ScriptedModel(said))


@pytest.mark.parametrize("make_agent", [Waiting, chat])
def test_concurrency_changes_no_byte_on_a_loop(tmp_path: Path, make_agent: Callable[[], Agent]) -> None:
    written = []
    for concurrency in (1, 64, 1024):
        run = Run(tmp_path / str(concurrency), MANIFEST)
        run_batch(notes, make_agent, jobs(70), run, concurrency=concurrency)
        run.close()
        written.append((run.folder / "trajectories.jsonl").read_bytes())
    assert written[0] == written[1] == written[2]
    assert written[0].count(b"\n") == 70


def test_a_batch_on_the_callers_loop_writes_the_same(tmp_path: Path) -> None:
    run = Run(tmp_path, MANIFEST)
    played = asyncio.run(arun_batch(notes, Waiting, jobs(20), run, concurrency=8))
    run.close()
    assert read_trajectories(tmp_path) == played == run_batch(notes, Waiting, jobs(20))


def test_episodes_that_wait_are_played_at_the_same_time_in_forks_of_one_environment() -> None:
    together: list[str] = []
    made: list[Any] = []
    met = asyncio.Event()

    async def patient(observation: JsonMapping, info: JsonMapping) -> Any:
        together.append(info["task_id"])
        if len(together) == 12:
            met.set()
        await met.wait()
        return ANSWER

    def make() -> Any:
        made.append(notes())
        return made[-1]

    played = run_batch(make, lambda: as_agent(patient), jobs(12), concurrency=12)
    assert (len(made), [episode.reward for episode in played]) == (1, [1.0] * 12)


class Hanging(Agent):
    """Answers at once, but for the first episode, which waits for a sign."""

    def __init__(self, begun: list[int], sign: asyncio.Event) -> None:
        self.begun, self.sign = begun, sign

    def reset(self, env: Any, seed: int) -> None:
        self.seed = seed
        self.begun.append(seed)

    async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
        await (self.sign.wait() if self.seed == 0 else asyncio.sleep(0))
        return ANSWER


@pytest.mark.parametrize("concurrency", [2, 8])
def test_while_one_episode_hangs_all_others_are_played_and_on_disk(tmp_path: Path, concurrency: int) -> None:
    sign = asyncio.Event()
    told: list[int] = []
    on_disk: list[list[int]] = []

    async def batch() -> list[Trajectory]:
        loop = asyncio.get_running_loop()

        def progress(episode: Trajectory) -> None:
            told.append(episode.seed)
            if len(told) == 39:
                on_disk.append([saved.seed for saved in read_trajectories(tmp_path)])
                loop.call_soon_threadsafe(sign.set)

        agent = lambda: Hanging([], sign)  # noqa: E731
        return await arun_batch(notes, agent, jobs(40), run, concurrency=concurrency, progress=progress)

    run = Run(tmp_path, MANIFEST)
    played = asyncio.run(batch())
    run.close()
    assert sorted(on_disk[0]) == list(range(1, 40))
    assert told[-1] == 0
    assert [episode.seed for episode in played] == list(range(40))
    assert [episode.seed for episode in read_trajectories(tmp_path / "trajectories.jsonl")] == list(range(40))
    assert sorted(file.name for file in tmp_path.iterdir()) == FILES


@pytest.mark.heavy
def test_what_waits_for_an_episode_that_hangs_is_in_no_memory(tmp_path: Path) -> None:
    sign = asyncio.Event()
    told: list[int] = []
    alive: list[int] = []

    async def batch() -> None:
        loop = asyncio.get_running_loop()

        def progress(episode: Trajectory) -> None:
            told.append(episode.seed)
            if len(told) == 199:
                alive.append(sum(isinstance(each, Trajectory) for each in gc.get_objects()))
                loop.call_soon_threadsafe(sign.set)

        agent = lambda: Hanging([], sign)  # noqa: E731
        await arun_batch(notes, agent, jobs(200), run, concurrency=2, progress=progress)

    run = Run(tmp_path, MANIFEST)
    gc.collect()
    before = sum(isinstance(each, Trajectory) for each in gc.get_objects())
    asyncio.run(batch())
    run.close()
    assert alive[0] - before <= 2 * AHEAD * 2


def test_what_is_finished_is_saved_in_order_when_the_batch_is_cancelled(tmp_path: Path) -> None:
    run = Run(tmp_path, MANIFEST)
    begun: list[int] = []

    async def cancelled() -> None:
        sign = asyncio.Event()
        batch = asyncio.create_task(
            arun_batch(notes, lambda: Hanging(begun, asyncio.Event()), jobs(9), run, concurrency=3)
        )
        while len(begun) < 9:
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        batch.cancel()
        assert not sign.is_set()
        with pytest.raises(asyncio.CancelledError):
            await batch

    asyncio.run(cancelled())
    run.close()
    assert sorted(episode.seed for episode in read_trajectories(tmp_path)) == list(range(1, 9))
    assert lines(tmp_path / "trajectories.jsonl") == 0
    again = Run(tmp_path, MANIFEST)
    played = run_batch(notes, Waiting, jobs(9), again)
    again.close()
    assert [episode.seed for episode in played] == list(range(9))


def test_an_interrupted_batch_saves_what_is_finished(tmp_path: Path) -> None:
    run = Run(tmp_path, MANIFEST)

    def interrupt(episode: Trajectory) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(notes, Waiting, jobs(30), run, concurrency=30, progress=interrupt)
    run.close()
    seeds = [episode.seed for episode in read_trajectories(tmp_path)]
    in_order = [episode.seed for episode in read_trajectories(tmp_path / "trajectories.jsonl")]
    assert 1 <= len(seeds) == len(set(seeds))
    assert in_order == list(range(len(in_order))) == seeds[: len(in_order)]


def test_the_breaker_ends_a_batch_on_a_loop(tmp_path: Path) -> None:
    async def buggy(observation: JsonMapping, info: JsonMapping) -> Any:
        raise LookupError

    run = Run(tmp_path, MANIFEST)
    with pytest.raises(RunStopped, match=r"^4 episodes in a row failed alike \(internal\): agent 'buggy'"):
        run_batch(
            notes,
            lambda: as_agent(buggy),
            jobs(100),
            run,
            concurrency=2,
            breaker=Breaker(4),
            remark=str.strip,
        )
    run.close()
    # What has ended by the time that it stops, and what ends meanwhile.
    assert 4 <= len(read_trajectories(tmp_path)) <= 2 * (AHEAD + 1) * 2


def test_an_error_about_the_run_ends_it_and_saves_what_is_finished(tmp_path: Path) -> None:
    class Misconfigured(Waiting):
        async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
            if self.seed == 5:
                raise ConfigError("no such model")
            return await super().act(observation, info)

    run = Run(tmp_path, MANIFEST)
    with pytest.raises(ConfigError, match=r"^no such model$"):
        run_batch(notes, Misconfigured, jobs(50), run, concurrency=4)
    run.close()
    seeds = [episode.seed for episode in read_trajectories(tmp_path)]
    assert len(seeds) == len(set(seeds)) >= 1
    assert 5 not in seeds


def test_a_meter_of_the_caller_holds_on_the_loop() -> None:
    seen: list[Meter | None] = []

    async def noting(observation: JsonMapping, info: JsonMapping) -> Any:
        seen.append(current_meter())
        return ANSWER

    with metered(Meter()) as meter:
        run_batch(notes, lambda: as_agent(noting), jobs(4), concurrency=2)
    assert seen == [meter] * 4


class SlowJudge:
    """Solves everything as soon as it may."""

    name = "slow"

    def __init__(self, together: int) -> None:
        self.waiting, self.together = 0, together
        self.most = 0
        self.all_here, self.may = asyncio.Event(), asyncio.Event()

    def judge(self, case: Any) -> Slow[Verdict]:
        yield Request(run=lambda: None, arun=self._wait)
        return Verdict.of("solved", judge=self.name)

    async def _wait(self) -> None:
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        if self.waiting == self.together:
            self.all_here.set()
        await self.may.wait()
        self.waiting -= 1


def test_an_episode_that_waits_for_its_judge_leaves_its_place_to_another() -> None:
    playing = 0
    most = 0

    async def answering(observation: JsonMapping, info: JsonMapping) -> Any:
        nonlocal playing, most
        playing += 1
        most = max(most, playing)
        # Nobody is judged before two play in the places of the two that wait for it.
        if seeds.pop(0) > 1:
            await judge.all_here.wait()
            if playing == 2:
                judge.may.set()
            await judge.may.wait()
        playing -= 1
        return ANSWER

    judge = SlowJudge(together=2)
    seeds = list(range(6))
    env = notes()
    env.rules = replace(env.rules, judge=judge)
    patience = Deadlines(episode=60)
    played = run_batch(env.fork, lambda: as_agent(answering), jobs(6), concurrency=2, deadlines=patience)
    assert [episode.solved for episode in played] == [True] * 6
    assert (most, judge.most) == (2, 2)


def test_as_many_episodes_as_play_stand_ready_and_ask_nothing_yet() -> None:
    begun: list[int] = []
    asked: list[int] = []

    class Asking(Waiting):
        def reset(self, env: Any, seed: int) -> None:
            super().reset(env, seed)
            begun.append(seed)

        async def act(self, observation: JsonMapping, info: JsonMapping) -> Any:
            asked.append(self.seed)
            while len(begun) < 4:
                await asyncio.sleep(0)
            # Whoever is to be ready besides is ready in the next moments, if at all.
            for _ in range(20):
                await asyncio.sleep(0)
            most.append((len(begun), len(asked)))
            return ANSWER

    most: list[tuple[int, int]] = []
    run_batch(notes, Asking, jobs(8), concurrency=2)
    assert most[0] == (4, 2)
    assert begun == asked == list(range(8))


def test_a_blocking_agent_keeps_its_threads() -> None:
    names: set[str] = set()
    both = threading.Barrier(2, timeout=60)

    def blocking(observation: JsonMapping, info: JsonMapping) -> Any:
        names.add(threading.current_thread().name)
        both.wait()
        return ANSWER

    run_batch(notes, lambda: as_agent(blocking), jobs(4), concurrency=2)
    assert all(name.startswith("episode") for name in names)
    assert len(names) == 2


def test_our_own_agents_play_alike_on_a_loop_and_alone() -> None:
    planned = plan(notes().tasks, episodes=None)
    alone = run_batch(notes, load_agent("gold"), planned)
    assert run_batch(notes, load_agent("gold"), planned, concurrency=3) == alone
