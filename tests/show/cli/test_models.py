"""``stb-env models check``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app
from tests.fakes.openai_server import OpenAIServer


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


def test_a_role_without_a_key_is_not_asked(tmp_path):
    judge = rows(checked(tmp_path, "", "--json"))["judge"]
    assert (judge["reachable"], judge["remark"]) == (None, "no key: set OPENAI_API_KEY")
    assert judge["price_known"]


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
