"""Everything that the files in ``tools/`` declare: APIs, tools as agents see them, starting states."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from stb_env.backend.lazy_mapping import LazyMapping
from stb_env.backend.world import Table, Tables
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.errors import DataError
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import KEPT, within
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.registry import Api, ToolDoc
from stb_env.tools import Tool, ToolId, unique_names


def modules_of(package: str) -> list[ModuleType]:
    """Import every module of a package, in order of name."""
    folder = import_module(package)
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    return [import_module(f"{package}.{name}") for name in names]


@lru_cache(maxsize=1)
def tool_docs() -> tuple[ToolDoc, ...]:
    """Return every tool of the sandbox, in order of file name."""
    return tuple(module.TOOL for module in modules_of("stb_env.suites.sandbox.tools"))


@lru_cache(maxsize=1)
def apis() -> Mapping[ToolId, Api]:
    """Return every API by identity.

    Raises:
        DataError: Two APIs have the same identity.
    """
    every = [api for doc in tool_docs() for api in doc.apis]
    by_id = {api.id: api for api in every}
    if len(by_id) != len(every):
        raise DataError("two APIs of the sandbox share category, tool and name; rename one")
    return by_id


@lru_cache(maxsize=1)
def tools() -> Mapping[ToolId, Tool]:
    """Return every API as an agent sees it, by identity."""
    names = unique_names(apis())
    return {identity: _tool(api, names[identity]) for identity, api in apis().items()}


def _tool(api: Api, name: str) -> Tool:
    parameters: JsonObject = {
        "type": "object",
        "properties": {param.name: param.schema for param in api.params},
    }
    required = [param.name for param in api.params if param.required]
    if required:
        parameters["required"] = required
    description = f"{api.description} ({api.tool.name}: {api.tool.description})"
    return Tool(name, description, parameters, api.id, _record(api))


def _record(api: Api) -> dict[str, object]:
    try:
        response, _ = api.run(household(0), api.defaults)
    except ApiError as error:
        raise DataError(
            f"{api.tool.name}.{api.name} refuses its own example {api.defaults} in household 0: {error}; "
            "give its parameters examples that are accepted there"
        ) from error
    return {
        "category_name": api.tool.category,
        "tool_name": api.tool.name,
        "api_name": api.name,
        "api_description": api.description,
        "required_parameters": [param.entry for param in api.params if param.required],
        "optional_parameters": [param.entry for param in api.params if not param.required],
        "method": "GET",
        "template_response": skeleton(response),
    }


def skeleton(value: object) -> Json:
    """Return the type skeleton of a response, as StableToolBench's ``template_response`` has it.

    Examples:
        >>> skeleton({"results": [{"name": "a"}, {"name": "b"}], "tags": ["x"]})
        {'results': [{'name': 'str', '_list_length': 2}], 'tags': 'list of str with length 1'}
    """
    if isinstance(value, dict):
        return {key: skeleton(item) for key, item in value.items()}
    if isinstance(value, list):
        if not value:
            return "empty list"
        if isinstance(value[0], dict):
            return [skeleton(value[0]) | {"_list_length": len(value)}]
        return f"list of {type(value[0]).__name__} with length {len(value)}"
    return type(value).__name__


@lru_cache(maxsize=KEPT * COUNT)
def household(number: int) -> Tables:
    """Return the state in which an episode of this household starts; a table is made when it is first read.

    Args:
        number: Which household, from 0; every ``households.COUNT`` of them share an edition of the content.
    """
    home = _home(number)
    tables = LazyMapping((*_owners(), *edition.table(0)), home.table)
    return Tables(tables, LazyMapping(_prefixes(), home.counter))


class _Home:
    """Makes what a household starts with, all that a tool holds at once."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._tables: dict[str, Mapping[str, Table]] = {}

    def table(self, name: str) -> Table:
        owner = _owners().get(name)
        return (self.tables_of(owner) if owner else edition.table(self._number // COUNT))[name]

    def counter(self, prefix: str) -> int:
        """Return the highest serial that the ids of a prefix have."""
        keys = (key.rpartition("-") for rows in self.tables_of(_prefixes()[prefix]).values() for key in rows)
        return max((int(serial) for start, _, serial in keys if start == prefix), default=0)

    def tables_of(self, doc: ToolDoc) -> Mapping[str, Table]:
        if doc.rows is None:
            return {}
        if doc.name not in self._tables:
            with within(self._number // COUNT):
                made = doc.rows(edition.rng("household", self._number, doc.name), self._number)
            self._tables.setdefault(doc.name, made)
        return self._tables[doc.name]


_home = lru_cache(maxsize=KEPT * COUNT)(_Home)


# Households differ in rows, never in tables or in prefixes of ids: the first one tells both.
@lru_cache(maxsize=1)
def _owners() -> Mapping[str, ToolDoc]:
    """Return the tool that makes each table."""
    return {name: doc for doc in tool_docs() for name in _home(0).tables_of(doc)}


@lru_cache(maxsize=1)
def _prefixes() -> Mapping[str, ToolDoc]:
    """Return the tool whose tables have ids of each prefix."""
    return {key.rpartition("-")[0]: doc for name, doc in _owners().items() for key in _home(0).table(name)}
