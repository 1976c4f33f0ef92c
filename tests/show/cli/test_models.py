"""``stb-env models check``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.models.abilities import PROBE
from stb_env.show.cli.main import app
from tests.fakes.llama_cpp import LlamaCpp, completion
from tests.fakes.openai_server import OpenAIServer, error


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer().running() as running:
        yield running


def checked(tmp_path: Path, text: str, *options: str):
    file = tmp_path / "models.toml"
    file.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["models", "check", "--models", str(file), *options])


def rows(result) -> dict:
    return {row["role"]: row for row in json.loads(result.stdout)["models"]}


def test_each_role_has_what_its_endpoint_can_do(server, tmp_path):
    server.abilities = {"json_schema"}
    server.models = [{"id": "tiny", "max_model_len": 4096}]
    result = checked(tmp_path, f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"', "--json")
    assert result.exit_code == 0
    assert rows(result)["agent"] == {
        "role": "agent",
        "endpoint": server.url(),
        "model": "tiny",
        "structured": "auto",
        "reachable": True,
        "tools_rendered": False,
        "tools_forced": False,
        "json_schema": True,
        "context": 4096,
        "price_known": False,
        "remark": "it cannot be held to one tool, its chat template drops tools",
    }


def test_one_failing_gateway_does_not_hide_an_ability(server, tmp_path, monkeypatch):
    answers = server._probed
    failing = [error("bad gateway", 502)]

    def probed(body):
        return failing.pop() if failing and "tool_choice" in body else answers(body)

    monkeypatch.setattr(server, "_probed", probed)
    result = checked(tmp_path, f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"', "--json")
    assert rows(result)["agent"]["tools_forced"]
    assert not failing


def test_the_window_is_the_one_that_the_server_was_started_with(server, tmp_path):
    server.models = [{"id": "a.gguf", "meta": {"n_ctx_train": 131072}}]
    server.tells = {"/agent/props": {"default_generation_settings": {"n_ctx": 8192}}}
    result = checked(tmp_path, f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"', "--json")
    assert rows(result)["agent"]["context"] == 8192


def test_weights_in_the_process_are_checked(tmp_path, monkeypatch):
    code = {"code": "marigold-4711"}
    said = json.dumps({"name": PROBE, "arguments": code, **code})
    library = LlamaCpp(lambda body: completion(said, prompt_tokens=9 + 9 * ("tools" in body)))
    monkeypatch.setitem(sys.modules, "xllamacpp", library.module())
    weights = tmp_path / "m.gguf"
    weights.write_bytes(b"GGUF")
    result = checked(tmp_path, f'[models.agent]\nlocal = "{weights}"\ncontext = 512', "--json")
    agent = rows(result)["agent"]
    assert (agent["reachable"], agent["json_schema"], agent["tools_rendered"]) == (True, True, True)
    assert (agent["context"], agent["endpoint"], agent["price_known"]) == (512, None, True)
    absent = checked(tmp_path, f'[models.agent]\nlocal = "{tmp_path}/absent.gguf"')
    assert absent.exit_code == 1
    assert "cannot read the weights" in " ".join(absent.stdout.split())


def test_a_role_without_a_key_is_not_asked(tmp_path):
    judge = rows(CliRunner().invoke(app, ["models", "check", "--json"]))["judge"]
    assert (judge["reachable"], judge["remark"]) == (None, "no key: set OPENAI_API_KEY")
    assert judge["price_known"]


def test_of_a_models_file_those_roles_are_asked_that_somebody_set(server, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    monkeypatch.setenv("STB_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    result = checked(tmp_path, f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"', "--json")
    found = rows(result)
    assert {role: row["reachable"] for role, row in found.items()} == {
        "agent": True,
        "judge": False,
        "simulator": None,
        "user": None,
    }
    assert found["user"]["remark"] == "not set, so not asked"


def test_what_roles_share_is_told_without_the_name_of_one(tmp_path):
    table = 'model = "tiny"\nbase_url = "http://127.0.0.1:9/v1"\n'
    result = checked(tmp_path, f"[models.agent]\n{table}[models.judge]\n{table}", "--json")
    assert "the connection failed" in rows(result)["judge"]["remark"]
    assert "agent" not in rows(result)["judge"]["remark"]


def test_a_replayed_role_is_not_asked(tmp_path):
    user = rows(checked(tmp_path, '[models.user]\nreplay = "talk.jsonl"', "--json"))["user"]
    assert (user["reachable"], user["remark"]) == (None, "replayed from talk.jsonl")


def test_roles_at_one_endpoint_are_asked_once_and_anew_at_each_check(server, tmp_path):
    text = "".join(
        f'[models.{role}]\nmodel = "tiny"\nbase_url = "{server.url()}"\n' for role in ("agent", "judge")
    )
    checked(tmp_path, text)
    once = len(server.probes)
    checked(tmp_path, text)
    assert (once, len(server.probes)) == (4, 8)


def test_an_endpoint_that_does_not_answer_fails_the_command(tmp_path):
    result = checked(tmp_path, '[models.agent]\nbase_url = "http://127.0.0.1:9/v1"', "--json")
    assert result.exit_code == 1
    assert rows(result)["agent"]["reachable"] is False


def test_the_table_fits_80_columns(server, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = checked(tmp_path, f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"')
    assert f"agent: tiny at {server.url()}: it takes no JSON Schema" in result.stdout.replace("\n", " ")
    assert max(map(len, result.stdout.splitlines())) <= 80
