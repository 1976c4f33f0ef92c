"""Broken real APIs: what they said is observed with its class, and only silence is a failure."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import pytest
from typer.testing import CliRunner

from stb_env.backend.cache import ResponseCache
from stb_env.backend.faults import Faults
from stb_env.backend.real_api import HTTPTemplate, RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import drive
from stb_env.envs.connections import connect_backend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError, ConfigError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli import app
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.trajectory import CallRecord
from tests.fakes.api_server import APIServer, answered
from tests.fakes.openai_server import Answer

FORECAST = Tool("forecast", "", {"type": "object"}, ToolId("Weather", "sky", "forecast"))
PAGE = "<html><head><title>Welcome</title></head><body>Sign in.</body></html>"

BROKEN = [
    (Answer({"message": "Unauthorized"}, 401), "not_authorised"),
    (Answer("", 403), "not_authorised"),
    (Answer("gone", 404), "not_found"),
    (Answer({"message": "slow down"}, 429), "not_connected"),
    (Answer("", 500), "not_found"),
    (Answer("", 503), "not_connected"),
    (Answer("", 302), "other_error"),
    (Answer(PAGE), "other_error"),
    (Answer("<title>404 Not Found</title>"), "not_found"),
    (Answer("You have exceeded the MONTHLY quota for Requests on your current plan"), "not_connected"),
    (Answer(""), "other_error"),
    (Answer('{"half": [1, 2'), "other_error"),
    (Answer({"message": "You are not subscribed to this API."}), "not_authorised"),
    (Answer("pong"), "success"),
]
"""Answers of either protocol, with their classes in the default reading."""


@pytest.fixture(params=["remote server", "virtual server", "template"])
def watched(request: pytest.FixtureRequest, server: APIServer) -> Iterator[VirtualBackend]:
    """A backend that observes the server through each of the clients."""
    path = "/virtual" if request.param == "virtual server" else "/rapidapi"
    url = server.url(path)
    real = {"url": url, "error": "/error", "response": "/response"} if request.param == "template" else url
    backend = connect_backend("live", real=real, health="observe")
    assert isinstance(backend.real, HTTPTemplate | RemoteServer)
    backend.real.retries = 0
    yield backend
    backend.close()


def said(backend: VirtualBackend, **arguments: Any) -> ToolResult:
    return drive(backend.answer(None, FORECAST, ToolCall("forecast", arguments)))[0]


@pytest.mark.heavy
@pytest.mark.parametrize(("answer", "found"), BROKEN)
def test_whatever_an_api_says_is_an_observation_with_its_class(
    server: APIServer, watched: VirtualBackend, answer: Answer, found: str
):
    server.default = answer
    result = said(watched)
    assert (result.source, result.api_class) == ("real", found)


def test_the_status_and_the_words_of_an_answer_are_both_shown(server: APIServer, watched: VirtualBackend):
    server.default = answered("no key", error="denied", status=401)
    result = said(watched)
    assert (result.error, result.response) == ("denied; status 401 Unauthorized", "no key")


def test_silence_stays_a_failure_of_the_infrastructure(server: APIServer, watched: VirtualBackend):
    server.default = Answer(dropped=True)
    with pytest.raises(BackendError, match="the connection failed"):
        said(watched)


def test_a_server_that_answers_too_late_has_not_answered(server: APIServer, watched: VirtualBackend):
    server.default = Answer(hold=server.hold())
    assert watched.real is not None
    watched.real.timeout = 0.05  # type: ignore[attr-defined] # always an HTTPAPI
    with pytest.raises(BackendError, match="no answer within the time-out"):
        said(watched)


def test_what_came_before_the_retries_ran_out_is_what_the_api_said(server: APIServer):
    server.script(Answer({"message": "busy"}, 503, headers={"Retry-After": "0"}), Answer(dropped=True))
    backend = VirtualBackend(mode="live", real=RemoteServer(server.url(), retries=1), health="observe")
    assert said(backend).error == "HTTP 503 Service Unavailable"
    assert len(server.requests) == 2


def test_without_observing_the_same_answers_are_refused(server: APIServer):
    server.default = Answer({"message": "Unauthorized"}, 401)
    backend = VirtualBackend(mode="live", real=RemoteServer(server.url(), retries=0))
    with pytest.raises(BackendError, match=r"^the remote server at .* failed on forecast of sky: HTTP 401"):
        said(backend)


def test_a_broken_api_leaves_its_episode_valid_and_its_class_in_the_call(server: APIServer):
    server.default = Answer({"message": "Unauthorized"}, 401)
    backend = VirtualBackend(mode="live", real=RemoteServer(server.url()), health="observe")
    env = ToolEnv(TaskSet([Task("1", "Rain?", (FORECAST,))]), backend, HeuristicJudge())
    env.reset(seed=0)
    observation, _, terminated, truncated, info = env.step({"name": "forecast", "arguments": {}})
    assert (terminated, truncated, info["valid"]) == (False, False, True)
    assert json.loads(observation["result"])["error"] == "status 401 Unauthorized"
    (call,) = info["calls"]
    assert (call["source"], call["class"]) == ("real", "not_authorised")
    assert CallRecord.from_dict(call).to_dict() == call
    env.close()


def test_a_call_says_no_class_where_answers_are_not_observed(server: APIServer):
    backend = VirtualBackend(mode="live", real=RemoteServer(server.url()))
    record = CallRecord("a", "forecast", {}, said(backend)).to_dict()
    assert list(record) == ["id", "name", "arguments", "error", "response", "source", "status", "violations"]


def test_recording_keeps_what_the_papers_filter_keeps_and_nothing_else(server: APIServer):
    server.script(
        answered("", error="no such city"),
        Answer({"message": "Unauthorized"}, 401),
        answered({"c": 4}),
        answered("Too many requests"),
    )
    cache = ResponseCache()
    real = RemoteServer(server.url(), retries=0)
    backend = VirtualBackend(cache, mode="record", real=real, health="observe")
    found = [said(backend, n=n).api_class for n in range(4)]
    assert found == ["other_error", "not_authorised", "success", "not_connected"]
    assert sorted(entry.arguments["n"] for entry in cache.entries()) == [0, 2]


def test_an_injected_fault_is_observed_as_one_and_never_recorded(server: APIServer):
    cache = ResponseCache()
    backend = VirtualBackend(
        cache,
        mode="record",
        real=RemoteServer(server.url(), retries=0),
        faults=Faults(errors={"truncated": 1.0}),
        health="observe",
    )
    assert said(backend).source == "fault"
    assert len(cache) == 0


def test_observing_shows_in_the_fingerprint_and_its_absence_changes_none(server: APIServer):
    def fingerprint(**settings: Any) -> dict[str, Any]:
        return VirtualBackend(mode="live", real=RemoteServer(server.url()), **settings).fingerprint

    assert fingerprint() == fingerprint(health="strict")
    assert fingerprint(health="observe") == {**fingerprint(), "health": "observe"}


@pytest.mark.parametrize("real", [None, "own"])
def test_observing_needs_a_real_api_over_http(real: str | None):
    class Own:
        fingerprint: ClassVar[dict[str, Any]] = {}

        def request(self, tool: Tool, arguments: Any) -> Any:
            raise NotImplementedError

    with pytest.raises(ConfigError, match=r"^health='observe' is about a real API over HTTP, and real is "):
        VirtualBackend(
            mode="live",
            real=Own() if real else None,
            live_simulator=lambda tool, arguments: 1,
            health="observe",
        )


def test_an_unknown_health_is_refused_with_the_nearest(server: APIServer):
    with pytest.raises(ConfigError, match=r"^health must be .*'observ'. Did you mean 'observe'\?"):
        gym.make("stb/I1Instruction-v0", mode="live", real=server.url(), health="observ")


def test_a_run_observes_and_its_episodes_stay_valid(server: APIServer, tmp_path: Path):
    server.default = Answer({"message": "Unauthorized"}, 401)
    words = ["run", "stb/I1Instruction-v0", "--agent", "keyword", "--mode", "live", "--episodes", "2"]
    settings = ["--set", f"real={server.url()}", "--set", "judge=heuristic", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, [*words, *settings, "--set", "health=observe", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["invalid"] == 0
    (_, *calls) = [call for t in read_trajectories(tmp_path / "run") for s in t.steps for call in s["calls"]]
    assert {call.get("class") for call in calls if call["source"] == "real"} == {"not_authorised"}


def test_a_run_on_a_real_api_that_is_gone_is_one_line_and_leaves_nothing(tmp_path: Path):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{one.getsockname()[1]}/rapidapi"
    words = ["run", "stb/I1Instruction-v0", "--agent", "keyword", "--mode", "live", "--set", f"real={url}"]
    done = CliRunner().invoke(app, [*words, "--set", "judge=heuristic", "--out", str(tmp_path / "run")])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: the remote server at {url} cannot be reached: the connection fail")
    assert not (tmp_path / "run").exists()


def test_an_environment_made_by_name_observes(server: APIServer):
    server.default = Answer("", 403)
    env = gym.make("stb/I1Instruction-v0", mode="live", real=server.url(), health="observe")
    env.reset(seed=0)
    env.action_space.seed(0)
    drawn = iter(env.action_space.sample, None)
    info = env.step(next(action for action in drawn if "Finish" not in action))[4]
    assert (info["valid"], info["calls"][0]["class"]) == (True, "not_authorised")
    env.close()
