"""Values between the marks of an element, which say no type: JSON where they are JSON, else text."""

from __future__ import annotations

import re

from stb_env.core import jsontext

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}


def value_of(text: str) -> object:
    r"""Read a parameter's text: a line break at either end belongs to the marks.

    Examples:
        >>> value_of("\n5\n"), value_of("Rome"), value_of('["a"]'), value_of("true"), value_of("007")
        (5, 'Rome', ['a'], True, '007')
    """
    text = text.removeprefix("\n").removesuffix("\n")
    bare = text.strip()
    if bare in _WORDS:
        return _WORDS[bare]
    if not bare.startswith(("{", "[", '"')) and not _NUMBER.fullmatch(bare):
        return text
    try:
        return jsontext.loads(bare)
    except ValueError:
        return text
