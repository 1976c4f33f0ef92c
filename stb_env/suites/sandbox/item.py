"""One item of an answer as bare values: what it is called, and whether it is a value of a fact."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from stb_env.envs.finish import LONGEST_VALUE
from stb_env.jsontypes import Json, JsonMapping
from stb_env.reading import moments, numerals
from stb_env.suites.sandbox import amounts, answers, mentions, shortage
from stb_env.suites.sandbox.answers import fold, plain, stem
from stb_env.suites.sandbox.checks import is_near
from stb_env.suites.sandbox.content.currencies import currencies
from stb_env.suites.sandbox.content.places import cities_by_name
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.vocabulary import DENIALS, GENERIC, NOUNS, TIES

Fact = JsonMapping

MOST_WORDS = 4
"""Words beside a value; more of them are a sentence."""

_POLAR = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_UNIT_WORD = re.compile(r"°?[a-z]+|%")
_WORD = re.compile(r"[^\W\d_]+")
_LABELLED = re.compile(r"(?P<label>[^\W\d][^:=\n]{0,40}?)\s*[:=]\s*(?P<value>\S.*)")
_SPAN = r"(?<=\d)\s*[-–—]\s*(?=\d\d?[:.]\d)|(?<=[\dm])\s+(?:to|until|till|-|–|—)\s+(?=\d)"
_REMARKED = re.compile(r"(?P<value>[^()]*[^()\s])\s*\((?P<label>[^()\d]{1,40})\)")
_NOTED = re.compile(r"(?P<name>[^(,]+?)\s*(?P<mark>\bby\b|[(,])\s*(?P<remark>[^(),]*[^\W\d][^(),]*)\)?")
_TIED = re.compile(rf"[,;]\s+(?:and\s+)?|\n+|\s*&\s*|\s+and\s+|{_SPAN}")
_LISTED = re.compile(r"\d{1,2}[.)]\s+(?=[^\W\d])|^(?:no\.|#)\s*(?=\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_MARKS = " .,;*_`\"'“”‘’«»[](){}"
_DAYS = frozenset(day[:length].casefold() for day in WEEKDAYS for length in (3, len(day)))
_BOUNDS = TIES | {"least", "most", "than"}
"""Beside a value they make another of it ("after 09:15"), even where the query has them."""
_RANKS = frozenset({"last", "next", "second", "third", "best", "worst"})
_DOUBTS = re.compile(r"[?!~≈≠<>≤≥±×÷|^]|\+$")
_COUNTS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_COUNT = re.compile(rf"\b(?:{'|'.join(_COUNTS)})\b")
_CALLED = {
    "opening": "opens open start starts from begins",
    "opens": "opening open start starts from begins",
    "closing": "closes close end ends to until till shuts",
    "closes": "closing close end ends to until till shuts",
    "sunrise": "rise rises up dawn",
    "sunset": "set sets down dusk",
    "oldest": "earliest first older",
    "youngest": "latest last newest",
    "scored": "for",
    "conceded": "against let",
    "mean": "average avg",
    "deviation": "sd std stdev",
    "used": "usage consumption units",
    "cost": "price cost",
    "refund": "refunded back",
    "worth": "value worth",
    "free": "space left available",
    "size": "file",
    "departure": "departs leaves",
    "arrival": "arrives",
    "age": "years old minimum least",
    "gap": "difference",
    "reporter": "author writer",
    "track": "song",
    "model": "car",
}
"""What else the values of facts are called, by label: in `_calls_another` one word tells two facts apart."""


class Item(NamedTuple):
    """An item of an answer.

    Attributes:
        shown: As it was given.
        text: It without case, accents and marks around it.
        label: What is written before a colon or in brackets at its end, or an empty string.
        value: What is written beside that, else its text.
    """

    shown: str
    text: str
    label: str = ""
    value: str = ""

    @property
    def is_polar(self) -> bool:
        """Whether it is yes or no."""
        return self.text in _POLAR

    @property
    def is_done(self) -> bool:
        """Whether it says no more than that something was done."""
        return self.text in ("yes", "true", "done", "ok", "completed", "success")

    def without_remark(self, known: str, facts: Iterable[Fact]) -> Item:
        """Return a name without what is known of it: "TITLE by MAKER", "NAME (ID)", "CITY, COUNTRY".

        Args:
            known: The plain words of what was returned.
            facts: The facts; what competes with a name is no remark on it.
        """
        found = _NOTED.fullmatch(self.text + ")" if "(" in self.text else self.text)
        if found is None or plain(found["remark"]) not in known:
            return self
        rivals = (rival for fact in facts if fact["type"] == "names" for rival in fact["others"])
        place = cities_by_name().get(found["name"], {}) if found["mark"] == "," else {}
        if any(plain(rival) in plain(found["remark"]) for rival in rivals) or (
            found["mark"] == "," and fold(str(place.get("country"))) != found["remark"]
        ):
            return self
        return self._replace(text=found["name"], value=found["name"], label="")

    @property
    def currencies(self) -> list[str]:
        """The codes of the currencies of an amount."""
        if not numerals.numbers(self.value):
            return []
        words = _WORD.findall(_coded(self.text))
        return [fold(code) for code in currencies() if fold(code) in words]

    @classmethod
    def of(cls, shown: str) -> Item:
        """Read an item.

        Examples:
            >>> Item.of("Opening: 09:15")[1:], Item.of("09:15").value
            (('opening: 09:15', 'opening', '09:15'), '09:15')
        """
        folded = fold(shown).strip(" .,;").replace("->", ":").replace("→", ":")
        text = _LISTED.sub("", folded.strip(_MARKS))
        found = _LABELLED.fullmatch(text) or _REMARKED.fullmatch(folded)
        if found is None:
            return cls(shown, text, "", text)
        return cls(shown, text, found["label"].strip(_MARKS), found["value"].strip(_MARKS))

    @classmethod
    def given(cls, value: Json) -> Item:
        """Read what an answer gives, which may be a number, true or false as well."""
        return cls.of(("yes" if value else "no") if isinstance(value, bool) else f"{value}")

    def divided(self) -> list[Item]:
        """Return the items of a list that stands in this one.

        Examples:
            >>> [item.text for item in Item.of("Ada, Bob and Eve").divided()]
            ['ada', 'bob', 'eve']
            >>> [item.text for item in Item.of("Hours: 09:15-20:30").divided()]
            ['09:15', '20:30']
        """
        return [Item.of(part) for part in _TIED.split(self.value) if part.strip(_MARKS)]

    def gives(self, fact: Fact, query: str, facts: Sequence[Fact] = ()) -> bool:
        """Return whether this is a value of a fact, and nothing else.

        Args:
            fact: The fact.
            query: The query; what it calls a value may stand beside that.
            facts: Every fact of the task; what is called as another one is no value of this.

        Examples:
            >>> from stb_env.suites.sandbox.facts import number, time
            >>> far = number("way", 3.2, unit="km")
            >>> [Item.of(text).gives(far, "") for text in ("3.2 km", "3200 m", "3.2 km or 4 km")]
            [True, True, False]
            >>> hours = time("opening", "09:15"), time("closing", "20:30")
            >>> [Item.of(text).gives(hours[0], "", hours) for text in ("opens: 09:15", "closes: 09:15")]
            [True, False]
        """
        if len(self.shown) > LONGEST_VALUE or _calls_another(self, fact, facts):
            return False
        wanted = fact["value"] if fact["type"] == "names" else [fact["value"]]
        if any(mark[0] not in f"{wanted}" for mark in _DOUBTS.finditer(self.text)):
            return False
        read = _READERS[fact["type"]]
        return any(
            read({**fact, "value": value}, text, query, facts)
            for value in wanted
            for text in (
                [self.text, self.value]
                if self.label and _is_called(self.label, fact, query, facts)
                else [self.text]
            )
        )

    def says(self, fact: Fact, facts: Sequence[Fact]) -> bool:
        """Return whether this says in a word or a unit that it is a value of this fact and of none beside it.

        Examples:
            >>> from stb_env.suites.sandbox.facts import number
            >>> terms = number("free distance", 780, unit="mi"), number("age", 21)
            >>> [Item.of(text).says(terms[0], terms) for text in ("780", "780 miles", "distance: 780")]
            [False, True, True]
        """
        others = _beside(fact, facts)
        if fact["type"] == "number" and fact["unit"]:
            units = {one.quantity.unit for one in numerals.numbers(self.value)}
            if any(unit and not _fits(unit, other) for unit in units for other in others):
                return True
        return bool(_words(self, fact) & (_names(fact) - _names_of(others)))


def _fits(unit: str, fact: Fact) -> bool:
    """Return whether a unit may be that of a fact, which has one of the same dimension."""
    return bool(fact["unit"]) and numerals.UNITS[unit][0] == numerals.UNITS[fact["unit"]][0]


def _beside(fact: Fact, facts: Iterable[Fact]) -> list[Fact]:
    return [other for other in facts if other["type"] == fact["type"] and other["label"] != fact["label"]]


def _calls_another(item: Item, fact: Fact, facts: Sequence[Fact]) -> bool:
    """Return whether an item is called, or counted, as another fact of the same type and not as this one."""
    others = _beside(fact, facts)
    if not others:
        return False
    words = _words(item, fact)
    if words & (_names_of(others) - _names(fact)) and not words & _names(fact):
        return True
    if fact["type"] != "number" or fact["unit"]:
        return False
    units = {one.quantity.unit for one in numerals.numbers(item.value)}
    return any(unit and _fits(unit, other) for unit in units for other in others)


def _words(item: Item, fact: Fact) -> frozenset[str]:
    """Return the stems of the words of an item that are no value; names consist of words themselves."""
    said = item.label if fact["type"] in ("names", "lacking") else item.text
    return frozenset(map(stem, _WORD.findall(said)))


def _names(fact: Fact) -> frozenset[str]:
    return _stems(f"{fact['label']} {_CALLED.get(fact['label'], '')}")


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(fold(text))))


def _names_of(facts: Iterable[Fact]) -> frozenset[str]:
    return frozenset[str]().union(*map(_names, facts))


def _is_called(label: str, fact: Fact, query: str, facts: Sequence[Fact]) -> bool:
    """Return whether a label says no more than what the query and the fact call a value, but for a word."""
    rivals = " ".join(
        rival for other in (fact, *facts) if other["type"] == "names" for rival in other["others"]
    )
    words = frozenset(_WORD.findall(label))
    if words & DENIALS - _names(fact) or any(plain(no) in plain(label) for no in fact.get("no", ())):
        return False
    told = " ".join((query, *fact.get("yes", ()), *NOUNS))
    known = _names(fact) | _stems(told)
    strange = {word for word in words if stem(word) not in known}
    return len(strange) < min(2, len(words)) and not strange & (
        TIES | GENERIC | _RANKS | {*_WORD.findall(fold(rivals))}
    )


def _bare(beside: str, fact: Fact, query: str) -> bool:
    """Return whether nothing but a currency or what the query counts and asks for stands beside a value."""
    words = _WORD.findall(beside)
    if "/" in beside or any(map(str.isdigit, beside)) or len(words) > MOST_WORDS:
        return False
    known = mentions.stems(fold(query))
    own = _names(fact)
    return all(stem(word) in own or amounts.is_currency(word) or _is_noun(word, known) for word in words)


def _is_noun(word: str, known: frozenset[str]) -> bool:
    return word not in DENIALS and (word in NOUNS or (word not in _BOUNDS and stem(word) in known))


def _around(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {text[end:]}"


def _is_number(fact: Fact, text: str, query: str, facts: Sequence[Fact]) -> bool:
    text = _COUNT.sub(lambda match: f"{_COUNTS.index(match[0])}", _coded(_ORDINAL.sub("", text)))
    found = numerals.numbers(text)
    if len(found) != 1:
        return False
    (one,) = found
    if not any(is_near(reading, fact, one, query) for reading in one.quantity.readings(fact["unit"])):
        return False
    beside = _around(text, one.start, one.end)
    said = {"aur" if word == "aurel" else word for word in _WORD.findall(beside) if amounts.is_currency(word)}
    if not fact["unit"] and _is_other_unit(one.quantity.unit, query):
        return False
    codes = amounts.asked(query, amounts.told(facts))
    if codes:
        return said <= codes and _bare(beside, fact, query)
    # The aurel is no country's own, and neither money nor a count is a share.
    cents = "cent" in query
    foreign = (said & {"aur"} and "local" in query) or (said - amounts.CENT if cents else said & amounts.CENT)
    share = one.quantity.unit == "%" and not fact["unit"] and "%" not in _units(query)
    return not foreign and not share and _bare(beside, fact, query)


def _is_name(fact: Fact, text: str, query: str, facts: Sequence[Fact]) -> bool:
    value, said = plain(fact["value"]).split(), plain(answers.forwards(text, [fact["value"]])).split()
    if said == value or (fact["label"] == "currency" and _is_currency(text, value, query, facts)):
        return True
    others = [plain(other).split() for other in fact["others"]]
    if said in others or DENIALS & {*said} - {*value}:
        return False
    if fact["value"] == fact["value"].lower() and [*map(stem, said)] == [*map(stem, value)]:
        return True
    known = mentions.read("", query).asked | _names(fact)
    core, *rivals = ([word for word in words if not _is_noun(word, known)] for words in (value, *others))
    if not core:
        # The query has all of it ("the current account"), so that only what else is said can tell.
        beside = [word for word in said if word not in value]
        named = {word for words in others for word in words}
        return [word for word in said if word in value] == value and all(
            _is_noun(word, known) and word not in named for word in beside
        )
    return core == [word for word in said if not _is_noun(word, known)] and core not in rivals


def _is_other_unit(unit: str, query: str) -> bool:
    """Return whether a query names another unit of the same dimension, and not this one."""
    alike = {other for other in _units(query) if unit and numerals.UNITS[other][0] == numerals.UNITS[unit][0]}
    return bool(alike) and unit not in alike


@lru_cache(maxsize=128)
def _units(query: str) -> frozenset[str]:
    """Return the units that a query names, whatever for."""
    words = _UNIT_WORD.findall(fold(query))
    named = (numerals.numbers(f"1 {' '.join(some)}") for some in (*zip(words), *pairwise(words)))
    return frozenset(found[0].quantity.unit for found in named if found) - {""}


def _coded(text: str) -> str:
    """Return a folded text with the code of each currency in place of its name."""
    for code, row in currencies().items():
        text = text.replace(fold(row["name"]), fold(code))
    return text


def _is_currency(text: str, code: Sequence[str], query: str, facts: Sequence[Fact]) -> bool:
    """Return whether an item is a currency by its name, or an amount that is asked for with its code."""
    said = {*_WORD.findall(_coded(text))}
    amount = any(_is_number(fact, text, query, facts) for fact in facts if fact["type"] == "number")
    return (said == {*code} and not numerals.numbers(text)) or (amount and {*code} <= said)


def _is_code(fact: Fact, text: str, query: str, facts: Sequence[Fact]) -> bool:
    del facts
    place = answers.code_at(text, fact["value"])
    if answers.compact(text) == answers.compact(fact["value"]):
        return True
    return place is not None and _bare(_around(text, *place), fact, query)


def _is_moment(read: Callable[[str], Sequence[moments.Moment]]) -> Callable[..., bool]:
    def check(fact: Fact, text: str, query: str, facts: Sequence[Fact]) -> bool:
        del facts
        found = read(text)
        if len(found) != 1 or fact["value"] not in found[0].values or len(found[0].values) > 2:
            return False
        beside = " ".join(
            word
            for word in _around(text, found[0].start, found[0].end).split()
            if word.strip(",()") not in _DAYS
        )
        return _bare(beside, fact, query)

    return check


def _is_polar(fact: Fact, text: str, query: str, facts: Sequence[Fact]) -> bool:
    del query, facts
    return _POLAR.get(text) is fact["value"]


def _is_lacking(fact: Fact, text: str, query: str, facts: Sequence[Fact]) -> bool:
    del facts
    return shortage.names(fact, text, query)


_READERS: Mapping[str, Callable[[Fact, str, str, Sequence[Fact]], bool]] = {
    "number": _is_number,
    "names": _is_name,
    "code": _is_code,
    "date": _is_moment(moments.days),
    "time": _is_moment(moments.clocks),
    "yes_no": _is_polar,
    "lacking": _is_lacking,
}
