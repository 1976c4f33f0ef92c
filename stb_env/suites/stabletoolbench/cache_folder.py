"""StableToolBench's own cache folder: ``<Category>/<tool>_for_<Category>/<api>.json``.

Each file is one object from arguments to answer. The keys are what Python's ``str`` made of the arguments.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.formats.recorded_answer import Notes, RecordedCall, as_answer
from stb_env.tools import ToolId, pure_name, standardize

NAMES = "names.json"
"""Identities of APIs whose names cannot be file names; written only where there are any."""

_MAX_BYTES = 255
# What Python and JSON write the same but for quotes and three words: a flat object of plain texts and short
# numbers. Where there are words, no text has a colon, so that nothing in it looks like one.
_TEXT, _BARE = r"'[ !#-&(-\[\]-~]*'", r"'[ !#-&(-9;-\[\]-~]*'"
_NUMBER, _WORD = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,14})?", r"True|False|None"
_JSON = {"': True": "': true", "': False": "': false", "': None": "': null", "'": '"'}


def _flat(text: str, value: str) -> re.Pattern[str]:
    return re.compile(rf"\{{(?:{text}: (?:{value})(?:, (?!\}})|(?=\}})))*\}}")


_FLAT = _flat(_TEXT, f"{_TEXT}|{_NUMBER}")
_WORDED = _flat(_BARE, f"{_BARE}|{_NUMBER}|{_WORD}")


def is_cache_file(file: Path) -> bool:
    """Say whether a file lies where the layout puts one."""
    return file.suffix == ".json" and file.parent.name.endswith(f"_for_{file.parent.parent.name}")


def read_file(file: Path, notes: Notes) -> Iterator[tuple[str, RecordedCall]]:
    """Yield the recorded calls of one API's file, each with its key there."""
    try:
        data = jsontext.load(file)
    except (OSError, ValueError) as error:
        notes.refuse(file, str(error))
        return
    if not isinstance(data, dict):
        notes.refuse(file, f"expected an object from arguments to answer, got {type(data).__name__}")
        return
    identity = _named(file) or _identity(file)
    for key, value in data.items():
        answer = as_answer(value)
        if answer is None:
            notes.refuse(file, f"the answer to {key[:80]!r} is no object of error and response")
        else:
            yield key, RecordedCall(identity, read_key(key), answer, "unknown")


def read_key(key: str) -> Mapping[str, object] | str:
    """Return the arguments that a key stands for: an object, or raw text.

    Examples:
        >>> read_key("{'a': 1, 'b': None}"), read_key('{"a": 1}'), read_key("[1]"), read_key("free text")
        ({'a': 1, 'b': None}, {'a': 1}, '[1]', 'free text')
    """
    if _FLAT.fullmatch(key):
        # Ten times as fast, and what most keys are.
        return cast(JsonObject, jsontext.read_back(key.replace("'", '"')))
    if _WORDED.fullmatch(key):
        for python, json_ in _JSON.items():
            key = key.replace(python, json_)
        return cast(JsonObject, jsontext.read_back(key))
    try:
        value = ast.literal_eval(key)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _read_json_key(key)
    if isinstance(value, str):
        return value
    try:
        # Through JSON and back: what JSON cannot say is no argument that could have been sent.
        text = jsontext.dumps(value)
        value = jsontext.loads(text)
    except (TypeError, ValueError, RecursionError):
        return key
    return value if isinstance(value, dict) else text


def _read_json_key(key: str) -> Mapping[str, object] | str:
    try:
        value = jsontext.loads(key)
    except ValueError:
        return key
    return value if isinstance(value, dict) else key


