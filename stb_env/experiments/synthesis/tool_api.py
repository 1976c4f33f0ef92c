"""Tools as API-Bank describes APIs, and the reading of real API descriptions from files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from stb_env import Tool
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.form import Form, UnfitDraft, list_of
from stb_env.experiments.synthesis.roles import API_RECORD
from stb_env.suites.stabletoolbench.queries import load

_MOST_TEXT = 500
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}
_FOREIGN = re.compile(r"\W", re.ASCII)
_LIST = Form("API", {"apis": list_of(API_RECORD, 100_000)})


def api_of(tool: Tool) -> Api:
    """Return a tool as API-Bank describes it; its outputs come from the recorded shape of its answers.

    Examples:
        >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        >>> record = {"template_response": {"pages": "int"}}
        >>> api = api_of(Tool("page-count", "Counts.", schema, record=record))
        >>> api.name, api.inputs["n"]["type"], api.outputs["pages"]["type"]
        ('page_count', 'int', 'int')
    """
    required = tool.parameters.get("required", ())
    inputs = {
        _word(name): _input(schema, name in required)
        for name, schema in tool.parameters.get("properties", {}).items()
    }
    shape = tool.record.get("template_response")
    shape = jsontext.close(shape) if isinstance(shape, str) else shape
    members = shape if isinstance(shape, Mapping) else {"result": shape}
    outputs = {_word(name): _output(name, kind) for name, kind in members.items()}
    return Api(_word(tool.name), tool.description[: 2 * _MOST_TEXT], inputs, outputs)


def read_apis(path: str | Path) -> tuple[Api, ...]:
    """Read real API descriptions.

    Args:
        path: StableToolBench query files, or a JSON list of objects with ``name description
            input_parameters output_parameters``.

    Raises:
        DataError: It is neither.
    """
    path = Path(path)
    records: Json = None
    if path.is_file():
        try:
            records = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"cannot read the APIs in {path}: {error}") from error
    first = records[0] if isinstance(records, list) and records else None
    if first is not None and not (isinstance(first, Mapping) and "api_list" in first):
        try:
            _LIST.read(json.dumps({"apis": records}))
        except UnfitDraft as error:
            raise DataError(f"{path} is no list of APIs: {error}") from error
        return tuple(Api.from_record(record) for record in records)
    return tuple(api_of(tool) for tool in load(path).tasks.catalog)


def _input(schema: JsonMapping, required: bool) -> JsonObject:
    description = str(schema.get("description", ""))
    if schema.get("enum"):
        description = f"{description} One of: {', '.join(map(str, schema['enum']))}.".strip()
    entry = {"type": _TYPES.get(str(schema.get("type")), "str"), "description": description[:_MOST_TEXT]}
    return entry if required else entry | {"required": False}


def _output(name: str, shape: object) -> dict[str, str]:
    if isinstance(shape, Mapping | list):
        kind = "dict" if isinstance(shape, Mapping) else "list"
    else:
        kind = str(shape).split(" ")[0]
    kind = "list" if kind == "empty" else kind
    return {
        "type": kind if kind in _TYPES.values() else "str",
        "description": f"{name.replace('_', ' ').capitalize()}.",
    }


def _word(name: str) -> str:
    word = _FOREIGN.sub("_", name)[:64] or "_"
    return word if word[0].isalpha() else f"p{word}"[:64]
