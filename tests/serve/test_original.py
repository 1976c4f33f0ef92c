"""The original's server over HTTP, as a ``config.yml`` starts it: to the byte, its crashes included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.serve.app import create_app
from stb_env.serve.original import RealServer, route
from stb_env.serve.settings import ServeSettings
from stb_env.serve.virtual import rendered
from stb_env.show.cli.main import app as cli
from stb_env.suites.stabletoolbench.original_server import OriginalServer
from stb_env.suites.stabletoolbench.server_config import OriginalPlace
from tests.fakes.api_server import APIServer, answered
from tests.fakes.openai_server import Answer, OpenAIServer, completion
from tests.serve.asked import asked, fields
from tests.suites.stabletoolbench.test_original_server_golden import (
    World,
    flows,
    http_answer,
    read_tree,
    shown,
    write_tree,
)


@pytest.fixture
def real() -> Iterator[APIServer]:
    with APIServer().running() as server:
        yield server


def test_golden_flows_over_http_are_those_of_the_original_to_the_byte(shared_data, tmp_path, real):
    crashed, asking = 0, RealServer(real.url())
    for number, flow in enumerate(flows(shared_data)):
        for got, recorded in played(flow, tmp_path / str(number), real, asking):
            assert got == recorded, flow["name"]
            crashed += got["status"] == 500
    assert crashed


def played(
    flow: dict[str, Any], folder: Path, real: APIServer, asking: RealServer
) -> Iterator[tuple[Any, Any]]:
    """Yield what each step gave over HTTP beside what was recorded."""
    write_tree(folder / "tools", flow["tool_files"])
    write_tree(folder / "cache", flow["cache_before"])
    for step in flow["steps"]:
        world, before = World(), len(real.requests)
        world.outputs, real.default = iter(step["llm_outputs"]), said(step["real_api"])
        folders = folder / "cache", folder / "tools"
        server = OriginalServer(*folders, asking, world.simulate, save=flow["is_save"])
        answer = asked(Starlette(routes=[route(server)]), "POST", "/virtual", json=step["request"])
        sent = [seen.body for seen in real.requests[before:]]
        assert len(sent) <= 1
        recorded = step["expected"]
        yield (
            {
                "status": answer.status_code,
                "body": answer.content if answer.status_code == 200 else None,
                "real_request": sent[0] if sent else None,
                "llm_calls": len(world.questions),
                "simulator_inputs": json.loads(json.dumps(shown(world.questions[0])))
                if world.questions
                else None,
                "cache_after": read_tree(folder / "cache"),
            },
            {
                **recorded,
                "body": rendered(recorded["body"]) if recorded["status"] == 200 else None,
                "cache_after": {name: [*known.items()] for name, known in recorded["cache_after"].items()},
            },
        )


def said(recorded: dict[str, Any] | None) -> Answer:
    """Return what the real API of a step says; null stands for a body that is no JSON."""
    if recorded is not None and recorded.get("json") is None:
        return Answer("<html>", recorded["status"])
    return http_answer(recorded)


@pytest.mark.parametrize("key", ["", "a-client's-key"])
def test_the_clients_key_goes_on_to_the_real_api_in_header_and_body(tmp_path, real, key):
    server = OriginalServer(tmp_path, tmp_path, RealServer(real.url()), str)
    asked(Starlette(routes=[route(server)]), "POST", "/virtual", json=fields(toolbench_key=key))
    (seen,) = real.requests
    assert (seen.headers["toolbench_key"], seen.body["toolbench_key"]) == (key, key)


def test_the_servers_own_token_is_no_key_of_the_real_api(tmp_path, real):
    server = OriginalServer(tmp_path, tmp_path, RealServer(real.url()), str)
    app = Starlette(routes=[route(server, "the-token-of-this-server")])
    asked(app, "POST", "/virtual", json=fields(toolbench_key="the-token-of-this-server"))
    assert "the-token" not in real.requests[0].content.decode() + str(real.requests[0].headers)


@pytest.mark.parametrize("key", ["a\r\nHost: elsewhere", "ключ"])
def test_a_key_that_no_header_can_hold_is_a_crash_and_is_sent_nowhere(tmp_path, real, key):
    server = OriginalServer(tmp_path, tmp_path, RealServer(real.url()), str)
    answer = asked(Starlette(routes=[route(server)]), "POST", "/virtual", json=fields(toolbench_key=key))
    assert (answer.status_code, answer.text, real.requests) == (500, "Internal Server Error", [])


def test_an_answer_that_the_framework_cannot_write_is_stored_and_a_crash_as_in_the_original(tmp_path, real):
    real.default = Answer('{"error": "", "response": NaN}')
    server = OriginalServer(tmp_path, tmp_path, RealServer(real.url()), str)
    answer = asked(Starlette(routes=[route(server)]), "POST", "/virtual", json=fields())
    assert answer.status_code == 500
    assert "NaN" in next(tmp_path.rglob("ping.json")).read_text()


def test_a_missing_field_gets_the_frameworks_own_validation_error(tmp_path, real):
    server = OriginalServer(tmp_path, tmp_path, RealServer(real.url()), str)
    body = {name: value for name, value in fields().items() if name != "strip"}
    answer = asked(Starlette(routes=[route(server)]), "POST", "/virtual", json=body)
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "strip"])


def write_config(folder: Path, **values: Any) -> Path:
    """Write a file as the original's users have it; only its values are made up."""
    lines = {
        "api_key": "sk-a-made-up-key",
        "model": "gpt-4-turbo",
        "temperature": 0,
        "tools_folder": "./tools",
        "cache_folder": "./tool_response_cache",
        "is_save": True,
        "port": 8081,
        "log_file": "./server.log",
        **values,
    }
    file = folder / "config.yml"
    file.write_text("".join(f"{name}: {json.dumps(value)}\n" for name, value in lines.items()))
    return file


