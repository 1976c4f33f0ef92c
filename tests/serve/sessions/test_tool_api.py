"""The tools of a session's episode as an HTTP API: described by OpenAPI, called one by one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator

from stb_env.runs.make import make_env
from stb_env.serve.sessions.served_environments import chosen_by_clients
from stb_env.serve.sessions.session_store import SessionStore
from stb_env.serve.sessions.sessions import Sessions
from tests.serve.running import application

WORLDS = "stb/Worlds-v0"


@pytest.fixture
def client() -> Iterator[TestClient]:
    store = SessionStore(Sessions([WORLDS]))
    with TestClient(application(store), raise_server_exceptions=False) as client:
        yield client


def opened(client: TestClient, seed: int) -> str:
    body = {"id": WORLDS, "settings": {"level": 2}, "reset": {"seed": seed}}
    return str(client.post("/sessions", json=body).json()["session"])


def test_gold_solves_a_world_by_its_http_api_alone(client: TestClient) -> None:
    env = make_env(WORLDS, {"level": 2})
    env.reset(seed=4)
    task = env.task
    key = opened(client, 4)
    paths = client.get(f"/sessions/{key}/openapi.json").json()["paths"]
    assert set(paths) == {f"/{tool.name}" for tool in task.tools} | {"/Finish"}
    for call in task.gold:
        body = paths[f"/{call.name}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        Draft202012Validator(body).validate(call.arguments)
        told = client.post(f"/sessions/{key}/tools/{call.name}", json=call.arguments).json()
        assert (told["error"], told["over"]) == ("", False)
    ended = client.post(f"/sessions/{key}/tools/Finish", json={"answer": task.goal["answer"]}).json()
    assert (ended["reward"], ended["over"]) == (1.0, True)


def test_sessions_have_worlds_of_their_own(client: TestClient) -> None:
    one, other = (client.get(f"/sessions/{opened(client, seed)}/openapi.json").json() for seed in (4, 5))
    assert one["paths"].keys() != other["paths"].keys()


def test_a_refused_call_says_why_and_the_episode_goes_on(client: TestClient) -> None:
    key = opened(client, 4)
    told = client.post(f"/sessions/{key}/tools/no_such_tool", json={}).json()
    assert "no_such_tool" in told["error"]
    assert not told["over"]


def test_a_session_without_an_episode_has_no_tools(client: TestClient) -> None:
    key = client.post("/sessions", json={"id": WORLDS}).json()["session"]
    refused = client.get(f"/sessions/{key}/openapi.json")
    assert refused.status_code == 409
    assert "reset it" in refused.json()["error"]["message"]
    assert client.post("/sessions/nobody/tools/Finish", json={}).status_code == 404


def test_what_clients_may_choose_is_described_and_can_be_chosen(client: TestClient) -> None:
    settings = {"level": 1, "hidden": 1}
    about = client.post("/environments/describe", json={"id": WORLDS, "settings": settings}).json()
    assert {"split", "group", "level", "policies", "hidden", "faults", "max_turns"} <= {*about["settings"]}
    for name, status in (("kit", 403), ("judge", 403), ("level", 200)):
        told = client.post("/environments/describe", json={"id": WORLDS, "settings": {name: 1}})
        assert (told.status_code, name in about["settings"]) == (status, status == 200)
    assert set(chosen_by_clients("stb/WorldsHard-v0")).isdisjoint({"level", "faults"})
