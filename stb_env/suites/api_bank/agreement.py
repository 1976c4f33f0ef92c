"""Whether what an assistant says agrees with what its calls returned: a mechanical reading of a reply.

A reply disagrees where it states a number or a name that stands in none of what was said and returned so
far and does not follow from it, where it reports a failure though every call succeeded, or a success though
the last call failed. A right number said of the wrong thing is not seen: this is a metric beside
correctness, not a judge.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import combinations

from stb_env import jsontext
from stb_env.jsontypes import Json
from stb_env.reading.sentence import sentences
from stb_env.suites.api_bank.spoken_times import NUMBERS, clocks_in

_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?=\b|[a-z%°])")
_NAME = re.compile(r"(?:(?<=[\w,;:'] )|(?<=\b[DM][r]\. )|(?<=\bMrs\. ))[A-Z][\w'-]*")
_ADDRESS = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{0,60}\w")
_DENIED = re.compile(
    r"\b(failed|unable|cannot|unsuccessful)\b"
    r"|\b(could|can|was|were|did)( not|n't) (able|be|been|find|set|book|add)\b"
    r"|\b(could not|couldn't|can't)\b",
    re.IGNORECASE,
)
_CLAIMED = re.compile(r"\b(success|successfully|(has|have) been|is now|are now|is done)\b", re.IGNORECASE)
_LISTED = (
    "i i'm i'll i've i'd am pm ok okay dr mr mrs ms api id url usd eur celsius fahrenheit c f today "
    "monday tuesday wednesday thursday friday saturday sunday sure yes no please thank thanks january "
    "february march april may june july august september october november december english "
    "new year day eve "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
)
_COMMON = frozenset(_LISTED.split())
_DEGREES = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:°|degrees?\b)(?! ?f(?:ahrenheit)?\b)", re.IGNORECASE)
_IN_DEGREES = re.compile(r"temp|latitude|longitude", re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?::\d\d)?|\d{1,2} ?[ap]\.?m\b", re.IGNORECASE)
_SCALES = (100.0, 0.01, 1000.0, 0.001)
_SCALED = re.compile(
    r"[%°]|\b(?:per ?cent|percentage|"
    r"thousand|\d*k|[mk]?m|[mk]g|cm|met(?:er|re)s?|kilo\w+|milli\w+|cents?|gram\w*)\b",
    re.IGNORECASE,
)
_ROUND = 100
_RECKONED = re.compile(
    r"[=+*/×÷]|\d [x-] \d|\b(?:total\w*|sum\w*|add\w*|plus|minus|subtract\w*|times|multipl\w*|"
    r"product|divid\w*|far|near|about|roughly|"
    r"differ\w*|altogether|together|combin\w*|overall|in all|calculat\w*|comput\w*|result\w*|makes?|gives?|"
    r"equals?|average|mean|more|less|fewer|(?:high|low|old|young|long|short|great|small|warm|cool|cold|hott)er|left|leaves?|"
    r"remain\w*|rest|up|down|rose|fell|increas\w*|decreas\w*|change[ds]?|comes?)\b",
    re.IGNORECASE,
)
_MOST = 60
_INITIALS = 4


class Known:
    """What a reply can rest on.

    Args:
        texts: What was said and asked so far, the system's date among it.
        results: What calls took and returned.

    Examples:
        >>> known = Known(["What did BRKV cost on 22 March?"], [42.25])
        >>> known.agrees("BRKV cost 42.25 on March 22."), known.agrees("BRKV cost 41 on March 22.")
        (True, False)
        >>> known.unsupported("It is with Dr. Brown, at 42.3 or so.")
        ['Brown']
    """

    def __init__(self, texts: Iterable[str], results: Sequence[Json]) -> None:
        self._said = "\n".join(texts)
        self._results = list(results)

    @cached_property
    def returned(self) -> str:
        """All of the results as one text."""
        return "\n".join(each if isinstance(each, str) else jsontext.dumps(each) for each in self._results)

    def agrees(self, text: str, *, failed: Sequence[bool] = ()) -> bool:
        """Return whether a reply agrees.

        Args:
            text: The reply.
            failed: Which of the calls that it is about failed, in order.
        """
        if self.unsupported(text):
            return False
        text = text.replace("’", "'")
        if failed and not any(failed) and _DENIED.search(text) and not _DENIED.search(self.returned):
            return False
        return not (failed and failed[-1] and _CLAIMED.search(text) and not _DENIED.search(text))

    def unsupported(self, text: str) -> list[str]:
        """Return the numbers and names of a reply that nothing so far supports."""
        text = text.replace("’", "'")
        wrong = self.mismeasured(text)
        for span in sentences(text):
            said = text[span.start : span.end]
            words = _NUMBER.findall(said)
            if words:
                scaled, reckoned = _SCALED.search(said) is not None, _RECKONED.search(said) is not None
                wrong += [word for word in words if not self._holds(word, scaled, reckoned)]
        return wrong + self.unnamed(text)

    def mismeasured(self, text: str) -> list[str]:
        """Return the degrees of a reply that nothing so far supports."""
        said = (text[span.start : span.end] for span in sentences(text))
        return [
            word
            for sentence in said
            for word in _DEGREES.findall(sentence)
            if not self._is_measured(word, _RECKONED.search(sentence) is not None)
        ]

    def unnamed(self, text: str) -> list[str]:
        """Return the addresses and names of a reply that nothing so far supports."""
        text = text.replace("’", "'")
        wrong = [address for address in _ADDRESS.findall(text) if address.casefold() not in self._all]
        return wrong + [name for name in _NAME.findall(text) if not self._is_named(name)]

    @cached_property
    def _all(self) -> str:
        return f"{self._said}\n{self.returned}".casefold()

    @cached_property
    def _numbers(self) -> set[float]:
        found = {float(word) for word in re.findall(r"\d+(?:\.\d+)?", self._all.replace(",", ""))}
        found |= {float(part) for part in re.findall(r"\d+", self._all)}
        clocks = clocks_in(self._all)
        found |= {float(part) for hour, minute in clocks for part in (hour, hour - 12, minute)}
        found |= {float(n) for n, word in enumerate(NUMBERS) if word in self._spelled}
        return found | {len(each) for each in _lists(self._results)}

    @cached_property
    def _spelled(self) -> set[str]:
        return set(re.findall(r"[a-z]+", self._all))

    @cached_property
    def _measured(self) -> list[float]:
        """What can be in degrees: what was returned or called so, else every number but those of times."""
        named = [*_named_degrees(self._results), *map(float, _DEGREES.findall(self._all))]
        numbers = re.findall(r"\d+(?:\.\d+)?", _TIME.sub(" ", self._all))
        return sorted(named or map(float, numbers))

    @cached_property
    def _derived(self) -> list[float]:
        """Sums, differences and products of the numbers that were returned, as far as that stays a few."""
        numbers = sorted(set(_numbers_in(self._results)))
        if len(numbers) > _MOST:
            return []
        pairs = {
            value for one, two in combinations(numbers, 2) for value in (one + two, two - one, one * two)
        }
        return sorted(pairs | {sum(numbers)})

    def _holds(self, word: str, scaled: bool, reckoned: bool) -> bool:
        # Most numbers stand there to the letter, and to read all numbers of a long text takes a while.
        if word.isdecimal() and re.search(rf"(?<!\d){word}(?!\d)", self._all):
            return True
        number = float(word.replace(",", ""))
        # Rounded either way, where a half can go both ways.
        near = 0.5 * 10.0 ** -len(word.partition(".")[2]) + 1e-9 if "." in word else 1e-9
        if reckoned and number >= _ROUND and "." not in word:
            near = max(
                near, 0.5 * 10.0 ** (len(word) - len(word.rstrip("0"))) if word.endswith("00") else near
            )
        return (
            _is_among(number, near, self._sorted)
            or (scaled and _is_among(number, near, self._scaled))
            or (reckoned and _is_among(number, near, self._derived))
        )

    @cached_property
    def _sorted(self) -> list[float]:
        return sorted(self._numbers)

    @cached_property
    def _scaled(self) -> list[float]:
        return sorted(each * scale for each in self._numbers for scale in _SCALES)

    def _is_measured(self, word: str, reckoned: bool) -> bool:
        """Return whether degrees rest on what was read: no hour of the day is a temperature."""
        near = 0.5 * 10.0 ** -len(word.partition(".")[2]) + 1e-9
        return _is_among(float(word), near, self._measured) or (
            reckoned and _is_among(float(word), near, self._derived)
        )

    def _is_named(self, name: str) -> bool:
        folded = name.casefold().removesuffix("'s").strip("'-")
        if folded in _COMMON or folded in self._all or folded.rstrip("s") in self._all:
            return True
        parts = folded.split("-")
        if len(parts) > 1 and all(part[:_INITIALS] in self._all for part in parts):
            return True
        # Initials, such as "BP" for a blood pressure.
        letters = folded if name.isupper() and name.isalpha() and 1 < len(name) <= _INITIALS else ""
        return bool(letters) and re.search(r"\b" + r"[a-z]*[ _-]".join(letters), self._all) is not None


def _is_among(number: float, near: float, ordered: Sequence[float]) -> bool:
    place = bisect_left(ordered, number - near)
    return place < len(ordered) and ordered[place] <= number + near


def _lists(value: Json) -> Iterable[list[Json]]:
    if isinstance(value, list):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists(each)


def _named_degrees(value: Json) -> Iterable[float]:
    if isinstance(value, dict):
        for key, each in value.items():
            if _IN_DEGREES.search(key):
                yield from _numbers_in([each])
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _named_degrees(each)


def _numbers_in(value: Json) -> Iterable[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _numbers_in(each)
