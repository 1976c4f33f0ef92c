"""Intrusions: whole sentences of an answer that belong to another task, and offers of several answers.

What a remark beside the right answer names, counts or dates stands in the query, in what the calls were told
and returned, or follows from these. A sentence that gives no fact of the task and names something else is of
another task, and so is a deed ("The order is placed.") of which nobody spoke.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

from stb_env.jsontypes import JsonMapping
from stb_env.judges import reckoning
from stb_env.reading.moments import MONTHS, clocks, days
from stb_env.reading.numerals import UNIT_OF, UNITS, Number, numbers
from stb_env.reading.sentence import sentences
from stb_env.suites.sandbox import checks, deeds, grounds
from stb_env.suites.sandbox.answers import fold, plain, stem
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.mentions import content, read, stems

Fact = JsonMapping
Ground = Literal["known", "likely", "none"]
"""Whether a specific of a sentence is of the task: ``likely`` is what may be so by accident."""

_OFFERED = re.compile(
    r"\b(?:take|pick|choose|use) (?:the one|whichever)\b[^.;\n]{0,20}\b(?:fits|right|applies)\b|"
    r"(?m:^\W*(?:answer|version|variant|option) (?:[ab]|\d|one|two)\W{0,3}:)(?![\s\S]*\bwhich\b)|"
    r"(?:^|[.!?]\s)\W*or else\b|"
    r"\b(?:alternatively|another possibility|another option)\W{0,3}:|"
    r"\bone of (?:these|those|them) (?:is|must be|will be) (?:right|true|correct|it)\b|"
    r"\bboth of (?:these|them) (?:hold|are (?:true|right|correct))\b|\bin truth it is the opposite\b"
)
"""Offers several answers, whatever these are."""
_SPECIFIC = re.compile(r"[A-Z][A-Za-z]+|[\w.]*@[\w.]*\w|\d[\w.:-]*")
_NAME = re.compile(r"(?<![\w'’.@-])[A-Z](?!['’-])\w*(?:[ -][A-Z]\w*)*")
_OPENS = re.compile(r"^\W*$|[:;|•*_\n\t)]\W*$")
"""Stands before a word that has a capital letter because of its place."""
_QUOTED = re.compile(r"[\"“]([^\"”\n]{2,60})[\"”]")
_CODE = re.compile(
    r"(?<![\w.-])(?=[\w.@-]*\d)(?=[\w.@-]*[A-Za-z])\w[\w.@-]*\w|(?<![\w.-])\w[\w.-]*(?:@\w[\w.-]*|\.[a-z]{3})\w\b"
)
_NO_CODE = re.compile(r"[\d.,-]+(?:[a-z]{1,4}|C|F|kB|MB)|[A-Z]{3}[\d.,]+|\w+T\d\d")
"""A number with its unit, or a moment."""
_ABBREVIATED = re.compile(r"[A-Z]{2,4}")
"""AUR, HQ, PM."""
_SUPPOSED = re.compile(
    r"(?i)\b(?:for (?:example|instance|comparison)|e\.g|such as|if (?:you|i|we)|might|may(?! \d|,)|"
    r"would(?= (?:\w+ )?(?:be|have|cost|come|make|take|need|leave|land|arrive|save)\b)|"
    r"should|could(?! not)|roughly|approximately|(?:about|around)(?= \W?\d))\b"
)
"""An example, advice, or a case that the speaker makes up."""
_CALENDAR = frozenset(
    spelling.casefold() for name in (*WEEKDAYS, *MONTHS) for spelling in (name, name[:3])
) | {"sept", "celsius", "fahrenheit"}
_KINDLESS = frozenset({"", "duration", "share"})
"""What anything may have."""
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NONE = re.compile(r"\b(?:no|not|none|nothing|never|yet)\b|n['’]t\b")
_TELLING = 100
"""A whole number below it is in many texts by accident."""


class _Task(NamedTuple):
    """What belongs to a task: its words, their stems and its values."""

    source: str
    words: str
    stems: frozenset[str]

    @property
    def values(self) -> grounds.Known:
        return grounds.known(self.source)


def intrudes(answer: str, query: str, facts: Sequence[Fact], known: Callable[[], str]) -> str:
    """Return what an answer offers beside the right one, as a reason, or an empty string.

    Args:
        answer: The final answer.
        query: The query.
        facts: The facts of the task, all of which the answer gives.
        known: Returns all text that belongs to the task beside the query; few answers need it.

    Examples:
        >>> from stb_env.suites.sandbox.facts import number
        >>> fare, told = [number("fare", 12.5)], lambda: "{'fare': 12.5, 'departs': '08:10'}"
        >>> intrudes("It costs 12.50. Two of them cost 25.00.", "The fare from Ulm?", fare, told)
        ''
        >>> intrudes("It costs 12.50. Bob Ray has seat 4C.", "The fare from Ulm?", fare, told)
        'read Bob Ray, of which nobody spoke: "Bob Ray has seat 4C"'
    """
    text = read(answer, query)
    if not text.said or not text.said[-1].sentence:
        return ""
    offered = _OFFERED.search(text.folded)
    if offered:
        return f'read an offer of answers: "{offered[0].strip()}"'
    values = str([(fact["value"], fact["others"]) for fact in facts])
    near = _near(query, values)
    for span in sentences(answer):
        sentence = answer[span.start : span.end]
        if all(word.casefold() in near for word in _SPECIFIC.findall(sentence)):
            foreign = span.mark != "?" and _idle(sentence, query, known)
        else:
            foreign = _foreign(sentence, answer, _task(f"{query}\n{values}\n{known()}"))
        rest = f"{answer[: span.start]} {answer[span.end :]}"
        if foreign and not _given(sentence, query, facts) - _given(rest, query, facts):
            return f'read {foreign}, of which nobody spoke: "{sentence[:80]}"'
    return ""


@lru_cache(maxsize=128)
def _near(query: str, values: str) -> str:
    return fold(f"{query} {values}")


@lru_cache(maxsize=64)
def _task(known: str) -> _Task:
    words = plain(known)
    # What is left of a share is what it lacks of the whole.
    return _Task(f"{known} 100", words, content(frozenset(words.split())))


def _given(part: str, query: str, facts: Sequence[Fact]) -> set[str]:
    """Return the labels of the facts whose values a part of an answer has."""
    text = read(part, query)
    return {
        fact["label"]
        for fact in facts
        if fact["type"] in checks.FOUND
        and checks.FOUND[fact["type"]](fact, text, query, [one for one in facts if one is not fact])[0]
    }


def _idle(sentence: str, query: str, known: Callable[[], str]) -> str:
    """Return the deed that a sentence claims of which the task has no word, or an empty string."""
    folded = fold(sentence)
    claimed = deeds.PASSIVE.search(folded)
    if not claimed or _NONE.search(folded):
        return ""
    words = stems(folded)
    about = words - stems(claimed[0])
    return claimed[0] if about and words.isdisjoint(_task(f"{query}\n{known()}").stems) else ""


def _foreign(sentence: str, answer: str, task: _Task) -> str:
    """Return a specific of a sentence that is not of the task, unless one of them is for certain."""
    named = list(_named(sentence, task))
    if any(found == "known" for _, found in named):
        return ""
    if _SUPPOSED.search(sentence):
        return ""
    if named:
        return named[0][0]
    told = [*_moments(sentence, task), *_numbers(sentence, answer, task)]
    if any(found == "known" for _, found in told):
        return ""
    return next((text for text, found in told if found == "none"), "")


def _named(sentence: str, task: _Task) -> Iterator[tuple[str, Ground]]:
    """Yield what a sentence quotes, its codes and its names."""
    taken: list[tuple[int, int]] = []
    for pattern in (_QUOTED, _CODE, _NAME):
        for match in pattern.finditer(sentence):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            if pattern is _CODE and _NO_CODE.fullmatch(match[0]):
                continue
            words = plain(match[match.lastindex or 0]).split()
            if pattern is _NAME:
                words = _words(match, sentence)
            if words:
                taken.append(match.span())
                yield match[0], "known" if all(_has(task, word) for word in words) else "none"


def _words(name: re.Match[str], sentence: str) -> list[str]:
    """Return the words of a name that tell what it is of."""
    parts = re.split(r"[ -]", name[0])
    if _OPENS.search(sentence[: name.start()]):
        parts = parts[1:]
    words = [plain(part).strip() for part in parts if len(part) > 1 and not _ABBREVIATED.fullmatch(part)]
    return [word for word in words if word not in _CALENDAR]


def _has(task: _Task, word: str) -> bool:
    return len(word) < 2 or f" {word} " in task.words or stem(word) in task.stems


def _moments(sentence: str, task: _Task) -> Iterator[tuple[str, Ground]]:
    folded, have = fold(sentence), task.values
    for moment in (*days(folded), *clocks(folded)):
        dates, times = set(grounds.ordinals(moment.values)), set(grounds.minutes(moment.values))
        exact = bool(dates & have.dates or times & have.times)
        likely = exact or _returns(dates, have.dates) or grounds.derived(moment.values, task.source)
        yield folded[moment.start : moment.end], _ground(exact, likely)


def _returns(told: set[int], known: frozenset[int]) -> bool:
    """Return whether a day comes back in another year, as birthdays do."""
    yearly = {(day.month, day.day) for day in map(date.fromordinal, known)}
    return any((day.month, day.day) in yearly for day in map(date.fromordinal, told))


def _numbers(sentence: str, answer: str, task: _Task) -> Iterator[tuple[str, Ground]]:
    folded, have = fold(sentence), task.values.numbers
    said = [one.quantity.value for one in numbers(fold(answer)) if not one.worded]
    for number in numbers(folded):
        value = abs(number.quantity.value)
        if number.worded or (value < 10 and value == int(value)):
            continue
        telling = value != int(value) or value >= _TELLING
        exact = telling and any(abs(value - one) < 1e-9 for one in have)
        others = [one for one in said if one != number.quantity.value]
        likely = exact or (
            _of_the_kind(number, task)
            and (
                not telling
                or _reckoned(number, (*others, *have), others)
                or _follows(number, folded, others)
                or _lasts(number, folded, answer, task)
            )
        )
        yield folded[number.start : number.end], _ground(exact, likely)


def _of_the_kind(number: Number, task: _Task) -> bool:
    """Return whether a task speaks of what a number with a unit measures: miles are of no football match."""
    kind = UNITS.get(number.quantity.unit, ("",))[0]
    return kind in _KINDLESS or any(f" {word} " in task.words for word in _measures()[kind])


@cache
def _measures() -> Mapping[str, frozenset[str]]:
    """Return the words of the units that measure the same, by what they measure."""
    words: dict[str, set[str]] = {}
    for spelling, unit in UNIT_OF.items():
        words.setdefault(UNITS[unit][0], set()).update(plain(spelling).split())
    return {kind: frozenset(found) for kind, found in words.items()}


def _reckoned(number: Number, have: Sequence[float], others: Sequence[float]) -> bool:
    if UNITS.get(number.quantity.unit, ("",))[0] != "temperature":
        return grounds.reckoned(number, have, others)
    # Nobody multiplies degrees.
    value, slack = number.quantity.value, 0.6 * 10.0**-number.decimals
    apart = any(abs(abs(one - other) - value) < slack for one, other in combinations(have, 2))
    return apart or any(
        abs(found - value) < slack for one in have for found in (1.8 * one + 32, (one - 32) / 1.8)
    )


def _follows(number: Number, folded: str, others: Sequence[float]) -> bool:
    """Return whether a number is another one of the answer in a second unit, their share or their sum."""
    digits = _DIGITS.match(folded, number.start)
    return digits is not None and reckoning.follows(
        digits[0].replace(",", "").rstrip("."), folded, folded[digits.end() :], others, ()
    )


def _lasts(number: Number, folded: str, answer: str, task: _Task) -> bool:
    """Return whether a number may be the minutes between two times or the days between two dates."""
    if number.quantity.unit in ("min", "h"):
        wanted = number.quantity.readings("min")[0]
        return any(abs(one - other) == wanted for one, other in combinations(task.values.times, 2))
    if not folded.startswith(" day", number.end):
        return False
    dates = {TODAY.toordinal(), *task.values.dates, *grounds.known(answer).dates}
    return any(abs(one - other) == number.quantity.value for one, other in combinations(dates, 2))


def _ground(known: bool, likely: bool) -> Ground:
    return "known" if known else "likely" if likely else "none"
