"""Checks of an answer in words: by the whole text, words in it, a pattern, a JSON value or a number."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.judges.cues import DOUBTS, is_denial
from stb_env.judges.same_answer import same_answer
from stb_env.judges.terms import read, split

TextKind = Literal["equals", "contains", "matches", "json", "number"]
KINDS: tuple[TextKind, ...] = ("equals", "contains", "matches", "json", "number")

_NUMBER = re.compile(
    r"(?<![\w.])[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?(?!\w)"
)
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?```\s*", re.DOTALL)
# Of exact decimal values that went through binary ones.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TextCheck:
    """Decides on answers, always alike and without a model.

    ``equals``: the whole answer is the text, or one of several; case, blanks and the form of a number do not
    matter. ``contains``: every text stands in it, said and not denied or doubted; whoever lists all there is
    passes too, so take ``equals`` where you can. ``matches``: the whole answer fits the regular expression
    (RE2, in linear time). ``json``: the answer is JSON of this value. ``number``: it tells this number, up to
    ``tolerance``, and no other that the query does not.

    Attributes:
        kind: Which of these.
        value: What is expected.
        tolerance: How far a number may be off.

    Raises:
        DataError: The value is none for this kind.

    Examples:
        >>> TextCheck.of({"number": 3.5, "tolerance": 0.1}).problem("It is about 3.45 litres.", "How much?")
        ''
        >>> TextCheck.of({"contains": "Oslo"}).problem("It is not Oslo.", "Which city?")
        "the answer does not say 'Oslo'"
        >>> TextCheck.of({"equal": "Oslo"})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: a check has one of equals, contains, matches, json, number; got equal
    """

    kind: TextKind
    value: Any
    tolerance: float = 0.0

    @classmethod
    def of(cls, form: JsonMapping) -> TextCheck:
        """Read a check as a query has it.

        Raises:
            DataError: It is none.
        """
        kinds = [kind for kind in KINDS if kind in form]
        rest = form.keys() - {*kinds, "tolerance"}
        if len(kinds) != 1 or rest or ("tolerance" in form and kinds != ["number"]):
            got = ", ".join(sorted(form)) or "nothing"
            raise DataError(f"a check has one of {', '.join(KINDS)}; got {got}")
        return cls(kinds[0], form[kinds[0]], form.get("tolerance", 0.0))

    def __post_init__(self) -> None:
        if self.kind in ("equals", "contains") and not (self._texts and all(map(_is_single, self._texts))):
            raise DataError(f"{self.kind} of a check is a text or a list of texts, got {self.value!r:.80}")
        if self.kind == "matches":
            _pattern(self.value)
        if self.kind == "number" and not (_is_number(self.value) and _is_number(self.tolerance)):
            raise DataError(f"number and tolerance of a check are numbers, got {self.value!r:.80}")
        if self.tolerance < 0:
            raise DataError(f"tolerance of a check is 0 or more, got {self.tolerance}")

    @property
    def answer(self) -> str | None:
        """An answer that holds, where the check itself tells one."""
        if self.kind == "matches":
            return None
        if self.kind == "json":
            return json.dumps(self.value, ensure_ascii=False)
        return ", ".join(map(str, self._texts)) if self.kind == "contains" else str(self._texts[0])

    def problem(self, answer: str, query: str) -> str:
        """Return why an answer does not hold; empty where it does.

        Args:
            answer: The final answer.
            query: What was asked.
        """
        if self.kind == "equals":
            same = any(same_answer(answer, text) for text in self._texts)
            return "" if same else f"the answer is not {self._texts[0]!r:.80}"
        if self.kind == "contains":
            missing = [text for text in self._texts if not _says(answer, str(text))]
            return f"the answer does not say {missing[0]!r:.80}" if missing else ""
        if self.kind == "matches":
            return (
                ""
                if _pattern(self.value).fullmatch(answer.strip())
                else f"the answer is not {self.value!r:.80}"
            )
        if self.kind == "json":
            return _json_problem(answer, self.value)
        return self._number_problem(answer, query)

    @property
    def _texts(self) -> Sequence[Any]:
        return self.value if isinstance(self.value, list) else [self.value]

    def _number_problem(self, answer: str, query: str) -> str:
        asked = {_value(number) for number in _NUMBER.findall(query)}
        for number in _NUMBER.findall(answer):
            value = _value(number)
            if not self._is_close(value) and value not in asked:
                return f"the answer tells {value:g}, and {self.value:g} was expected"
        claimed = _claims(answer, lambda part: any(map(self._is_close, map(_value, _NUMBER.findall(part)))))
        return "" if claimed else f"the answer does not tell {self.value:g}"

    def _is_close(self, value: float) -> bool:
        return math.isclose(value, self.value, rel_tol=_ROUNDING, abs_tol=self.tolerance)


def _says(answer: str, text: str) -> bool:
    """Return whether a text stands in an answer as words of their own, neither denied nor doubted."""
    words = r"\s+".join(map(re.escape, text.split()))
    found = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    own = frozenset(token.text for token in read(text))
    return bool(words) and _claims(answer, lambda part: found.search(part) is not None, own)


def _claims(answer: str, has: Callable[[str], bool], own: frozenset[str] = frozenset()) -> bool:
    """Return whether an answer has something, with no denial beside it and no doubt at all."""
    if not has(answer):
        return False
    parts = split(answer)
    if any(token.text in DOUBTS - own for token in read(answer)):
        return False
    holding = [part for part in parts if has(part)] or [answer]
    return not any(
        is_denial(token.text) and token.text not in own for part in holding for token in read(part)
    )


def _json_problem(answer: str, expected: object) -> str:
    fenced = _FENCE.fullmatch(answer)
    try:
        got = json.loads(fenced[1] if fenced else answer)
    except (ValueError, RecursionError):
        return "the answer is no JSON"
    return "" if same_value(got, expected) else "the answer is another JSON value"


def same_value(one: object, other: object) -> bool:
    """Return whether two JSON values are equal: 12 is 12.0, and true is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_value, one, other))
    return bool(one == other)


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _is_single(value: object) -> bool:
    return (isinstance(value, str) and bool(value.strip())) or _is_number(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _pattern(text: object) -> Any:
    re2: Any = importlib.import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except (re2.error, TypeError) as error:
        raise DataError(
            f"matches of a check is a regular expression of RE2, got {text!r:.80} ({error})"
        ) from error
