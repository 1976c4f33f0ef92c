"""Reads the parts of a large JSON file one after the other, and holds one of them at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from stb_env.core.jsontypes import Json
from stb_env.errors import DataError

_CHUNK = 1 << 20
_BLANK = " \t\r\n"
_ENDS = frozenset(",:]}" + _BLANK)

_decode = json.JSONDecoder(parse_constant=str, strict=False).raw_decode


def items(file: Path) -> Iterator[Json]:
    """Yield the items of a file that holds a list.

    Raises:
        DataError: It holds something else, or is no JSON.
    """
    for _, item in _parts(file, "[", "]"):
        yield item


def members(file: Path) -> Iterator[tuple[str, Json]]:
    """Yield the members of a file that holds an object, name and value.

    Raises:
        DataError: It holds something else, or is no JSON.
    """
    for name, value in _parts(file, "{", "}"):
        yield str(name), value


def _parts(file: Path, start: str, end: str) -> Iterator[tuple[object, object]]:
    with file.open(encoding="utf-8") as source:
        reader = _Reader(source.read)
        try:
            if reader.sign() != start:
                raise DataError(f"{file} must hold {'a list' if start == '[' else 'an object'}")
            sign = reader.skip()
            while sign != end:
                name = reader.value() if start == "{" else None
                if start == "{":
                    reader.expect(":")
                yield name, reader.value()
                if (sign := reader.sign()) == ",":
                    reader.skip()
                elif sign != end:
                    raise ValueError(f"expected ',' or {end!r}, got {sign!r}")
        except (ValueError, RecursionError) as error:
            raise DataError(f"{file} is no JSON: {error}") from error


class _Reader:
    """A place in a text that is read in chunks."""

    def __init__(self, read: Callable[[int], str]) -> None:
        self._read, self._text, self._at = read, "", 0

    def sign(self) -> str:
        """Return the next character that is no blank, or an empty text at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def skip(self) -> str:
        """Pass over a character, and return the next that is no blank."""
        self._at += 1
        return self.sign()

    def expect(self, sign: str) -> None:
        """Pass over a character that has to be there.

        Raises:
            ValueError: It is another.
        """
        if self.sign() != sign:
            raise ValueError(f"expected {sign!r}, got {self.sign()!r}")
        self._at += 1

    def value(self) -> Json:
        """Return the next value.

        Raises:
            ValueError: There is none.
        """
        self.sign()
        while True:
            start = self._at
            try:
                value, end = _decode(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
            else:
                # A number that ends where the chunk ends, or at its point, may go on in the next chunk.
                if self._text[end : end + 1] in _ENDS:
                    self._at = end
                    return value
                if not self._more():
                    self._at = end - start
                    return value

    def _more(self) -> bool:
        chunk = self._read(_CHUNK)
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)
