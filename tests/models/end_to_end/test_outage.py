"""What a server misses while it is away, the same command plays again."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stb_env.runs.players import AHEAD
from stb_env.saved_episodes import read_trajectories
from tests.fakes.openai_server import Answer, Received
from tests.models.end_to_end.services import Services, diligent

EPISODES = 60
# Requests of an undisturbed run: a call and an answer for each episode.
REQUESTS = 2 * EPISODES


class Outage:
    """An agent's model that drops some of its requests, counted from the first of the run."""

    def __init__(self, services: Services, first: int = REQUESTS, count: int = 0) -> None:
        self.services, self.window, self.seen = services, range(first, first + count), 0
        services.agent.always(self.answer)

    def answer(self, request: Received) -> Answer:
        self.seen += 1
        return Answer(dropped=True) if self.seen in self.window else diligent(1)(request)


@pytest.fixture
def command(services: Services, stb: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Play the run into a folder; nothing is asked twice."""
    models = services.models(tmp_path / "models.toml", agent={"retries": 0})

    def run(name: str, *words: object, episodes: int = EPISODES) -> Any:
        who = ("stb/Sandbox-v1", "--agent", f"chat:{models}", "--episodes", episodes)
        return stb("run", *who, "--out", tmp_path / name, "--json", *words)

    return run


def lines(folder: Path) -> bytes:
    return (folder / "trajectories.jsonl").read_bytes()


@pytest.mark.heavy
@pytest.mark.parametrize("concurrency", [1, 8])
def test_after_an_outage_the_same_command_comes_to_the_bytes_of_an_undisturbed_run(
    services: Services, command: Callable[..., Any], tmp_path: Path, concurrency: int
):
    Outage(services, first=50, count=9)
    words = ("--concurrency", concurrency)
    first = command("run", *words)
    assert first.exit_code == 0
    assert first.report["invalid"] == 9
    assert first.report["failures"] == {"transport": 9}
    again = command("run", *words)
    assert (again.exit_code, again.report["invalid"], again.report["episodes"]) == (0, 0, EPISODES)
    assert command("whole", *words).exit_code == 0
    assert lines(tmp_path / "run") == lines(tmp_path / "whole")
    failed = (tmp_path / "run" / "failures.jsonl").read_text().splitlines()
    assert [json.loads(line)["failure"]["kind"] for line in failed] == ["transport"] * 9
    summaries = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("run", "whole")]
    assert summaries[0] == summaries[1]


@pytest.mark.heavy
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_run_whose_server_is_gone_for_good_stops_at_once_and_goes_on_when_it_is_back(
    services: Services, command: Callable[..., Any], tmp_path: Path, concurrency: int
):
    server, requests = services.agent.server, itertools.count(1)

    def until(request: Received) -> Answer:
        if next(requests) == 60:
            server.gone = True
        return diligent(1)(request)

    services.agent.always(until)
    words = ("--concurrency", concurrency)
    stopped = command("run", *words, episodes=50)
    assert stopped.exit_code == 1
    assert stopped.stdout == ""
    assert stopped.stderr.count("\n") == 1
    assert stopped.stderr.startswith("error: 3 episodes in a row failed, and agent model 'agent-model' at ")
    # What had begun ahead of the third failure and had ended as well is saved too.
    invalid = sum(not episode.valid for episode in read_trajectories(tmp_path / "run"))
    assert 3 <= invalid < 3 + AHEAD * concurrency
    before = lines(tmp_path / "run")
    refused = command("run", *words, episodes=50)
    assert (refused.exit_code, lines(tmp_path / "run")) == (1, before)
    server.gone = False
    for name in ("run", "whole"):
        assert command(name, *words, episodes=50).exit_code == 0
    assert lines(tmp_path / "run") == lines(tmp_path / "whole")


def test_an_endpoint_that_is_not_there_is_one_line_in_a_second_and_leaves_nothing(
    services: Services, command: Callable[..., Any], tmp_path: Path
):
    services.agent.server.gone = True
    began = time.monotonic()
    done = command("run")
    assert time.monotonic() - began < 5
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("error: agent model 'agent-model' at http://127.0.0.1:")
    assert "cannot be reached: the connection failed: " in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_run_that_is_complete_asks_no_endpoint(
    services: Services, command: Callable[..., Any], tmp_path: Path
):
    services.agent.always(diligent(1))
    assert command("run", episodes=2).exit_code == 0
    services.agent.server.gone = True
    assert command("run", episodes=2).exit_code == 0


def test_equal_failures_in_a_row_stop_a_run_at_the_number_that_is_asked_for(
    services: Services, command: Callable[..., Any], tmp_path: Path
):
    services.agent.always(Answer(dropped=True))
    stopped = command("run", "--stop-after", 5)
    assert stopped.exit_code == 1
    assert stopped.stderr.startswith("error: 5 episodes in a row failed alike (transport): agent model ")
    assert len(read_trajectories(tmp_path / "run")) == 5
    endless = command("run", "--stop-after", 0, episodes=EPISODES + 1)
    assert (endless.exit_code, endless.report["episodes"]) == (1, EPISODES + 1)
