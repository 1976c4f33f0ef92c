"""Successful answers of the operations of an OpenAPI document: status, schema and examples."""

from __future__ import annotations

import json
from collections.abc import Mapping

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonArray, JsonObject
from stb_env.errors import DataError
from stb_env.formats.openapi.document import Document
from stb_env.formats.openapi.schemas import Schemas

_MOST_EXAMPLES, _MOST_TEXT = 3, 20_000


def answer_of(document: Document, schemas: Schemas, operation: Mapping[str, object]) -> JsonObject:
    """Return what an operation answers; empty where the document does not say, or refers out of itself.

    Args:
        document: The document.
        schemas: Takes up what the schema refers to.
        operation: The operation.

    Examples:
        >>> number = {"content": {"application/json": {"schema": {"type": "integer"}}}}
        >>> document = Document({"openapi": "3.1.0", "paths": {}})
        >>> answer_of(document, Schemas(document), {"responses": {"404": {}, "200": number}})
        {'status': 200, 'schema': {'type': 'integer'}}
        >>> answer_of(document, Schemas(document), {"responses": {"204": {}}})
        {'status': 204}
    """
    try:
        return _answer(document, schemas, operation)
    except DataError:
        # Nothing but offline answers is made of it, which are then as without a description.
        return {}


def _answer(document: Document, schemas: Schemas, operation: Mapping[str, object]) -> JsonObject:
    responses = document.resolved(operation.get("responses") or {})
    good = sorted(status for status in map(str, responses) if status[:1] == "2")
    status = next(iter(good), "default")
    if status not in responses:
        return {}
    made: JsonObject = {"status": int(status) if status.isdecimal() else 200}
    content = document.resolved(document.resolved(responses[status]).get("content") or {})
    media = _media(content)
    if not media:
        return made
    found = document.resolved(content[media])
    if "schema" in found:
        made["schema"] = schemas.answer(found["schema"])
    elif not _is_json(media):
        made["schema"] = {"type": "string"}
    examples = [_decoded(one) if _is_json(media) else one for one in _examples(document, found)]
    kept = [one for one in examples if len(jsontext.dumps(one)) <= _MOST_TEXT][:_MOST_EXAMPLES]
    return made | ({"examples": kept} if kept else {})


def _media(content: Mapping[str, object]) -> str:
    """Return the media type that is read best: JSON, then text, then any."""
    ranked = (
        *(name for name in content if _is_json(name)),
        *(name for name in content if name.startswith("text/")),
        *content,
    )
    return next(iter(ranked), "")


def _is_json(media: str) -> bool:
    kind = media.partition(";")[0].strip().lower()
    return kind in ("application/json", "*/*") or kind.endswith("+json")


def _examples(document: Document, media: Mapping[str, object]) -> JsonArray:
    if "example" in media:
        return [media["example"]]
    found: list[Json] = []
    for node in document.resolved(media.get("examples") or {}).values():
        example = document.resolved(node)
        if "value" in example:
            found.append(example["value"])
    return found


def _decoded(example: Json) -> Json:
    """Return an example; one that is an object or a list written as text is read."""
    if not isinstance(example, str) or example.lstrip()[:1] not in ("{", "["):
        return example
    try:
        return json.loads(example)
    except ValueError:
        return example