def write_key(arguments: Mapping[str, object] | str) -> str:
    r"""Return the key of arguments, in Python's spelling wherever `read_key` gets the same back.

    Examples:
        >>> write_key({"a": 1, "b": None}), write_key("null"), write_key("free text"), write_key("{'a': 1}")
        ("{'a': 1, 'b': None}", 'None', 'free text', '"{\'a\': 1}"')
    """
    if not isinstance(arguments, str):
        plain = jsontext.loads(jsontext.dumps(dict(arguments)))
        key = str(plain)
        return key if read_key(key) == plain else jsontext.dumps(plain)
    return next(
        key for key in (_as_python(arguments), arguments, repr(arguments)) if read_key(key) == arguments
    )


def _as_python(text: str) -> str:
    try:
        return str(jsontext.loads(text))
    except ValueError:
        return text


class FolderWriter:
    """Writes recorded calls in the layout, a file an API, each of which appears whole or not at all.

    Args:
        folder: Where they go.
        files: How many it has written before.
        odd: The identities whose names cannot be file names, by file.
    """

    def __init__(self, folder: Path, files: int = 0, odd: Mapping[str, Sequence[str]] | None = None) -> None:
        self.folder = folder
        self.files = files
        self.odd = dict(odd or {})

    def write(self, identity: ToolId, calls: Iterable[RecordedCall]) -> None:
        """Write the calls of one API."""
        place = _place(identity)
        if place is None:
            place = _hashed_place(identity)
            self.odd["/".join(place)] = identity
        file = self.folder.joinpath(*place)
        file.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(file) as out:
            _write_calls(out, calls)
        self.files += 1

    def finish(self) -> None:
        """Write the odd names, where there are any."""
        if self.odd:
            with _replacing(self.folder / NAMES) as out:
                json.dump(self.odd, out, indent=4)


def _write_calls(out: TextIO, calls: Iterable[RecordedCall]) -> None:
    """Write one object, a member at a time: an API may have any number of calls."""
    before = "{"
    for call in calls:
        answer = {"error": call.answer.error, "response": call.answer.response}
        text = json.dumps({write_key(call.arguments): answer}, indent=4)
        out.write(before + text[1 : -len("\n}")])
        before = ","
    out.write("\n}")


@contextmanager
def _replacing(file: Path) -> Iterator[TextIO]:
    # What a killed process left of it is written over: it goes on before this file.
    part = file.with_name(".part")
    with part.open("w", encoding="ascii") as out:
        yield out
    part.replace(file)


def _place(identity: ToolId) -> tuple[str, str, str] | None:
    """Return folder, folder and file name, or None where they would not be safe and read back the same."""
    category, tool, api = identity
    place = (category, f"{tool}_for_{category}", f"{api}.json")
    safe = all(map(_is_safe, (*place, tool, api))) and _identity(Path(*place)) == identity
    return place if safe else None


def _is_safe(name: str) -> bool:
    if (
        not name
        or name.startswith(".")
        or not name.isprintable()
        or any(char in name for char in '/\\:*?"<>|')
    ):
        return False
    try:
        return len(os.fsencode(name)) <= _MAX_BYTES - len(".json")
    except UnicodeEncodeError:
        return False


def _hashed_place(identity: ToolId) -> tuple[str, str, str]:
    digest = hashlib.sha256("\0".join(identity).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return "odd_names", "hashed_for_odd_names", f"api_{digest}.json"


def _identity(file: Path) -> ToolId:
    # The folder's name is a standardised category already, and standardising is not idempotent.
    category = file.parent.parent.name
    tool = file.parent.name.removesuffix(f"_for_{category}")
    return ToolId(category, standardize(tool), pure_name(file.stem))


def _named(file: Path) -> ToolId | None:
    """Return the identity that an export noted for a file with a hashed name."""
    root = file.parent.parent.parent
    if file.parent.parent.name != "odd_names" or not (root / NAMES).is_file():
        return None
    try:
        names = json.loads((root / NAMES).read_text(encoding="utf-8"))
        category, tool, api = names[file.relative_to(root).as_posix()]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return ToolId(str(category), str(tool), str(api))
