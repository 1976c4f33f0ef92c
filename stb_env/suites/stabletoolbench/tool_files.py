"""Tool files as RapidAPI was crawled: ``tools/<Category>/<tool>.json`` (specification, 1.7).

The original keys its list of tool descriptions by the tool's name alone, so that of two categories with a
tool of the same name one loses its description to the other, by the order of the file system. Here a tool is
found by category and name, in the compatibility setting too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Self, cast

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.api_entry import (
    PARAMETERS,
    APIDetails,
    APIEntry,
    api_id,
    damaged_parameters,
)
from stb_env.tools import ToolId, pure_name, standardize, standardize_category

# An archive that was unpacked may have a folder of its own inside.
_PLACES = ("tools", "tools/*", "toolenv/tools", "cache/tools", "cache/*/tools", "server/tools")
_LEVELS_ABOVE = 3

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ToolFile:
    """One tool with its APIs.

    Attributes:
        category: Category, standardised.
        name: The tool's name as RapidAPI has it.
        description: What the tool is for; empty where the file does not say.
        host: Where its APIs live; empty where the file does not say.
        apis: Documents of its APIs by standardised name, of equal ones the first.

    Examples:
        >>> file = ToolFile.read("Data", {"tool_name": "Films", "api_list": [{"name": "Film"}]})
        >>> file.name, list(file.apis), file.entry(file.apis["film"])["api_name"]
        ('Films', ['film'], 'Film')
        >>> ToolFile.read("Data", {"tool_name": "Films", "api_list": [{}]})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: api_list[0].name: expected a text, got None
    """

    category: str
    name: str
    description: str
    host: str
    apis: Mapping[str, JsonMapping]

    @classmethod
    def read(cls, category: str, data: object) -> Self:
        """Take what a file holds.

        Raises:
            DataError: It is no tool; the message names the field.
        """
        if not isinstance(data, dict) or not isinstance(data.get("tool_name"), str):
            raise DataError("expected an object with a text tool_name and a list api_list")
        if not isinstance(data.get("api_list"), list):
            raise DataError(f"api_list: expected a list, got {type(data.get('api_list')).__name__}")
        apis: dict[str, JsonMapping] = {}
        for position, api in enumerate(data["api_list"]):
            _check(f"api_list[{position}]", api)
            apis.setdefault(pure_name(api["name"]), api)
        return cls(category, data["tool_name"], _text(data, "tool_description"), _text(data, "host"), apis)

    def entry(self, api: JsonMapping) -> APIEntry:
        """Return one of its APIs with the fields of a query file's entry, and those that only it has."""
        entry: APIEntry = {
            "category_name": self.category,
            "tool_name": self.name,
            "api_name": api["name"],
            "api_description": api.get("description"),
            "required_parameters": api.get("required_parameters") or [],
            "optional_parameters": api.get("optional_parameters") or [],
        }
        return {**entry, **self.further(api)}

    def further(self, api: Mapping[str, object] | None) -> APIDetails:
        """Return what a query file's entry never has: the tool's description, and where an API is called."""
        found = {"tool_description": self.description, "host": self.host}
        if api is not None:
            found |= {"url": _text(api, "url"), "method": _text(api, "method")}
        return cast(APIDetails, {name: value for name, value in found.items() if value})


