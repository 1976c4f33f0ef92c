"""MirrorAPI, a model trained to stand in for APIs: the shape of its prompts and the reading of its output.

The prompts keep the published shape, because the model was trained on it: a system prompt, then document and
request as Python literals under two labels. The output is meant to be JSON of ``error`` and ``response``,
after ``mechanism_of_the_api`` in the chain-of-thought form, but the model seldom escapes the quotes inside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonArray, JsonMapping
from stb_env.formats.recorded_answer import Answer, as_answer
from stb_env.models import Sampling
from stb_env.models.prompting import Prompt
from stb_env.tools import Tool

FAILED = "Failed to generate fake response"
"""The error with which the published servers answer when they cannot read the model's output."""

MECHANISM = "mechanism_of_the_api"
SAMPLING = Sampling(max_tokens=2048, seed=42)
MAX_REQUEST = 16_384

# Labels that the model knows from its training.
_USER = "API doc:\n{document}\n\nRequest:\n{request}"
_MAX_REPAIR = 262_144

_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}]', re.DOTALL)
_ERROR_FIELD = re.compile(r'[{,]\s*"error"\s*:\s*')
_RESPONSE_FIELD = re.compile(r'[{,]\s*"response"\s*:\s*')
_CLOSING = re.compile(r'(?P<quote>"?)\s*\}\s*(?:```)?\s*\Z')

_COT_START = re.compile(rf'"{MECHANISM}":\s*"')
_COT_ERROR = re.compile(r'",\s*"error":\s*"')
_COT_RESPONSE = re.compile(r'",\s*"response":\s*"')
_SFT = re.compile(r'"error":\s*"([^"]*)",\s*"response":\s*"')


def document(tool: Tool, *, standard: bool = False) -> dict[str, object]:
    """Return an API's document with the fields that MirrorAPI knows, in their order and under raw names.

    Args:
        tool: The API.
        standard: Whether the API's own name is the standardised one, as MirrorAPI-Cache was trained.

    Examples:
        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        >>> document(Tool("now", "Weather now.", schema))["required_parameters"]
        [{'name': 'city', 'type': 'STRING', 'description': '', 'default': ''}]
    """
    record = tool.record
    listed = "required_parameters" in record or "optional_parameters" in record
    required, optional = _listed(record) if listed else _from_schema(tool.parameters)
    return {
        "api_name": (not standard and record.get("api_name")) or tool.id.api or tool.name,
        "api_description": record.get("api_description", tool.description),
        "required_parameters": required,
        "optional_parameters": optional,
        "tool_description": record.get("tool_description", ""),
        "tool_name": record.get("tool_name") or tool.id.tool,
        "tool_category": record.get("category_name") or tool.id.category,
    }


def _listed(record: JsonMapping) -> tuple[list[object], list[object]]:
    return list(record.get("required_parameters") or ()), list(record.get("optional_parameters") or ())


def _from_schema(parameters: JsonMapping) -> tuple[list[object], list[object]]:
    needed = set(parameters.get("required", ()))
    required: JsonArray = []
    optional: JsonArray = []
    for name, schema in parameters.get("properties", {}).items():
        kind = schema.get("type", "string")
        entry = {
            "name": name,
            "type": (kind[0] if isinstance(kind, list) else kind).upper(),
            "description": schema.get("description", ""),
            "default": schema.get("default", ""),
        }
        (required if name in needed else optional).append(entry)
    return required, optional


def messages(
    prompt: Prompt, tool: Tool, arguments: Mapping[str, object] | str, *, standard: bool = False
) -> list[dict[str, str]]:
    """Return the chat messages that ask MirrorAPI for the answer to one call.

    Python literals hold no line break, so no text of the document or the arguments can leave its line.

    Args:
        prompt: The system prompt.
        tool: The API.
        arguments: An object, or the raw text where what was written is no object.
        standard: Whether the API's name is the standardised one.
    """
    request = jsontext.cut(arguments if isinstance(arguments, str) else dict(arguments), MAX_REQUEST)
    user = _USER.format(document=repr(document(tool, standard=standard)), request=repr(request))
    return [{"role": "system", "content": prompt.render()}, {"role": "user", "content": user}]


