"""API entries as tools, in our form and in the original's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.suites.stabletoolbench.api_entry import original_function, tool_from_api
from tests.shared import found, queries


def entry(required=(), optional=(), **more) -> dict:
    base = {"category_name": "Data", "tool_name": "Films", "api_name": "Film", "api_description": "One film."}
    return base | {"required_parameters": list(required), "optional_parameters": list(optional)} | more


def parameter(name="n", type_="STRING", description="", default="", **more) -> dict:
    return {"name": name, "type": type_, "description": description, "default": default} | more


@pytest.mark.parametrize(("suffix", "wrapped"), [("", True), (".flat", False)])
def test_golden_function_lists_are_reproduced_to_the_byte(shared_data: Path, suffix: str, wrapped: bool):
    records = {
        (file.stem, record["query_id"]): record
        for file in found(shared_data, "stabletoolbench/solvable_queries/test_instruction/*.json")
        for record in json.loads(file.read_text(encoding="utf-8"))
    }
    checked = 0
    for golden in found(shared_data, f"stabletoolbench/golden/openai_functions_*{suffix}.jsonl"):
        if not suffix and golden.name.endswith(".flat.jsonl"):
            continue
        for line in golden.read_text(encoding="utf-8").splitlines():
            expected = json.loads(line)
            record = records.get((expected["group"], expected["query_id"]))
            if record is None:
                continue
            functions = [original_function(api, wrapped=wrapped) for api in record["api_list"]]
            assert json.dumps(functions) == json.dumps(expected["functions"])
            checked += 1
    if not checked:
        pytest.skip("no query has a recorded list of functions")


def test_optional_parameters_are_kept_where_nothing_is_required():
    tool = tool_from_api(entry(optional=[parameter("page", "NUMBER", default="2")]), "film")
    assert tool.parameters == {"type": "object", "properties": {"page": {"type": "number", "default": 2}}}


def test_the_original_loses_optional_parameters_where_nothing_is_required():
    function = original_function(entry(optional=[parameter("page")]))["function"]
    assert function["parameters"] == {"type": "object", "properties": {}, "required": [""], "optional": [""]}


@pytest.mark.parametrize(
    ("given", "schema"),
    [
        (parameter(type_="NUMBER", default="6"), {"type": "number", "default": 6}),
        (parameter(type_="NUMBER", default="0.5"), {"type": "number", "default": 0.5}),
        (parameter(type_="NUMBER", default=3), {"type": "number", "default": 3}),
        (parameter(type_="NUMBER", default="many"), {"type": ["number", "string"], "default": "many"}),
        (parameter(type_="BOOLEAN", default="false"), {"type": "boolean", "default": False}),
        (parameter(type_="BOOLEAN", default=True), {"type": "boolean", "default": True}),
        (
            parameter(type_="ENUM", enum=["a", "b"], default="a"),
            {"type": "string", "enum": ["a", "b"], "default": "a"},
        ),
        (parameter(type_="ENUM", enum=["a", "b"], default="c"), {"type": "string", "enum": ["a", "b"]}),
        (parameter(type_="string", default="x"), {"type": "string", "default": "x"}),
        (parameter(type_="STRING", default=5), {"type": "string", "default": "5"}),
        (parameter(type_="DATE (YYYY-MM-DD)"), {"type": "string", "format": "date"}),
        (parameter(type_="ARRAY", default='["a"]'), {"type": "array", "items": {}, "default": ["a"]}),
        (parameter(type_="OBJECT", default="cities"), {"type": ["object", "string"], "default": "cities"}),
        (parameter(type_="NEVER SEEN"), {"type": "string"}),
    ],
)
def test_a_parameter_becomes_this_schema(given: dict, schema: dict):
    assert tool_from_api(entry(required=[given]), "film").parameters["properties"]["n"] == schema


def test_two_parameters_that_meet_in_one_name_are_both_kept():
    tool = tool_from_api(entry(required=[parameter("user id"), parameter("user-id")]), "film")
    assert tool.parameters["required"] == ["user_id", "user_id_2"]


def test_no_real_tool_has_an_empty_required_name_or_a_default_that_its_schema_forbids(shared_data: Path):
    import jsonschema_rs

    from stb_env.suites.stabletoolbench.queries import load

    catalog = load(queries(shared_data)).tasks.catalog
    for tool in catalog:
        assert "" not in tool.parameters.get("required", ())
        for name, schema in tool.parameters["properties"].items():
            if "default" in schema:
                assert jsonschema_rs.is_valid(schema, schema["default"]), (tool.name, name)
