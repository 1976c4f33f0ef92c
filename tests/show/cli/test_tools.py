"""``stb-env tools`` and ``synthesize --tools`` as one types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.epochs import may_write
from stb_env.formats.catalog_file import CatalogFile
from tests.command import stb
from tests.fakes.shop_service import Shop

FUNCTION = {
    "name": "get weather",
    "description": "Weather now.",
    "parameters": {"type": "object", "properties": {}},
}


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    (tmp_path / "functions.json").write_text(json.dumps([{"type": "function", "function": FUNCTION}]))
    done = stb("tools", "import", tmp_path / "functions.json", "--out", tmp_path / "catalog.json", "--json")
    assert json.loads(done.stdout)["tools"] == ["get_weather"]
    return tmp_path / "catalog.json"


def test_a_list_of_functions_is_imported_listed_and_called_offline(functions: Path):
    assert "get_weather" in stb("tools", "list", functions).stdout
    done = stb("tools", "call", functions, "get_weather", "{}", "--mode", "offline")
    assert (done.exit_code, json.loads(done.stdout)["error"]) == (0, "")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("get_wether",), "has no tool 'get_wether'; `tools list` shows all. Did you mean 'get_weather'?"),
        (("get_weather", "[1]"), "the arguments must be a JSON object, got [1]"),
        (("get_weather", '{"x": 1}'), "these arguments do not fit 'get_weather': unknown parameter 'x'"),
        (("get_weather",), "the catalogue names no service that answers its tools"),
        (("get_weather", "{}", "--mode", "lve"), "mode must be one of"),
    ],
)
def test_a_call_that_cannot_be_made_is_one_clear_line(functions: Path, parts: tuple[str, ...], message: str):
    done = stb("tools", "call", functions, *parts)
    assert (done.exit_code, message in done.output) == (2, True), done.output


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((), "name one source: a document, or an MCP server with --mcp"),
        (("x.json", "--mcp", "y"), "name one source: a document, or an MCP server with --mcp"),
        (("--mcp", "y", "--server", "http://h"), "are for OpenAPI documents"),
        (("x.json", "--key", "sk-123"), "--key takes NAME=VALUE"),
        (("missing.json",), "missing.json: expected an OpenAPI document or a list of functions"),
    ],
)
def test_an_import_that_cannot_be_made_is_one_clear_line(
    tmp_path: Path, parts: tuple[str, ...], message: str
):
    done = stb("tools", "import", *parts, "--out", tmp_path / "c.json")
    assert (done.exit_code, message in done.output, "sk-123" in done.output) == (2, True, False), done.output


def test_only_the_tools_that_match_are_taken_or_said_to_read(tmp_path: Path):
    names = [{**FUNCTION, "name": name} for name in ("get_a", "get_b", "set_a")]
    (tmp_path / "f.json").write_text(json.dumps(names))
    words = (
        "tools",
        "import",
        tmp_path / "f.json",
        "--out",
        tmp_path / "c.json",
        "--json",
        "--only",
        "get_*",
    )
    done = stb(*words, "--reads", "*_b")
    assert json.loads(done.stdout)["tools"] == ["get_a", "get_b"]
    assert [may_write(tool) for tool in CatalogFile.load(tmp_path / "c.json").tools] == [True, False]
    assert "no tool matches 'set_*'; there are get_a, get_b" in stb(*words, "--reads", "set_*").output


def test_queries_are_written_about_what_a_service_answered_and_gold_solves_them_in_replay(tmp_path: Path):
    catalog, cache, queries = tmp_path / "c.json", tmp_path / "cache", tmp_path / "q.jsonl"
    with Shop().running() as shop:
        stb("tools", "import", f"{shop.url}/openapi.json", "--out", catalog)
        made = (
            "synthesize",
            "--tools",
            catalog,
            "--out",
            queries,
            "--dialogues",
            6,
            "--cache",
            cache,
            "--json",
        )
        done = stb(*made, "--mode", "record")
        assert done.exit_code == 0, done.output
        assert not [one for one in shop.asked if one.startswith(("POST", "DELETE"))], (
            "it may change something"
        )
    report = json.loads(done.stdout)
    assert report["kept"] == report["written"] > 1
    assert "it may change something" in report["unasked"]["order_orders_post"]
    replayed = stb("run", "stb/Tools-v0", "--tools", catalog, "--data", queries, *replay(cache))
    summary: dict[str, Any] = json.loads(replayed.stdout)
    assert (summary["solved"], summary["judges"]) == (report["kept"], ["exact"])
    before = queries.read_bytes()
    stb(*made)
    assert queries.read_bytes() == before, "the same without the service"


def replay(cache: Path) -> tuple[object, ...]:
    return "--mode", "replay", "--cache", cache, "--agent", "gold", "--json"
