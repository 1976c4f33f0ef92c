"""Workers of Ray that record into one Redis: what one has answered is known to all, also if it is killed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.runs.cluster import RayCluster
from stb_env.saved_episodes import read_trajectories
from stb_env.tools import ToolId
from tests.fakes.redis_server import SERVER, start

pytest.importorskip("ray", reason="needs Ray: pip install 'stb-env[ray]'")
pytest.importorskip("redis", reason="needs the extra redis: pip install 'stb-env[redis]'")
pytestmark = pytest.mark.skipif(SERVER is None, reason="there is no redis-server here")

QUERIES = "stb/I1Instruction-v0"
TRIALS = 4

# No two answers are alike, so that it shows whose was kept.
ANSWERS = """
import os
import time


def answer(tool, arguments):
    return {"by": os.getpid(), "at": time.time_ns()}
"""

# Dies once, after its first call was answered, and says what with.
DEADLY = """
import os
import signal
from pathlib import Path

from stb_env.agents.keyword import KeywordAgent


class Deadly(KeywordAgent):
    def __init__(self, task: str, flag: str) -> None:
        super().__init__(calls=3)
        self.task, self.flag = task, Path(flag)

    def act(self, observation, info):
        action = super().act(observation, info)
        if info["task_id"] == self.task and self._found and not self.flag.exists():
            self.flag.write_text(self._found[0])
            os.kill(os.getpid(), signal.SIGKILL)
        return action
"""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    server, url = start(tmp_path)
    yield url
    server.terminate()
    server.communicate()


@pytest.fixture
def base(tmp_path: Path) -> Path:
    with closing(ResponseCache()) as cache:
        ping = CacheEntry.of(ToolId("Net", "icmp", "ping"), {}, {"ms": 4}, source="real")
        cache.put(ping.key, ping)
        cache.snapshot(tmp_path / "base")
    return tmp_path / "base"


def test_of_workers_that_record_together_no_answer_is_lost_and_each_call_has_one(
    two_workers: RayCluster, url: str, base: Path, tmp_path: Path
):
    answers, deadly, flag = tmp_path / "answers.py", tmp_path / "deadly.py", tmp_path / "killed"
    answers.write_text(ANSWERS, encoding="utf-8")
    deadly.write_text(DEADLY, encoding="utf-8")
    settings = {"mode": "record", "cache": str(base), "overlay": url, "judge": "heuristic"}
    settings["simulator"] = f"{answers}:answer"
    task = resolve(RunSpec(QUERIES, "gold")).jobs[1].task_id
    agent = f"{deadly}:Deadly(task={task!r}, flag={str(flag)!r})"
    with closing(resolve(RunSpec(QUERIES, agent, settings, trials=TRIALS))) as run:
        summary = play_run(run, tmp_path / "run", cluster=two_workers)
    assert (summary["episodes"], summary["invalid"]) == (len(run.jobs), 0)

    given: defaultdict[str, set[str]] = defaultdict(set)
    for episode in read_trajectories(tmp_path / "run"):
        for call in (call for step in episode.steps for call in step["calls"] if call["name"] != "Finish"):
            named = json.dumps([call["name"], call["arguments"]])
            given[named].add(json.dumps(call["response"], sort_keys=True))
    assert {len(answers) for answers in given.values()} == {1}
    with closing(ResponseCache(base, overlay=url, read_only=True)) as cache:
        kept = [json.dumps(entry.response, sort_keys=True) for entry in cache.entries()]
    assert sorted(kept) == sorted(
        ['{"ms": 4}', *(answer for answers in given.values() for answer in answers)]
    )
    assert json.dumps(json.loads(flag.read_text()), sort_keys=True) in kept
    assert not (base / "overlay").exists()
