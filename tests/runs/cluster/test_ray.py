"""The same run on Ray, as scale.md tells of it: two workers of a real, local one, and what kills them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stb_env import load_agent, plan, run_batch
from stb_env.backend.cache import ResponseCache
from stb_env.errors import ConfigError
from stb_env.evaluation.play_run import Progress, play_run
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.runs.cluster import RayCluster
from stb_env.runs.cluster.ray_cluster import RayMachines
from stb_env.runs.make import make_env
from stb_env.runs.play_options import PlayOptions
from tests.processes import interruptible, lines, wait_until
from tests.saved import unbound

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'stb-env[ray]'")

SANDBOX = "stb/Sandbox-v1"
SIZE: dict[str, Any] = {"episodes": 12, "trials": 2, "seed": 3}

DEADLY = """
import os
import signal
from pathlib import Path

from stb_env.runs.baselines.gold import Gold


class Deadly(Gold):
    def __init__(self, task: str, flag: str = "") -> None:
        super().__init__()
        self.task, self.flag = task, flag

    def act(self, observation, info):
        if info["task_id"] == self.task and not (self.flag and Path(self.flag).exists()):
            if self.flag:
                Path(self.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observation, info)
"""

SLOW = """
import asyncio

from stb_env.runs.baselines.gold import Gold


class Slow(Gold):
    async def act(self, observation, info):
        await asyncio.sleep(0.2)
        return super().act(observation, info)
"""


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return saved(tmp_path_factory.mktemp("gold") / "run")


def saved(
    folder: Path,
    agent: str = "gold",
    cluster: RayCluster | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> bytes:
    with closing(resolve(RunSpec(SANDBOX, agent, **SIZE))) as run:
        play_run(run, folder, PlayOptions(**options), progress=progress, cluster=cluster)
    return episode_lines(folder)


def episode_lines(folder: Path) -> bytes:
    """Return the episodes of a run without its identity: the agents of these runs have names of their own."""
    return "".join(f"{line}\n" for line in unbound(folder / "trajectories.jsonl")).encode()


def command(*arguments: str) -> list[str]:
    size = [word for name, value in SIZE.items() for word in (f"--{name}", str(value))]
    return [sys.executable, "-m", "stb_env", "run", SANDBOX, *size, *arguments]


def deadly(folder: Path, settings: str) -> str:
    file = folder / "deadly.py"
    file.write_text(DEADLY, encoding="utf-8")
    return f"{file}:Deadly({settings})"


def test_two_workers_save_the_bytes_of_a_run_here(two_workers: RayCluster, gold: bytes, tmp_path: Path):
    assert saved(tmp_path / "run", cluster=two_workers, concurrency=2) == gold


def test_a_worker_s_process_that_is_killed_changes_no_byte(
    two_workers: RayCluster, gold: bytes, tmp_path: Path
):
    task, flag = json.loads(gold.splitlines()[6])["task_id"], tmp_path / "killed"
    agent = deadly(tmp_path, f"task={task!r}, flag={str(flag)!r}")
    assert saved(tmp_path / "run", agent, two_workers) == gold
    assert flag.exists()


def test_a_worker_that_ray_kills_changes_no_byte(
    two_workers: RayCluster, gold: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    hired: list[Any] = []
    hire = RayMachines.hire

    def remembered(machines: RayMachines) -> Any:
        hired.append(hire(machines))
        return hired[-1]

    def kill_one(done: int, of: int) -> None:
        if done == 3:
            ray.kill(hired[0])

    monkeypatch.setattr(RayMachines, "hire", remembered)
    assert saved(tmp_path / "run", cluster=two_workers, progress=kill_one) == gold
    assert len(hired) > 2


def test_an_episode_that_always_kills_its_worker_fails_alone(
    two_workers: RayCluster, gold: bytes, tmp_path: Path
):
    task = json.loads(gold.splitlines()[6])["task_id"]
    episodes_saved = saved(tmp_path / "run", deadly(tmp_path, f"task={task!r}"), two_workers).splitlines()
    episodes = [json.loads(line) for line in episodes_saved]
    failed = [episode for episode in episodes if not episode["valid"]]
    assert {episode["task_id"] for episode in failed} == {task}
    assert {episode["failure"]["kind"] for episode in failed} == {"internal"}
    assert [line for line in episodes_saved if json.loads(line)["task_id"] != task] == [
        line for line in gold.splitlines() if json.loads(line)["task_id"] != task
    ]


def test_what_cannot_travel_is_named(two_workers: RayCluster):
    lock = threading.Lock()

    def make_agent() -> Any:
        with lock:
            return load_agent("gold")()

    jobs = plan(make_env(SANDBOX, {}).tasks, episodes=1)
    with pytest.raises(ConfigError, match=r"^make_agent cannot travel to other machines: it is <function"):
        run_batch(partial(make_env, SANDBOX, {}), make_agent, jobs, cluster=two_workers)


def test_answers_that_workers_record_come_into_the_run_s_cache(two_workers: RayCluster, tmp_path: Path):
    answers = tmp_path / "answers.py"
    answers.write_text("def answer(tool, arguments):\n    return {'of': tool.name}\n", encoding="utf-8")
    settings = {
        "mode": "record",
        "cache": str(tmp_path / "cache"),
        "simulator": f"{answers}:answer",
        "judge": "heuristic",
    }
    with closing(resolve(RunSpec("stb/I1Instruction-v0", "keyword", settings, episodes=2))) as run:
        play_run(run, tmp_path / "run", cluster=two_workers)
    calls = [
        call
        for line in (tmp_path / "run" / "trajectories.jsonl").read_text(encoding="utf-8").splitlines()
        for step in json.loads(line)["steps"]
        for call in step["calls"]
    ]
    simulated = [call for call in calls if call["source"] == "simulator"]
    assert simulated
    assert 0 < len(ResponseCache(tmp_path / "cache", read_only=True)) <= len(simulated)


def test_the_command_starts_a_ray_of_its_own(gold: bytes, tmp_path: Path):
    out = tmp_path / "run"
    subprocess.run(
        command("--ray", "local", "--workers", "2", "--out", str(out)), check=True, capture_output=True
    )
    assert episode_lines(out) == gold


def test_an_interrupted_command_keeps_what_was_played_and_goes_on(gold: bytes, tmp_path: Path):
    out, file = tmp_path / "run", tmp_path / "slow.py"
    file.write_text(SLOW, encoding="utf-8")
    arguments = ["--ray", "local", "--workers", "1", "--agent", f"{file}:Slow", "--out", str(out)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command(*arguments), stderr=pipe, text=True, preexec_fn=interruptible) as playing:
        wait_until(playing, lambda: lines(out / "trajectories.jsonl") > 2)
        playing.send_signal(signal.SIGINT)
        playing.communicate()
    kept = episode_lines(out)
    assert 0 < len(kept) < len(gold)
    assert gold.startswith(kept)
    subprocess.run(command(*arguments), check=True, capture_output=True)
    assert episode_lines(out) == gold


def test_a_cluster_that_is_not_there_is_named_at_once():
    said = subprocess.run(command("--ray", "127.0.0.1:1"), capture_output=True, text=True)
    assert said.returncode == 2
    assert said.stderr.splitlines()[-1].startswith("error: no cluster answers at '127.0.0.1:1' (")