def started(monkeypatch: pytest.MonkeyPatch, *words: object) -> ServeSettings:
    """Return the settings with which the command would serve."""
    seen: list[ServeSettings] = []
    monkeypatch.setattr("stb_env.serve.server.run", seen.append)
    # What the command sets for its workers ends with the test.
    for name in ("MODEL", "BASE_URL", "TEMPERATURE", "API_KEY_ENV"):
        monkeypatch.setenv(f"STB_SIMULATOR_{name}", "")
        monkeypatch.delenv(f"STB_SIMULATOR_{name}")
    monkeypatch.setenv("STB_CONFIG_API_KEY", "")
    monkeypatch.delenv("STB_CONFIG_API_KEY")
    result = CliRunner().invoke(cli, ["serve", *map(str, words)])
    assert result.exit_code == 0, result.output
    assert "sk-a-made-up-key" not in result.output
    (settings,) = seen
    return settings


def test_compat_original_serves_the_folders_of_the_config_as_that_server_does(monkeypatch, tmp_path, real):
    with OpenAIServer().running() as model:
        text = '```json\n{"error": "", "response": "made up"}\n```'
        model.script(Answer(completion("no JSON")), Answer(completion(text)))
        file = write_config(tmp_path, api_base=model.url(), toolbench_url=real.url())
        settings = started(monkeypatch, "--config", file, "--compat", "original")
        app = create_app(settings)
        real.default = answered("Unauthorized")
        first = asked(app, "POST", "/virtual", json=fields(tool_input='{"b": 1, "a": 2}'))
        # Another order of arguments is another call for the original, and what was stored is served again.
        real.default = answered("fine")
        second = asked(app, "POST", "/virtual", json=fields(tool_input='{"a": 2, "b": 1}'))
        again = asked(app, "POST", "/virtual", json=fields(tool_input='{"b": 1, "a": 2}'))
        assert model.requests[0].body["max_tokens"] == 1024
        assert model.requests[0].body["temperature"] == 0
        assert "{'b': 1, 'a': 2}" in model.requests[0].body["messages"][1]["content"]
    assert settings.port == 8081
    assert [each.json()["response"] for each in (first, second, again)] == ["made up", "fine", "made up"]
    stored = json.loads((tmp_path / "tool_response_cache/Net/icmp_for_Net/ping.json").read_text())
    assert list(stored) == ["{'b': 1, 'a': 2}", "{'a': 2, 'b': 1}"]


