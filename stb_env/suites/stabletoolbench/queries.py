"""Official query files of StableToolBench (and ToolLLM), as they are.

Takes one file, a folder of group files, or the repository layout
``solvable_queries/test_instruction/<group>.json`` with ``test_query_ids/<group>.json`` beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.stabletoolbench.api_entry import (
    APIEntry,
    Functions,
    api_id,
    original_tools,
    tool_from_api,
)
from stb_env.suites.stabletoolbench.open_domain import ApiSearch, Retrieval
from stb_env.suites.stabletoolbench.query_record import (
    NO_APIS,
    BadRecord,
    read_apis,
    read_id,
    read_query,
    same_parameters,
)
from stb_env.suites.stabletoolbench.tool_files import ToolFiles
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolId, unique_names

SUITE = "StableToolBench"
GROUPS: Mapping[str, str] = {
    "I1-Instruction": "G1_instruction",
    "I1-Category": "G1_category",
    "I1-Tool": "G1_tool",
    "I2-Instruction": "G2_instruction",
    "I2-Category": "G2_category",
    "I3-Instruction": "G3_instruction",
}
_FOLDERS = (
    "",
    "test_instruction",
    "solvable_queries/test_instruction",
    "data/test_instruction",
    "instruction",
)
# Longer template responses were cut at this many characters, in mid-JSON.
_CUT_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that is not as its format promises.

    Attributes:
        file: The file's path.
        index: Position of the record in the file, from 0; -1 where the file itself is meant.
        field: Path of the field.
        message: What was got and what was expected.
    """

    file: str
    index: int
    field: str
    message: str

    def __str__(self) -> str:
        where = f"record {self.index}, " if self.index >= 0 else ""
        return f"{self.file}: {where}{self.field}: {self.message}"


@dataclass(slots=True)
class Loaded:
    """Tasks with what was wrong on the way.

    Attributes:
        tasks: The good records.
        problems: One entry for each bad record or field.
        cut_templates: Template responses that the data set cut in mid-text; they are repaired when used.
        files: The files read.
        without_apis: Queries that were left out because they name no API.
    """

    tasks: TaskSet
    problems: list[Problem] = field(default_factory=list)
    cut_templates: int = 0
    files: list[Path] = field(default_factory=list)
    without_apis: int = 0


def load(
    path: str | Path,
    group: str | None = None,
    *,
    strict: bool = False,
    compat: str | None = None,
    functions: Functions = "stabletoolbench",
    tools: ToolFiles | None = None,
    retrieve: Retrieval | None = None,
) -> Loaded:
    """Read query files into tasks.

    Args:
        path: A file, a folder of group files, or the repository layout.
        group: One of `GROUPS`, to read that group alone; None reads every file found.
        strict: Raise at the first problem instead of reporting it.
        compat: ``"original"`` gives the tools the original's names, descriptions and schemas.
        functions: Whose schemas these then are.
        tools: Tool files. They fill in what an API entry lacks, such as the tool's description; in the
            compatibility setting they take its place, as in the original.
        retrieve: How queries that name no API get some: from the tool files and the APIs of the other
            queries. None leaves them out.

    Returns:
        The tasks in file order, and what could not be read: a record without an API, without a usable id,
        or with an API that means another one elsewhere is left out, too.

    Raises:
        DataError: Nothing is there to read, a file is no JSON list, or ``strict`` met a problem; or there
            are no APIs to retrieve from.
    """
    root = Path(path)
    files = find_files(root, group)
    reader = _Reader(strict, compat, tools, retrieve is not None)
    records = [record for file in files for record in reader.read(file, group)]
    sources: JsonObject = {}
    if retrieve is not None and not all(record.apis for record in records):
        documented = (entry for record in records for entry in record.apis)
        search = ApiSearch(chain(documented, tools.entries() if tools else ()), retrieve)
        records = [record if record.apis else _with_found(record, search) for record in records]
        sources["retrieval"] = search.fingerprint
    if tools is not None:
        reader.report_files(tools)
        sources["tool_files"] = tools.fingerprint
    tasks = TaskSet(_tasks(records, compat, functions), name=group or SUITE, sources=sources)
    return Loaded(tasks, reader.problems, reader.cut_templates, files, reader.without_apis)


