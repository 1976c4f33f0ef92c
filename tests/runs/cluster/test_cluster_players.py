"""Playing on workers that may be lost; machines of this process stand for a cluster."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env import load_agent, plan, run_batch
from stb_env.errors import ConfigError, DataError, RunStopped
from stb_env.runs import Group, Run, agroups, arun_batch, as_agent, groups
from stb_env.runs.cluster import RayCluster
from stb_env.runs.cluster.players import ClusterPlayers, WorkerLost
from stb_env.runs.cluster.worker import ClusterWorker
from stb_env.show.cli import app
from stb_env.testing.notes import notes

JOBS = plan(notes().tasks, episodes=None, trials=5)

Fate = Callable[[str, Sequence[Any]], bool]
"""Says of a call, by its method and arguments, whether it kills its worker."""


class Here:
    """Workers on an event loop of this process; fate says which calls they do not survive."""

    def __init__(self, fate: Fate, version: str | None) -> None:
        self._fate, self._version = fate, version
        self._loop = asyncio.new_event_loop()
        self._calls: dict[int, tuple[str, Any]] = {}
        self._tickets = count()
        self.asked: list[tuple[str, Sequence[Any]]] = []
        self.closed = False

    def hire(self) -> Any:
        return ClusterWorker()

    def pack(self, setup: Any) -> Any:
        return setup

    def ask(self, worker: Any, method: str, *args: Any) -> int:
        ticket = next(self._tickets)
        self.asked.append((method, args))
        if self._fate(method, args):
            self._calls[ticket] = ("lost", None)
        else:
            self._calls[ticket] = (method, self._loop.create_task(getattr(worker, method)(*args)))
        return ticket

    def ready(self, tickets: Sequence[int], seconds: float | None) -> list[int]:
        lost = [ticket for ticket in tickets if self._calls[ticket][0] == "lost"]
        tasks = {self._calls[ticket][1]: ticket for ticket in tickets if ticket not in lost}
        if lost or not tasks:
            return lost
        waiting = asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        done, _ = self._loop.run_until_complete(waiting)
        return [tasks[task] for task in done]

    def answer(self, ticket: int) -> Any:
        method, task = self._calls.pop(ticket)
        if method == "lost":
            raise WorkerLost("it was killed")
        told = task.result()
        return told | ({"stb_env": self._version} if self._version and method == "about" else {})

    def shortage(self) -> str:
        return "there are no machines"

    def close(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
        self.closed = True


class Cluster:
    """A cluster of this process."""

    def __init__(self, fate: Fate = lambda method, args: False, version: str | None = None) -> None:
        self.machines = Here(fate, version)

    def players(self, setup: Any, jobs: Iterable[Any], remark: Any, **how: Any) -> ClusterPlayers[Any, Any]:
        unit = setup.unit or 2
        return ClusterPlayers(
            self.machines, setup, jobs, workers=2, unit=unit, patience=5, remark=remark, **how
        )


def played(cluster: Cluster | None, folder: Path, agent: Any = None) -> bytes:
    run = Run(folder, {"agent": "gold"})
    try:
        run_batch(notes, agent or load_agent("gold"), JOBS, run, concurrency=2, cluster=cluster)
    finally:
        run.close()
    return (folder / "trajectories.jsonl").read_bytes()


def deaths(*calls: int) -> Fate:
    """Return a fate that ends the calls of `work` with these numbers, from 1."""
    work = count(1)
    return lambda method, args: method == "work" and next(work) in calls


async def waiting(observation: Any, info: Any) -> Any:
    await asyncio.sleep(0)
    return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}


async def stuck_in_the_last(observation: Any, info: Any) -> Any:
    if info["task_id"] == JOBS[-1].task_id:
        await asyncio.Event().wait()
    return await waiting(observation, info)


def failing(observation: Any, info: Any) -> Any:
    raise DataError("the notes are gone")


def buggy(observation: Any, info: Any) -> Any:
    return info["no such thing"]


@pytest.mark.parametrize("agent", [load_agent("gold"), lambda: as_agent(waiting)], ids=["blocks", "waits"])
def test_a_cluster_saves_the_bytes_of_a_run_here(agent: Any, tmp_path: Path):
    cluster = Cluster()
    assert played(cluster, tmp_path / "there", agent) == played(None, tmp_path / "here", agent)
    assert cluster.machines.closed


def test_a_killed_worker_changes_no_byte(tmp_path: Path):
    cluster = Cluster(deaths(2, 4))
    assert played(cluster, tmp_path / "there") == played(None, tmp_path / "here")
    assert sum(method == "about" for method, _ in cluster.machines.asked) > 2


def test_a_job_that_kills_its_workers_fails_and_no_other_does(tmp_path: Path):
    def fate(method: str, args: Sequence[Any]) -> bool:
        return method == "work" and any(number == 4 for number, _ in args[0])

    episodes = played(Cluster(fate), tmp_path).decode().splitlines()
    assert len(episodes) == len(JOBS)
    failed = [number for number, line in enumerate(episodes) if '"valid": false' in line]
    assert failed == [4]
    assert "3 workers were lost while they played this episode" in episodes[4]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path):
    whole, folder = played(None, tmp_path / "here"), tmp_path / "there"
    run, cluster = Run(folder, {"agent": "gold"}), Cluster()

    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(notes, load_agent("gold"), JOBS, run, cluster=cluster, progress=interrupt)
    run.close()
    assert 0 < len((folder / "trajectories.jsonl").read_bytes()) < len(whole)
    assert played(Cluster(), folder) == whole


def test_an_error_about_the_run_is_raised_with_what_it_says(tmp_path: Path):
    with pytest.raises(DataError, match=r"^the notes are gone$"):
        played(Cluster(), tmp_path, lambda: as_agent(failing))


def test_a_bug_of_the_agent_s_is_told_once():
    told: list[str] = []
    run_batch(notes, lambda: as_agent(buggy), JOBS, cluster=Cluster(), remark=told.append)
    assert len(told) == 1
    assert "agent 'buggy' raised KeyError" in told[0]


def test_a_worker_with_another_version_is_refused(tmp_path: Path):
    message = r"^a worker has stb_env 0\.0\.1, expected .* as here; install stb-env==.* on every machine"
    with pytest.raises(ConfigError, match=message):
        played(Cluster(version="0.0.1"), tmp_path)


def test_workers_that_never_begin_end_the_run(tmp_path: Path):
    with pytest.raises(RunStopped, match=r"^6 workers in a row ended before they played: it was killed$"):
        played(Cluster(lambda method, args: method == "begin"), tmp_path)


def test_a_setting_that_cannot_be_made_at_the_worker_is_said_at_once():
    def make_env() -> Any:
        return notes(order="sorted")

    with pytest.raises(ConfigError, match=r"^order must be 'random' or 'sequential', got 'sorted'$"):
        run_batch(make_env, load_agent("gold"), JOBS, cluster=Cluster())


def test_news_of_workers_are_delivered():
    class Counting:
        delivered = 0

        def begin(self) -> None:
            pass

        def collect(self) -> dict[str, Any]:
            return {"seen": 1}

        def deliver(self, news: dict[str, Any]) -> None:
            self.delivered += news["seen"]

        def close(self) -> None:
            pass

    link = Counting()
    run_batch(notes, load_agent("gold"), JOBS, cluster=Cluster(), link=link)
    assert link.delivered > 0


def test_an_address_of_ray_s_client_is_refused_with_what_to_do():
    said = r"^ray://host:10001 is an address of Ray's client, which is not used here; give the command on a "
    with pytest.raises(ConfigError, match=said):
        RayCluster("ray://host:10001")
    done = CliRunner().invoke(app, ["run", "stb/Sandbox-v1", "--ray", "ray://host:10001"])
    assert (done.exit_code, done.stderr.count("`ray job submit`")) == (2, 1)


def on_loop(folder: Path, cluster: Cluster | None) -> bytes:
    run = Run(folder, {"agent": "gold"})
    try:
        asyncio.run(arun_batch(notes, load_agent("gold"), JOBS, run, concurrency=2, cluster=cluster))
    finally:
        run.close()
    return (folder / "trajectories.jsonl").read_bytes()


def test_a_caller_on_a_loop_has_a_cluster_play_the_same_bytes(tmp_path: Path):
    cluster = Cluster(deaths(2))
    assert on_loop(tmp_path / "there", cluster) == on_loop(tmp_path / "here", None)
    assert cluster.machines.closed


def test_a_caller_on_a_loop_that_gives_up_ends_the_machines_and_keeps_what_came(tmp_path: Path):
    run, cluster = Run(tmp_path, {"agent": "gold"}), Cluster()

    async def main() -> None:
        ended = asyncio.Event()
        batch = arun_batch(
            notes,
            lambda: as_agent(stuck_in_the_last),
            JOBS,
            run,
            concurrency=len(JOBS),
            cluster=cluster,
            progress=lambda _: loop.call_soon_threadsafe(ended.set) and None,
        )
        loop = asyncio.get_running_loop()
        playing = asyncio.create_task(batch)
        await ended.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    asyncio.run(main())
    assert cluster.machines.closed
    assert 0 < len(run.trajectories) < len(JOBS)


TASKS = ["day", "move", "day", "write", "day", "move"]


def guesser() -> Any:
    """Return an agent whose answer follows from its seed, so that trials differ."""
    return load_agent("random")()


def played_groups(cluster: Cluster | None, **how: Any) -> list[Group]:
    return list(groups(notes, how.pop("tasks", TASKS), 3, agent=guesser, cluster=cluster, **how))


def written(played: list[Group]) -> list[str]:
    return [json.dumps(group.to_dict()) + line.to_json() for group in played for line in group.episodes]


@pytest.mark.parametrize("how", [{}, {"concurrency": 4}, {"stop_equal": 2}, {"branch_at": 1}])
def test_groups_on_a_cluster_are_the_groups_that_are_played_here(how: dict[str, Any]):
    cluster = Cluster(deaths(2))
    assert written(played_groups(cluster, **how)) == written(played_groups(None, **how))
    assert cluster.machines.closed


def test_groups_on_a_cluster_come_on_the_loop_of_their_caller_too():
    async def main() -> list[Group]:
        many = agroups(notes, TASKS, 3, agent=guesser, cluster=Cluster())
        return [group async for group in many]

    assert written(asyncio.run(main())) == written(played_groups(None))


def test_tasks_without_end_are_drawn_as_a_cluster_needs_them():
    drawn = count()
    endless = groups(notes, (TASKS[next(drawn) % 2] for _ in count()), 2, agent=guesser, cluster=Cluster())
    assert [group.task_id for group in islice(endless, 3)] == ["day", "move", "day"]
    endless.close()
    assert next(drawn) < 30


def test_a_group_that_kills_its_workers_is_invalid_and_no_other_is():
    def fate(method: str, args: Sequence[Any]) -> bool:
        return method == "work" and any(number == 1 for number, _ in args[0])

    first, deadly, *_ = played_groups(Cluster(fate))
    assert (deadly.rewards, deadly.stopped) == ([None], True)
    assert None not in first.rewards


def test_a_cluster_takes_no_environment_that_was_made_here():
    with pytest.raises(ConfigError, match=r"^a cluster takes an environment by its id or by a function"):
        next(groups(notes(), ["day"], 2, agent=guesser, cluster=Cluster()))


def test_what_is_wrong_with_groups_is_said_before_machines_are_asked():
    cluster = Cluster()
    with pytest.raises(DataError, match=r"^no task 'dya'"):
        list(groups(notes, ["dya"], 2, agent=guesser, cluster=cluster))
    with pytest.raises(ConfigError, match=r"^prefix needs ids of tasks"):
        list(groups(notes, ["day"], 2, agent=guesser, cluster=cluster, prefix={"dya": []}))
