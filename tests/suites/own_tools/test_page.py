"""The page about own tools does what it says, block by block; its MCP server runs in a section of CI."""

from __future__ import annotations

import filecmp
import importlib.util
import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.judges.check_forms import read_checks
from stb_env.show.cli.main import app
from tests.fakes.shop_service import serving
from tests.suites.own_tools.page import BLOCKS, PAGE, block

MARKS = {"", "service", "without the service", "mcp", "mcp-more", "functions", "checks"}


def run(code: str, url: str = "") -> None:
    assert code.strip()
    for line in code.strip().splitlines():
        name, *parts = shlex.split(line.replace("http://127.0.0.1:8123", url))
        if name == "cmp":
            assert filecmp.cmp(*parts, shallow=False), line
        else:
            assert name == "stb-env"
            done = CliRunner().invoke(app, parts)
            assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.heavy
def test_the_page_from_the_service_to_the_replay_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "library.py").write_text(block("", "python"), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(block("", "json"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("library", tmp_path / "library.py")
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    with serving(library.app) as url:
        for one in BLOCKS:
            if (one.mark, one.language) == ("", "sh"):
                run(one.code, url)
    run(block("without the service"))
    assert json.loads((tmp_path / "third" / "summary.json").read_text())["solved"] == 4
    assert json.loads((tmp_path / "liar" / "summary.json").read_text())["unsolved"] == 4


def test_the_checks_of_the_page_are_checks():
    kinds = [one.form for one in read_checks(json.loads(block("checks", "json")))]
    assert kinds == [
        {"called": "add_order", "arguments": {"item": "A-9"}, "times": 1},
        {"not_called": "drop_order"},
        {"in_order": [{"called": "add_order"}, {"called": "pay", "arguments": {"number": 1}}]},
        {"state": "get_order", "arguments": {"number": 1}, "has": {"status": "paid"}},
    ]


def test_the_block_with_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    functions = [{"name": "get_weather", "description": "Weather now.", "parameters": schema}]
    (tmp_path / "functions.json").write_text(json.dumps(functions), encoding="utf-8")
    run(block("functions"))


def test_every_block_is_one_that_something_runs():
    assert {one.mark for one in BLOCKS} == MARKS
    assert {one.language for one in BLOCKS} <= {"python", "sh", "json"}
    assert PAGE.count("```") == 2 * len(BLOCKS)
    assert block("service") == "uvicorn library:app --port 8123\n"
