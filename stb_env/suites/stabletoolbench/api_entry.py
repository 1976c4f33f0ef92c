"""API entries of StableToolBench query files and tool files, as tools.

The default form mends what the original loses: optional parameters are kept where nothing is required,
``NUMBER`` is a number, defaults and enums stay, names are unique. ``original_function`` is the
original's own form to the byte, its fixed sentences and defects included, and exists for that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Required, TypedDict

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonArray, JsonObject
from stb_env.tools import MAX_NAME, Tool, ToolId, pure_name, standardize, standardize_category

MAX_DESCRIPTION = 1024
ParameterList = Literal["required_parameters", "optional_parameters"]
PARAMETERS: tuple[ParameterList, ParameterList] = ("required_parameters", "optional_parameters")

# Every function of a tool says again what the tool is for.
_MAX_TOOL_DESCRIPTION = 256

Functions = Literal["stabletoolbench", "toolllm"]
"""Whose functions: StableToolBench's lists of required and optional parameters begin with an empty text."""

_TYPES: Mapping[str, JsonObject] = {
    "NUMBER": {"type": "number"},
    "INTEGER": {"type": "integer"},
    "STRING": {"type": "string"},
    "ENUM": {"type": "string"},
    "BOOLEAN": {"type": "boolean"},
    "ARRAY": {"type": "array", "items": {}},
    "OBJECT": {"type": "object"},
    "BINARY": {"type": "string", "contentEncoding": "base64"},
    "DATE (YYYY-MM-DD)": {"type": "string", "format": "date"},
    "TIME (24-HOUR HH:MM)": {"type": "string"},
}
_PYTHON_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_ORIGINAL_TYPES = {"NUMBER": "integer", "STRING": "string", "BOOLEAN": "boolean"}


class APIParameter(TypedDict, total=False):
    """A parameter of an API entry."""

    name: Required[str]
    type: str
    description: str
    default: Json
    enum: JsonArray


class APIDetails(TypedDict, total=False):
    """The part of an API entry that tool files alone have."""

    tool_description: str
    host: str
    url: str
    method: str


class APIEntry(APIDetails, total=False):
    """An API of a query file."""

    category_name: Required[str]
    tool_name: Required[str]
    api_name: Required[str]
    api_description: str | None
    required_parameters: list[APIParameter]
    optional_parameters: list[APIParameter]
    template_response: Json


def api_id(entry: APIEntry) -> ToolId:
    """Return the identity of an API entry.

    Examples:
        >>> api_id({"category_name": "Data", "tool_name": "TheClique", "api_name": "ID"})
        ToolId(category='Data', tool='theclique', api='is_id')
    """
    return ToolId.of(entry["category_name"], entry["tool_name"], entry["api_name"])


def tool_from_api(entry: APIEntry, name: str) -> Tool:
    """Build a tool from an API entry.

    Args:
        entry: ``category_name tool_name api_name`` and, where given, ``api_description
            required_parameters optional_parameters template_response tool_description``.
        name: The name to give it; see `stb_env.tools.unique_names`.

    Examples:
        >>> parameter = {"name": "id", "type": "NUMBER", "description": "", "default": "7"}
        >>> entry = {"category_name": "Data", "tool_name": "Films", "api_name": "Film",
        ...          "api_description": " A film. ", "optional_parameters": [parameter]}
        >>> tool = tool_from_api(entry, "film_for_films")
        >>> tool.description, tool.parameters["properties"]
        ('A film. (API "Film" of "Films", Data)', {'is_id': {'type': 'number', 'default': 7}})
    """
    return Tool(name, _description(entry), parameters_schema(entry), api_id(entry), entry)


def parameters_schema(entry: APIEntry) -> dict[str, object]:
    """Return the JSON Schema of an API entry's parameters.

    Examples:
        >>> parameters_schema({"required_parameters": [{"name": "filmId", "type": "NUMBER"}]})["properties"]
        {'filmid': {'type': 'number'}}
    """
    properties: JsonObject = {}
    required: list[str] = []
    for parameter, needed in _parameters(entry):
        key = _free_name(pure_name(parameter["name"]) or "parameter", properties)
        properties[key] = _schema(parameter)
        if needed:
            required.append(key)
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def _parameters(entry: APIEntry) -> Iterable[tuple[APIParameter, bool]]:
    for key, needed in zip(PARAMETERS, (True, False), strict=True):
        for parameter in entry.get(key) or ():
            yield parameter, needed


def damaged_parameters(entry: Mapping[str, object]) -> str:
    """Return the name of an entry's parameter list that is none, or an empty text.

    Examples:
        >>> damaged_parameters({"required_parameters": [{"name": "id"}], "optional_parameters": [{}]})
        'optional_parameters'
    """
    return next((key for key in PARAMETERS if not _is_parameter_list(entry.get(key) or [])), "")


def _is_parameter_list(listed: object) -> bool:
    return isinstance(listed, list) and all(
        isinstance(parameter, dict) and isinstance(parameter.get("name"), str) for parameter in listed
    )


def raw_names(entry: APIEntry) -> dict[str, str]:
    """Return the names by which an API itself knows its parameters, by those that an agent sees.

    Examples:
        >>> raw_names({"required_parameters": [{"name": "filmId"}, {"name": "film-id"}, {"name": "film_ID"}]})
        {'filmid': 'filmId', 'film_id': 'film-id', 'film_id_2': 'film_ID'}
    """
    names: dict[str, str] = {}
    for parameter, _ in _parameters(entry):
        names[_free_name(pure_name(parameter["name"]) or "parameter", names)] = parameter["name"]
    return names


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _description(entry: APIEntry) -> str:
    source = f'API "{entry["api_name"]}" of "{entry["tool_name"].strip()}", {entry["category_name"]}'
    about = " ".join(str(entry.get("tool_description") or "").split())
    if len(about) > _MAX_TOOL_DESCRIPTION:
        about = about[: _MAX_TOOL_DESCRIPTION - 3] + "..."
    source = f"({source}: {about})" if about else f"({source})"
    text = str(entry.get("api_description") or "").strip()
    return f"{text[: MAX_DESCRIPTION - len(source) - 1]} {source}".strip() if text else source


