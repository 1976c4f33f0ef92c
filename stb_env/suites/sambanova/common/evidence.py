"""What a final answer can rest on: the goal, the calls, what they returned, and what they left."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache

from stb_env import jsontext
from stb_env.jsontypes import Json
from stb_env.judges.account import asserted
from stb_env.judges.days import MONTHS, Day, days_in, without_days
from stb_env.reading.dump import dumps

_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]*[a-z]{3})(?=\b|[a-zµ%°])", re.IGNORECASE)
_FIGURE = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_LISTED = re.compile(r"^\s*\d{1,2}[.)]\s", re.MULTILINE)
_PUT = re.compile(
    r"\b(?:on|onto|in|into|inside|over|under|to|from|move[ds]?|took|take|grab(?:bed)?) ", re.IGNORECASE
)
_STATED = re.compile(r"\d|\b(?:in|from|to|at|for|of|near|around|between|and) [A-Z]")
_KEY = re.compile(r'"[\w ]+":')
_TEXT = re.compile(r'[:\[,] ?"((?:[^"\\]|\\.)+)"(?! ?:)')
_COUNTED = re.compile(
    r" (?:moves?|steps?|calls?|actions?|requests?|things?|changes?|cells?|rows?|columns?)\b"
)
_NAMED = r"((?:St\.|[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+)*)"
_ROUTE = re.compile(rf"\bfrom {_NAMED} to {_NAMED}")
_PLACE = re.compile(rf"\b(?:in|from|to|at|for|of|near|around|between|and) {_NAMED}")
_DATE_PARTS = re.compile(r'"month": ?(\d+), ?"day": ?(\d+)|Date\((\d+), ?(\d+)')
_LISTED_WORDS = (
    "i i'm i've i'll your you the this that there here it its my we our no yes done found monday tuesday "
    "wednesday thursday friday saturday sunday celsius fahrenheit kelvin english japanese french german "
    "spanish italian json xml usd aqi api id url nothing none all both each one two three four five six "
    "seven eight utc am pm "
)
_COMMON = frozenset([*_LISTED_WORDS.split(), *MONTHS])

Convert = Callable[[float], float]
_CONVERSIONS: tuple[tuple[re.Pattern[str], tuple[Convert, ...]], ...] = (
    (
        re.compile(r"°|\b(?:celsius|fahrenheit|kelvin|degrees?|[cfk])\b"),
        (
            lambda value: value - 273.15,
            lambda value: value + 273.15,
            lambda value: value * 1.8 + 32,
            lambda value: (value - 32) / 1.8,
            lambda value: (value - 273.15) * 1.8 + 32,
            lambda value: (value - 32) / 1.8 + 273.15,
        ),
    ),
    (
        re.compile(r"\bkm/?h|\bkph|\bmph|miles per|kilomet"),
        (lambda v: v * 3.6, lambda v: v * 2.23694, lambda v: v * 1.60934),
    ),
    (re.compile(r"\bm²|\bm2\b|square met|sq(?:uare)? ?m\b"), (lambda v: v * 0.092903,)),
    (
        re.compile(r"\bmi(?:les?)?\b|\bkm\b"),
        (lambda v: v / 1.60934, lambda v: v * 1.60934, lambda v: v / 1000),
    ),
    (
        re.compile(r"\bhours?\b|\bh\b|\bmin"),
        (lambda v: v / 60, lambda v: v * 60, lambda v: v // 60, lambda v: v % 60),
    ),
    (re.compile(r"\bp\.?m\b"), (lambda v: v - 12,)),
    (re.compile(r"%|percent|per cent"), (lambda v: v * 100,)),
    (re.compile(r"\bmg\b|milligram|\d ?k\b|thousand|\bkm\b"), (lambda v: v / 1000,)),
    (re.compile(r"million"), (lambda v: v / 1e6,)),
)
_COMPARED = re.compile(
    r"\b(?:more|less|fewer|cheaper|dearer|over|under|above|below|leaves?|left|saves?|differ\w*)\b",
    re.IGNORECASE,
)
_MOST, _MANY = 8, 10


class Evidence:
    """What a final answer can rest on.

    Args:
        said: Returns the goal in words.
        made: Returns the arguments of calls.
        returned: Returns what calls returned, and what can be seen at the end.

    Examples:
        >>> results = [{"price": 31.5, "seats": 12}]
        >>> evidence = Evidence(lambda: "A bus to Boise on 4 May 2025?", list, lambda: results)
        >>> list(evidence.contradicted("The bus to Boise costs $31.50 on May 4, and has 12 seats."))
        []
        >>> list(evidence.contradicted("The bus to Omaha costs $41.50 on May 5."))
        ['41.50', 'may 5', 'Omaha']
    """

    def __init__(
        self, said: Callable[[], str], made: Callable[[], list[Json]], returned: Callable[[], list[Json]]
    ) -> None:
        # Most answers say nothing that has to be looked up.
        self._sources = said, made, returned

    @cached_property
    def _said(self) -> str:
        return self._sources[0]()

    @cached_property
    def _calls(self) -> int:
        return len(self._sources[1]())

    @cached_property
    def _values(self) -> list[Json]:
        return [*self._sources[1](), *self._sources[2]()]

    @cached_property
    def text(self) -> str:
        """All of it as one text."""
        return "\n".join([self._said, *map(_written, self._values)]).replace("_", " ")

    @cached_property
    def _folded(self) -> str:
        return self.text.lower()

    @cached_property
    def _content(self) -> str:
        """The text without the names of fields."""
        return _KEY.sub("", self.text)

    def contradicted(
        self, answer: str, kinds: Iterable[str] = (), things: Callable[[], Iterable[str]] = tuple
    ) -> Iterator[str]:
        """Yield what an answer says that this does not bear out.

        Args:
            answer: The answer; what it denies, asks or quotes is left aside.
            kinds: Names of which one that stands here nowhere is a wrong one.
            things: Returns names of which one that stands here nowhere is wrong where something is put.
        """
        clauses = [said.text for said in asserted(answer)]
        prose = "\n".join(clauses)
        placed = things is not tuple and _PUT.search(prose)
        if not (_STATED.search(prose) or placed or any(_has(prose, kind) for kind in kinds)):
            return
        told = "\n".join(_LISTED.sub("", clause) for clause in clauses if clause not in self.text)
        if not told:
            return
        dated = without_days(told)
        for match in _NUMBER.finditer(dated):
            counts = _COUNTED.match(dated, match.end()) and float(match[0].replace(",", "")) <= self._calls
            if not counts and not self._holds(match[0], dated) and not self._left(match[0], dated):
                yield match[0]
        named = list(days_in(told))
        if named and self._days:
            yield from (text for day, text in named if day not in self._days)
        yield from (name for name in _PLACE.findall(told) if not self._is_named(name))
        yield from (kind for kind in kinds if _has(told, kind) and not _has(self._content, kind))
        yield from (thing for thing in things() if _is_put(told, thing) and not _has(self._content, thing))
        yield from (f"{one} to {other}" for one, other in _ROUTE.findall(told) if self._is_back(one, other))

    def misquoted(self, answer: str) -> Iterator[str]:
        """Yield the numbers and texts of raw data in an answer that stand here nowhere.

        Examples:
            >>> evidence = Evidence(str, list, lambda: [{"price": 31.5}])
            >>> list(evidence.misquoted('It said {"price": 32.5}.'))
            ['32.5']
        """
        for start, end in dumps(answer):
            data = answer[start:end]
            yield from (word for word in _FIGURE.findall(_KEY.sub("", data)) if not self._holds(word))
            yield from (text for text in _TEXT.findall(data) if _unescaped(text) not in self.text)

    def _is_back(self, one: str, other: str) -> bool:
        return f"from {other} to {one}" in self.text and f"from {one} to {other}" not in self.text

    @cached_property
    def _figures(self) -> list[float]:
        found = {float(word.replace(",", "")) for word in _FIGURE.findall(self.text)}
        found |= {
            float(part) for word in _FIGURE.findall(self.text) for part in word.split(".") if part.isdigit()
        }
        found |= {float(len(each)) for each in _lists(self._values)}
        return sorted(found | self._sums)

    @cached_property
    def _sums(self) -> set[float]:
        few = {float(word.replace(",", "")) for word in _FIGURE.findall(self._said)}
        if len(few) > _MOST:
            return set()
        return {value for one in few for other in few if one < other for value in (one + other, other - one)}

    @cached_property
    def _days(self) -> set[Day]:
        parts = ([int(part) for part in found if part] for found in _DATE_PARTS.findall(self.text))
        return {day for day, _ in days_in(self.text)} | {Day(month, day) for month, day in parts}

    def _holds(self, word: str, told: str = "") -> bool:
        """Return whether a number is one of these, or one of them in another unit that a text speaks of."""
        number = float(word.replace(",", ""))
        near = 0.5 * 10.0 ** -len(word.partition(".")[2]) + 1e-9
        place = bisect_left(self._figures, number - near)
        if place < len(self._figures) and self._figures[place] <= number + near:
            return True
        return any(
            abs(convert(each) - number) <= near for convert in _conversions(told) for each in self._figures
        )

    def _left(self, word: str, told: str) -> bool:
        """Return whether a number is by how much two others differ, one of them in the goal."""
        number = float(word.replace(",", ""))
        if number < _MANY or not _COMPARED.search(told):
            return False
        few = {float(each.replace(",", "")) for each in _FIGURE.findall(self._said)}
        return len(few) <= _MOST and any(
            abs(abs(one - other) - number) < 1e-6 for one in few for other in self._figures
        )

    def _is_named(self, name: str) -> bool:
        parts = [part.lower().removesuffix("'s") for part in re.split(r"[ -]", name)]
        return all(part in _COMMON or part in self._folded for part in parts)


@lru_cache(maxsize=64)
def _conversions(told: str) -> list[Convert]:
    return [each for unit, group in _CONVERSIONS if unit.search(told) for each in group]


def _written(value: Json) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)


def _unescaped(text: str) -> str:
    try:
        return str(jsontext.loads(f'"{text}"')).replace("_", " ")
    except ValueError:
        return text


def _has(text: str, word: str) -> bool:
    return _may_have(text, word) and _whole(word).search(text) is not None


def _is_put(text: str, thing: str) -> bool:
    return _may_have(text, thing) and _put(thing).search(text) is not None


def _may_have(text: str, word: str) -> bool:
    """Return False where a text does not have a word, at a fraction of what a search for it costs."""
    # Beyond ASCII, letters are equal whose small forms differ.
    return not (text.isascii() and word.isascii()) or word.lower() in text.lower()


@lru_cache(maxsize=1_024)
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _put(thing: str) -> re.Pattern[str]:
    put = r"\b(?:on|onto|in|into|inside|over|under|to|from|move[ds]?|took|take|grab(?:bed)?)(?: top of)? "
    return re.compile(rf"{put}(?:the|a|an|your)? ?{re.escape(thing)}\b", re.IGNORECASE)


def _lists(value: Json) -> Iterator[list[Json]]:
    if isinstance(value, list):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists(each)
