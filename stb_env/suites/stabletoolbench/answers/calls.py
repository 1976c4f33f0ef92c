"""Calls with their answers out of the original answer files of StableToolBench and ToolLLM.

The files name functions without their category, cut to their last 64 characters, so the APIs are looked up
in query files; a name that fits none, or several, stays unresolved and is never guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.formats.recorded_answer import Notes, RecordedCall, read_answer
from stb_env.suites.stabletoolbench.answers.files import is_answer, read_json
from stb_env.suites.stabletoolbench.api_entry import original_name
from stb_env.tools import FINISH, ToolId

# Made by the environment, not by an API: unknown name, bad Finish, answer, give-up, time-out, not sent.
_OWN_CODES = frozenset({1, 2, 3, 4, 5, 12})
_QUERY_FOLDERS = ("solvable_queries/test_instruction", "test_instruction", "instruction", "data/instruction")
_ANCESTORS = 6


class QueryIndex:
    """The APIs that queries offer, by query and by the function name of the original.

    Args:
        files: Query files; one that is no list of records is passed over.
    """

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._by_query: dict[str, dict[str, set[ToolId]]] = {}
        self._by_name: dict[str, set[ToolId]] = defaultdict(set)
        for file in sorted(set(files)):
            for record in _records(file):
                self._add(record)

    def resolve(self, name: str, queries: Iterable[str]) -> ToolId | None:
        """Return the one API of that name: among those of the first query that is known, else among all."""
        known = (self._by_query[query] for query in queries if query in self._by_query)
        found = next(known, self._by_name).get(name, set())
        return next(iter(found)) if len(found) == 1 else None

    def _add(self, record: JsonMapping) -> None:
        offered: dict[str, set[ToolId]] = defaultdict(set)
        for api in map(_dicts, record["api_list"]):
            category, tool, name = (
                str(api.get(key, "")) for key in ("category_name", "tool_name", "api_name")
            )
            offered[original_name(name, tool)].add(ToolId.of(category, tool, name))
        for key in filter(None, (_text_key(record.get("query")), _id_key(record.get("query_id")))):
            known = self._by_query.setdefault(key, defaultdict(set))
            for name, ids in offered.items():
                known[name] |= ids
        for name, ids in offered.items():
            self._by_name[name] |= ids


def query_files(path: Path) -> list[Path]:
    """Return the query files at a path: the file itself, or all JSON files in and below the folder."""
    return sorted(path.rglob("*.json")) if path.is_dir() else [path]


def nearest_query_files(folder: Path) -> list[Path]:
    """Return the query files beside or above an answer folder, the nearest level that has any."""
    for ancestor in [folder, *folder.parents][:_ANCESTORS]:
        found = [file for name in _QUERY_FOLDERS for file in sorted((ancestor / name).glob("*.json"))]
        if found:
            return found
    return []


def read_file(file: Path, queries: QueryIndex, notes: Notes) -> Iterator[RecordedCall]:
    """Yield the recorded calls of one answer file, in the order in which they were made."""
    try:
        data = read_json(file)
    except DataError as error:
        notes.refuse(file, str(error))
        return
    if not is_answer(data):
        notes.refuse(file, "no answer file: expected an object with trys or tree")
        return
    generation = data.get("answer_generation")
    text = generation.get("query") if isinstance(generation, dict) else None
    keys = (_text_key(text), _id_key(file.name.split("_")[0]))
    for name, node in calls_in(data):
        yield from _recording(file, name, node, queries.resolve(name, keys), notes)


def _recording(
    file: Path, name: str, node: Mapping[str, object], identity: ToolId | None, notes: Notes
) -> Iterator[RecordedCall]:
    observation = node.get("observation")
    if name == FINISH or not observation or node.get("observation_code") in _OWN_CODES:
        return
    if identity is None:
        notes.unresolved[name] += 1
        return
    answer = read_answer(observation) if isinstance(observation, str) else None
    if answer is not None:
        yield RecordedCall(identity, str(node.get("description", "")), answer, "unknown")
    elif isinstance(observation, str) and observation.endswith("..."):
        notes.cut_dropped += 1
    else:
        notes.refuse(file, f"an observation of {name} is no object of error and response")


def calls_in(data: JsonMapping) -> Iterator[tuple[str, JsonMapping]]:
    """Yield (function name, Action Input node) in order: an Action names what the inputs after it call."""
    tree = data.get("tree")
    root = tree.get("tree", tree) if isinstance(tree, dict) else None
    tries = data.get("trys") if isinstance(data.get("trys"), list) else []
    for nodes in [[root]] if root else [_dicts(attempt).get("chain") for attempt in tries or []]:
        # A stack, not recursion: a chain may be deeper than Python's stack.
        stack = [("", node) for node in reversed(nodes if isinstance(nodes, list) else [])]
        chain_name = ""
        while stack:
            name, node = stack.pop()
            node = _dicts(node)
            kind, description = node.get("node_type"), str(node.get("description", ""))
            if kind == "Action":
                name = chain_name = description
            elif kind == "Action Input":
                yield name or chain_name, node
            children = node.get("children")
            stack.extend((name, child) for child in reversed(children if isinstance(children, list) else []))


def _dicts(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _records(file: Path) -> Iterator[Mapping[str, object]]:
    try:
        data = read_json(file)
    except DataError:
        return
    for record in data if isinstance(data, list) else []:
        if isinstance(record, dict) and isinstance(record.get("api_list"), list):
            yield record


def _text_key(query: object) -> str:
    if isinstance(query, list) and query:
        query = query[0]
    return f"text:{query.strip()}" if isinstance(query, str) else ""


def _id_key(query_id: object) -> str:
    return f"id:{query_id}"