def read_output(text: str, *, compat: bool = False) -> Answer | None:
    """Read what a MirrorAPI model wrote, or return None where it is no answer.

    By default nothing of the answer is lost and nothing foreign stays, be it written with unescaped quotes
    and line breaks, in a fence, amid other text, in either order, or cut off. That departs from the
    published server.

    Args:
        text: The model's output.
        compat: Read as the published server does, to the letter; what made it crash is no answer.

    Examples:
        >>> output = '{"error": "", "response": "{"a": 1}"}'
        >>> read_output(output).response, read_output(output, compat=True).response
        ('{"a": 1}', '{"a": 1}"}')
    """
    if compat:
        return _read_literally(text)
    for value in json_values(text):
        answer = as_answer(value)
        if answer is not None:
            return answer
    return _recover(text)


def server_body(text: str) -> dict[str, object]:
    """Return the response body that the published server makes of an output: an empty answer is a failure.

    Examples:
        >>> server_body('{"error": "", "response": ""}')
        {'error': 'Failed to generate fake response', 'response': ''}
    """
    answer = _read_literally(text)
    if answer is None or not (answer.error or answer.response):
        return {"error": FAILED, "response": ""}
    return {"error": answer.error, "response": answer.response}


def json_values(text: str, *, repair: bool = False) -> Iterator[Json]:
    r"""Yield the JSON values that a model's text may stand for, the most literal reading first.

    That is the text as a whole, each balanced ``{...}`` in it, and on request the text with its damage
    repaired.

    Examples:
        >>> next(json_values('Here it is:\n```json\n{"a": 1}\n```'))
        {'a': 1}
        >>> list(json_values('{"a": 1, "b": [2')), list(json_values('{"a": 1, "b": [2', repair=True))
        ([], [{'a': 1, 'b': [2]}])
    """
    for candidate in (text, *_blocks(text)):
        try:
            yield jsontext.loads(candidate)
        except ValueError:
            continue
    if repair and len(text) <= _MAX_REPAIR and "{" in text:
        yield from _repaired(text[text.index("{") :])


def _blocks(text: str) -> Iterator[str]:
    start, depth = text.find("{"), 0
    if start < 0:
        return
    for match in _MARKS.finditer(text, start):
        if match[0] == "{":
            start = start if depth else match.start()
            depth += 1
        elif match[0] == "}" and depth:
            depth -= 1
            if not depth:
                yield text[start : match.end()]


def _repaired(text: str) -> Iterator[object]:
    import json_repair  # heavy, and needed for damaged text only

    try:
        yield jsontext.loads(json_repair.repair_json(text))
    except (ValueError, RecursionError):
        return


def _recover(text: str) -> Answer | None:
    """Find the two fields of a damaged object; the one that stands last reaches to the end."""
    error, response = _ERROR_FIELD.search(text), _RESPONSE_FIELD.search(text)
    if error is None or response is None:
        return None
    if response.start() < error.start() and MECHANISM not in text:
        *_, error = _ERROR_FIELD.finditer(text, response.end())
        value, complaint = text[response.end() : error.start()], _unclosed(text[error.end() :])
    else:
        response = _RESPONSE_FIELD.search(text, error.end())
        if response is None:
            return None
        value, complaint = _unclosed(text[response.end() :]), text[error.end() : response.start()]
    said = _value(complaint)
    return Answer("" if said is None else str(said), _value(value), cut=True)


def _unclosed(text: str) -> str:
    closing = _CLOSING.search(text)
    return text[: closing.end("quote")] if closing else text


def _value(text: str) -> object:
    text = text.strip()
    if text.startswith('"'):
        body = text[1:].removesuffix('"')
        try:
            return json.loads(f'"{body}"', strict=False)
        except ValueError:
            return body
    try:
        return jsontext.loads(text)
    except ValueError:
        closed = jsontext.close(text)
        return text if closed is None else closed


def _read_literally(text: str) -> Answer | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _literal_cot(text) if MECHANISM in text else _literal_sft(text)
    if not isinstance(value, dict) or not {"error", "response"} <= value.keys():
        return None
    return Answer(value["error"], value["response"])


def _literal_cot(text: str) -> Answer | None:
    start = _COT_START.search(text)
    error = start and _COT_ERROR.search(text, start.end())
    end = text.find('",', error.end()) if error else -1
    response = _COT_RESPONSE.search(text, end) if end >= 0 else None
    return Answer(text[error.end() : end], text[response.end() :]) if error and response else None


def _literal_sft(text: str) -> Answer | None:
    match = _SFT.search(text)
    return Answer(match[1], text[match.end() :]) if match else None
