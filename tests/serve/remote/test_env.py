"""A remote environment is the local one, byte for byte, and its server's failures are never rewards."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from typer.testing import CliRunner

from stb_env import load_agent, play
from stb_env.actions import Action
from stb_env.errors import ConfigError, DataError, InfrastructureError
from stb_env.http.client import HTTPClient
from stb_env.http.exchange import HTTPAnswer, HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock
from stb_env.runs import plan
from stb_env.runs.make import make_env
from stb_env.serve.remote.env import RemoteEnv
from stb_env.serve.remote.server import Server
from stb_env.serve.sessions.sessions import Sessions
from stb_env.show.cli.main import app
from stb_env.testing import check
from stb_env.testing.notes import SUITE
from stb_env.tools import ToolCall
from stb_env.wrappers import CallBudget, ToolWrapper
from tests.saved import unbound
from tests.serve.running import running

NOTES, REMOTE = "test/Notes-v0", "stb/Remote-v0"
SERVED = [NOTES, "stb/Sandbox-v1", "stb/CatAPI-v1", "stb/APIBankCall-v1"]
FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
TUESDAY = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, Sessions]]:
    SUITE.register()
    with running(SERVED) as found:
        yield found


@pytest.fixture
def url(server: tuple[str, Sessions]) -> str:
    return server[0]


def remote(url: str, env_id: str = NOTES, **settings) -> RemoteEnv:
    made = make_env(REMOTE, {"url": url, "id": env_id, **settings})
    assert isinstance(made, RemoteEnv)
    return made


class Lossy(HTTPClient):
    """Loses the answers to some steps, or every request, after so many that came through."""

    def __init__(self, *, answers: set[int] = frozenset(), after: int = 1 << 30) -> None:
        super().__init__()
        self.answers, self.after, self.sent = answers, after, 0

    def send(self, request: HTTPRequest, deadline) -> HTTPAnswer:
        self.sent += 1
        if self.sent > self.after:
            raise HTTPFailure("the connection failed", retryable=True)
        answer = super().send(request, deadline)
        if self.sent in self.answers:
            raise HTTPFailure("the connection failed", retryable=True)
        return answer


def over(url: str, client: HTTPClient) -> RemoteEnv:
    return RemoteEnv(
        Server(url, clock=Clock(sleep=lambda _: None), client=client), {"id": NOTES, "settings": {}}
    )


@pytest.mark.heavy
@pytest.mark.parametrize("env_id", SERVED)
@pytest.mark.parametrize("agent", ["gold", "random"])
def test_trajectories_are_the_bytes_of_local_ones(url: str, env_id: str, agent: str):
    local, there = make_env(env_id, {}), remote(url, env_id)
    jobs = plan(local.tasks, episodes=3, seed=7)
    assert plan(there.tasks, episodes=3, seed=7) == jobs
    for job in jobs:
        here = play(local, load_agent(agent)(), task_id=job.task_id, seed=job.seed)
        assert (
            play(there, load_agent(agent)(), task_id=job.task_id, seed=job.seed).to_json() == here.to_json()
        )


@pytest.mark.parametrize("env_id", SERVED)
def test_what_reset_and_step_return_is_what_they_return_locally(url: str, env_id: str):
    local, there = make_env(env_id, {}), remote(url, env_id)
    assert there.observation_space == local.observation_space
    assert there.tasks.size == local.tasks.size
    for seed in (3, None):
        first, first_there = local.reset(seed=seed), there.reset(seed=seed)
        assert json.dumps(first_there) == json.dumps(first)
    for action in (
        {"name": "nothing", "arguments": {}},
        [FIND, FIND],
        {"name": "\ud800", "arguments": "no object"},
        Action((ToolCall("nothing", {}),), "beside"),
        "just a word",
    ):
        assert json.dumps(there.step(action)) == json.dumps(local.step(action))
        assert there.messages == local.messages
        assert there.action_space.sample() in there.action_space


def test_order_and_shard_go_through_the_same_tasks(url: str):
    settings = {"order": "sequential", "shard": (1, 2)}
    local, there = make_env(NOTES, settings), remote(url, **settings)
    visited = [(local.reset()[1]["task_id"], there.reset()[1]["task_id"]) for _ in range(4)]
    assert [here for here, _ in visited] == [away for _, away in visited]


def test_settings_of_the_client_are_those_of_a_local_environment(url: str):
    settings = {"max_turns": 2, "limits": {"result": 256}}
    local, there = make_env(NOTES, settings), remote(url, **settings)
    assert there.observation_space == local.observation_space
    for env in (local, there):
        env.reset(seed=0)
        env.step("chat")
    assert there.step("chat") == local.step("chat")
    assert there.snapshot().over


def test_tasks_bring_the_form_of_their_answer(url: str):
    local, there = make_env("stb/Sandbox-v1", {}), remote(url, "stb/Sandbox-v1")
    task = local.tasks.at(0)
    found = there.tasks.get(task.id)
    assert (found.answer, found.cannot) == (task.answer, task.cannot)
    for env in (local, there):
        env.reset(options={"task_id": task.id})
    assert there.finish == local.finish
    refused = {"name": "Finish", "arguments": {"answer": {"worth": "much"}}}
    assert json.dumps(there.step(refused)) == json.dumps(local.step(refused))


@pytest.mark.parametrize("reward", ["partial", "dense"])
def test_rewards_follow_the_mode_that_the_client_chooses(url: str, reward: str):
    local, there = (
        make_env("stb/Sandbox-v1", {"reward": reward}),
        remote(url, "stb/Sandbox-v1", reward=reward),
    )
    assert there.rules.reward == reward
    task_id = local.tasks.at(5).id
    here, away = (play(env, load_agent("gold")(), task_id=task_id, seed=1) for env in (local, there))
    assert away.reward_mode == reward
    assert away.to_json() == here.to_json()


@pytest.mark.heavy
def test_it_passes_the_conformance_kit(url: str):
    report = check(REMOTE, settings={"url": url, "id": NOTES}, seeds=3, red_team=1)
    assert report.passed
    assert len(report.checks) == 19


def test_gymnasium_makes_it(url: str):
    env = gym.make(REMOTE, url=url, env_id=NOTES)
    assert env.reset(options={"task_id": "day"})[1]["task_id"] == "day"


def test_the_command_plays_it_as_it_plays_the_environment_itself(url: str, tmp_path: Path):
    there = ["run", REMOTE, "--set", f"url={url}", "--set", f"id={NOTES}"]
    for name, command in (("there", there), ("here", ["run", NOTES])):
        options = ["--agent", "gold", "--episodes", "3", "--json", "--out", str(tmp_path / name)]
        result = CliRunner().invoke(app, [*command, *options])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["solved"] == 3
    assert unbound(tmp_path / "there") == unbound(tmp_path / "here")


def test_a_fork_and_a_snapshot_cost_no_request(url: str):
    client = Lossy()
    env = over(url, client)
    env.reset(seed=0, options={"task_id": "day"})
    env.step("chat")
    sent = client.sent
    branch, state = env.fork(), env.snapshot()
    assert client.sent == sent
    ahead = branch.step(TUESDAY)
    assert ahead[1] == 1.0
    assert env.step("chat")[0]["turn"] == 2
    env.restore(state)
    assert env.step(TUESDAY) == ahead


def test_a_snapshot_goes_on_in_another_environment_after_it_was_pickled(url: str):
    env = remote(url)
    env.reset(seed=0, options={"task_id": "day"})
    env.step("chat")
    text = pickle.dumps(env.snapshot())
    env.step("chat")
    other = remote(url)
    other.restore(pickle.loads(text))
    assert other.step(TUESDAY)[0]["turn"] == 2


def test_sessions_that_nobody_refers_to_are_closed(server: tuple[str, Sessions]):
    url, sessions = server
    env = remote(url)
    before = len(sessions)
    env.reset(seed=0)
    for _ in range(5):
        env.fork().step("chat")
    assert len(sessions) >= before + 6
    env.close()
    # The one that the environment itself still shows.
    assert len(sessions) <= before + 1


def test_steps_on_an_event_loop_are_those_of_threads(url: str):
    async def played():
        env = remote_env
        await env.areset(seed=0, options={"task_id": "day"})
        return await env.astep(FIND), await env.astep(TUESDAY)

    remote_env, local = remote(url), make_env(NOTES, {})
    local.reset(seed=0, options={"task_id": "day"})
    assert asyncio.run(played()) == (local.step(FIND), local.step(TUESDAY))


def test_a_step_whose_answer_was_lost_is_not_played_twice(url: str):
    lossy, local = over(url, Lossy(answers={3, 4, 6})), make_env(NOTES, {})
    for env in (lossy, local):
        env.reset(seed=0, options={"task_id": "write"})
    for action in (
        {"name": "add_note", "arguments": {"text": "x"}},
        FIND,
        {"name": "find_notes", "arguments": {"word": "x"}},
    ):
        assert lossy.step(action) == local.step(action)
    assert lossy.snapshot().turn == 3


def test_a_server_that_is_gone_ends_the_episode_as_invalid_and_never_as_a_zero(url: str):
    env = over(url, Lossy(after=3))
    env.reset(seed=0, options={"task_id": "day"})
    env.step("chat")
    observation, reward, terminated, truncated, info = env.step(TUESDAY)
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, True, False)
    assert (observation["status"], observation["turn"]) == (7, 2)
    assert info["failure"]["kind"] == "transport"
    assert info["failure"]["retryable"] is True
    assert "verdict" not in info
    assert observation in env.observation_space
    with pytest.raises(ResetNeeded, match="this episode is over"):
        env.step("chat")


def test_an_episode_that_could_not_be_started_is_recorded_as_invalid(url: str):
    env = over(url, Lossy(after=1))
    episode = play(env, load_agent("gold")(), task_id="day", seed=0)
    assert (episode.valid, episode.reward, episode.verdict) == (False, 0.0, None)
    assert episode.failure is not None
    assert episode.failure["kind"] == "transport"
    assert episode.task_id == "day"


def test_a_session_that_the_server_gave_up_is_a_failure_that_may_pass(server: tuple[str, Sessions]):
    url, sessions = server
    env = remote(url)
    env.reset(seed=0, options={"task_id": "day"})
    for key in list(sessions._open):
        sessions.drop(key)
    info = env.step("chat")[4]
    assert info["valid"] is False
    assert "is open; it was closed, or idle" in info["failure"]["message"]


def test_a_task_that_there_is_not_is_refused_with_the_nearest(url: str):
    env = remote(url)
    with pytest.raises(ConfigError, match=r"no task 'dya' among the 3 of notes\. Did you mean 'day'\?"):
        env.reset(options={"task_id": "dya"})
    with pytest.raises(DataError, match="no task 'dya'"):
        env.tasks.get("dya")


def test_an_id_that_is_not_served_is_refused_with_the_nearest(url: str):
    with pytest.raises(ConfigError, match=r"'test/Nots-v0' is not served here.*Did you mean 'test/Notes"):
        remote(url, "test/Nots-v0")


@pytest.mark.parametrize("settings", [{"url": "http://127.0.0.1:9"}, {"id": NOTES}])
def test_what_is_missing_is_named(settings):
    with pytest.raises(ConfigError, match=r"needs the setting 'url'|name the environment of the server"):
        make_env(REMOTE, settings)


def test_rules_of_the_server_cannot_be_changed_by_the_client(url: str):
    with pytest.raises(ConfigError, match="the rules of a remote environment are its server's"):
        make_env(REMOTE, {"url": url, "id": NOTES, "judge": "heuristic"})


def test_a_wrapper_of_the_package_goes_around_it(url: str):
    env = ToolWrapper(remote(url))
    env.reset(seed=0, options={"task_id": "day"})
    state = env.snapshot()
    assert env.fork().step(FIND)[0]["turn"] == 1
    env.restore(state)
    assert env.step(TUESDAY)[1] == 1.0


def test_a_wrapper_that_would_change_the_rules_is_refused(url: str):
    with pytest.raises(ConfigError, match="no other judge, fault, layer or limit can be set here"):
        CallBudget(remote(url), 1)


def test_a_token_is_sent_and_shows_nowhere(url: str, monkeypatch):
    monkeypatch.setenv("STB_SERVER_TOKEN", "a-very-secret-token")
    sent: list[HTTPRequest] = []

    class Noting(HTTPClient):
        def send(self, request: HTTPRequest, deadline) -> HTTPAnswer:
            sent.append(request)
            return HTTPAnswer(
                401, body=b'{"error": {"kind": "unauthorized", "message": "a-very-secret-token?"}}'
            )

    with pytest.raises(
        ConfigError, match=r"wants a token: \*\*\*\?; put it into .* STB_SERVER_TOKEN"
    ) as caught:
        RemoteEnv(Server(url, client=Noting()), {"id": NOTES})
    assert sent[0].headers["authorization"] == "Bearer a-very-secret-token"
    assert "a-very-secret-token" not in str(caught.value) + repr(sent[0])
    assert b"a-very-secret-token" not in pickle.dumps(Server(url))


def test_a_password_in_the_url_is_refused_unseen():
    with pytest.raises(ConfigError, match="put a token in token_env instead") as caught:
        Server("http://me:hunter2@127.0.0.1:1")
    assert "hunter2" not in str(caught.value)


def test_a_server_that_cannot_be_reached_is_a_failure_of_the_infrastructure():
    client = Lossy(after=0)
    with pytest.raises(InfrastructureError, match="the connection failed"):
        over("http://127.0.0.1:9", client)
    assert client.sent == 4


def test_the_gold_agent_hears_of_a_server_that_keeps_its_solutions():
    SUITE.register()
    with running([NOTES], answers=False) as (url, _):
        env = remote(url)
        assert env.tasks.get("day").gold == ()
        with pytest.raises(
            ConfigError, match="this server keeps its solutions; its operator gives them away"
        ):
            play(env, load_agent("gold")(), task_id="day", seed=0)