class ToolFiles:
    """The tool files of a folder, each read when it is first asked for.

    Args:
        folder: Holds a folder for each category.

    Attributes:
        folder: The folder.
        problems: What was wrong with files that could not be used, by file; known once they were read.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.problems: dict[Path, str] = {}
        self._read: dict[_Key, ToolFile | None] = {}
        self._used: set[_Key] = set()

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[ToolFile]:
        """Yield every tool in order of category and file name; files that are none become problems."""
        return (file for file in map(self._get, self._index) if file is not None)

    @classmethod
    def find(cls, path: str | Path) -> Self:
        """Return the tool files at a path, be it their folder or one that has it in a usual place.

        Raises:
            DataError: There are none.
        """
        problems: dict[Path, str] = {}
        for folder in (Path(path), *_places(Path(path)), *_folders(Path(path), "*")):
            files = cls(folder)
            if any(files):
                return files
            problems |= files.problems
        damaged = "".join(f"; {file}: {problem}" for file, problem in list(problems.items())[:1])
        raise DataError(f"no tool file in {path}; expected <Category>/<tool>.json with an api_list{damaged}")

    @classmethod
    def beside(cls, data: str | Path) -> Self | None:
        """Return the tool files that come with query files, or None.

        The official folders have ``tools`` beside ``solvable_queries``, ToolLLM's have ``toolenv/tools``
        beside ``instruction``.

        Args:
            data: A query file, or a folder of them.
        """
        start = Path(data).absolute()
        folders = [start, *start.parents][: _LEVELS_ABOVE + 1]
        found = (cls(place) for folder in folders for place in _places(folder))
        return next((files for files in found if any(files)), None)

    def tool(self, category: str, tool: str) -> ToolFile | None:
        """Return the tool of this category and name, raw or standardised; None where no file has it."""
        key = standardize_category(category), standardize(tool)
        self._used.add(key)
        return self._get(key)

    def completed(self, entry: APIEntry) -> APIEntry:
        """Return a query file's entry with what it lacks and a tool file says.

        What the entry says itself stays.
        """
        file = self.tool(entry["category_name"], entry["tool_name"])
        if file is None:
            return entry
        api = file.apis.get(pure_name(entry["api_name"]))
        more: dict[str, object] = {**file.further(api)}
        if api is not None:
            documented = file.entry(api)
            if not str(entry.get("api_description") or "").strip():
                more["api_description"] = documented["api_description"]
            if not any(key in entry for key in PARAMETERS):
                more |= {key: documented[key] for key in PARAMETERS}
        own = {name: value for name, value in entry.items() if name not in more or name == "method"}
        return cast(APIEntry, {**more, **own})

    def replaced(self, entry: APIEntry) -> APIEntry | None:
        """Return a query file's entry as the original uses it: the tool file's words for it (2.7).

        Returns:
            The entry, or None where the tool's file has no such API, which the original then leaves out.

        Raises:
            DataError: The tool has no file, for which the original leaves out the whole query.
        """
        file = self.tool(entry["category_name"], entry["tool_name"])
        if file is None:
            raise DataError(f"no tool file of {entry['tool_name']!r} in {entry['category_name']}")
        api = file.apis.get(pure_name(entry["api_name"]))
        if api is None:
            return None
        category, tool = entry["category_name"], entry["tool_name"]
        return {**entry, **file.entry(api), "category_name": category, "tool_name": tool}

    def entries(self) -> Iterator[APIEntry]:
        """Yield every API of every tool, in the order of the files, each identity once."""
        known: set[ToolId] = set()
        self._used.update(self._index)
        for file in self:
            for api in file.apis.values():
                entry = file.entry(api)
                if api_id(entry) not in known:
                    known.add(api_id(entry))
                    yield entry

    @property
    def fingerprint(self) -> dict[str, object]:
        """Number and hash of the tools that were asked for so far, as plain data."""
        files = ((key, self._get(key)) for key in sorted(self._used))
        used = [
            [*key, file.name, file.description, dict(file.apis)] for key, file in files if file is not None
        ]
        return {"tools": len(used), "hash": sha256(jsontext.dumps(used).encode()).hexdigest()}

    @cached_property
    def _index(self) -> dict[_Key, Path]:
        index: dict[_Key, Path] = {}
        for file in sorted(self.folder.glob("*/*.json")):
            index.setdefault((standardize_category(file.parent.name), standardize(file.stem)), file)
        return index

    def _get(self, key: _Key) -> ToolFile | None:
        if key not in self._read:
            self._read[key] = self._load(key[0], self._index.get(key))
        return self._read[key]

    def _load(self, category: str, file: Path | None) -> ToolFile | None:
        if file is None:
            return None
        try:
            return ToolFile.read(category, json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError, DataError) as error:
            self.problems[file] = str(error)
            return None


def _places(folder: Path) -> Iterator[Path]:
    """Yield the usual places of tool files in a folder, where they are there."""
    for place in _PLACES:
        yield from _folders(folder, place)


def _folders(folder: Path, pattern: str) -> list[Path]:
    return sorted(found for found in folder.glob(pattern) if found.is_dir())


def _check(place: str, api: object) -> None:
    if not isinstance(api, dict):
        raise DataError(f"{place}: expected an object, got {type(api).__name__}")
    if not isinstance(api.get("name"), str):
        raise DataError(f"{place}.name: expected a text, got {api.get('name')!r:.60}")
    damaged = damaged_parameters(api)
    if damaged:
        raise DataError(f"{place}.{damaged}: expected a list of objects that have a text 'name'")


def _text(data: Mapping[str, object], name: str) -> str:
    value = data.get(name)
    return value.strip() if isinstance(value, str) else ""
