"""Tool files: what they add to the APIs of a query, and what they must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.backend.simulator import mirror
from stb_env.backend.simulator.llm_simulator import documentation
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.retrieval.tool_index import tool_text
from stb_env.show.cli import app
from stb_env.suites.stabletoolbench.env import make
from stb_env.suites.stabletoolbench.queries import load
from stb_env.suites.stabletoolbench.tool_files import ToolFiles
from stb_env.tools import Tool
from tests.shared import objects
from tests.suites.stabletoolbench.tool_folder import (
    ENTRY,
    FILMS,
    MINIMAL,
    OTHER,
    record,
    write_queries,
    write_tools,
)


def only_tool(root: Path, *entries: Any, **settings: Any) -> Tool:
    """Return the first tool of the one query that has these entries."""
    return made(root, *entries, **settings).tasks.at(0).tools[0]


def made(root: Path, *entries: Any, **settings: Any) -> ToolEnv:
    return make("I1-Instruction", write_queries(root, record(*entries)), judge="heuristic", **settings)


def check(*words: object) -> Any:
    return CliRunner().invoke(app, ["data", "check", *map(str, words), "--json"])


def test_the_agent_reads_what_a_tool_is_for(tmp_path):
    tool = only_tool(tmp_path, ENTRY, tools=write_tools(tmp_path / "mine"))
    assert tool.description == (
        'Own words. (API "Cast of Film" of "Film Fan", Movies: Knows every film. And its cast.)'
    )


def test_by_default_the_querys_own_words_and_names_stay(tmp_path):
    without = only_tool(tmp_path, ENTRY, tools="none")
    tool = only_tool(tmp_path, ENTRY, tools=write_tools(tmp_path / "mine"))
    assert (tool.name, tool.parameters) == (without.name, without.parameters)
    assert {**tool.record, **ENTRY} == tool.record


def test_a_minimal_record_takes_description_and_parameters_from_the_tool_file(tmp_path):
    tool = only_tool(tmp_path, MINIMAL, tools=write_tools(tmp_path / "mine"))
    assert tool.description.startswith("Who plays in a film. (API")
    assert list(tool.parameters["properties"]) == ["filmid", "limit"]
    assert tool.parameters["required"] == ["filmid"]


def test_a_tool_of_the_same_name_in_another_category_is_another_tool(tmp_path):
    folder = write_tools(tmp_path / "mine", Cameras__film_fan=OTHER)
    tool = only_tool(tmp_path, ENTRY, tools=folder)
    assert "camera" not in tool.description
    assert "tool_description" not in tool.record
    both = write_tools(tmp_path / "mine")
    assert "camera" not in only_tool(tmp_path / "again", ENTRY, tools=both).description
    assert (
        "camera"
        in only_tool(tmp_path / "cameras", {**ENTRY, "category_name": "Cameras"}, tools=both).description
    )


def test_the_simulator_mirrorapi_and_searches_read_what_a_tool_is_for(tmp_path):
    tool = only_tool(tmp_path, ENTRY, tools=write_tools(tmp_path / "mine"))
    assert json.loads(documentation(tool))["tool_description"] == FILMS["tool_description"]
    assert mirror.document(tool)["tool_description"] == FILMS["tool_description"]
    assert "Knows every film" in tool_text(tool)


@pytest.mark.parametrize(
    "place", ["", "tools", "tools/unpacked", "unpacked", "toolenv/tools", "cache/x/tools"]
)
def test_tool_files_are_found_in_the_usual_places_of_a_folder(tmp_path, place):
    write_tools(tmp_path / "mine" / place)
    assert "Knows every film" in only_tool(tmp_path, ENTRY, tools=tmp_path / "mine").description


@pytest.mark.parametrize("place", ["tools", "tools/unpacked", "toolenv/tools", "cache/tools"])
def test_tool_files_beside_the_data_are_found(tmp_path, place):
    write_tools(tmp_path / place)
    assert "Knows every film" in only_tool(tmp_path, ENTRY).description


def test_other_json_beside_the_data_is_no_tool_file(tmp_path):
    write_tools(tmp_path / "tools", Movies__film_fan={"api_list": []})
    assert only_tool(tmp_path, ENTRY).record == ENTRY


def test_what_was_read_stands_in_the_manifest(tmp_path):
    folder = write_tools(tmp_path / "mine")
    words = ["run", "stb/I1Instruction-v0", "--data", write_queries(tmp_path, record()), "--tools", folder]
    words += ["--agent", "give_up", "--judge", "heuristic", "--out", tmp_path / "run", "--json"]
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["task_sources"]["tool_files"]["tools"] == 1
    assert str(tmp_path) not in json.dumps(manifest)


def test_another_description_is_another_hash(tmp_path):
    def sources(root: Path, description: str) -> dict[str, Any]:
        folder = write_tools(root / "mine", Movies__film_fan={**FILMS, "tool_description": description})
        return made(root, ENTRY, tools=folder, compat="original").tasks.sources["tool_files"]

    assert sources(tmp_path / "a", "One.") == sources(tmp_path / "b", "One.")
    assert sources(tmp_path / "a", "One.") != sources(tmp_path / "c", "Two.")


def test_in_compatibility_mode_the_tool_files_words_take_the_querys_place(tmp_path):
    tool = only_tool(tmp_path, ENTRY, tools=write_tools(tmp_path / "mine"), compat="original")
    assert list(tool.parameters["properties"]) == ["filmid", "limit"]
    assert "Own words" not in tool.description
    assert "Who plays in a film." in tool.description


def test_in_compatibility_mode_an_unknown_api_is_left_out_and_reported(tmp_path):
    gone = {**MINIMAL, "api_name": "Gone"}
    data = write_queries(tmp_path, record(MINIMAL, gone))
    tools = ToolFiles(write_tools(tmp_path / "mine"))
    loaded = load(data, compat="original", tools=tools)
    assert [tool.id.api for tool in loaded.tasks[0].tools] == ["cast_of_film"]
    assert [str(problem.field) for problem in loaded.problems] == ["api_list[1]"]


def test_in_compatibility_mode_a_query_of_an_unknown_tool_is_left_out_and_reported(tmp_path):
    gone = {**MINIMAL, "tool_name": "Gone"}
    data = write_queries(tmp_path, record(MINIMAL, gone), record(query_id=2))
    loaded = load(data, compat="original", tools=ToolFiles(write_tools(tmp_path / "mine")))
    assert [task.id for task in loaded.tasks] == ["2"]
    assert loaded.problems[0].message == "no tool file of 'Gone' in Movies"


def test_the_originals_functions_follow_from_its_tool_files(tmp_path, shared_data):
    cases = objects(shared_data, "stabletoolbench/golden/*.json", "tool_files", "query", "function_names")
    for number, case in enumerate(cases):
        root = tmp_path / str(number)
        for place, data in case["tool_files"].items():
            category, _, name = place.partition("/")
            write_tools(root / "mine", **{f"{category}__{name.removesuffix('.json')}": data})
        data = write_queries(root, {**case["query"], "query_id": 1})
        (task,) = load(data, compat="original", tools=ToolFiles(root / "mine")).tasks
        assert [tool.name for tool in task.tools] == case["function_names"][:-1]
        assert [tool.id.tool for tool in task.tools] == case["tool_names"]
        assert [tool.id.category for tool in task.tools] == case["cate_names"]
        described = {tool.id.tool: tool.record.get("tool_description") for tool in task.tools}
        lines = case["task_description_tool_lines"].splitlines()
        for line, (name, text) in zip(lines, described.items(), strict=True):
            assert line.split(".", 1)[1] == f"{name}: {str(text).replace(chr(10), '').strip()}"


DAMAGED = [
    ("{", r"Expecting property name enclosed in double quotes"),
    ([], r"expected an object with a text tool_name and a list api_list$"),
    ({"tool_name": "Film Fan"}, r"api_list: expected a list, got NoneType$"),
    ({"tool_name": "Film Fan", "api_list": [{"name": 5}]}, r"api_list\[0\]\.name: expected a text, got 5$"),
    (
        {"tool_name": "Film Fan", "api_list": [{"name": "a", "required_parameters": [{}]}]},
        r"api_list\[0\]\.required_parameters: expected a list of objects that have a text 'name'$",
    ),
]


@pytest.mark.parametrize(("data", "message"), DAMAGED)
def test_a_damaged_tool_file_is_reported_and_the_query_played_without_it(tmp_path, data, message):
    folder = write_tools(tmp_path / "tools", Movies__film_fan=data, Cameras__film_fan=OTHER)
    queries = write_queries(tmp_path, record(ENTRY))
    assert only_tool(tmp_path, ENTRY).record == ENTRY
    with pytest.raises(DataError, match=rf"film_fan\.json: tool file: {message}"):
        load(queries, strict=True, tools=ToolFiles(folder))
    result = check(queries)
    assert result.exit_code == 1
    (problem,) = json.loads(result.stdout)["problems"]
    assert (problem["file"], problem["field"]) == (str(folder / "Movies" / "film_fan.json"), "tool file")


@pytest.mark.parametrize(("data", "message"), DAMAGED)
def test_a_folder_of_damaged_tool_files_alone_is_refused(tmp_path, data, message):
    folder = write_tools(tmp_path / "mine", Movies__film_fan=data)
    with pytest.raises(DataError, match=rf"^no tool file in .*; expected .*; .*film_fan\.json: {message}"):
        made(tmp_path, ENTRY, tools=folder)


def test_a_folder_without_tool_files_is_refused(tmp_path):
    with pytest.raises(
        DataError, match=r"^no tool file in .*empty; expected <Category>/<tool>\.json with an"
    ):
        made(tmp_path, ENTRY, tools=tmp_path / "empty")


def test_data_check_reports_on_tool_files_beside_the_queries_and_alone(tmp_path):
    folder = write_tools(tmp_path / "tools")
    beside = json.loads(check(write_queries(tmp_path, record())).stdout)
    alone = json.loads(check(folder).stdout)
    assert beside["tool_files"] == alone
    assert (alone["tools"], alone["apis"], alone["problems"]) == (2, 3, [])


def test_data_check_of_damaged_tool_files_fails(tmp_path):
    write_tools(tmp_path / "tools")
    result = check(write_tools(tmp_path / "tools", Movies__bad="["))
    assert result.exit_code == 1
    assert json.loads(result.stdout)["problems"][0]["file"].endswith("bad.json")


def test_a_file_is_read_when_its_tool_is_asked_for_and_once(tmp_path):
    files = ToolFiles(write_tools(tmp_path, Movies__film_fan=FILMS, Movies__bad="["))
    assert files.problems == {}
    first = files.tool("Movies", "Film Fan")
    assert first is files.tool("Movies", "film_fan")
    assert files.problems == {}
    assert files.tool("Movies", "bad") is None
    assert len(files.problems) == 1


def test_tools_need_query_files(tmp_path):
    tasks = load(write_queries(tmp_path, record())).tasks
    with pytest.raises(ConfigError, match=r"^tools and retrieve are for query files, and data is a TaskSet$"):
        make("I1-Instruction", tasks, judge="heuristic", tools=tmp_path)
