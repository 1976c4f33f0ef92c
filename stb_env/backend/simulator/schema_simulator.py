"""Offline answers that fit the schemas that a catalogue has of its tools' answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import jsonschema_rs

from stb_env import seeding
from stb_env.backend.simulator.schema_values import ABSENT, SchemaValues, Spot
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.backend.simulator.template.fields import field_key
from stb_env.backend.simulator.template.simulator import Call, read_call
from stb_env.backend.simulator.template.values import pick
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.formats.catalog_file import CatalogFile, source_of
from stb_env.tools import Tool, ToolResult, pure_name

_REVISION = "schema-2"
_ATTEMPTS = 4
# Where the references of schemas lead to: they are relative to the address of a schema without one.
_ADDRESS = "json-schema:///schemas"
_LAST = re.compile(r"\{([^{}]+)\}$")


class SchemaSimulator:
    """Answers as a catalogue says that its services do, and as a template where it does not say.

    An answer fits the tool's schema of answers. It takes the document's example as far as that fits, and the
    call's arguments come back in the fields of their names. Everything else follows from the identifier of
    the record that the call names, else from the call's key.

    Args:
        file: The catalogue.

    Attributes:
        version: Version of the answers besides the call and the catalogue.

    Examples:
        >>> record = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
        >>> source = {"from": "shop", "path": "/orders/{order}", "answer": {"schema": record}}
        >>> tool = Tool("order", "Reads an order.", {}, record={"source": source})
        >>> SchemaSimulator(CatalogFile((tool,), {"shop": {}})).simulate(tool, {"order": 7}, key="k").response
        {'id': 7}
    """

    def __init__(self, file: CatalogFile) -> None:
        self._file = file
        self._template = TemplateSimulator()
        self.version = f"{_REVISION}-{self._template.version}"
        self._sources: dict[str, SharedSchemas] = {}

    def __reduce__(self) -> tuple[type[SchemaSimulator], tuple[CatalogFile]]:
        """Pickle without what was made of the schemas so far."""
        return type(self), (self._file,)

    def simulate(
        self, tool: Tool, arguments: Mapping[str, object] | str, *, key: str, examples: Sequence[object] = ()
    ) -> ToolResult:
        """Answer one call; see `TemplateSimulator.simulate`."""
        answer: Json = source_of(tool).get("answer") or {}
        is_empty = answer.get("status") in (204, 205)
        if not ("schema" in answer or "examples" in answer or is_empty):
            return self._template.simulate(tool, arguments, key=key, examples=examples)
        call = read_call(tool, arguments)
        if isinstance(call, ToolResult):
            return call
        if is_empty:
            return ToolResult.of({"status": answer["status"]}, source="simulator")
        return ToolResult.of(self._response(tool, call, key, answer), source="simulator")

    def _response(self, tool: Tool, call: Call, key: str, answer: JsonMapping) -> Json:
        source = str(source_of(tool)["from"])
        known = self._sources.get(source)
        if known is None:
            known = self._sources[source] = SharedSchemas(self._file.sources[source].get("schemas", {}))
        named, identifier = _record(tool, call)
        echo = {**named, **call.echo}
        number = seeding.derive(self.version, key)
        example = pick(answer["examples"], number) if answer.get("examples") else ABSENT
        body = call.echo.get("body")
        if isinstance(body, dict):
            example = {**example, **body} if isinstance(example, dict) else body
        if "schema" not in answer:
            return example
        if identifier is not None:
            number = seeding.derive(self.version, source, "record", str(identifier))
        schema = answer["schema"]
        schemas = {**known.schemas, **schema.get("$defs", {})} if isinstance(schema, dict) else known.schemas
        made: Json = None
        for attempt in range(_ATTEMPTS):
            maker = SchemaValues(schemas, known.fits, call.scene, echo, call.limit, attempt)
            if attempt < _ATTEMPTS - 1:
                made = maker.value(schema, Spot(number), example)
            else:
                # Some documents ask for what they forbid; what may be missing is then left out.
                made = maker.value(schema, Spot(number, room=0))
            if known.fits(schema, made, keep=True):
                return made
        _say_misfit(tool.name)
        return made


class SharedSchemas:
    """The schemas that the answers of one source share, and whether values fit schemas that refer to them."""

    def __init__(self, schemas: JsonMapping) -> None:
        self.schemas = schemas
        self._registry = jsonschema_rs.Registry([(_ADDRESS, dict(schemas))])
        self._known: dict[int, tuple[object, jsonschema_rs.Draft202012Validator]] = {}

    def fits(self, schema: Json, value: object, *, keep: bool = False) -> bool:
        """Return whether a value fits a schema; False where the schema is broken.

        Args:
            schema: The schema.
            value: The value.
            keep: Whether what was made of the schema is kept for the next value.
        """
        known = self._known.get(id(schema))
        if known is None or known[0] is not schema:
            try:
                made = jsonschema_rs.Draft202012Validator(
                    schema, registry=self._registry, validate_formats=True
                )
            except (ValueError, jsonschema_rs.ReferencingError):
                return False
            known = schema, made
            if keep:
                self._known[id(schema)] = known
        return known[1].is_valid(value)


def _record(tool: Tool, call: Call) -> tuple[JsonMapping, object]:
    """Return the fields that name the record that a call's path ends in, and what it names it by."""
    found = _LAST.search(str(source_of(tool).get("path", "")))
    value = call.echo.get(field_key(found[1])) if found else None
    if found is None or not isinstance(value, str | int):
        return {}, None
    last = pure_name(found[1]).rpartition("_")[2]
    return {field_key("id"): value, field_key(last): value}, value


@lru_cache(maxsize=256)
def _say_misfit(name: str) -> None:
    logging.getLogger("stb_env").warning(
        "no answer was found that fits the schema of %s, so its offline answers are near it only", name
    )
