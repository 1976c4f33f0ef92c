"""How alike two answers of an API are: in their schema, their fields and their words.

The text measures are a few lines each and kept here: the packages that have them bring tokenisers for
natural language, and every dependency of the offline path is one more thing that can change a number.
"""

from __future__ import annotations

import ast
import math
import re
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from stb_env import jsontext

# Quotes are left out: whether an API writes JSON or Python says nothing about what it answered.
_TOKENS = re.compile(r"\w+|[^\w\s\"']")
_ORDERS = 4

Field = tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Split a text into words, numbers and single marks, without case, blanks and quotes.

    Examples:
        >>> tokens('{"Name": 3.5}')
        ['{', 'name', ':', '3', '.', '5', '}']
    """
    return _TOKENS.findall(text.lower())


def bleu4(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> float:
    """Return sentence BLEU-4 (Papineni et al., 2002) with add-one smoothing above unigrams (Lin and Och, 2004).

    Args:
        reference: Tokens of the text to be matched.
        candidate: Tokens of the text that is scored.

    Returns:
        From 0 to 1; two empty texts are equal and score 1.

    Examples:
        >>> bleu4(tokens("it rains in Oslo today"), tokens("it rains in Oslo today"))
        1.0
        >>> bleu4(tokens("it rains"), tokens("snow"))
        0.0
    """
    if not reference or not candidate:
        return float(not reference and not candidate)
    logs = 0.0
    for order in range(1, _ORDERS + 1):
        wanted, found = _grams(reference, order), _grams(candidate, order)
        smoothing = order > 1
        matched = (wanted & found).total() + smoothing
        if not matched:
            return 0.0
        logs += math.log(matched / (found.total() + smoothing))
    brevity = min(0.0, 1 - len(reference) / len(candidate))
    return math.exp(brevity + logs / _ORDERS)


def _grams(sequence: Sequence[Hashable], order: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(zip(*(sequence[start:] for start in range(order)), strict=False))


def rouge_l(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> float:
    """Return ROUGE-L (Lin, 2004): the F1 score of the longest common subsequence.

    Args:
        reference: Tokens of the text to be matched.
        candidate: Tokens of the text that is scored.

    Returns:
        From 0 to 1; two empty texts are equal and score 1.

    Examples:
        >>> rouge_l("police killed the gunman".split(), "police kill the gunman".split())
        0.75
    """
    if not reference or not candidate:
        return float(not reference and not candidate)
    return 2 * _common_length(reference, candidate) / (len(reference) + len(candidate))


def _common_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence, a row of the table in one integer (Hyyrö, 2004)."""
    places: dict[Hashable, int] = {}
    for position, token in enumerate(first):
        places[token] = places.get(token, 0) | 1 << position
    mask = (1 << len(first)) - 1
    row = mask
    for token in second:
        common = row & places.get(token, 0)
        row = ((row + common) | (row - common)) & mask
    return len(first) - row.bit_count()


def decoded(response: Any) -> Any:
    """Return what a response means where it is the text of a JSON or Python value, whole or cut off.

    Examples:
        >>> decoded("{'city': 'Oslo', 'dry': True}"), decoded("all is well"), decoded('{"a": [1, 2], "b": "x')
        ({'city': 'Oslo', 'dry': True}, 'all is well', {'a': [1, 2], 'b': 'x'})
    """
    if not isinstance(response, str) or response.lstrip()[:1] not in ("{", "["):
        return response
    text = response.strip()
    try:
        return jsontext.loads(text)
    except ValueError:
        pass
    try:
        with warnings.catch_warnings():
            # A stray backslash in a recording is no warning to whoever measures it.
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return _repaired(text)


def _repaired(text: str) -> Any:
    import json_repair  # heavy, and needed for damaged recordings only

    try:
        return jsontext.loads(json_repair.repair_json(text)) or text
    except (ValueError, RecursionError):
        return text


def schema(value: Any) -> frozenset[tuple[Field, str]]:
    """Return every field of a JSON value with its type; members of a list share the field ``[]``.

    Examples:
        >>> sorted(schema({"hits": [{"id": 1}, {"id": 2}]}))
        [((), 'object'), (('hits',), 'array'), (('hits', '[]'), 'object'), (('hits', '[]', 'id'), 'number')]
    """
    return frozenset(_typed(value, ()))


def _typed(value: Any, field: Field) -> Iterator[tuple[Field, str]]:
    if isinstance(value, Mapping):
        yield field, "object"
        for name, item in value.items():
            yield from _typed(item, (*field, str(name)))
    elif isinstance(value, list | tuple):
        yield field, "array"
        for item in value:
            yield from _typed(item, (*field, "[]"))
    elif value is not None:
        yield field, _scalar(value)
    else:
        yield field, "null"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"


def schema_match(real: Any, simulated: Any) -> bool:
    """Say whether two JSON values have the same fields with the same types.

    A null says nothing of its type, and a list without members nothing of theirs.

    Examples:
        >>> schema_match({"id": 1, "tags": ["a"]}, {"id": 2.5, "tags": []})
        True
        >>> schema_match({"id": 1}, {"id": "1"}), schema_match({"id": 1}, {})
        (False, False)
    """
    mine, theirs = _types(real), _types(simulated)
    return _fits(mine, theirs) and _fits(theirs, mine)


def _types(value: Any) -> dict[Field, set[str]]:
    types: dict[Field, set[str]] = {}
    for field, kind in schema(value):
        types.setdefault(field, set()).add(kind)
    return types


def _fits(mine: Mapping[Field, set[str]], theirs: Mapping[Field, set[str]]) -> bool:
    for field, types in mine.items():
        known = theirs.get(field)
        if known is None:
            if not _unsaid(field, theirs):
                return False
        elif "null" not in types | known and types != known:
            return False
    return True


def _unsaid(field: Field, types: Mapping[Field, set[str]]) -> bool:
    """Say whether a field lies below a null or a list without members."""
    for length in range(len(field)):
        above = field[:length]
        if types.get(above) == {"null"}:
            return True
        if types.get(above) == {"array"} and (*above, "[]") not in types:
            return True
    return False


def field_overlap(real: Any, simulated: Any) -> float | None:
    """Return the share of fields that both values have among those that either has (Jaccard, 1901).

    Returns:
        From 0 to 1, or None where neither value has a field.

    Examples:
        >>> field_overlap({"id": 1, "name": "a"}, {"id": 2, "title": "b"})
        0.3333333333333333
        >>> field_overlap("fine", "well") is None
        True
    """
    mine, theirs = ({field for field, _ in schema(value) if field} for value in (real, simulated))
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else None
