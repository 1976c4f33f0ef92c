"""Values of calls that a reply puts in the place of another: an end for a start, a weight for a pulse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from stb_env.jsontypes import JsonMapping
from stb_env.reading import moments, numerals
from stb_env.reading.fold import fold
from stb_env.reading.sentence import sentences
from stb_env.suites.api_bank.claim import kinds_of
from stb_env.suites.api_bank.figures import Stated, clocks
from stb_env.suites.api_bank.leaves import leaves
from stb_env.trajectory import CallRecord

_REACH = 40
"""Letters between a verb and the time that it is about."""
_LARGE = 1_000
"""Amounts from which on a number is taken for a salary."""
_NEXT = r" (?:the |about |at |on |around )?"
_TO = r"\b(?:to|until|till)\b"


class _Pair(NamedTuple):
    """Two fields that are each other's counterpart, and the words that tell them apart.

    Attributes:
        first: How the name of the one begins.
        second: How the name of the other begins.
        says_first: What is said before a value of the one.
        says_second: What is said before a value of the other.
    """

    first: re.Pattern[str]
    second: re.Pattern[str]
    says_first: re.Pattern[str]
    says_second: re.Pattern[str]


def _pair(
    first: str, second: str, says_first: str, says_second: str, start: str = "from", to: str = _TO
) -> _Pair:
    return _Pair(
        re.compile(first),
        re.compile(second),
        re.compile(rf"\b(?:{says_first})\b|\b{start}{_NEXT}$"),
        re.compile(rf"\b(?:{says_second})\b|(?:{to}){_NEXT}$"),
    )


_CHANGE = _pair(
    "from_|old_",
    "to_|new_",
    r"was (?:at|set (?:at|for|to)|originally)|were at|instead of|rather than|previous\w*|old|used to|not at|"
    r"no longer",
    r"now|new|rings?|goes? off|will be|moved|changed|set (?:at|for|to)",
    to=rf"{_TO}|→|->|=>",
)
_FLIGHT = _pair(
    "departure", "arrival", r"leav\w+|depart\w*|takes? off|taking off|dep", r"arriv\w*|land\w*|arr"
)
_STAY = _pair("check_in", "check_out", r"check\w*[- ]?in", r"check\w*[- ]?out")
_VISIT = _pair(
    "check_in",
    "check_out",
    r"check\w*[- ]?in|arriv\w*",
    r"check\w*[- ]?out|leav\w+|depart\w*",
)
_SALARY = _pair(
    "salary$",
    "salary_after",
    r"gross|earns?|before tax\w*|pays",
    r"net|after (?:\w+ )?tax\w*|keeps?|takes? home|leaves",
    start="of",
    to=r"\bleft with\b",
)
_SPAN = _pair("start", "end", r"start\w*|begin\w*", r"end\w*|finish\w*")
_PLACES = ("source", "destination")
_IDENTITY = re.compile(
    r"\b(?:order|booking|reservation|confirmation|appointment|account|registration) "
    r"(?:has the )?(?:number|no\.?|nr\.?|id|code)\W{0,4}(?:is |of )?\W{0,4}(\d+)\b"
)
_DOCTOR = re.compile(r"\bDr\.? ([A-Z][\w'-]+)")
_NAMED = re.compile(r"(?<![\w.])([A-Z][\w'-]+) (?=([A-Z][\w'-]+))")
_WITH = re.compile(r"\b(?:with|for|invit\w+|attendees?:?) ((?:[A-Z][a-z]+(?:,? and |, )?)+)")
_MEETS = re.compile(r"meet|book|schedul|invit|attend", re.IGNORECASE)
_FIGURES = re.compile(r"\d+(?:\.\d+)?(?:/\d+)?")
_TODAY = re.compile(
    r"\btoday(?:['’]s date)?(?: is|['’]s)?(?:,? (?:actually|really|in fact|rather|in truth|the))*,? $"
)
_SENT_TO = re.compile(
    r"\b(?:sent|e?mailed|forwarded|written|wrote)\b[^.;]*? to <?([\w.+-]+@[\w-]+\.[\w.-]*\w)"
)
_COUNTS = {"child": r"child(?:ren)?|kids?"}


class Roles:
    """Which value of an episode is what.

    Args:
        calls: The calls, each with what it took and returned.

    Examples:
        >>> from stb_env.tools import ToolResult
        >>> taken = {"from_time": "2023-03-20 06:30:00", "to_time": "2023-03-20 07:30:00"}
        >>> call = CallRecord("1", "ModifyAlarm", taken, ToolResult.of("success", source="world"))
        >>> roles = Roles([call])
        >>> list(roles.confused("It was at 6:30 am and rings at 7:30 am now."))
        []
        >>> list(roles.confused("It was at 7:30 am and rings at 6:30 am now."))
        ['7:30 am', '6:30 am']
    """

    def __init__(self, calls: Iterable[CallRecord]) -> None:
        self._calls = list(calls)
        given = [call.arguments for call in self._calls if isinstance(call.arguments, Mapping)]
        self._given: list[JsonMapping] = list(given)
        returned = [each for call in self._calls for each in leaves(call.result.response, dict)]
        whole = [
            {**call.arguments, **call.result.response}
            for call in self._calls
            if isinstance(call.arguments, Mapping) and isinstance(call.result.response, dict)
        ]
        self._records: list[JsonMapping] = [*given, *returned, *whole]
        wholes = [*given, *(call.result.response for call in self._calls)]
        texts = [value for whole in wholes for value in leaves(whole, str)]
        # Some results have the number of a record as its key.
        keys = [str(key) for whole in wholes for record in leaves(whole, dict) for key in record]
        self._ids = {text for text in (*texts, *keys) if text.isdecimal()}

    def confused(self, text: str) -> Iterator[str]:
        """Yield what a reply says of something else than it belongs to."""
        folded = fold(text)
        for span in sentences(folded):
            sentence = folded[span.start : span.end]
            if span.mark != "?":
                yield from self._moved(sentence)
                yield from self._turned(sentence)
                yield from self._mislabelled(sentence)
                yield from self._misdated(sentence)
        yield from self._renamed(text)

    def _moved(self, sentence: str) -> Iterator[str]:
        said = [
            (sentence[one.start : one.end], one.values, one.start)
            for one in (*clocks(sentence), *_days(sentence), *_amounts(sentence))
        ]
        if not said:
            return
        flies = any(_of(record, _FLIGHT.first) for record in self._records)
        for pair in (_CHANGE, _FLIGHT, _STAY if flies else _VISIT, _SPAN, _SALARY):
            for first, second in self._sides(pair):
                for words, values, start in said:
                    side = _cue(pair, sentence, start)
                    if side == "first" and values & second and not values & first:
                        yield words
                    if side == "second" and values & first and not values & second:
                        yield words

    def _sides(self, pair: _Pair) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
        """Yield what may stand on each side, where all records agree on that."""
        first, second = set[str](), set[str]()
        for record in self._records:
            keys = (_of(record, pair.first), _of(record, pair.second))
            if all(keys):
                first |= {value for key in keys[0] for value in _moments(str(record[key]))}
                second |= {value for key in keys[1] for value in _moments(str(record[key]))}
        if first and second:
            yield frozenset(first), frozenset(second)

    def _misdated(self, sentence: str) -> Iterator[str]:
        """Yield days that are said to be today and are another one than a call returned."""
        told = [call.result.response for call in self._calls if call.name == "GetToday"]
        known = {value for text in leaves(told, str) for day in _days(fold(text)) for value in day.values}
        for day in _days(sentence) if known else ():
            if _TODAY.search(sentence, 0, day.start) and not day.values & known:
                yield sentence[day.start : day.end]

    def _turned(self, sentence: str) -> Iterator[str]:
        ways = {
            (fold(str(record[_PLACES[0]])), fold(str(record[_PLACES[1]])))
            for record in self._records
            if all(place in record for place in _PLACES)
        }
        for source, destination in ways:
            if (destination, source) in ways or source == destination:
                continue
            if re.search(rf"\bfrom {re.escape(destination)}\b|\bto {re.escape(source)}\b", sentence):
                yield f"from {destination}"

    def _mislabelled(self, sentence: str) -> Iterator[str]:
        for match in _IDENTITY.finditer(sentence):
            if match[1] not in self._ids:
                yield match[0]
        for record in (*self._records, *self._measured()):
            numbers = _numbers(record)
            for label in numbers if len(numbers) > 1 else ():
                others = {other for name in numbers if name != label for other in numbers[name]}
                for match in _labelled(label).finditer(sentence):
                    said = float(match[1].replace(",", ""))
                    if said in others and said not in numbers[label] | self._all(label):
                        yield match[0]
        for record in self._given:
            yield from self._miscounted(record, sentence)

    def _miscounted(self, record: JsonMapping, sentence: str) -> Iterator[str]:
        for name in record:
            noun, _, kind = name.rpartition("_")
            if kind == "count":
                form = rf"\b(\d+) (?:{_COUNTS.get(noun, noun + 's?')})\b"
            elif kind == "id" and isinstance(record[name], int):
                form = rf"\b{re.escape(noun)}(?: (?:id|number|no\.?))? #?(\d+)\b"
            else:
                continue
            for match in re.finditer(form, sentence):
                if float(match[1]) not in self._all(name):
                    yield match[0]

    def _measured(self) -> Iterator[JsonMapping]:
        """Yield what calls took as a list of names and values."""
        for record in self._given:
            for items in leaves(dict(record), list):
                named = [
                    item for item in items if isinstance(item, dict) and {"name", "value"} <= item.keys()
                ]
                yield {str(item["name"]): item["value"] for item in named}

    def _all(self, name: str) -> set[float]:
        """Return what a field is anywhere, and in lists of it."""
        names = {name, f"{name}s"}
        values = [value for record in self._records for key, value in record.items() if key in names]
        return {float(each) for each in leaves(list(values), int, float)}

    def _renamed(self, text: str) -> Iterator[str]:
        names = [each for record in self._records for each in leaves(dict(record), str) if len(each) < 60]
        doctors = {_last(each) for record in self._records for each in _doctors(record)}
        for match in _DOCTOR.finditer(text):
            if doctors and match[1].casefold() not in doctors:
                yield match[0]
        several = [name for name in names if " " in name]
        parts = {word for name in several for word in re.findall(r"[A-Z][\w'-]+", name)}
        known = "\n".join(names).casefold()
        for match in _NAMED.finditer(text):
            last = match[2].removesuffix("'s")
            pair = f"{match[1]} {last}"
            if set(pair.split()) <= parts and pair.casefold() not in known:
                yield pair
        yield from self._invited(text)
        yield from self._missent(text.lower())

    def _missent(self, text: str) -> Iterator[str]:
        """Yield addresses to which something is said to have been sent, and that no sending call took."""
        sent = [call.arguments for call in self._calls if "send" in kinds_of(call.name)]
        receivers = "\n".join(leaves(list(sent), str)).lower()
        if "@" in receivers:
            yield from (match[1] for match in _SENT_TO.finditer(text) if match[1] not in receivers)

    def _invited(self, text: str) -> Iterator[str]:
        asked = [record["attendees"] for record in self._given if "attendees" in record]
        if not asked:
            return
        coming = {word for name in leaves(asked, str) for word in re.findall(r"\w+", name)}
        others = {
            name
            for record in self._records
            for name in leaves(dict(record), str)
            if re.fullmatch(r"[A-Z][a-z]+", name)
        } - coming
        for span in sentences(text):
            for match in _WITH.finditer(text, span.start, span.end):
                if _MEETS.search(text, span.start, match.start()):
                    yield from (name for name in re.findall(r"[A-Z][a-z]+", match[1]) if name in others)


def _cue(pair: _Pair, sentence: str, place: int) -> str:
    """Return which side the last word before a place speaks for."""
    before = sentence[max(0, place - _REACH) : place]
    ends = {
        side: max((match.end() for match in pattern.finditer(before)), default=-1)
        for side, pattern in (("first", pair.says_first), ("second", pair.says_second))
    }
    side = max(ends, key=lambda each: ends[each])
    return side if ends[side] >= 0 else ""


def _of(record: JsonMapping, field: re.Pattern[str]) -> list[str]:
    return [key for key, value in record.items() if isinstance(value, str | int | float) and field.match(key)]


def _moments(value: str) -> Iterator[str]:
    folded = fold(value)
    yield from (each for stated in _amounts(folded) for each in stated.values)
    # What begins and ends on one day, or at one time, is told apart by the other of the two.
    yield from (each for stated in clocks(folded, exact=True) for each in stated.values)
    yield from (each for stated in _days(folded) for each in stated.values)


def _amounts(folded: str) -> Iterator[Stated]:
    for number in numerals.numbers(folded):
        if number.quantity.value > _LARGE:
            yield Stated(frozenset((f"{number.quantity.value:g}",)), number.start, number.end)


def _days(folded: str) -> Iterator[Stated]:
    for moment in moments.days(folded):
        yield Stated(frozenset(value[4:] for value in moment.values), moment.start, moment.end)


@lru_cache(maxsize=256)
def _labelled(label: str) -> re.Pattern[str]:
    words = r"[ _]".join(map(re.escape, label.split("_")))
    return re.compile(
        rf"\b{words}\b[\s:*|=]{{0,4}}(?:(?:of|is|was|at|be)\s)?[\s:*|=]{{0,4}}(\d+(?:,\d{{3}})*(?:\.\d+)?)"
    )


def _numbers(record: JsonMapping) -> Mapping[str, set[float]]:
    """Return the numbers of each field that has any; a text counts where it is nothing else."""
    found = {}
    for key, value in record.items():
        written = [value] if isinstance(value, str) and _FIGURES.fullmatch(value) else []
        numbers = {float(each) for each in leaves(value, int, float)}
        numbers |= {float(each) for text in written for each in re.findall(r"\d+(?:\.\d+)?", text)}
        if numbers:
            found[key] = numbers
    return found


def _doctors(record: JsonMapping) -> Iterator[str]:
    for key, value in record.items():
        if "doctor" in key and isinstance(value, str) and value:
            yield value


def _last(name: str) -> str:
    return name.split()[-1].casefold()