def find_files(root: Path, group: str | None = None) -> list[Path]:
    """Return the query files under a path, for one group or for all.

    Raises:
        DataError: There is none; the message says where it was looked for.
    """
    if group is not None and group not in GROUPS:
        raise DataError(f"unknown group {group!r}; known: {', '.join(GROUPS)}.{did_you_mean(group, GROUPS)}")
    if root.is_file():
        return [root]
    if not root.exists():
        raise DataError(f"{root} does not exist; --data takes a query file or the folder solvable_queries")
    stems = [GROUPS[group]] if group else list(GROUPS.values())
    for folder in _FOLDERS:
        found = [file for stem in stems if (file := root / folder / f"{stem}.json").is_file()]
        if found:
            return found
    for stem in stems:
        inside = sorted((root / stem).glob("*.json")) if (root / stem).is_dir() else []
        if inside:
            return inside
    # A folder named after the group, or one of ToolLLM's own files under other names.
    loose = sorted(root.glob("*.json")) if group is None or root.name in (group, GROUPS[group]) else []
    if loose:
        return loose
    names = ", ".join(f"{stem}.json" for stem in stems)
    raise DataError(f"no {names} in {root} or its folders {', '.join(f for f in _FOLDERS if f)}")


def normalized_record(task: Task) -> dict[str, object]:
    """Return a task as an official query record, its cut template responses repaired.

    Args:
        task: A task that `load` made.
    """
    raw_names = {tool.id: [tool.record["tool_name"], tool.record["api_name"]] for tool in task.tools}
    return {
        "api_list": [_repaired(tool.record) for tool in task.tools],
        "query": task.query,
        "relevant APIs": [raw_names[identity] for identity in task.relevant],
        "query_id": int(task.id) if task.id.isdigit() else task.id,
    }


def _repaired(entry: Mapping[str, object]) -> Mapping[str, object]:
    template = entry.get("template_response")
    return {**entry, "template_response": jsontext.close(template)} if isinstance(template, str) else entry


@dataclass(frozen=True, slots=True)
class _Record:
    id: str
    query: str
    apis: Sequence[APIEntry]
    relevant: tuple[ToolId, ...]
    group: str
    raw: JsonMapping


def _with_found(record: _Record, search: ApiSearch) -> _Record:
    apis = search.apis(record.query)
    relevant, _ = _matching(record.raw.get("relevant APIs"), apis)
    return replace(record, apis=apis, relevant=relevant)


class _Reader:
    def __init__(self, strict: bool, compat: str | None, tools: ToolFiles | None, open_domain: bool) -> None:
        self.strict, self.compat, self.tools, self.open_domain = strict, compat, tools, open_domain
        self.problems: list[Problem] = []
        self.cut_templates = self.without_apis = 0
        self._seen: set[str] = set()
        self._documented: dict[ToolId, APIEntry] = {}

    def read(self, file: Path, group: str | None) -> Iterator[_Record]:
        records = _read_list(file)
        group = group or next((name for name, stem in GROUPS.items() if stem == file.stem), file.stem)
        wanted = _wanted_ids(file)
        found: set[str] = set()
        for index, raw in enumerate(records):
            try:
                record = self._record(str(file), index, raw, group)
            except BadRecord as bad:
                self._report(str(file), index, bad.place, str(bad))
                continue
            found.add(record.id)
            if wanted is None or record.id in wanted:
                yield record
        for missing in sorted((wanted or set()) - found):
            self._report(str(file), -1, "query_id", f"id {missing} is in the id file but no record has it")

    def report_files(self, tools: ToolFiles) -> None:
        """Report the tool files that could not be used."""
        for file, problem in tools.problems.items():
            self._report(str(file), -1, "tool file", problem)

    def _report(self, file: str, index: int, place: str, message: str) -> None:
        problem = Problem(file, index, place, message)
        if self.strict:
            raise DataError(str(problem))
        self.problems.append(problem)

    def _record(self, file: str, index: int, raw: object, group: str) -> _Record:
        if not isinstance(raw, dict):
            raise BadRecord("record", f"expected an object, got {type(raw).__name__}")
        query = read_query(raw.get("query"))
        task_id = read_id(raw.get("query_id", index))
        if task_id in self._seen:
            raise BadRecord("query_id", f"id {task_id} occurs more than once; the first is kept")
        listed = read_apis(raw.get("api_list"))
        if not listed and not self.open_domain:
            self.without_apis += 1
            got = "[]" if raw.get("api_list") == [] else "none"
            raise BadRecord("api_list", f"expected at least one API to call, got {got}{NO_APIS}")
        apis = self._described(file, index, listed)
        self._documented |= self._new_apis(apis)
        self._seen.add(task_id)
        self.cut_templates += sum(_is_cut(entry.get("template_response")) for entry in apis)
        relevant, strange = _matching(raw.get("relevant APIs"), listed)
        for pair in strange if listed else ():
            self._report(file, index, "relevant APIs", f"{pair!r:.80} is not among the record's api_list")
        offered = {api_id(entry) for entry in apis}
        relevant = tuple(identity for identity in relevant if identity in offered)
        return _Record(
            task_id, query, apis, relevant, group, {k: v for k, v in raw.items() if k != "api_list"}
        )

    def _new_apis(self, apis: Sequence[APIEntry]) -> dict[ToolId, APIEntry]:
        """Return the APIs that no earlier record has; an identity that means two APIs is a bad record."""
        new: dict[ToolId, APIEntry] = {}
        for position, entry in enumerate(apis):
            identity = api_id(entry)
            known = self._documented.get(identity) or new.setdefault(identity, entry)
            if not same_parameters(known, entry):
                raise BadRecord(
                    f"api_list[{position}]",
                    f"an earlier entry has other parameters under the same {identity}; make them one",
                )
        return new

    def _described(self, file: str, index: int, listed: Sequence[APIEntry]) -> Sequence[APIEntry]:
        """Return the entries with what the tool files say of them."""
        if self.tools is None:
            return listed
        if not self.compat:
            return [self.tools.completed(entry) for entry in listed]
        found = {}
        for position, entry in enumerate(listed):
            place = f"api_list[{position}]"
            try:
                found[place] = self.tools.replaced(entry)
            except DataError as error:
                raise BadRecord(place, str(error)) from error
        kept = [entry for entry in found.values() if entry is not None]
        if listed and not kept:
            raise BadRecord("api_list", "the tool files have none of its APIs")
        for place in (place for place, entry in found.items() if entry is None):
            self._report(file, index, place, "its tool's file has no such API; it is left out")
        return kept


