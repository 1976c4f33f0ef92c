"""The environment of own tools takes queries as people write them, and says what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import stb_env
from stb_env.errors import ConfigError, DataError
from stb_env.formats.catalog_file import CatalogFile

TOOLS = [
    {"name": name, "description": f"Tells the {what} of a city.", "parameters": schema}
    for schema in [{"properties": {"city": {"type": "string"}}, "required": ["city"]}]
    for name, what in [("weather", "weather"), ("mayor", "mayor"), ("distance", "distance")]
]
CATALOG = CatalogFile.of({"version": 1, "tools": TOOLS})


def make(folder: Path, lines: str, name: str = "queries.jsonl", **settings: Any) -> Any:
    (folder / name).write_text(lines, encoding="utf-8")
    return stb_env.make("stb/Tools-v0", tools=CATALOG, data=str(folder / name), judge="heuristic", **settings)


def test_text_alone_is_a_query_with_every_tool_and_an_open_judge(tmp_path: Path):
    env = make(tmp_path, "Who is the mayor of Oslo?\n\nHow far is Rome?\n", "queries.txt")
    assert [task.query for task in env.tasks] == ["Who is the mayor of Oslo?", "How far is Rome?"]
    assert [tool.name for tool in env.tasks[0].tools] == ["weather", "mayor", "distance"]
    assert env.rules.judge.name == "heuristic"


def test_retrieval_offers_what_fits_and_always_what_gold_needs(tmp_path: Path):
    line = {"query": "Who is the mayor?", "gold": [{"name": "weather", "arguments": {"city": "Oslo"}}]}
    env = make(tmp_path, json.dumps(line), retrieve=1)
    assert [tool.name for tool in env.tasks[0].tools] == ["mayor", "weather"]


def test_checked_and_open_queries_stand_side_by_side_and_each_verdict_says_who_decided(tmp_path: Path):
    lines = [{"id": "a", "query": "Rome?", "check": {"equals": "yes"}}, {"id": "b", "query": "Oslo?"}]
    env = make(tmp_path, "\n".join(map(json.dumps, lines)))
    assert env.rules.judge.name == "exact or heuristic"
    finish = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "yes"}}
    judges = []
    for task_id in ("a", "b"):
        env.reset(options={"task_id": task_id})
        judges.append(env.step(finish)[4]["verdict"]["judge"])
    assert judges == ["exact", "heuristic"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query": "a", "tools": ["wether"]}', r"line 1: the catalogue has no tool 'wether'\. Did you mean"),
        ('{"query": " "}', r"line 1: the query is empty; say what the user asks$"),
        ('{"qery": "a"}', r"line 1 has no setting 'qery'; it takes .* Did you mean 'query'\?$"),
        (
            '{"query": "a", "gold": [{"name": "mayor"}]}',
            r"line 1: gold of task '1' calls 'mayor' with wrong arguments: missing",
        ),
        ("What?", r"line 1: expected JSON such as .*; plain text goes into a file that ends in \.txt$"),
        ("\n", r"has no queries; write one a line$"),
    ],
)
def test_a_line_that_is_no_query_is_named_with_what_is_wrong(tmp_path: Path, line: str, message: str):
    with pytest.raises(DataError, match=message):
        make(tmp_path, line)


def test_a_catalogue_and_queries_go_together(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"^data goes with tools: a catalogue \(--tools FILE\) and queries"):
        stb_env.make("stb/Tools-v0", data=str(tmp_path))


def test_a_list_of_functions_names_no_service_and_the_error_says_what_to_give(tmp_path: Path):
    with pytest.raises(
        ConfigError, match=r"^the catalogue names no service that answers its tools; give one"
    ):
        make(tmp_path, '{"query": "a"}', mode="live")
