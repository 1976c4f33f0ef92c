"""Queries that name no API: found by retrieval where that is asked for, and refused otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.show.cli import app
from stb_env.suites.stabletoolbench.env import make
from stb_env.suites.stabletoolbench.queries import load
from tests.shared import found, queries
from tests.suites.stabletoolbench.tool_folder import ENTRY, record, write_queries, write_tools

OPEN = {"query": "Which films are the newest?", "query_id": 9}


def many(count: int = 12) -> dict[str, Any]:
    """Return tool files of that many more tools, which fit nothing."""
    return {
        f"Numbers__sum_{n}": {"tool_name": f"Sum {n}", "api_list": [{"name": f"Adds {n}"}]}
        for n in range(count)
    }


def made(root: Path, *records: Any, **settings: Any) -> ToolEnv:
    return make("I1-Instruction", write_queries(root, *records), judge="heuristic", **settings)


def test_a_query_without_tools_gets_the_ones_that_fit_it_best(tmp_path):
    write_tools(tmp_path / "tools", **many())
    write_tools(tmp_path / "tools")
    (task,) = made(tmp_path, OPEN, retrieve=2).tasks
    assert len(task.tools) == 2
    assert task.tools[0].id.api == "newest"


@pytest.mark.parametrize("retriever", ["bm25", "ngram", "hybrid"])
def test_any_retriever_gives_equal_tools_each_time_and_is_named(tmp_path, retriever):
    write_tools(tmp_path / "tools", **many())
    write_tools(tmp_path / "tools")
    envs = [made(tmp_path, OPEN, retrieve=3, retriever=retriever, strict=strict) for strict in (True, False)]
    assert envs[0].tasks.hash == envs[1].tasks.hash
    assert envs[0].tasks.sources["retrieval"] == {"k": 3, "retriever": retriever, "apis": 15}


def test_a_query_that_names_its_tools_keeps_them(tmp_path):
    write_tools(tmp_path / "tools")
    first, second = made(tmp_path, record(ENTRY), OPEN, retrieve=2).tasks
    assert [tool.record["api_description"] for tool in first.tools] == ["Own words."]
    assert len(second.tools) == 2


def test_without_tool_files_the_other_queries_apis_are_searched(tmp_path):
    newest = {**ENTRY, "api_name": "Newest films"}
    *_, task = made(tmp_path, record(ENTRY, newest), OPEN, retrieve=1).tasks
    assert [tool.id.api for tool in task.tools] == ["newest_films"]


def test_relevant_apis_that_were_found_are_marked_and_others_are_no_problem(tmp_path):
    newest = {**ENTRY, "api_name": "Newest films"}
    pairs = [["Film Fan", "Newest films"], ["Film Fan", "Gone"]]
    env = made(tmp_path, record(ENTRY, newest), {**OPEN, "relevant APIs": pairs}, retrieve=1, strict=True)
    assert [identity.api for identity in env.tasks.at(1).relevant] == ["newest_films"]


def test_in_compatibility_mode_found_tools_have_the_originals_form(tmp_path):
    write_tools(tmp_path / "tools")
    (task,) = made(tmp_path, OPEN, retrieve=1, compat="original").tasks
    (tool,) = task.tools
    assert tool.description.startswith('This is the subfunction for tool "film_fan"')
    assert tool.parameters["optional"] == [""]


def test_without_the_option_the_error_names_it(tmp_path):
    with pytest.raises(
        DataError, match=r"; 1 name no API; retrieve=K \(--retrieve K\) finds K of them for such"
    ):
        made(tmp_path, OPEN)


def test_without_anything_to_search_the_error_names_the_tool_files(tmp_path):
    with pytest.raises(DataError, match=r"^there are no APIs to retrieve from: .* \(--tools PATH\)$"):
        made(tmp_path, OPEN, retrieve=2)


def test_an_unknown_retriever_is_refused(tmp_path):
    write_tools(tmp_path / "tools")
    with pytest.raises(ConfigError, match=r"^no retriever 'bm52'; known: .* Did you mean 'bm25'\?$"):
        made(tmp_path, OPEN, retrieve=2, retriever="bm52")


def test_the_command_line_retrieves_and_its_manifest_says_how(tmp_path):
    folder = write_tools(tmp_path / "mine")
    words = ["run", "stb/I1Instruction-v0", "--data", write_queries(tmp_path, OPEN), "--tools", folder]
    words += [
        "--retrieve",
        2,
        "--agent",
        "give_up",
        "--judge",
        "heuristic",
        "--out",
        tmp_path / "run",
        "--json",
    ]
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["settings"]["retrieve"] == 2
    assert manifest["task_sources"]["retrieval"] == {"k": 2, "retriever": "hybrid", "apis": 3}


def test_an_evaluation_retrieves_too(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[eval]\ngroups = ["stb/I1Instruction-v0"]\njudge = "heuristic"\n[[agent]]\nname = "give_up"\n'
    )
    data = write_queries(tmp_path, OPEN)
    plan.write_text(plan.read_text().replace("[eval]", f'[eval]\ndata = "{data}"'))
    folder = write_tools(tmp_path / "mine")
    words = ["eval", plan, "--out", tmp_path / "eval", "--tools", folder, "--retrieve", 1, "--json"]
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    (manifest,) = (tmp_path / "eval").rglob("offline/*/*/manifest.json")
    assert json.loads(manifest.read_text())["task_sources"]["retrieval"]["k"] == 1


def test_real_open_queries_find_apis_of_the_real_queries(shared_data, tmp_path):
    real = [
        raw
        for file in found(shared_data, "toolbench/instruction/*.json")
        for raw in json.loads(file.read_text(encoding="utf-8"))
        if not raw.get("api_list")
    ]
    if not real:
        pytest.skip("no query without tools in the shared data")
    named = load(queries(shared_data), "I1-Instruction").files[0]
    records = json.loads(named.read_text(encoding="utf-8"))
    data = write_queries(tmp_path, *real, *records)
    tasks = make("I1-Instruction", data, judge="heuristic", retrieve=5).tasks
    assert all(len(tasks.get(str(raw["query_id"])).tools) == 5 for raw in real)