def _matching(pairs: object, apis: Sequence[APIEntry]) -> tuple[tuple[ToolId, ...], list[object]]:
    """Return the APIs that pairs of raw names mean, each once, and the pairs that mean none."""
    by_pair = {(entry["tool_name"], entry["api_name"]): api_id(entry) for entry in apis}
    found: dict[ToolId, None] = {}
    strange: JsonArray = []
    for pair in pairs if isinstance(pairs, list) else []:
        identity = by_pair.get(tuple(pair)) if _is_pair(pair) else None
        if identity is None:
            strange.append(pair)
        else:
            found[identity] = None
    return tuple(found), strange


def _wanted_ids(file: Path) -> set[str] | None:
    ids = file.parent.parent / "test_query_ids" / file.name
    if file.parent.name != "test_instruction" or not ids.is_file():
        return None
    loaded = _read_json(ids)
    if not isinstance(loaded, dict | list):
        raise DataError(f"{ids}: expected an object whose keys are query ids, got {type(loaded).__name__}")
    return {str(key) for key in loaded}


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)


def _is_cut(template: object) -> bool:
    return isinstance(template, str) and len(template) == _CUT_LENGTH


def _tasks(records: Sequence[_Record], compat: str | None, functions: Functions) -> Iterator[Task]:
    names = unique_names(api_id(entry) for record in records for entry in record.apis)
    made: dict[tuple[ToolId, str], Tool] = {}
    for record in records:
        if compat:
            tools = original_tools(record.apis, functions)
        else:
            # An API that is listed again, under names that standardise to the same, is taken once.
            listed: dict[ToolId, APIEntry] = {}
            for entry in record.apis:
                listed.setdefault(api_id(entry), entry)
            tools = tuple(_tool(entry, names, made) for entry in listed.values())
        yield Task(
            record.id,
            record.query,
            tools,
            SUITE,
            record.group,
            relevant=record.relevant,
            record=record.raw,
            checked=not compat,
        )


def _tool(entry: APIEntry, names: Mapping[ToolId, str], made: dict[tuple[ToolId, str], Tool]) -> Tool:
    # The same API stands in many records; it is built once for each distinct documentation.
    identity = api_id(entry)
    key = identity, json.dumps(entry, sort_keys=True)
    tool = made.get(key)
    if tool is None:
        tool = made[key] = tool_from_api(entry, names[identity])
    return tool


def _read_list(file: Path) -> list[object]:
    loaded = _read_json(file)
    if not isinstance(loaded, list):
        raise DataError(f"{file}: expected a JSON list of query records, got {type(loaded).__name__}")
    return loaded


def _read_json(file: Path) -> object:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{file}: not readable as JSON: {error}") from error
