"""OpenEnv's wire format as its clients read it: what stands where, and what is refused how."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from stb_env.serve.settings import ServeSettings
from tests.serve.served import notes_known, serving

NOTES, SANDBOX = "test/Notes-v0", "stb/Sandbox-v1"
RIGHT = {"tool_name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with notes_known(), serving(ServeSettings(ids=(NOTES, SANDBOX))) as url:
        yield f"{url}/openenv"


@contextmanager
def talking(url: str) -> Iterator[Any]:
    """Connect; gives what sends a message and returns the answer."""
    socket = connect(url.replace("http", "ws", 1))

    def ask(message: Any) -> Any:
        socket.send(message if isinstance(message, str) else json.dumps(message))
        return json.loads(socket.recv(timeout=30))

    try:
        yield ask
    finally:
        # Closing what the server has closed already, for a reason, raises that again.
        with suppress(ConnectionClosed):
            socket.close()


def asked(url: str, body: Any = None) -> tuple[int, Any]:
    """Return status and body of a GET, or of a POST where there is a body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def rpc(url: str, method: str, **params: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return asked(f"{url}/mcp", request)[1]


def test_an_episode_over_a_web_socket_has_reward_and_end_beside_the_observation(server):
    with talking(f"{server}/{NOTES}/ws") as ask:
        begun = ask({"type": "reset", "data": {"task_id": "day", "episode_id": "mine"}})["data"]
        listed = ask({"type": "step", "data": {"type": "list_tools"}})["data"]
        found = ask({"type": "step", "data": {"tool_name": "find_notes", "arguments": {"word": "dentist"}}})[
            "data"
        ]
        ended = ask({"type": "step", "data": RIGHT})["data"]
        state = ask({"type": "state"})["data"]
    assert (begun["reward"], begun["done"]) == (None, False)
    assert begun["observation"]["messages"][-1]["content"] == begun["observation"]["query"]
    assert [tool["name"] for tool in listed["observation"]["tools"]][-1] == "Finish"
    assert (found["reward"], found["done"], found["metadata"]) == (0.0, False, {"status": 0, "valid": True})
    assert found["observation"]["result"].startswith('{"error": "", "response"')
    assert (ended["reward"], ended["done"], ended["metadata"]["verdict"]["status"]) == (1.0, True, "solved")
    assert state == {
        "episode_id": "mine",
        "step_count": 2,
        "env_id": NOTES,
        "task_id": "day",
        "over": True,
        "reward": 1.0,
    }


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "INVALID_JSON"),
        ("[" * 100_000, "INVALID_JSON"),
        ([], "VALIDATION_ERROR"),
        ({"type": "restart"}, "UNKNOWN_TYPE"),
        ({"type": "reset", "data": {"task": "day"}}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"task_id": "dya"}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"split": "../etc"}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"seed": -1}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"arguments": {}}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": RIGHT}, "EXECUTION_ERROR"),
    ],
)
def test_a_bad_message_is_answered_with_its_code_and_the_session_lives_on(server, message, code):
    with talking(f"{server}/{NOTES}/ws") as ask:
        assert ask(message)["data"]["code"] == code
        assert ask({"type": "reset", "data": {"task_id": "day"}})["type"] == "observation"


def test_json_rpc_opens_a_session_that_a_web_socket_takes_over_and_nobody_else(server):
    base = f"{server}/{NOTES}"
    key = rpc(base, "openenv/session/create")["result"]["session_id"]
    with talking(f"{base}/ws?session_id={key}") as ask:
        ask({"type": "reset", "data": {"task_id": "day"}})
        with connect(f"{base}/ws?session_id={key}".replace("http", "ws", 1)) as other:
            # It is told without having asked, and then nobody listens any more.
            assert json.loads(other.recv(timeout=30))["data"]["code"] == "SESSION_ERROR"
        tools = rpc(base, "tools/list", session_id=key)["result"]["tools"]
        told = rpc(base, "tools/call", session_id=key, name="Finish", arguments=RIGHT["arguments"])["result"]
        assert rpc(base, "openenv/session/close", session_id=key)["result"]["closing"] is True
    assert (len(tools), told["done"], told["reward"]) == (4, True, 1.0)


