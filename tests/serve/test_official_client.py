"""Episodes of the original's own client, and of our environments, over a server that really runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env import load_agent, play
from stb_env.runs.make import make_env
from stb_env.show.cli.main import app as cli
from tests.fakes.api_server import APIServer, answered
from tests.serve.asked import serving
from tests.serve.official_client import API, OfficialClient

ENV = "stb/I1Instruction-v0"
TOKEN = "a-token-of-this-test-alone"

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif("STB_REAL_SERVERS" not in os.environ, reason="run by .ci/serve: STB_REAL_SERVERS"),
]


def client_of(task_index: int, url: str, key: str = "") -> OfficialClient:
    task = make_env(ENV, {}).tasks.at(task_index)
    return OfficialClient(f"{url}/virtual", {tool.name: API(*tool.id) for tool in task.tools}, key)


def test_the_official_client_completes_an_episode_with_our_answers(tmp_path: Path):
    task = make_env(ENV, {}).tasks.at(0)
    with serving(tmp_path, "--mode", "offline") as server:
        client = client_of(0, server.url)
        for tool in task.tools:
            observation, code = client.step(tool.name, "{}")
            assert code == 0
            assert observation.startswith('{"error": "')
        assert client.step("no_such_function", "{}")[1] == 1
        finish = json.dumps({"return_type": "give_answer", "final_answer": "It is done."})
        assert client.step("Finish", finish) == ('{"response":"successfully giving the final answer."}', 3)
    assert client.success


def test_the_official_clients_key_opens_a_server_with_a_token_and_goes_no_further(tmp_path: Path):
    words = ("--mode", "live", "--simulator", "none", "--token-env", "STB_TEST_TOKEN")
    task = make_env(ENV, {}).tasks.at(0)
    with (
        APIServer().running() as real,
        serving(tmp_path, *words, "--set", f"real={real.url()}", env={"STB_TEST_TOKEN": TOKEN}) as server,
    ):
        stranger = client_of(0, server.url, "another-token-altogether")
        assert "status_code=401" in stranger.step(task.tools[0].name, "{}")[0]
        real.default = answered({"n": 1})
        observation, _ = client_of(0, server.url, TOKEN).step(task.tools[0].name, "{}")
        assert json.loads(observation)["response"] == {"n": 1}
        assert TOKEN not in f"{real.requests[0].headers}{real.requests[0].content!r}"


def test_our_environment_over_the_server_sees_what_the_official_client_sees(tmp_path: Path):
    with serving(tmp_path, "--mode", "offline") as server:
        settings = {
            "mode": "live",
            "real": f"{server.url}/virtual",
            "simulator": "none",
            "judge": "heuristic",
        }
        env = make_env(ENV, settings)
        played = play(env, load_agent("keyword(calls=2)")(), task_id=env.tasks.at(0).id, seed=0)
        assert played.valid, played.failure
        client = client_of(0, server.url)
        asked = 0
        for call, told in calls_and_results(played.messages):
            if call["name"] == "Finish":
                continue
            observation, _ = client.step(call["name"], call["arguments"])
            assert observation == told
            asked += 1
    assert asked


def calls_and_results(messages):
    """Return each call of an episode beside the text of its tool message."""
    calls = [call["function"] for each in messages for call in each.get("tool_calls") or ()]
    return zip(calls, (each["content"] for each in messages if each["role"] == "tool"), strict=True)


def test_a_run_over_the_server_from_the_command_line_is_valid(tmp_path: Path):
    with serving(tmp_path, "--mode", "offline") as server:
        words = [
            "run",
            ENV,
            "--agent",
            "keyword(calls=2)",
            "--episodes",
            "3",
            "--mode",
            "live",
            "--judge",
            "heuristic",
        ]
        words += ["--set", f"real={server.url}/virtual", "--simulator", "none", "--json"]
        result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    run = json.loads(result.stdout)
    assert (run["planned"], run["episodes"], run["invalid"]) == (3, 3, 0)
