"""OpenAPI documents become typed tools, and what is unsafe or unknown in them is refused."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.actions.validation import validate_call
from stb_env.backend.simulator.schema_simulator import SchemaSimulator
from stb_env.errors import DataError
from stb_env.formats.catalog_file import CatalogFile
from stb_env.formats.openapi import Document, Import, read_openapi
from stb_env.formats.openapi.document import decoded
from stb_env.tools import ToolCall

SERVER = "https://shop.example/v1"


def read(paths: dict[str, Any], version: str = "3.1.0", server: str = SERVER, **rest: Any) -> Import:
    document = {"openapi": version, "info": {"title": "Shop"}, "paths": paths, **rest}
    return read_openapi(Document(document), server=server)


def posting(schema: dict[str, Any], required: bool = True, kind: str = "application/json") -> dict[str, Any]:
    body = {"required": required, "content": {kind: {"schema": schema}}}
    return {"/orders": {"post": {"operationId": "order", "requestBody": body}}}


def test_a_recursive_schema_is_checked_at_any_depth():
    part = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": ref("Part")}},
    }
    tool = read(posting(ref("Part")), components={"schemas": {"Part": part}}).file.tools[0]
    good = {"name": "a", "parts": [{"name": "b", "parts": [{"name": "c"}]}]}
    bad = {"name": "a", "parts": [{"name": "b", "parts": [{"name": 3}]}]}
    assert validate_call(ToolCall("order", good), tool) == []
    assert validate_call(ToolCall("order", bad), tool) != []


def test_schemas_that_refer_to_each_other_in_layers_stay_small():
    layers = {
        f"L{n}": {"type": "object", "properties": {side: ref(f"L{n + 1}") for side in ("left", "right")}}
        for n in range(40)
    }
    schemas = {**layers, "L40": {"type": "string"}}
    tool = read(posting({"type": "array", "items": ref("L0")}), components={"schemas": schemas}).file.tools[0]
    assert len(tool.spec) < 50_000


def test_null_and_exclusive_bounds_of_3_0_become_those_of_json_schema():
    schema = {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "nullable": True}
    operation = {"parameters": [{"name": "n", "in": "query", "schema": schema}]}
    tool = read({"/items": {"get": operation}}, version="3.0.3").file.tools[0]
    assert tool.parameters["properties"]["n"] == {"type": ["integer", "null"], "exclusiveMinimum": 0}


def test_parameters_of_one_name_in_several_places_get_names_of_their_own():
    names = [{"name": "id", "in": place, "required": True} for place in ("path", "query", "header", "cookie")]
    tool = read({"/items/{id}": {"get": {"parameters": names}}}).file.tools[0]
    assert list(tool.parameters["properties"]) == ["id", "id_query", "id_header", "id_cookie"]


def test_members_of_a_body_are_arguments_and_what_only_the_server_writes_is_none():
    properties = {"item": {"type": "integer"}, "at": {"type": "string", "readOnly": True}}
    tool = read(posting({"type": "object", "properties": properties, "required": ["item", "at"]})).file.tools[
        0
    ]
    assert tool.parameters["required"] == ["item"]
    assert list(tool.parameters["properties"]) == ["item"]


def test_a_body_that_may_be_left_out_but_has_required_members_is_one_argument():
    schema = {"type": "object", "properties": {"item": {"type": "integer"}}, "required": ["item"]}
    tool = read(posting(schema, required=False)).file.tools[0]
    assert list(tool.parameters["properties"]) == ["body"]
    assert "required" not in tool.parameters


def test_a_server_has_its_variables_filled_from_defaults_or_as_one_says():
    region = {"default": "eu", "enum": ["eu", "us"]}
    servers = [{"url": "https://{region}.shop.example/", "variables": {"region": region}}]
    document = Document({"openapi": "3.0.0", "servers": servers, "paths": {"/items": {"get": {}}}})
    assert read_openapi(document).file.sources["openapi"]["server"] == "https://eu.shop.example"
    chosen = read_openapi(document, server_variables={"region": "us"}).file
    assert chosen.sources["openapi"]["server"] == "https://us.shop.example"
    with pytest.raises(
        DataError, match=r"^variable 'region' of the server in the document must be one of eu, us"
    ):
        read_openapi(document, server_variables={"region": "evil.example/"})


@pytest.mark.parametrize("server", ["file:///etc", "https://user:pw@shop.example", "ftp://shop.example"])
def test_a_server_that_is_not_plain_http_is_refused_and_not_quoted(server: str):
    with pytest.raises(
        DataError, match=r"^the server of the document must be a URL such as https://HOST/PATH$"
    ):
        read({"/items": {"get": {}}}, server=server)


@pytest.mark.parametrize(
    "reference", ["file:///etc/passwd", "https://evil.example/x.json#/A", "other.yaml#/A"]
)
def test_a_reference_out_of_the_document_is_not_followed(reference: str):
    broken, fine = posting({"$ref": reference}), {"/a": {"get": {}}}
    with pytest.raises(DataError, match=r": the document refers to .*, which is not in it; bundle it into"):
        read(broken)
    found = read(broken | fine)
    assert [tool.name for tool in found.file.tools] == ["GET_a"]
    assert found.skipped[0].endswith("which is not in it; bundle it into one document")


@pytest.mark.parametrize("at", ["response", "schema", "member"])
def test_an_answer_that_is_described_elsewhere_is_any(at: str):
    out = {"$ref": "other.yaml#/A"}
    schema = {"response": {}, "schema": out, "member": {"properties": {"a": out, "b": {"type": "integer"}}}}[
        at
    ]
    answer = out if at == "response" else {"content": {"application/json": {"schema": schema}}}
    found = read({"/a": {"get": {"responses": {"200": answer}}}})
    assert (len(found.file.tools), found.skipped) == (1, ())
    simulator = SchemaSimulator(found.file)
    assert not simulator.simulate(found.file.tools[0], {}, key="k").error


def test_references_around_in_a_circle_end():
    schemas = {"A": ref("B"), "B": ref("A")}
    with pytest.raises(DataError, match="lead around in a circle"):
        read(posting(ref("A")), components={"schemas": schemas})


def test_a_path_that_is_no_object_is_named():
    with pytest.raises(DataError, match="has None at the path '/b'; an object was expected"):
        read({"/a": {"get": {}}, "/b": None})


def test_an_operation_that_cannot_be_called_is_left_out_with_the_reason():
    host = {"parameters": [{"name": "Host", "in": "header"}]}
    xml = {"requestBody": {"content": {"application/xml": {}}}}
    found = read({"/a": {"get": {}, "post": xml}, "/b/{id}": {"get": {}}, "/c": {"get": host}})
    assert [tool.name for tool in found.file.tools] == ["GET_a"]
    assert found.skipped == (
        "POST /a: its body is application/xml; known are application/json, +json, "
        "application/x-www-form-urlencoded, multipart/form-data, text/plain",
        "GET /b/{id}: nothing says what {id} of its path is",
        "GET /c: its parameter 'Host' is a header that no argument may set",
    )


def test_a_catalogue_names_the_variables_of_keys_and_never_holds_one():
    schemes = {
        "k": {"type": "apiKey", "in": "query", "name": "key"},
        "b": {"type": "http", "scheme": "basic"},
    }
    security = [{"k": []}, {"b": []}]
    found = read({"/a": {"get": {"security": security}}}, components={"securitySchemes": schemes}).file
    assert found.sources["shop"]["keys"] == {
        "k": {"kind": "apiKey", "in": "query", "name": "key", "env": "SHOP_K"},
        "b": {"kind": "basic", "env": "SHOP_B"},
    }
    with pytest.raises(DataError, match=r"^the key of 'k' is given by the name of an environment variable"):
        read_openapi(
            Document({"openapi": "3.1.0", "paths": {}, "components": {"securitySchemes": schemes}}),
            server=SERVER,
            key_variables={"k": "sk-0123456789"},
        )


def test_yaml_is_read_as_its_json_and_aliases_are_refused():
    text = (
        "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: 2020-01-01}\n"
    )
    assert decoded(text, "x")["paths"]["/a"]["get"]["responses"] == {"200": {"description": "2020-01-01"}}
    with pytest.raises(DataError, match=r"^x has YAML aliases"):
        decoded("a: &a [1, 2]\nb: [*a, *a]\n", "x")


def test_a_catalogue_is_read_back_as_it_was_written(tmp_path: Any):
    file = read({"/a/{id}": {"get": {"parameters": [{"name": "id", "in": "path"}]}}}).file
    file.save(tmp_path / "c.json")
    again = CatalogFile.load(tmp_path / "c.json")
    assert (again.to_dict(), again.hash, again.catalog.get("GET_a_id")) == (
        file.to_dict(),
        file.hash,
        file.tools[0],
    )


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
