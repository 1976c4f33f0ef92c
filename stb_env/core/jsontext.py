"""JSON text that survives anything a model, a file or a network sends.

Reading bounds depth and digits and turns NaN into text; writing never yields a text that cannot be
encoded; `cut` shortens a value structurally, so that what is left still parses.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stb_env.core.jsontypes import Json, JsonArray, JsonObject

MAX_DEPTH = 100
CUT_MARK = "...[cut]"

# Characters up to which the parser of `json` is as fast as orjson with the look at long numbers.
_SHORT = 128

_TOO_DEEP = f"JSON nests deeper than {MAX_DEPTH} levels"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("?)|[\[\]{},]', re.DOTALL)
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_STRING = re.compile(rb'"[^"]*"?')
_OTHERS = bytes(set(range(256)) - set(b'"[]{}'))
_DIGITS = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
# The shortest run of digits that may be an integer beyond 64 bits; without a sign it takes one more.
_LONG_NUMBER = b"0" * 19


def dumps(value: object) -> str:
    r"""Write a value as readable JSON text that can always be encoded as UTF-8.

    Infinities and NaN, which JSON lacks, become text.

    Examples:
        >>> dumps({"city": "Zürich", "n": 1})
        '{"city": "Zürich", "n": 1}'
        >>> dumps("\ud800")
        '"\\ud800"'
    """
    try:
        text = _encode(value)
    except ValueError:
        text = _encode(_finite(value))
    # str.isascii is a flag look-up, so the usual case costs nothing.
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def loads(text: str) -> Json:
    """Parse JSON text, tolerating control characters, NaN, huge numbers; bounding depth.

    Args:
        text: The JSON text. NaN, infinities and numbers too long to compute with become text.

    Returns:
        The value: dict, list, str, int, float, bool or None.

    Raises:
        ValueError: The text is not JSON, or nests deeper than `MAX_DEPTH`.

    Examples:
        >>> loads('{"a": [1, NaN]}')
        {'a': [1, 'NaN']}
        >>> loads("[" * 100_000)
        Traceback (most recent call last):
        ...
        ValueError: JSON nests deeper than 100 levels
    """
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    return _DECODER.decode(text)


def loads_utf8(data: bytes) -> object:
    """Parse the bytes of a JSON text as `loads` does its characters, most of them in half the time.

    Raises:
        ValueError: As in `loads`, or the bytes are no UTF-8.

    Examples:
        >>> loads_utf8(b'{"a": [1, NaN, 123456789012345678901]}')
        {'a': [1, 'NaN', 123456789012345678901]}
    """
    value = _quickly(data)
    return loads(data.decode()) if value is None else _bounded(value, data)


def load(file: Path) -> object:
    """Parse a file of UTF-8 as `loads` parses its text, several times as fast where nothing in it is odd.

    Raises:
        ValueError: It is not JSON, nests deeper than `MAX_DEPTH`, or is not UTF-8.
        OSError: The system refuses.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.json").write_text('{"a": [1, NaN]}')
        ...     load(Path(folder) / "a.json")
        {'a': [1, 'NaN']}
    """
    data = file.read_bytes()
    value = _quickly(data)
    # A file read as text has its line breaks made one kind, inside texts too.
    return loads(file.read_text(encoding="utf-8")) if value is None else _bounded(value, data)


def read_back(text: str) -> Json:
    """Parse text that `dumps` or another JSON writer of this package wrote, and that is that text alone.

    Skips what `json.loads` does around the parser, which on short texts costs as much as the parser; on
    longer ones takes a faster parser.

    Raises:
        ValueError: It is not such text.

    Examples:
        >>> read_back('{"a": [1]}')
        {'a': [1]}
        >>> read_back("{} ")
        Traceback (most recent call last):
        ...
        ValueError: 1 characters after the JSON value
    """
    if len(text) > _SHORT and not (text[0].isspace() or text[-1].isspace()):
        quick = _quickly(text.encode("utf-8", "surrogatepass"))
        if quick is not None:
            return quick
    value, end = _raw_decode(text)
    if end != len(text):
        raise ValueError(f"{len(text) - end} characters after the JSON value")
    return value


def read_exactly(text: str) -> object:
    """Parse text as `json.loads` does, several times as fast.

    Raises:
        ValueError: It is no JSON.

    Examples:
        >>> read_exactly('{"a": [18446744073709551616, 0.5]}')
        {'a': [18446744073709551616, 0.5]}
    """
    value = _quickly(text.encode("utf-8", "surrogatepass"))
    return json.loads(text) if value is None else value


def _quickly(data: bytes) -> object:
    """Return what is certain to be what the parsers here would make of it, or None."""
    if _may_have_long_integer(data):
        # Of what orjson takes, these alone become something else.
        return None
    import orjson  # takes a while

    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _may_have_long_integer(data: bytes) -> bool:
    # Of as many bytes in a row, three stand six apart; looking at these alone takes a third of the time.
    if b"000" not in data[::6].translate(_DIGITS):
        return False
    digits = data.translate(_DIGITS)
    start = digits.find(_LONG_NUMBER)
    while start >= 0:
        end = digits.find(b" ", start)
        end = len(data) if end < 0 else end
        before, after = data[max(0, start - 1) : start], data[end : end + 1]
        # Coordinates and probabilities have as many digits, and are no integers; post numbers fit.
        whole = before != b"." and after not in (b".", b"e", b"E")
        if whole and (end - start > len(_LONG_NUMBER) or before == b"-"):
            return True
        start = digits.find(_LONG_NUMBER, end)
    return False


def _bounded(value: object, data: bytes) -> object:
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _is_too_deep(value):
        raise ValueError(_TOO_DEEP)
    return value


def _depth(text: str) -> int:
    # Nearly all of a text goes at the speed of memory; what is left is brackets, and texts that hold some.
    data = text.encode("utf-8", "surrogatepass")
    if b"\\" in data:
        data = _ESCAPE.sub(b"", data)
    # Two quotes less leave every bracket as far inside or outside a text as it was.
    data = data.translate(None, _OTHERS).replace(b'""', b"")
    depth = deepest = 0
    for char in _STRING.sub(b"", data):
        if char in b"[{":
            depth += 1
            if depth > deepest:
                deepest = depth
        else:
            depth -= 1
    return deepest


def _is_too_deep(value: object) -> bool:
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _parse_int(digits: str) -> int | str:
    return int(digits) if len(digits) < 299 else digits


def _parse_float(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits


def _encoder() -> Callable[[object], str]:
    # What holds itself ends in a RecursionError either way, and looking for it takes a tenth of the time.
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)
    make: Callable[..., Any] | None = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    # What `encode` makes for each value anew, which on short ones takes as long as the writing.
    colon, comma = encoder.key_separator, encoder.item_separator
    strings = json.encoder.encode_basestring
    write = make(None, encoder.default, strings, None, colon, comma, False, False, False)
    return lambda value: "".join(write(value, 0))


_encode = _encoder()
_raw_decode = json.JSONDecoder().raw_decode
_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_float=_parse_float, parse_constant=str, strict=False)


def cut(value: object, limit: int) -> Json:
    """Shorten a JSON value until its text has at most ``limit`` characters and still parses.

    Long texts lose their end and long lists and objects their last members; each place that lost
    something ends in `CUT_MARK`.

    Args:
        value: Any JSON value.
        limit: Bound on ``len(dumps(result))``, in characters; at least 64.

    Examples:
        >>> cut({"a": "x" * 500}, 64)["a"][-12:]
        'xxxx...[cut]'
        >>> cut([1, 2], 64)
        [1, 2]
    """
    if len(dumps(value)) <= limit:
        return value
    budget = limit
    while budget >= 8:
        shorter = _shorten(value, budget)
        if len(dumps(shorter)) <= limit:
            return shorter
        budget = budget * 3 // 4
    return CUT_MARK


def close(text: str) -> Json:
    """Decode JSON text that was cut off: drop what is incomplete and close what is open.

    Returns:
        The value, or None where the text does not begin like JSON.

    Examples:
        >>> close('{"a": "int", "b": [{"c": "str", "d": "st')
        {'a': 'int', 'b': [{'c': 'str'}]}
        >>> close("no JSON") is None
        True
    """
    try:
        return loads(text)
    except ValueError:
        pass
    kept, open_ = 0, ""
    closers = ""
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark in "{[":
            open_ += "}" if mark == "{" else "]"
        elif mark in "}]":
            open_ = open_[:-1]
        elif mark != ",":
            continue
        kept, closers = match.start() if mark == "," else match.end(), open_[::-1]
    try:
        return loads(text[:kept] + closers)
    except ValueError:
        return None


def _shorten(value: object, budget: int) -> object:
    if isinstance(value, str):
        return value if len(value) <= budget else value[: max(0, budget - len(CUT_MARK))] + CUT_MARK
    if isinstance(value, list):
        return _shorten_list(value, budget)
    if isinstance(value, dict):
        return _shorten_dict(value, budget)
    return value


def _shorten_list(value: Sequence[object], budget: int) -> list[object]:
    kept: JsonArray = []
    for item in value:
        size = len(dumps(item)) + 2
        if size > budget:
            kept.append(_shorten(item, budget) if budget > 4 * len(CUT_MARK) else CUT_MARK)
            if len(kept) < len(value) and kept[-1] != CUT_MARK:
                kept.append(CUT_MARK)
            break
        kept.append(item)
        budget -= size
    return kept


def _shorten_dict(value: Mapping[str, object], budget: int) -> dict[str, object]:
    kept: JsonObject = {}
    for index, (key, item) in enumerate(value.items()):
        size = len(dumps(item)) + len(key) + 6
        if size > budget:
            if budget - len(key) > 4 * len(CUT_MARK):
                kept[key] = _shorten(item, budget - len(key))
            if index < len(value) - 1 or key not in kept:
                kept[CUT_MARK] = True
            break
        kept[key] = item
        budget -= size
    return kept
