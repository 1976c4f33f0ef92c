"""Offline, a tool of a document answers by the schema that the document has of its answers."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stb_env.backend.simulator.schema_simulator import SchemaSimulator
from stb_env.formats.catalog_file import CatalogFile
from stb_env.formats.mcp_listing import read_listing
from stb_env.formats.openapi import Document, read_openapi
from stb_env.tools import ToolResult
from tests.command import reported, stb

NODE = {
    "type": "object",
    "required": ["name", "kind", "children", "parent"],
    "properties": {
        "name": {"type": "string", "pattern": "^node-[0-9]{3}$"},
        "kind": {"oneOf": [{"$ref": "#/components/schemas/Leaf"}, {"$ref": "#/components/schemas/Branch"}]},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        "parent": {"anyOf": [{"$ref": "#/components/schemas/Node"}, {"type": "null"}]},
    },
}
LEAF = {"type": "object", "required": ["size"], "properties": {"size": {"type": "number", "multipleOf": 0.5}}}
BRANCH = {
    "allOf": [
        {"$ref": "#/components/schemas/Leaf"},
        {
            "type": "object",
            "required": ["at"],
            "properties": {"at": {"type": "string", "format": "date-time"}},
        },
    ]
}
ORDER = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "state", "total", "lines", "marks", "tags"],
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "state": {"enum": ["open", "paid", "shipped"]},
        "total": {"type": "integer", "exclusiveMinimum": 5000, "maximum": 5003},
        "lines": {"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "string", "maxLength": 3}},
        "marks": {"type": "array", "uniqueItems": True, "minItems": 3, "items": {"enum": [1, 2, 3]}},
        "tags": {"type": "object", "minProperties": 2, "additionalProperties": {"type": "boolean"}},
        "note": {"type": ["string", "null"], "minLength": 30},
        "owner": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        "password": {"type": "string", "writeOnly": True},
    },
}
SCHEMAS = {"Node": NODE, "Leaf": LEAF, "Branch": BRANCH, "Order": ORDER}
TREE: Any = {"$ref": "#/components/schemas/Node"}
ONE: Any = {"$ref": "#/components/schemas/Order"}
PAGE = {"type": "object", "required": ["data"], "properties": {"data": {"type": "array", "items": ONE}}}
EXAMPLE = {"id": 3, "state": "paid", "total": 1, "tags": {"gift": True, "late": 4}, "owner": {"id": "ann"}}


def answering(schema: Any, example: Any = None, **rest: Any) -> dict[str, Any]:
    media = {"schema": schema} | ({"example": example} if example is not None else {})
    return {"responses": {"200": {"description": "", "content": {"application/json": media}}}, **rest}


def places(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Desk", "version": "1"},
    "servers": [{"url": "https://desk.example"}],
    "components": {"schemas": SCHEMAS},
    "paths": {
        "/tree": {"get": answering(TREE, operationId="tree")},
        "/orders": {
            "get": answering(PAGE, operationId="orders")
            | {
                "parameters": [
                    {"name": name, "in": "query", "schema": {}} for name in ("state", "limit", "id")
                ]
            }
        },
        "/orders/{order_id}": {
            "get": answering(ONE, operationId="order", parameters=places("order_id")),
            "delete": {"operationId": "drop", "parameters": places("order_id"), "responses": {"204": {}}},
        },
        "/shown/{order_id}": {
            "get": answering(ONE, EXAMPLE, operationId="shown", parameters=places("order_id"))
        },
        "/silent": {"get": {"operationId": "silent", "responses": {"200": {"description": ""}}}},
    },
}
SCHEMA_OF = {"tree": TREE, "orders": PAGE, "order": ONE, "shown": ONE}


@pytest.fixture(scope="module")
def file() -> CatalogFile:
    return read_openapi(Document(DOCUMENT)).file


def ask(file: CatalogFile, name: str, arguments: dict[str, Any], key: str = "") -> ToolResult:
    tool = file.catalog.get(name)
    assert tool is not None
    return SchemaSimulator(file).simulate(tool, arguments, key=key or json.dumps(arguments))


@pytest.mark.parametrize("name", SCHEMA_OF)
def test_ten_answers_fit_the_schema_of_the_document_itself(file: CatalogFile, name: str):
    validator = jsonschema.Draft202012Validator(
        {**SCHEMA_OF[name], "components": DOCUMENT["components"]},
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
    )
    answers = [
        ask(
            file,
            name,
            {"order_id": str(n)} if "order" in SCHEMA_OF[name].get("$ref", "").lower() else {},
            key=str(n),
        )
        for n in range(10)
    ]
    assert [error.message for one in answers for error in validator.iter_errors(one.response)] == []
    assert len({one.text for one in answers}) == 10
    assert "password" not in answers[0].response


def test_an_answer_is_about_the_call(file: CatalogFile):
    order = ask(file, "order", {"order_id": "17"}).response
    assert (order["id"], order["owner"]["id"] == "17") == (17, False)
    listed = ask(file, "orders", {"state": "shipped", "limit": 2, "id": 5}).response["data"]
    assert [one["state"] for one in listed] == ["shipped", "shipped"]
    assert listed[0]["id"] != listed[1]["id"], "members of a list have ids of their own"
    assert ask(file, "order", {"order_id": "17"}, key="other").response == order, "the same record again"
    assert ask(file, "order", {}).error == "Missing required parameter: 'order_id'"


def test_of_an_example_is_taken_what_fits(file: CatalogFile):
    shown = ask(file, "shown", {"order_id": "8"}).response
    assert (shown["id"], shown["state"], shown["owner"]) == (8, "paid", {"id": "ann"})
    assert shown["tags"]["gift"] is True
    assert shown["tags"]["late"] in (True, False)
    assert 5000 < shown["total"] <= 5003


def test_an_empty_answer_and_one_without_a_schema(file: CatalogFile):
    assert ask(file, "drop", {"order_id": "1"}).response == {"status": 204}
    assert ask(file, "silent", {}).error == ""


def test_a_document_that_asks_for_what_it_forbids_is_answered_without_that_part():
    torn = {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {"b": {}}}
    page = {"type": "object", "properties": {"n": {"type": "integer"}, "torn": torn}}
    paths = {"/a": {"get": answering(page, {"n": 1, "torn": {"a": 1}}, operationId="a")}}
    assert ask(read_openapi(Document({**DOCUMENT, "paths": paths})).file, "a", {}).response == {}


def test_null_of_3_0_and_the_output_schema_of_an_mcp_server():
    old = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": "string", "nullable": True, "enum": [None]}},
    }
    content = {**DOCUMENT, "openapi": "3.0.3", "paths": {"/a": {"get": answering(old, operationId="a")}}}
    assert ask(read_openapi(Document(content)).file, "a", {}).response == {"a": None}
    told = {
        "$defs": {"N": {"type": "integer", "const": 4}},
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/N"}},
    }
    listing = [{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": told}]
    assert ask(read_listing(listing, "net", {"url": "http://h"}), "count", {}).response == {"n": 4}


def test_the_command_line_imports_calls_and_plays_by_the_schemas(tmp_path: Path):
    (tmp_path / "api.json").write_text(json.dumps(DOCUMENT))
    catalog = tmp_path / "c.json"
    told = reported(
        "tools", "import", tmp_path / "api.json", "--out", catalog, "--only", "order", "--only", "drop"
    )
    assert "schemas" not in told["sources"]["desk"]
    assert list(CatalogFile.load(catalog).sources["desk"]["schemas"]) == ["Order"], (
        "what is used, and no more"
    )
    called = stb("tools", "call", catalog, "order", '{"order_id": "12"}', "--mode", "offline")
    assert json.loads(called.stdout)["response"]["id"] == 12
    query = {
        "id": "q",
        "query": "Order 12?",
        "gold": [{"name": "order", "arguments": {"order_id": "12"}}],
        "check": {"number": 12},
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(query))
    options = (
        "--tools",
        catalog,
        "--data",
        tmp_path / "q.jsonl",
        "--agent",
        "gold",
        "--out",
        tmp_path / "out",
    )
    assert stb("run", "stb/Tools-v0", *options).exit_code == 0
    played = (tmp_path / "out" / "trajectories.jsonl").read_text()
    assert called.stdout.strip()[:40].replace('"', "") in played.replace("\\", "").replace('"', "")


def test_a_simulator_goes_to_other_processes(file: CatalogFile):
    simulator = SchemaSimulator(file)
    tool = file.tools[0]
    again = pickle.loads(pickle.dumps(simulator))
    assert again.simulate(tool, {}, key="k") == simulator.simulate(tool, {}, key="k")
    assert again.version == simulator.version


def test_numbers_are_such_as_one_sees_under_their_names():
    whole = {"type": "integer"}
    names = ("nights", "guests", "price", "followers")
    members = {"type": "array", "items": {"type": "object", "properties": dict.fromkeys(names, whole)}}
    page = {"page": whole, "next": {"anyOf": [whole, {"type": "null"}]}, "data": members}
    paths = {"/a": {"get": answering({"type": "object", "properties": page}, operationId="a")}}
    paths["/a"]["get"]["parameters"] = [{"name": "page", "in": "query", "schema": whole}]
    file = read_openapi(Document({**DOCUMENT, "paths": paths})).file
    response: Any = ask(file, "a", {"page": 2}).response
    assert (response["page"], response["next"]) == (2, 3)
    for member in response["data"]:
        assert {member["nights"], member["guests"]} <= set(range(1, 13))
        assert member["price"] <= 500 < 100 * member["followers"]
