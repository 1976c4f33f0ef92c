"""Dialogues about the tools of a catalogue, and the queries that are in them."""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.errors import DataError
from stb_env.formats.catalog_file import CatalogFile
from stb_env.jsontypes import JsonObject
from stb_env.synthesis.api import Api
from stb_env.synthesis.dialogue import Dialogue
from stb_env.synthesis.tool_api import api_of


def pool_of(file: CatalogFile) -> tuple[Api, ...]:
    """Return the tools of a catalogue as the agents read APIs.

    Raises:
        DataError: Two tools have one name there.
    """
    apis = tuple(api_of(tool) for tool in file.tools)
    names = [api.name for api in apis]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"two tools of the catalogue read as {twice!r} to the agents; rename one of them")
    return apis


def queries_of(file: CatalogFile, dialogues: Iterable[Dialogue]) -> list[JsonObject]:
    """Return a query for each dialogue that was kept: what the user says, and the calls as gold.

    What the agents let the APIs answer is made up, so nothing of it is a check.

    Args:
        file: The catalogue that the dialogues are about.
        dialogues: Dialogues, kept or not.
    """
    named = {api_of(tool).name: tool for tool in file.tools}
    found: list[JsonObject] = []
    for one in dialogues:
        calls = [call for call in one.calls if not call.is_search]
        if one.outcome != "kept" or not calls or any(call.name not in named for call in calls):
            continue
        gold = []
        for call in calls:
            tool = named[call.name]
            given = {api_name: name for name, api_name in _arguments(file, tool.name)}
            gold.append(
                {"name": tool.name, "arguments": {given.get(k, k): v for k, v in call.arguments.items()}}
            )
        found.append({"id": f"d{one.index}", "query": one.query, "gold": gold})
    return found


def _arguments(file: CatalogFile, name: str) -> list[tuple[str, str]]:
    """Return the names of a tool's arguments, each with what the agents call it."""
    tool = file.catalog.get(name)
    properties = () if tool is None else tool.parameters.get("properties", {})
    made = () if tool is None else api_of(tool).inputs
    return list(zip(properties, made, strict=False))
