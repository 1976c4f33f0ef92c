"""Queries about a service whose tools want what other tools list."""

from __future__ import annotations

from typing import Any

from stb_env import Tool, VirtualBackend
from stb_env.experiments.synthesis.catalog_author import CatalogAuthor
from stb_env.formats.catalog_file import CatalogFile

FILES = {"/home/ann": "[DIR] deep\n[FILE] note.txt", "/home/ann/note.txt": "It closes at 18:45.\n"}
FILES |= {"/home/ann/deep": "[FILE] list.txt", "/home/ann/deep/list.txt": "salt"}


def tool(name: str, *required: str) -> Tool:
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in required}}
    source = {"from": "", "reads": True}
    return Tool(name, f"Does {name}.", schema | {"required": list(required)}, record={"source": source})


def answer(asked: Tool, arguments: dict[str, Any]) -> Any:
    if asked.name == "roots":
        return "Allowed directories:\n/home/ann"
    if asked.name == "search":
        return {"found": 3}
    is_folder = arguments["path"].rpartition("/")[2] in ("ann", "deep")
    return FILES.get(arguments["path"], "") if is_folder == (asked.name == "list") else ""


def test_folders_are_followed_to_their_files():
    file = CatalogFile((tool("read", "path"), tool("list", "path"), tool("roots"), tool("search", "a", "b")))
    author = CatalogAuthor(file, VirtualBackend(mode="live", live_simulator=answer))
    queries = author.queries(50)
    gold = {query["gold"][0]["arguments"].get("path"): query for query in queries}
    assert gold["/home/ann/note.txt"]["check"] == {"equals": "It closes at 18:45."}
    assert gold["/home/ann/deep/list.txt"]["check"] == {"equals": "salt"}
    assert (
        gold["/home/ann/note.txt"]["query"]
        == 'Does read for path "/home/ann/note.txt". Answer with that alone.'
    )
    assert set(author.unasked) == {"roots", "search"}, "one says no single value, one wants two texts"
