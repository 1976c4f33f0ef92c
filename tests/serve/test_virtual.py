"""The virtual API over HTTP: the original's clients find what they know."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from typer.testing import CliRunner

from stb_env.backend.cache import CacheEntry, ResponseCache, call_key
from stb_env.backend.real_api import RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.errors import ConfigError
from stb_env.serve.app import create_app
from stb_env.serve.settings import ServeSettings
from stb_env.serve.virtual import VirtualAPI, rendered, route
from stb_env.show.cli.main import app as main
from stb_env.suites.stabletoolbench.api_documents import APIDocuments
from stb_env.suites.stabletoolbench.cache_import import import_source
from stb_env.suites.stabletoolbench.virtual_request import VirtualRequest
from stb_env.tools import ToolId
from tests.fakes.api_server import APIServer
from tests.serve.asked import asked, fields
from tests.suites.stabletoolbench.test_original_server_golden import (
    ScriptedSimulator,
    flows,
    http_answer,
    is_answer,
    write_tree,
)

PING = ToolId("Net", "icmp", "ping")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("virtual") / "cache"
    with closing(ResponseCache(folder)) as opened:
        arguments = {"host": "a", "count": 1}
        entry = CacheEntry.of(PING, arguments, {"städte": [1.0, None]}, source="real")
        opened.put(call_key(PING, arguments), entry)
    return folder


def app_over(cache: Path, **settings: Any) -> Any:
    return create_app(ServeSettings(env={"cache": str(cache), "mode": "replay", **settings}))


@pytest.fixture(scope="module")
def served(cache: Path) -> Any:
    return app_over(cache)


def virtual(app: Any, **changes: Any) -> Any:
    return asked(app, "POST", "/virtual", json=fields(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"tool_input": '{"host": "a", "count": 1}'},
        {"tool_input": '{"count": "1", "host": "a"}'},
        {"tool_input": {"host": "a", "count": 1.0}},
        {"tool_input": '{"host": "a", "count": 1}', "api_name": "ping_for_icmp"},
        {"tool_input": '{"host": "a", "count": 1}', "tool_name": "ICMP", "api_name": "Ping_for_icmp"},
        {"tool_input": '{"host": "a", "count": 1}', "tool_name": "icmp_for_Net", "strip": ""},
    ],
)
def test_a_recorded_call_is_answered_alike_in_every_spelling(served, changes):
    first, again = virtual(served, **changes), virtual(served, **changes)
    assert first.content == again.content == '{"error":"","response":{"städte":[1.0,null]}}'.encode()
    assert first.status_code == 200


def test_of_calls_that_differ_in_spelling_alone_each_gets_its_own_answer(tmp_path):
    file = tmp_path / "src" / "Net" / "icmp_for_Net" / "ping.json"
    file.parent.mkdir(parents=True)
    spellings = [1, 1.0, "1"]
    recorded = {str({"count": each}): {"error": "", "response": repr(each)} for each in spellings}
    file.write_text(json.dumps(recorded))
    done = CliRunner().invoke(
        main, ["cache", "import", str(tmp_path / "src"), "--cache", str(tmp_path / "cache")]
    )
    assert done.exit_code == 0, done.output
    app = app_over(tmp_path / "cache")
    # The original keeps its answers by the same texts; of any other spelling it knows nothing.
    for spelling in (*spellings, "1.0"):
        expected = recorded.get(str({"count": spelling}))
        for tool_input in ({"count": spelling}, json.dumps({"count": spelling})):
            found = virtual(app, tool_input=tool_input)
            assert (found.json() if found.status_code == 200 else None) == expected
    assert virtual(app, tool_input={"Count": 1}).json() == recorded["{'count': 1}"]


def test_what_was_never_recorded_is_a_typed_miss_in_replay_mode(served):
    answer = virtual(served, tool_input="{}")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "cache_miss")


def test_offline_mode_answers_what_was_never_recorded_and_always_alike(cache):
    bodies = {virtual(app_over(cache, mode="offline"), tool_input="{}").content for _ in range(2)}
    (body,) = bodies
    assert json.loads(body)["error"] == ""


@pytest.mark.parametrize("field", list(fields()))
def test_a_missing_field_is_unprocessable(served, field):
    body = {name: value for name, value in fields().items() if name != field}
    answer = asked(served, "POST", "/virtual", json=body)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (422, "invalid")
    assert answer.json()["error"]["message"].startswith(f"{field}: expected a text")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'"\\ud800"'])
def test_a_body_that_is_no_object_is_unprocessable(served, content):
    answer = asked(served, "POST", "/virtual", content=content)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (422, "invalid")


def test_arguments_that_are_no_json_get_the_texts_of_the_original(served):
    answer = virtual(served, tool_input="{a")
    assert answer.content == b'{"error":"Tool input parse error...\\n","response":""}'


def test_the_api_that_chats_answers_without_a_look_up(served):
    answer = virtual(served, api_name="chat_with_user")
    assert answer.content == b'{"error":"","response":"Chat with user."}'


def test_get_is_not_allowed(served):
    answer = asked(served, "GET", "/virtual")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (405, "method_not_allowed")


def test_a_dead_real_api_without_a_simulator_is_a_typed_failure(cache):
    app = app_over(cache, mode="live", simulator="none", real="http://127.0.0.1:9/rapidapi")
    answer = virtual(app)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (502, "transport")


def test_the_openapi_document_has_the_route_that_bypasses_the_framework(served):
    schema = served.openapi()["paths"]["/virtual"]["post"]
    assert schema["requestBody"]["content"]["application/json"]["schema"]["required"] == list(fields())


def test_a_setting_that_nobody_takes_is_refused():
    with pytest.raises(ConfigError, match=r"nothing that is served has a setting 'mod'\. Did you mean"):
        create_app(ServeSettings(ids=("stb/Sandbox-v1",), env={"mod": "live"}))


@pytest.mark.heavy
def test_golden_flows_over_the_network_give_the_answers_that_are_no_defect(shared_data, tmp_path):
    with APIServer().running() as real:
        for number, flow in enumerate(flows(shared_data)):
            play(flow, tmp_path / str(number), real)


def play(flow: dict[str, Any], folder: Path, real: APIServer) -> None:
    """Ask the steps that the original answers with an answer, and compare with what was recorded."""
    write_tree(folder / "before", flow["cache_before"])
    simulator = ScriptedSimulator()
    mode = "record" if flow["is_save"] else "live"
    with closing(ResponseCache(folder / "cache")) as cache:
        if flow["cache_before"]:
            import_source(cache, folder / "before", kind="official")
        behind = RemoteServer(real.url(), taxonomy="paper", retries=0)
        backend = VirtualBackend(cache, mode=mode, real=behind, live_simulator=simulator)
        api = VirtualAPI(backend, APIDocuments(), str)
        first: dict[str, Any] = {}
        for step in flow["steps"]:
            recorded = step["expected"]["body"]
            if not is_answer(recorded):
                continue
            # What we take for the same call, another order of arguments included, gets the first answer.
            request = VirtualRequest.read(json.dumps(step["request"]))
            recorded = first.setdefault(call_key(request.id, request.arguments or {}), recorded)
            real.default, simulator.outputs = http_answer(step["real_api"]), iter(step["llm_outputs"])
            got = asked(Starlette(routes=[route(api)]), "POST", "/virtual", json=step["request"])
            assert got.content == rendered(recorded), flow["name"]
        backend.close()