@pytest.mark.parametrize(
    ("method", "params", "code", "told"),
    [
        ("tools/list", {}, -32602, "params.session_id is missing"),
        ("tools/list", {"session_id": "guess"}, -32602, "no session 'guess' of test/Notes-v0 is open"),
        ("tools/run", {}, -32601, "no method 'tools/run'"),
    ],
)
def test_json_rpc_refuses_what_belongs_to_no_session(server, method, params, code, told):
    error = rpc(f"{server}/{NOTES}", method, **params)["error"]
    assert (error["code"], error["message"].startswith(told)) == (code, True)


def test_a_session_of_one_environment_is_none_of_another(server):
    key = rpc(f"{server}/{NOTES}", "openenv/session/create")["result"]["session_id"]
    assert rpc(f"{server}/{SANDBOX}", "tools/list", session_id=key)["error"]["code"] == -32602
    assert rpc(f"{server}/{NOTES}", "openenv/session/close", session_id=key)["result"]["closed"] is True


def test_over_http_a_session_is_reset_and_stepped_and_a_step_without_one_is_refused(server):
    base = f"{server}/{NOTES}"
    key = rpc(base, "openenv/session/create")["result"]["session_id"]
    assert asked(f"{base}/reset", {"task_id": "day", "session_id": key})[1]["observation"]["task_id"] == "day"
    assert (
        asked(f"{base}/step", {"action": {"type": "call_tool", **RIGHT}, "session_id": key})[1]["reward"]
        == 1.0
    )
    assert asked(f"{base}/state?session_id={key}")[1]["over"] is True
    status, told = asked(f"{base}/step", {"action": {"type": "call_tool", **RIGHT}})
    assert (status, told["error"]["kind"]) == (400, "no_session")
    assert asked(f"{base}/reset", {})[1]["observation"]["query"]


def test_the_tasks_of_a_split_are_counted_listed_and_played(server):
    base = f"{server}/{SANDBOX}"
    assert {"name": "train", "type": "train"} in asked(f"{base}/Sandbox-v1/splits")[1]
    count = asked(f"{base}/Sandbox-v1/num_tasks", {"split": "val"})[1]["num_tasks"]
    listed = asked(f"{base}/Sandbox-v1/tasks", {"split": "val"})[1]["tasks"]
    assert len(listed) == count > 0
    assert asked(f"{base}/sandbox-V1/task", {"split": "val", "index": 3})[1]["task"] == listed[3]
    part = asked(f"{base}/Sandbox-v1/task_range", {"split": "train", "start": 2, "stop": 4})[1]["tasks"]
    with talking(f"{base}/ws") as ask:
        begun = ask({"type": "reset", "data": {"split": "train", "task_id": part[0]["task_id"]}})["data"]
    assert begun["observation"]["query"] == part[0]["query"]


@pytest.mark.parametrize(
    ("path", "body", "status", "kind"),
    [
        ("Sandbox-v1/num_tasks", {"split": "train"}, 501, "endless"),
        ("Sandbox-v1/num_tasks", {"split": "trian"}, 404, "unknown_split"),
        ("Sandbox-v1/task", {"split": "val", "index": -1}, 400, "index"),
        ("Sandbox-v1/task", {"split": "val", "index": 10**9}, 400, "index"),
        ("Sandbox-v1/task_range", {"split": "train", "start": 0, "stop": 10**6}, 400, "index"),
        ("Other-v0/num_tasks", {"split": "val"}, 404, "unknown_environment"),
        ("Sandbox-v1/num_tasks", {}, 422, "invalid"),
    ],
)
def test_tasks_that_there_are_not_are_refused(server, path, body, status, kind):
    got, told = asked(f"{server}/{SANDBOX}/{path}", body)
    assert (got, told["error"]["kind"]) == (status, kind)


def test_a_base_url_without_a_served_id_says_which_there_are(server):
    status, told = asked(f"{server}/stb/WebShop-v1/health")
    assert (status, told["error"]["kind"]) == (404, "unknown_environment")
    assert SANDBOX in told["error"]["message"]
