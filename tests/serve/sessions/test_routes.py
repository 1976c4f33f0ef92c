"""Sessions over HTTP and WebSocket: the environment contract, typed errors, nothing left behind."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from stb_env.core.request import Request
from stb_env.runs.make import make_env
from stb_env.serve.sessions.session_store import SessionStore
from stb_env.serve.sessions.sessions import Sessions
from stb_env.testing.notes import SUITE, Notebook, notes
from tests.serve.running import application

NOTES, SANDBOX = "test/Notes-v0", "stb/Sandbox-v1"
FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}
TUESDAY = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}
DAY = {"options": {"task_id": "day"}}


@pytest.fixture
def store() -> SessionStore:
    SUITE.register()
    return SessionStore(Sessions([NOTES]))


@pytest.fixture
def client(store: SessionStore) -> Iterator[TestClient]:
    with TestClient(application(store), raise_server_exceptions=False) as client:
        yield client


def opened(client: TestClient, **reset) -> str:
    reply = client.post("/sessions", json={"id": NOTES, "reset": {**DAY, **reset}})
    assert reply.status_code == 200, reply.text
    return str(reply.json()["session"])


def step(client: TestClient, key: str, action: Any, **more) -> Any:
    return client.post(f"/sessions/{key}/step", json={"action": action, **more}).json()


def error(reply) -> tuple[int, str]:
    return reply.status_code, reply.json()["error"]["kind"]


def test_an_episode_over_http_is_the_episode_of_the_environment(client: TestClient):
    env = make_env(NOTES, {})
    key = client.post("/sessions", json={"id": NOTES}).json()["session"]
    reset = client.post(f"/sessions/{key}/reset", json={"seed": 5, **DAY}).json()
    assert [reset["observation"], reset["info"]] == list(env.reset(seed=5, options={"task_id": "day"}))
    for action in ("chat", FIND, TUESDAY):
        names = ("observation", "reward", "terminated", "truncated", "info")
        assert step(client, key, action) == dict(zip(names, env.step(action), strict=True))


def test_what_is_served_is_listed_and_described(client: TestClient):
    rows = client.get("/environments").json()["environments"]
    assert [row["id"] for row in rows] == [NOTES]
    about = client.post("/environments/describe", json={"id": NOTES, "hashed": True}).json()
    assert about["limits"] == {"query": 16_384, "tools": 262_144, "result": 65_536}
    assert about["tasks"]["hash"] == notes().tasks.hash
    assert about["settings"] == ["split", "compat", "program", "reward", "max_turns", "limits"]


def test_tasks_come_without_what_solves_them(client: TestClient):
    task = client.post("/environments/tasks", json={"id": NOTES, "task_id": "day"}).json()["tasks"][0]
    assert task["query"].startswith("On which day")
    assert "Tuesday" not in json.dumps(task)
    assert {"gold", "goal", "record"}.isdisjoint(task)
    reply = client.post("/environments/solve", json={"id": NOTES, "task_id": "day"})
    assert error(reply) == (403, "not_allowed")


def test_a_solution_ends_with_a_text_or_with_the_arguments_of_finish():
    asked = {"task_id": "test-account_balance-0", "id": SANDBOX}
    with TestClient(application(SessionStore(Sessions([SANDBOX]), answers=True))) as client:
        task = client.post("/environments/tasks", json=asked).json()["tasks"][0]
        env, results = make_env(SANDBOX, {}), []
        env.reset(options={"task_id": asked["task_id"]})
        while "call" in (
            move := client.post("/environments/solve", json={**asked, "results": results}).json()
        ):
            (call,) = env.step(move["call"])[4]["calls"]
            results.append({name: call[name] for name in ("response", "error", "source")})
        _, reward, terminated, _, _ = env.step({"name": "Finish", "arguments": move["finish"]})
    assert list(move["finish"]["answer"]) == task["answer"]["required"] == ["balance"]
    assert (reward, terminated) == (1.0, True)


def test_a_step_with_the_number_of_the_last_plays_nothing(client: TestClient):
    key = opened(client)
    first = step(client, key, "chat", number=1)
    assert step(client, key, "other", number=1) == first
    assert client.get(f"/sessions/{key}").json()["turn"] == 1
    reply = client.post(f"/sessions/{key}/step", json={"action": "chat", "number": 3})
    assert error(reply) == (409, "out_of_step")
    assert reply.json()["error"]["message"] == "the next step of this episode is 2, got number 3"


def test_a_fork_and_its_origin_know_nothing_of_each_other(client: TestClient):
    key = opened(client)
    step(client, key, "chat")
    branch = client.post(f"/sessions/{key}/fork").json()["session"]
    assert step(client, branch, TUESDAY)["terminated"] is True
    assert step(client, key, FIND)["observation"]["turn"] == 2


def test_a_snapshot_is_gone_back_to_any_number_of_times_and_played_never(client: TestClient):
    key = opened(client)
    step(client, key, "chat")
    kept = client.post(f"/sessions/{key}/snapshot").json()["snapshot"]
    ends = []
    for _ in range(2):
        ends.append(step(client, key, TUESDAY))
        assert client.post(f"/sessions/{key}/restore", json={"snapshot": kept}).json() == {"number": 1}
    assert ends[0] == ends[1]
    assert error(client.post(f"/sessions/{kept}/step", json={"action": "chat"})) == (409, "out_of_step")


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/sessions", {"id": "stb_env.testing.notes:test/Notes-v0"}, (404, "unknown_environment")),
        ("/sessions", {"id": NOTES, "settings": {"judge": "evil.py:Judge"}}, (403, "not_allowed")),
        ("/sessions", {"id": NOTES, "settings": {"max_turns": -1}}, (400, "bad_request")),
        ("/sessions", {"id": NOTES, "reset": {"options": {"task_id": "dya"}}}, (400, "bad_request")),
        ("/sessions", {"id": NOTES, "reset": {"options": {"seed": "x"}}}, (400, "bad_request")),
        ("/sessions", {"id": NOTES, "reset": {"options": {"shard": [1]}}}, (400, "bad_request")),
        ("/sessions", {"id": NOTES, "unknown": 1}, (422, "invalid")),
        ("/sessions/nothing/step", {"action": "x"}, (404, "unknown_session")),
        ("/sessions/nothing/fork", {}, (404, "unknown_session")),
    ],
)
def test_every_error_is_typed(
    client: TestClient, store: SessionStore, path: str, body, said: tuple[int, str]
):
    assert error(client.post(path, json=body)) == said
    assert len(store.sessions) == 0


def test_a_step_before_the_reset_is_refused(client: TestClient):
    key = client.post("/sessions", json={"id": NOTES}).json()["session"]
    for path in ("step", "snapshot"):
        assert error(client.post(f"/sessions/{key}/{path}", json={})) == (409, "reset_needed")


@pytest.mark.parametrize("read", [{}, {"calls": 3, "text": "", "thought": ""}, {"calls": [1]}])
def test_an_action_of_the_wrong_form_is_refused(client: TestClient, read):
    assert error(client.post(f"/sessions/{opened(client)}/step", json={"read": read})) == (400, "bad_request")


def test_a_closed_session_is_gone(client: TestClient):
    key = opened(client)
    assert client.delete(f"/sessions/{key}").json() == {"closed": key}
    assert error(client.get(f"/sessions/{key}")) == (404, "unknown_session")


def test_a_step_that_takes_too_long_leaves_the_session_as_it_was(monkeypatch):
    SUITE.register()
    answer = Notebook.answer

    def never(self, state, tool, call):
        yield Request(run=lambda: None, arun=asyncio.Event().wait)
        return (yield from answer(self, state, tool, call))

    with TestClient(application(SessionStore(Sessions([NOTES]), step_s=0.05))) as client:
        key = opened(client)
        monkeypatch.setattr(Notebook, "answer", never)
        assert error(client.post(f"/sessions/{key}/step", json={"action": FIND})) == (504, "timeout")
        monkeypatch.undo()
        assert step(client, key, FIND, number=1)["observation"]["turn"] == 1


def talked(socket, **request) -> Any:
    socket.send_text(json.dumps(request))
    return json.loads(socket.receive_text())


def test_one_socket_plays_several_episodes(client: TestClient):
    env = make_env(NOTES, {})
    env.reset(seed=0, options={"task_id": "day"})
    expected = env.step(TUESDAY)
    with client.websocket_connect("/sessions/socket") as socket:
        keys = [talked(socket, do="create", n=n, id=NOTES, reset=DAY)["session"] for n in range(3)]
        for n, key in enumerate(keys):
            reply = talked(socket, do="step", n=n, session=key, action=TUESDAY)
            assert reply.pop("n") == n
            assert tuple(reply.values()) == expected


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("no json", "a message is one JSON object, got something else"),
        ("[1]", "a message is one JSON object, got list"),
        ('{"do": "eval"}', "do must be step, describe, tasks, .*, got 'eval'"),
        ('{"do": "create", "id": "x.py:y"}', "'x.py:y' is not served here"),
        ('{"do": "fork", "key": 3}', "key must be text, got 3"),
        ('{"do": "close"}', "the request close needs the setting 'key'"),
    ],
)
def test_a_bad_message_is_answered_and_the_socket_goes_on(client: TestClient, message: str, said: str):
    with client.websocket_connect("/sessions/socket") as socket:
        socket.send_text(message)
        assert re.match(said, json.loads(socket.receive_text())["error"]["message"])
        assert talked(socket, do="create", n="x", id=NOTES)["n"] == "x"


def test_a_client_that_dies_in_the_middle_of_a_step_leaves_nothing_behind(
    client: TestClient, store: SessionStore, monkeypatch
):
    from stb_env.core.request import Request

    answer, waits = Notebook.answer, asyncio.Event()

    def never(self, state, tool, call):
        yield Request(run=lambda: None, arun=waits.wait)
        return (yield from answer(self, state, tool, call))

    with client.websocket_connect("/sessions/socket") as socket:
        key = talked(socket, do="create", id=NOTES, reset=DAY)["session"]
        monkeypatch.setattr(Notebook, "answer", never)
        socket.send_text(json.dumps({"do": "step", "session": key, "action": FIND}))
        # An answer to something else shows that the step has begun.
        assert "tasks" in talked(socket, do="tasks", id=NOTES)
    monkeypatch.undo()
    session = store.sessions.get(key)
    assert session.env.snapshot().turn == 0
    assert step(client, key, FIND, number=1)["observation"]["turn"] == 1
    assert session.idle
