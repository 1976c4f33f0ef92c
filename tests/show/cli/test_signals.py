"""Ctrl-C and SIGTERM end a command in order: what is finished is saved, and one line says how to go on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stb_env.runs.groups.group_run import read_groups
from tests.command import stb
from tests.fakes.openai_server import Answer, OpenAIServer, Received
from tests.models.end_to_end.services import calling
from tests.processes import interruptible, wait_until

SIGNALS = pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.heavy)]
)


class Bench:
    """An endpoint that answers so many requests and then holds all others, and commands that ask it.

    Attributes:
        folder: Where it may write.
        answered: How many requests it still answers.
        holds: Set once a request is held.
    """

    def __init__(self, folder: Path, server: OpenAIServer) -> None:
        self.folder = folder
        self.holds = threading.Event()
        self.hold = threading.Event()
        self.answered = 0
        self.asked = 0
        self._lock = threading.Lock()
        self._models = folder / "models.toml"
        roles = "".join(
            f'[models.{role}]\nmodel = "m"\nbase_url = "{server.url(role)}"\nretries = 0\nconcurrency = 4\n'
            for role in ("agent", "judge")
        )
        self._models.write_text(roles)
        for role, answer in (("agent", _finish), ("judge", _judge)):
            server.script(*[self._limited(answer)] * 1000, role=role)

    def start(self, *words: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "stb_env", *map(str, words), "--models", str(self._models)]
        return subprocess.Popen(
            [*command, "--concurrency", "2"],
            env=os.environ | {"NO_PROXY": "127.0.0.1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=interruptible,
        )

    def stopped(self, number: signal.Signals, *words: object) -> str:
        """Start a command, send it a signal once a request is held, and return its last line."""
        self.holds.clear()
        self.hold.clear()
        process = self.start(*words)
        wait_until(process, self.holds.is_set)
        process.send_signal(number)
        # A judge's request is waited for.
        threading.Timer(0.5, self.hold.set).start()
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (130, ""), err
        assert "Traceback" not in err
        return err.strip().splitlines()[-1]

    def done(self, *words: object) -> None:
        """Run a command to its end, whatever it asks."""
        self.answered = 1000
        done = stb(*words, "--models", self._models, "--concurrency", 2)
        assert done.exit_code == 0, done.output

    def _limited(self, answer: Callable[[Received], Answer]) -> Callable[[Received], Answer]:
        def limited(request: Received) -> Answer:
            with self._lock:
                self.asked += 1
                self.answered -= 1
                held = self.answered < 0
            if held:
                self.holds.set()
                self.hold.wait(30)
            return answer(request)

        return limited


def _finish(request: Received) -> Answer:
    return calling("Finish", {"cannot": {"reason": "no_tool", "what": ["book"]}})


def _judge(request: Received) -> Answer:
    name = request.body["tool_choice"]["function"]["name"]
    solvable = name == "check_task_solvable"
    said = {"task_status": "Solvable"} if solvable else {"answer_status": "Solved", "better": "first"}
    return calling(name, {**said, "reason": "-"})


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with OpenAIServer().running() as server:
        made = Bench(tmp_path, server)
        try:
            yield made
        finally:
            made.hold.set()


@pytest.mark.heavy
@SIGNALS
def test_groups_that_are_finished_are_saved_and_the_same_command_goes_on(
    bench: Bench, number: signal.Signals
):
    words = ("groups", "stb/Sandbox-v1", "--agent", "chat", "--k", 4, "--tasks", 6, "--out")
    out = bench.folder / "groups"
    bench.answered = 13
    said = bench.stopped(number, *words, out)
    kept = len(read_groups(out))
    assert said == (
        f"stopped: {kept} groups are saved; what is finished is saved in {out}, "
        "and the same command goes on there"
    )
    assert 1 <= kept <= 3
    bench.done(*words, out)
    bench.done(*words, bench.folder / "whole")
    for name in ("groups.jsonl", "trajectories.jsonl", "summary.json"):
        assert (out / name).read_bytes() == (bench.folder / "whole" / name).read_bytes()


AGENT = """
from itertools import count

number = count()

async def act(observation, info):
    return {{"name": "Finish", "arguments": {{"final_answer": f"{says} {{next(number)}}"}}}}
"""


@pytest.fixture
def runs(bench: Bench) -> list[Path]:
    """Runs of two agents."""
    made = []
    for name in ("mine", "reference"):
        (bench.folder / f"{name}.py").write_text(AGENT.format(says=f"It is sunny, says {name}."))
        out = bench.folder / name
        words = ("--agent", f"{bench.folder / name}.py:act", "--judge", "pass", "--trials", 4)
        bench.done("run", "stb/I1Instruction-v0", *words, "--out", out)
        made.append(out)
    return made


@SIGNALS
@pytest.mark.parametrize(
    ("kind", "unit", "place"),
    [
        ("pass", "episodes have a verdict of pass:m:v3", "mine"),
        pytest.param("against", "comparisons have a result", "mine", marks=pytest.mark.heavy),
        pytest.param("protocol", "rows are in result files", "scores", marks=pytest.mark.heavy),
    ],
)
def test_judging_that_is_stopped_says_what_is_saved_and_goes_on(
    bench: Bench, runs: list[Path], number: signal.Signals, kind: str, unit: str, place: str
):
    mine, reference = runs
    scores = bench.folder / "scores"
    words: tuple[object, ...] = {
        "pass": ("judge", mine, "--judge", "pass", "--votes-cache", bench.folder / "votes"),
        "against": ("judge", mine, "--against", reference),
        "protocol": ("judge", mine, "--protocol", "stabletoolbench", "--out", scores),
    }[kind]
    bench.answered = 20 if kind == "protocol" else 7
    said = bench.stopped(number, *words)
    found = re.fullmatch(
        rf"stopped: (\d+) {unit}; what is finished is saved in (.*), and the same command.*", said
    )
    assert found is not None, said
    assert found[2] == str(bench.folder / place)
    assert int(found[1]) > 0
    bench.done(*words)
    # Nothing that was answered is asked again.
    before = bench.asked
    bench.done(*words)
    assert bench.asked == before
