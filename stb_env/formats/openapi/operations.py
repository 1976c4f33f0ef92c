"""Operations of an OpenAPI document as typed tools."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.formats.catalog_file import CatalogFile, own_tool, source_name, valid_names
from stb_env.formats.openapi.answers import answer_of
from stb_env.formats.openapi.document import Document, service_url
from stb_env.formats.openapi.schemas import DEFINITIONS, Schemas
from stb_env.formats.openapi.security import FORBIDDEN, Security
from stb_env.tools import Tool, ToolId

KIND = "openapi"

_PLACES: Mapping[str, str] = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
"""Where parameters stand, with the style that each has where none is said."""

# The specification leaves these headers to the server's other descriptions.
_IGNORED = frozenset({"accept", "content-type", "authorization"})
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_ARGUMENT = re.compile(r"[^a-zA-Z0-9_.-]+")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_MEDIA = ("application/json", "+json", *_FORMS, "text/plain")
_MOST_ARGUMENT, _MOST_TEXT = 64, 1_024


class Import(NamedTuple):
    """Operations that were read from a document.

    Attributes:
        file: The catalogue.
        skipped: Operations that cannot be called, each with the reason.
    """

    file: CatalogFile
    skipped: tuple[str, ...] = ()


def read_openapi(
    document: Document,
    *,
    base: str = "",
    name: str = "",
    server: str = "",
    server_variables: Mapping[str, str] | None = None,
    key_variables: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Import:
    """Read the operations of a document as tools.

    Args:
        document: The document.
        base: URL that it came from, to which its servers may be relative.
        name: Name of the source; its title where not given.
        server: URL that is called in place of the servers that it lists.
        server_variables: Values of the variables of its servers, in place of the defaults.
        key_variables: Environment variables that hold the keys, by security scheme.
        headers: Environment variables whose values are sent with each request, by the names of headers.

    Raises:
        DataError: The document is broken, says no server, or has no operation that can be called.

    Examples:
        >>> item = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
        >>> paths = {"/items/{id}": {"get": {"summary": "Reads an item.", "parameters": [item]}}}
        >>> document = Document({"openapi": "3.1.0", "info": {"title": "Shop"}, "paths": paths})
        >>> read = read_openapi(document, server="https://shop.example")
        >>> tool = read.file.tools[0]
        >>> tool.name, tool.record["original"], tool.parameters["required"]
        ('GET_items_id', 'GET /items/{id}', ['id'])
    """
    source = name or source_name(document.title or KIND)
    security = Security(document, source, key_variables, headers)
    reading = _Reading(document, source, base, server, server_variables or {}, security)
    found: list[_Operation] = []
    skipped: list[str] = []
    for path, method, shared, operation in document.items():
        try:
            found.append(reading.operation(path, method, shared, operation))
        except DataError as error:
            skipped.append(f"{method.upper()} {path}: {error}")
    if not found:
        reasons = "; ".join(skipped[:3]) or "it has none"
        raise DataError(f"{document.where} has no operation that can be called: {reasons}")
    tools = reading.tools(found)
    used = {key for one in found for keys in one.source["security"] for key in keys}
    entry = {
        "kind": KIND,
        "server": reading.server,
        "document": hashlib.sha256(json.dumps(document.content, sort_keys=True).encode()).hexdigest(),
        "keys": {key: form for key, form in reading.security.keys.items() if key in used},
    }
    if reading.schemas.shared:
        entry["schemas"] = reading.schemas.shared
    return Import(CatalogFile(tools, {source: entry}), tuple(skipped))


class _Operation(NamedTuple):
    """An operation on its way to be a tool."""

    original: str
    description: str
    parameters: JsonObject
    source: JsonObject


class _Reading:
    """Reads the operations of one document."""

    def __init__(
        self,
        document: Document,
        source: str,
        base: str,
        server: str,
        variables: Mapping[str, str],
        security: Security,
    ) -> None:
        self._document, self._source, self._base, self._variables = document, source, base, variables
        self.schemas = Schemas(document)
        self._given = service_url(server, document.where) if server else ""
        self.security = security
        self.server = self._given or document.server(document.content, base, variables)
        if not self.server and base:
            # Without any server the one that the document came from is meant.
            self.server = document.server({"servers": [{"url": "/"}]}, base, variables)
        if not self.server:
            raise DataError(
                f"{document.where} says no server that can be called; give --server https://HOST/PATH"
            )

    def operation(
        self, path: str, method: str, shared: Mapping[str, object], operation: Mapping[str, object]
    ) -> _Operation:
        """Return one operation."""
        if not path.startswith("/"):
            raise DataError("its path does not begin with /")
        wanted = self.security.wanted(operation)
        if wanted is None:
            raise DataError("it wants a key of a kind that is not known here")
        form = _Form(self._document, self.schemas)
        for node in _parameters(self._document, shared, operation):
            if not self.security.supplies(str(node.get("in")), str(node.get("name")), wanted):
                form.add_parameter(node)
        for place in re.findall(r"\{([^{}]+)\}", path):
            if not any(one["in"] == "path" and one["name"] == place for one in form.places):
                raise DataError(f"nothing says what {{{place}}} of its path is")
        if "requestBody" in operation:
            form.add_body(self._document.resolved(operation["requestBody"]))
        source: JsonObject = {"from": self._source, "method": method.upper(), "path": path}
        server = "" if self._given else self._own_server(shared, operation)
        if server and server != self.server:
            source["server"] = server
        source |= {"parameters": form.places, "security": wanted, "reads": method in ("get", "head")}
        if form.body:
            source["body"] = form.body
        answer = answer_of(self._document, self.schemas, operation)
        if answer:
            source["answer"] = answer
        words = [str(operation.get(key) or "").strip() for key in ("summary", "description")]
        description = "\n".join(dict.fromkeys(filter(None, words))) or f"{method.upper()} {path}"
        original = str(operation.get("operationId") or f"{method.upper()} {path}")
        return _Operation(original, description[:_MOST_TEXT], form.schema(), source)

    def tools(self, operations: list[_Operation]) -> tuple[Tool, ...]:
        """Return operations as tools; of those that share an id, the later ones go by method and path."""
        originals: list[str] = []
        for one in operations:
            by_path = f"{one.source['method']} {one.source['path']}"
            originals.append(by_path if one.original in originals else one.original)
        return tuple(
            own_tool(
                name,
                one.description,
                one.parameters,
                identity=ToolId(KIND, self._source, name),
                original=original,
                source=one.source,
            )
            for name, original, one in zip(valid_names(originals), originals, operations, strict=True)
        )

    def _own_server(self, shared: Mapping[str, object], operation: Mapping[str, object]) -> str:
        nodes = (node for node in (operation, shared) if node.get("servers"))
        return next((self._document.server(node, self._base, self._variables) for node in nodes), "")


def _parameters(
    document: Document, shared: JsonMapping, operation: JsonMapping
) -> list[Mapping[str, object]]:
    """Return parameters of path and operation; the operation's own take the place of the path's."""
    found: dict[tuple[str, str], JsonMapping] = {}
    for node in (*(shared.get("parameters") or ()), *(operation.get("parameters") or ())):
        parameter = document.resolved(node)
        found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
    return list(found.values())


class _Form:
    """The arguments of one operation, and the places in a request where each of them goes."""

    def __init__(self, document: Document, schemas: Schemas) -> None:
        self._document, self._schemas = document, schemas
        self._properties: JsonObject = {}
        self._required: list[str] = []
        self._definitions: JsonObject = {}
        self.places: list[JsonObject] = []
        self.body: JsonObject = {}

    def schema(self) -> JsonObject:
        """Return the schema of all arguments."""
        made: JsonObject = {"type": "object", "properties": self._properties}
        if self._required:
            made["required"] = self._required
        return made | ({DEFINITIONS: self._definitions} if self._definitions else {})

    def add_parameter(self, node: Mapping[str, object]) -> None:
        """Add a parameter of path, query, header or cookie."""
        name, place = node.get("name"), node.get("in")
        if not isinstance(name, str) or not isinstance(place, str) or place not in _PLACES:
            raise DataError(f"its parameter {name!r} is in {place!r}; known are {', '.join(_PLACES)}")
        if place == "header":
            if name.lower() in _IGNORED:
                return
            if name.lower() in FORBIDDEN or not _HEADER.fullmatch(name):
                raise DataError(f"its parameter {name!r} is a header that no argument may set")
        required = node.get("required") is True or place == "path"
        entry: JsonObject = {"in": place, "name": name}
        schema = node.get("schema", {})
        if node.get("content"):
            media, content = next(iter(self._document.resolved(node["content"]).items()))
            schema = self._document.resolved(content).get("schema", {})
            entry["content"] = media
        else:
            entry["style"] = str(node.get("style") or _PLACES[place])
            entry["explode"] = bool(node.get("explode", entry["style"] == "form"))
        entry["argument"] = self._add(name, place, schema, required, str(node.get("description") or ""))
        self.places.append(entry)

    def add_body(self, node: Mapping[str, object]) -> None:
        """Add what is sent as the body: its members, where they can be arguments, or else the whole."""
        content = self._document.resolved(node.get("content", {}))
        media = next((name for known in _MEDIA for name in content if known in name.partition(";")[0]), "")
        if not media and self._takes_json(content):
            media = "*/*"
        if not media:
            raise DataError(
                f"its body is {', '.join(content) or 'of no type'}; known are {', '.join(_MEDIA)}"
            )
        found = self._document.resolved(content[media])
        schema = found.get("schema", {})
        kind = "application/json" if media == "*/*" else media.partition(";")[0].strip()
        self.body = {"content_type": kind}
        must = node.get("required") is True
        members = self._schemas.properties(schema)
        if members is None or (members[1] and not must) or media.startswith("text/"):
            description = str(node.get("description") or "The body of the request.")
            self.body["argument"] = self._add("body", "body", schema, must, description)
            return
        properties, required = members
        self.body["fields"] = {
            self._add(name, "body", one, name in required): name for name, one in properties.items()
        }
        files = [name for name, one in properties.items() if self._is_file(one)]
        if files:
            self.body["files"] = files

    def _takes_json(self, content: JsonMapping) -> bool:
        """Return whether a body may be of any type, and an object will do."""
        schema = self._document.resolved(self._document.resolved(content.get("*/*", {})).get("schema", {}))
        return schema.get("type") == "object" or "properties" in schema

    def _is_file(self, schema: object) -> bool:
        found = self._document.resolved(schema)
        return found.get("format") == "binary" or "contentMediaType" in found

    def _add(self, name: str, place: str, schema: object, required: bool, description: str = "") -> str:
        """Add an argument, and return the legal and distinct name that it got."""
        made = self._schemas.alone(schema)
        for key, definition in made.pop(DEFINITIONS, {}).items():
            if self._definitions.setdefault(key, definition) != definition:
                raise DataError(f"two of its schemas are named {key!r}")
        if description:
            made["description"] = description
        plain = _ARGUMENT.sub("_", name).strip("_")[:_MOST_ARGUMENT] or place
        argument, count = plain, 1
        while argument in self._properties:
            suffix = f"_{place}" if count == 1 else f"_{place}_{count}"
            argument, count = f"{plain[: _MOST_ARGUMENT - len(suffix)]}{suffix}", count + 1
        self._properties[argument] = made
        if required:
            self._required.append(argument)
        return argument
