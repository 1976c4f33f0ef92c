"""Answer files: how they are named, and how they are read from disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from stb_env.core.jsontypes import Json
from stb_env.errors import DataError

_METHOD = re.compile(r"(CoT@\d+|[A-Z][A-Za-z]*(?:_woFilter)?_w?\d+)\Z")
_NUMBERED = re.compile(r"(\d+)(?:_|\Z)")


class FileName(NamedTuple):
    """The parts of an answer file's name.

    Attributes:
        query_id: The query.
        method: The search, for example ``CoT@1`` or ``DFS_woFilter_w2``.
    """

    query_id: str
    method: str


def file_name(query_id: str, method: str) -> str:
    """Return the name of an answer file; what no file name can hold is percent-encoded.

    Examples:
        >>> file_name("588", "DFS_woFilter_w2"), file_name("a/b", "CoT@1")
        ('588_DFS_woFilter_w2.json', 'a%2Fb_CoT@1.json')
    """
    return f"{quote(query_id, safe='')}_{quote(method, safe='@')}.json"


def read_name(stem: str) -> FileName:
    """Read a file's name without its ending.

    Official ids are numbers, and what stands between such an id and the method names a model. Any other
    id may have underscores of its own.

    Examples:
        >>> read_name("10_ChatGPT_DFS_woFilter_w2")
        FileName(query_id='10', method='DFS_woFilter_w2')
        >>> read_name("book_a_table-3_CoT@1")
        FileName(query_id='book_a_table-3', method='CoT@1')
        >>> read_name("7_mine")
        FileName(query_id='7', method='mine')
    """
    stem = unquote(stem)
    found = _METHOD.search(stem)
    # A method is preceded by an id; a name that has none is an id alone.
    if found is None or found.start() == 0 or stem[found.start() - 1] != "_":
        query_id, _, method = stem.partition("_")
        return FileName(query_id, method)
    query_id = stem[: found.start() - 1]
    numbered = _NUMBERED.match(query_id)
    return FileName(numbered[1] if numbered else query_id, found[1])


def is_answer(value: object) -> bool:
    """Say whether a decoded file is an answer file."""
    return isinstance(value, dict) and ("trys" in value or "tree" in value)


def read_json(file: Path) -> Json:
    """Decode a JSON file, however deep: each step of a search nests two levels deeper.

    Raises:
        DataError: It cannot be read or is no JSON.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8"), strict=False)
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{file} is no JSON file that can be read: {error}") from error
