"""The Sandbox as the real API, in process and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from stb_env.backend.real_api.remote_server import RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError
from stb_env.lab.noisy_oracle import NoisyOracle
from stb_env.lab.world_api import LiveTemplate, WorldAPI, reading_tasks
from stb_env.lab.world_server import serving
from stb_env.request import drive
from stb_env.rollout import play
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.tools import Tool
from stb_env.trajectory import Trajectory


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as served:
        yield served


def tool(api: str) -> Tool:
    return next(tool for tool in tools().values() if tool.id.api == api)


def played(real: WorldAPI | RemoteServer, count: int) -> list[Trajectory]:
    tasks = reading_tasks()[:count]
    backend = VirtualBackend(mode="live", real=real, live_simulator=LiveTemplate())
    env = ToolEnv(tasks, backend, ExactJudge(), oracle=oracle)
    try:
        return [play(env, NoisyOracle(0.5), task_id=task.id, seed=7) for task in tasks]
    finally:
        env.close()


def test_every_reading_task_is_solved_without_a_state():
    tasks = reading_tasks()
    env = ToolEnv(tasks, VirtualBackend(mode="live", real=WorldAPI(check=None)), ExactJudge(), oracle=oracle)
    rewards = {task.id: play(env, NoisyOracle(0.0), task_id=task.id, seed=0).reward for task in tasks}
    assert len(tasks) > 100
    assert [name for name, reward in rewards.items() if reward != 1.0] == []


def test_what_a_call_changes_is_forgotten():
    api, fill, view = WorldAPI(), tool("set_cart_quantity"), tool("view_cart")
    before = drive(api.request(view, {})).text
    products = drive(api.request(tool("search_products"), {"query": ""})).response["results"]
    drive(api.request(fill, {"product_id": products[-1]["product_id"], "quantity": 9}))
    assert drive(api.request(view, {})).text == before


def test_text_that_is_json_of_an_object_counts_as_arguments():
    rate, arguments = tool("get_rate"), {"base_code": "AUR", "quote_code": "AUR"}
    assert drive(WorldAPI().request(rate, json.dumps(arguments))) == drive(
        WorldAPI().request(rate, arguments)
    )


def test_a_checked_api_refuses_what_an_unchecked_one_passes_on():
    rate = tool("get_rate")
    passed = drive(WorldAPI(check=None).request(rate, {}))
    assert passed.error == "missing required parameter 'base_code'"
    with pytest.raises(BackendError, match=r"^the answer was not accepted \(parameter_change\): missing"):
        drive(WorldAPI().request(rate, {}))


def test_episodes_over_http_equal_those_in_process(url: str):
    assert played(RemoteServer(url), 40) == played(WorldAPI(), 40)


def test_the_server_knows_every_api_by_its_names(url: str):
    for each in list(tools().values())[::5]:
        body = {
            "category": each.id.category,
            "tool_name": each.id.tool,
            "api_name": each.id.api,
            "tool_input": {},
        }
        with urlopen(Request(url, data=json.dumps(body).encode()), timeout=10) as answer:
            assert answer.read().decode() == drive(WorldAPI(check=None).request(each, {})).text


@pytest.mark.parametrize(
    ("path", "body", "status", "detail"),
    [
        ("/rapidapi", b"{", 422, "the body is no JSON"),
        ("/rapidapi", b"[]", 422, "expected a JSON object with category"),
        ("/rapidapi", b'{"category": "Books"}', 422, "expected a JSON object with category"),
        ("/other", b"{}", 404, "the path is /rapidapi"),
    ],
)
def test_a_request_that_breaks_the_protocol_is_refused(
    url: str, path: str, body: bytes, status: int, detail: str
):
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(url.replace("/rapidapi", path), data=body), timeout=10)
    with refused.value:
        assert refused.value.code == status
        assert json.loads(refused.value.read())["detail"].startswith(detail)


def test_what_a_checking_api_refuses_is_a_failure_over_http():
    rate = tool("get_rate")
    with serving(WorldAPI(check="default")) as checked, pytest.raises(BackendError, match="HTTP 502"):
        drive(RemoteServer(checked, retries=0).request(rate, {}))


def test_an_unknown_api_is_answered_as_one_that_does_not_exist(url: str):
    body = {"category": "Books", "tool_name": "no_tool", "api_name": "no_api", "tool_input": "{}"}
    with urlopen(Request(url, data=json.dumps(body).encode()), timeout=10) as answer:
        assert json.load(answer) == {"error": "API doesn't exists: no_api of no_tool", "response": ""}
