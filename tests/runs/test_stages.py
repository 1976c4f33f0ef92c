"""Playing and judging as two saved stages, through the command line and an endpoint that logs."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli import app
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion
from tests.kills import killed_when, needs_fork
from tests.processes import interruptible, lines, wait_until

ROOT = Path(__file__).resolve().parents[2]
EPISODES, CONCURRENCY = 36, 4

AGENT = """
import os

async def act(observation, info):
    with open(os.environ["PLAYED"], "a") as log:
        log.write(info["task_id"] + "\\n")
    return {"name": "Finish", "arguments": {"final_answer": "It is sunny."}}
"""


JUDGE = """
import os
from stb_env.errors import JudgeError

{kind} judge(case):
    with open(os.environ["JUDGED"], "a") as log:
        log.write(case.task.id + "\\n")
    if os.path.exists(os.environ["DOWN"]):
        raise JudgeError("my endpoint is down")
    return case.final_answer == "It is sunny."
"""


class Bench:
    """A folder, an endpoint that judges, and the command that plays there.

    What ends by itself runs in this process, what is killed in a fork, and what gets a signal in a new one.
    """

    def __init__(self, folder: Path, server: OpenAIServer) -> None:
        self.folder, self.server = folder, server
        self.judge_name = "pass"
        (folder / "mine.py").write_text(AGENT)
        self.settings = {
            "STB_JUDGE_MODEL": "m",
            "STB_JUDGE_RETRIES": "0",
            "STB_JUDGE_BASE_URL": server.url("judge"),
            "PLAYED": str(folder / "played.log"),
            "JUDGED": str(folder / "judged.log"),
            "DOWN": str(folder / "down"),
        }

    def judge(self, says: Callable[[Received], Answer]) -> None:
        """Have the endpoint answer so from now on."""
        script = self.server._scripts["judge"]
        script.clear()
        script.extend([says] * 10_000)

    @property
    def played(self) -> int:
        """How many episodes were played so far, in all runs."""
        return lines(self.folder / "played.log")

    def words(self, name: str, *more: str) -> list[str]:
        words = ["run", "stb/I1Instruction-v0", "--judge", self.judge_name]
        words += ["--agent", f"{self.folder / 'mine.py'}:act", "--trials", "12", "--json"]
        return [*words, "--concurrency", str(CONCURRENCY), "--out", str(self.folder / name), *more]

    def start(self, name: str = "run", *more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "stb_env", *self.words(name, *more)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        env = os.environ | self.settings
        return subprocess.Popen(command, cwd=ROOT, env=env, preexec_fn=interruptible, **pipes)

    def run(self, name: str = "run", *more: str) -> tuple[int, str, str]:
        """Run the command to its end; return its exit code, stdout and stderr."""
        done = CliRunner().invoke(app, self.words(name, *more), env=self.settings)
        return done.exit_code, done.stdout, done.stderr

    def bytes(self, name: str = "run") -> bytes:
        return (self.folder / name / "trajectories.jsonl").read_bytes()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with OpenAIServer().running() as server:
        yield Bench(tmp_path, server)


def solved(request: Received) -> Answer:
    return Answer(completion("Solved"))


def unreadable(request: Received) -> Answer:
    return Answer(completion("Who knows?"))


def test_a_verdict_that_failed_is_asked_for_again_and_nothing_is_played_again(bench: Bench):
    bench.judge(unreadable)
    code, out, _ = bench.run("run", "--stop-after", "0")
    assert (code, json.loads(out)["invalid"], bench.played) == (1, EPISODES, EPISODES)
    bench.judge(solved)
    asked = len(bench.server.requests)
    code, out, _ = bench.run()
    assert (code, json.loads(out)["solved"], bench.played) == (0, EPISODES, EPISODES)
    assert len(bench.server.requests) - asked == EPISODES
    assert [episode.failure for episode in read_trajectories(bench.folder / "run")] == [None] * EPISODES
    # All is decided: a third time asks for nothing.
    before = len(bench.server.requests)
    assert bench.run()[0] == 0
    assert (len(bench.server.requests), bench.played) == (before, EPISODES)


@pytest.mark.parametrize("kind", ["def", "async def"])
@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_a_judge_of_ones_own_that_failed_is_asked_again_and_nothing_is_played_again(
    bench: Bench, kind: str, concurrency: str, recwarn: pytest.WarningsRecorder
):
    (bench.folder / "judge.py").write_text(JUDGE.format(kind=kind))
    bench.judge_name = f"{bench.folder / 'judge.py'}:judge"
    (bench.folder / "down").touch()
    more = ("--trials", "2", "--concurrency", concurrency)
    episodes = EPISODES // 6
    code, out, err = bench.run("run", "--stop-after", "0", *more)
    assert (code, json.loads(out)["invalid"], bench.played) == (1, episodes, episodes), err
    assert "never awaited" not in err + "".join(str(warning.message) for warning in recwarn)
    (bench.folder / "down").unlink()
    code, out, _ = bench.run("run", *more)
    assert (code, json.loads(out)["solved"], bench.played) == (0, episodes, episodes)
    assert lines(bench.folder / "judged.log") == 2 * episodes
    assert bench.run("whole", *more)[0] == 0
    assert bench.bytes() == bench.bytes("whole")


def test_a_judge_that_is_out_ends_the_run_without_a_rate(bench: Bench):
    bench.judge(unreadable)
    code, out, err = bench.run("run", "--stop-after", "5")
    assert (code, out) == (1, "")
    assert "5 episodes in a row failed alike (judge)" in err
    assert not (bench.folder / "run" / "summary.json").exists()


@needs_fork
def test_what_is_played_is_on_disk_before_its_judge_has_answered(bench: Bench):
    hold = threading.Event()
    bench.judge(lambda request: Answer(completion("Solved"), hold=hold))
    journal = bench.folder / "run" / "played.jsonl"
    assert killed_when(bench.run, lambda: lines(journal) >= 2 * CONCURRENCY)
    kept = read_trajectories(bench.folder / "run")
    assert {(episode.valid, episode.final_answer) for episode in kept} == {(False, "It is sunny.")}
    assert "not judged yet" in str(kept[0].failure)
    hold.set()
    played = bench.played
    bench.judge(solved)
    code, out, _ = bench.run()
    assert (code, json.loads(out)["solved"]) == (0, EPISODES)
    assert bench.played - played == EPISODES - len(kept)


@pytest.mark.heavy
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_what_is_finished_and_says_how_to_go_on(bench: Bench, number: signal.Signals):
    first = threading.Event()
    hold = threading.Event()

    def sometimes(request: Received) -> Answer:
        if len(bench.server.requests) > 10:
            first.set()
            return Answer(completion("Solved"), hold=hold)
        return Answer(completion("Solved"))

    bench.judge(sometimes)
    process = bench.start()
    wait_until(process, first.is_set)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    hold.set()
    assert process.returncode == 130
    assert f"what is finished is saved in {bench.folder / 'run'}, and the same command goes on" in err
    saved = read_trajectories(bench.folder / "run")
    assert sum(episode.solved for episode in saved) >= 8
    said = re.search(r"stopped: (\d+) episodes are played, and (\d+) of them wait for a verdict; ", err)
    # What ends between the message and the end of the process is saved too.
    assert said is not None
    assert 8 <= int(said[1]) <= len(saved)
    assert int(said[2]) <= int(said[1]) - 8
    bench.judge(solved)
    assert bench.run()[0] == 0
    assert bench.run("whole")[0] == 0
    assert bench.bytes() == bench.bytes("whole")


@pytest.mark.heavy
@needs_fork
@pytest.mark.serial
def test_a_run_that_is_killed_at_random_ends_in_the_bytes_of_an_unbroken_one(bench: Bench):
    rng = random.Random(7)

    def slow(request: Received) -> Answer:
        threading.Event().wait(rng.choice([0.0, 0.02, 0.1]))
        return Answer(completion(rng.choice(["Solved"])))

    bench.judge(slow)
    kills = 0
    for share in sorted(rng.uniform(0.05, 0.9) for _ in range(3)):
        kills += killed_when(bench.run, lambda share=share: len(bench.server.requests) >= share * EPISODES)
        known = read_trajectories(bench.folder / "run")
        assert len({episode.key for episode in known}) == len(known)
    assert bench.run()[0] == 0
    played, asked = bench.played, len(bench.server.requests)
    assert kills >= 2
    # A kill repeats what was in flight: episodes in their places, and verdicts that were asked for.
    assert played <= EPISODES + kills * CONCURRENCY
    assert asked <= EPISODES + kills * CONCURRENCY
    assert bench.run("whole")[0] == 0
    assert bench.bytes() == bench.bytes("whole")
    names = ["SHA256SUMS", "manifest.json", "summary.json", "timings.jsonl", "trajectories.jsonl"]
    assert sorted(file.name for file in (bench.folder / "run").iterdir()) == names