def test_without_compat_the_config_starts_our_server_beside_the_folder(monkeypatch, tmp_path, real):
    stored = {"Net/icmp_for_Net/ping.json": {"{'b': 1, 'a': 2}": {"error": "", "response": "recorded"}}}
    write_tree(tmp_path / "tool_response_cache", stored)
    file = write_config(tmp_path, toolbench_url=real.url(), api_key="EMPTY", model="")
    app = create_app(started(monkeypatch, "--config", file))
    answer = asked(app, "POST", "/virtual", json=fields(tool_input='{"a": 2, "b": 1}'))
    assert answer.content == b'{"error":"","response":"recorded"}'
    other = asked(app, "POST", "/virtual", json=fields(tool_input="{}", toolbench_key="a-client's-key"))
    assert other.json()["response"] == "ok"
    assert real.requests[0].headers["toolbench_key"] == "a-client's-key"
    assert read_tree(tmp_path / "tool_response_cache") == {
        name: [*entries.items()] for name, entries in stored.items()
    }


def test_keys_that_no_original_server_knows_are_named(monkeypatch, tmp_path, real):
    file = write_config(tmp_path, toolbench_url=real.url(), cache_dir="x")
    monkeypatch.setattr("stb_env.serve.server.run", str)
    result = CliRunner().invoke(cli, ["serve", "--config", str(file), "--compat", "original"])
    assert "no original server knows it: cache_dir" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"cache_folder": None, "toolbench_url": None}, "this file is a MirrorAPI server's"),
        ({"toolbench_url": None}, "name its URL under toolbench_url"),
        ({"port": "8080"}, "port is a str, which it is not in the original"),
    ],
)
def test_a_config_that_cannot_be_served_as_the_original_says_why(tmp_path, values, said):
    file = write_config(tmp_path, **values)
    result = CliRunner().invoke(cli, ["serve", "--config", str(file), "--compat", "original"])
    assert result.exit_code != 0
    assert said in " ".join(result.output.split())


def test_compat_without_a_config_names_what_is_missing():
    result = CliRunner().invoke(cli, ["serve", "--compat", "original"])
    assert result.exit_code != 0
    assert "name them: --config FILE" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("name", "asked_for"), [("config_mirrorapi.yml", "Ping!"), ("config_mirrorapi_cache.yml", "ping")]
)
def test_a_mirror_servers_model_is_shown_the_name_that_it_was_trained_on(
    monkeypatch, tmp_path, name, asked_for
):
    api = {"name": "Ping!", "description": "", "required_parameters": [], "optional_parameters": []}
    tool = {"tool_name": "ICMP", "tool_description": "", "title": "", "name": "ICMP", "api_list": [api]}
    write_tree(tmp_path / "tools", {"Net/icmp.json": tool})
    with OpenAIServer().running() as model:
        model.script(Answer(completion('{"error": "", "response": "x"}')))
        values = {"api_base": model.url(), "api_key": "EMPTY", "temperature": 0.1, "tools_folder": "./tools"}
        file = tmp_path / name
        file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))
        app = create_app(started(monkeypatch, "--config", file))
        asked(app, "POST", "/virtual", json=fields())
        assert f"'api_name': '{asked_for}'" in model.requests[0].body["messages"][1]["content"]


def test_several_workers_are_refused_for_the_originals_files(tmp_path):
    place = OriginalPlace(str(tmp_path), str(tmp_path), "http://127.0.0.1:9/rapidapi", save=True)
    with pytest.raises(ConfigError, match=r"2 workers would lose answers of each other"):
        ServeSettings(workers=2, original=place)