def _schema(parameter: APIParameter) -> dict[str, object]:
    kind = str(parameter.get("type", "STRING"))
    schema = dict(_TYPES.get(kind.upper(), {"type": "string"}))
    description = str(parameter.get("description") or "").strip()
    if description:
        schema["description"] = description[:MAX_DESCRIPTION]
    if isinstance(parameter.get("enum"), list) and parameter["enum"]:
        schema["enum"] = parameter["enum"]
    default = parameter.get("default")
    if default is not None and default != "":
        _add_default(schema, default)
    return schema


def _add_default(schema: JsonObject, default: Json) -> None:
    fitted = _fit(schema["type"], default)
    if "enum" in schema:
        if fitted in schema["enum"]:
            schema["default"] = fitted
        return
    if fitted is None:
        # Documentation that contradicts itself: the default shows that text is taken too.
        schema["type"] = [schema["type"], "string"]
        fitted = _fit("string", default)
    schema["default"] = fitted


def _fit(kind: str, default: Json) -> object:
    """Return the default as its documented type, or None where it is none of that type."""
    if kind == "string":
        return default if isinstance(default, str) else jsontext.dumps(default)
    if isinstance(default, str):
        try:
            default = jsontext.loads(default.lower() if kind == "boolean" else default)
        except ValueError:
            return None
    if isinstance(default, bool) != (kind == "boolean"):
        return None
    return default if isinstance(default, _PYTHON_TYPES[kind]) else None


def original_function(entry: APIEntry, *, wrapped: bool = True) -> JsonObject:
    """Return an API entry as the original's OpenAI function, defects included.

    Optional parameters are lost where nothing is required, and the wrapped form starts ``required`` and
    ``optional`` with an empty text.

    Args:
        entry: An API entry of a query file.
        wrapped: True for StableToolBench's form, False for ToolLLM's older flat one.
    """
    name = original_name(entry["api_name"], entry["tool_name"])
    blank = [""] if wrapped else []
    required, optional = list(blank), list(blank)
    properties: JsonObject = {}
    for parameter, needed in _parameters(entry):
        if not needed and not entry.get("required_parameters"):
            break
        key = pure_name(parameter["name"])
        properties[key] = _original_parameter(parameter)
        (required if needed else optional).append(key)
    function = {
        "name": name,
        "description": _original_description(entry, name),
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": required,
            "optional": optional,
        },
    }
    return {"type": "function", "function": function} if wrapped else function


def _original_parameter(parameter: APIParameter) -> dict[str, object]:
    default = parameter.get("default", "")
    made: JsonObject = {
        "type": _ORIGINAL_TYPES.get(parameter.get("type", ""), "string"),
        "description": str(parameter.get("description", ""))[:256],
    }
    if len(str(default)) != 0:
        made["example_value"] = default
    return made


def _original_description(entry: APIEntry, name: str) -> str:
    tool = standardize(entry["tool_name"])
    text = f'This is the subfunction for tool "{tool}", you can use this tool.'
    described = str(entry.get("api_description") or "").strip()
    if described:
        described = described.replace(entry["api_name"], name)[:256]
        text += f'The description of this function is: "{described}"'
    return text


def original_tools(entries: Sequence[APIEntry], functions: Functions = "stabletoolbench") -> tuple[Tool, ...]:
    """Return the tools of a record as the original shows them, unchecked.

    Names may collide, and where RapidAPI's have ``^`` or Chinese characters these stay, as the original
    checks neither; a task of such tools is not checked either.

    Examples:
        >>> original_tools([{"category_name": "Data", "tool_name": "Films", "api_name": "Film"}])[0].name
        'film_for_films'
    """
    return tuple(_original_tool(entry, functions) for entry in entries)


def _original_tool(entry: APIEntry, functions: Functions) -> Tool:
    wrapped = original_function(entry)["function"]
    function = wrapped if functions == "stabletoolbench" else original_function(entry, wrapped=False)
    name, description, parameters = function["name"], function["description"], function["parameters"]
    return Tool(name, description, parameters, api_id(entry), entry, checked=False)


def original_name(api: str, tool: str) -> str:
    """Return the original's function name: ``api_for_tool``, only its last 64 characters.

    Different APIs can meet in one such name; `unique_names` is what the package itself uses.

    Examples:
        >>> original_name("Songkick concert", "TheClique")
        'songkick_concert_for_theclique'
    """
    return f"{pure_name(api)}_for_{standardize(tool)}"[-MAX_NAME:]


class ServerNames(NamedTuple):
    """The original server's place for a request: folder ``category/tool_folder``, file ``api``."""

    category: str
    tool_folder: str
    api: str


def server_names(category: str, tool: str, api: str) -> ServerNames:
    """Return the names under which the original server keeps the responses to a request.

    Examples:
        >>> server_names("Tools", "Calc Tool", "Add Numbers")
        ServerNames(category='Tools', tool_folder='calc_tool_for_Tools', api='add_numbers')
        >>> server_names("Tools", "calc_tool", "add_numbers_for_calc_tool").api
        'add_numbers'
    """
    category = standardize_category(category)
    suffix = f"_for_{category}"
    folder = tool if tool.endswith(suffix) else standardize(tool) + suffix
    return ServerNames(category, folder, pure_name(api).split(f"_for_{tool}")[0])
