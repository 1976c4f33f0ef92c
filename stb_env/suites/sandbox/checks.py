"""The check of each type of fact: where an answer has the value, where others, and which one it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from stb_env.jsontypes import JsonArray, JsonMapping
from stb_env.reading import numerals
from stb_env.reading.moments import Moment, clocks, days
from stb_env.reading.numerals import Number, Quantity
from stb_env.suites.sandbox import (
    amounts,
    answers,
    bounds,
    lack,
    listing,
    mentions,
    polarity,
    senses,
    working,
)
from stb_env.suites.sandbox.mentions import Mention, Text
from stb_env.suites.sandbox.rivals import settle

Fact = JsonMapping

Check = Callable[[Fact, Text, str, Sequence[Fact]], str]
"""Returns why a fact is not given, or nothing; takes fact, answer, query and other facts."""
Found = Callable[[Fact, Text, str, Sequence[Fact]], tuple[list[Mention], list[Mention]]]
"""Returns where an answer has the value of a fact, and where others of the kind."""


def _values(facts: Iterable[Fact], kind: str) -> JsonArray:
    return [fact["value"] for fact in facts if fact["type"] == kind]


def _numbers(
    fact: Fact, text: Text, query: str, allowed: Sequence[Fact]
) -> tuple[list[Mention], list[Mention]]:
    unit, slack = fact["unit"], fact["tolerance"] + 1e-9
    others = [other for other in fact["others"] if other not in _values(allowed, "number")]
    own: list[Mention] = []
    rivals: list[Mention] = []
    units: set[str] = set()
    codes = amounts.asked(query, amounts.told(allowed))
    for found in numerals.numbers(text.folded):
        readings = found.quantity.readings(unit)
        said = text.folded[found.start : found.end]
        if fact["label"] in _DISTANCES and fact["value"] > 0:
            # "Change: -5.0 kg" says which way it went as well.
            readings = tuple(map(abs, readings))
        near = any(is_near(reading, fact, found, query) for reading in readings)
        if near and not _foreign(text, found, fact, codes, allowed):
            again = "or " in text.folded and _told_again(text, found, fact, query)
            own.append(Mention(said, found.start, found.end, again=again))
            units.add(found.quantity.unit)
        elif readings and not _is_fact(found, allowed):
            known = any(abs(reading - other) <= slack for reading in readings for other in others)
            asked = any(
                abs(one - reading) <= slack
                for reading in readings
                for quantity in _excused(query)
                for one in quantity.readings(unit)
            )
            if not known and (
                working.restates(found, fact["value"], readings) or _converts(text, found, fact, query)
            ):
                continue
            if known or not found.worded:
                rivals.append(Mention(said, found.start, found.end, known, asked))
    return own, _comparable(text, own, _unworked(text, rivals, fact["value"], slack), units, codes)


def _foreign(text: Text, found: Number, fact: Fact, codes: frozenset[str], allowed: Iterable[Fact]) -> bool:
    """Return whether a number with a fact's value is in another currency, or in the unit of another fact."""
    code = amounts.code_at(text.folded, found.end)
    if codes and (code not in ("", *codes) or amounts.in_cents(text.folded, found.end)):
        return True
    unit = found.quantity.unit
    return bool(unit) and not fact["unit"] and any(unit == other.get("unit") for other in allowed)


def _unworked(text: Text, rivals: Sequence[Mention], value: float, slack: float) -> Sequence[Mention]:
    """Return the rivals that are no step to the value."""
    if not rivals:
        return rivals
    steps = working.steps(numerals.numbers(text.folded), value, slack)
    return [rival for rival in rivals if rival.start not in steps]


@lru_cache(maxsize=64)
def _excused(query: str) -> tuple[Quantity, ...]:
    return (*numerals.quantities(query), *(Quantity(float(one)) for one in re.findall(r"\d{1,12}", query)))


def _comparable(
    text: Text, own: Sequence[Mention], rivals: Sequence[Mention], units: set[str], codes: frozenset[str]
) -> list[Mention]:
    """Return the rivals that are in a unit in which the value is given as well, or in none."""
    if not own:
        return list(rivals)
    kept = []
    for rival in rivals:
        (found,) = (one for one in numerals.numbers(text.folded) if (one.start, one.end) == rival[1:3])
        unit = found.quantity.unit
        if not rival.known and (_counts(text, own, found) or _changed(text, own, found, codes)):
            continue
        if rival.known or not unit or unit in units:
            kept.append(rival)
    return kept


def is_near(reading: float, fact: Fact, found: Number, query: str) -> bool:
    """Return whether a number is a fact's value, rounded where nobody asked for more."""
    value = fact["value"]
    if abs(reading - value) <= fact["tolerance"] + 1e-9:
        # The same digits in another order are a slip, and no rounding.
        return abs(reading - value) < 0.006 or sorted(f"{reading:.2f}") != sorted(f"{value:.2f}")
    if not fact["unit"] or found.worded or _PRECISE.search(query):
        return False
    # A measure may be rounded where nobody asked for more, to two figures at least.
    whole = abs(value) >= 10 or found.decimals > 0
    return whole and round(value, found.decimals) == reading


def _counts(text: Text, own: Sequence[Mention], found: Number) -> bool:
    """Return whether a whole number counts something where the value is an amount with decimals."""
    spans = {_span_at(text, one.end) for one in own}
    years = all(_LATE_YEAR.fullmatch(one.said) for one in own)
    if ("" not in spans or years) and _span_at(text, found.start) not in ("", *spans):
        return True
    next_word = _NEXT.match(text.folded, found.end)
    amounts = [_NEXT.match(text.folded, one.end) for one in own if "." in one.said]
    return (
        not found.decimals
        and next_word is not None
        and len(amounts) == len(own)
        and all(amount is None or amount[1] != next_word[1] for amount in amounts)
    )


def _span_at(text: Text, place: int) -> str:
    """Return the span of time of which a number counts how many: "days" of "17 and a half days"."""
    found = _SPAN.match(text.folded, place)
    return found[1] if found else ""


def _changed(text: Text, own: Sequence[Mention], found: Number, codes: frozenset[str] = frozenset()) -> bool:
    """Return whether an amount is in another currency than the value wherever that is given."""
    code = amounts.code_at(text.folded, found.end)
    mine = {amounts.code_at(text.folded, one.end) for one in own}
    return bool(code) and code not in mine and ("" not in mine or (bool(codes) and code not in codes))


def changed(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> list[Mention]:
    """Return the amounts that are in another currency than the value."""
    own = _numbers(fact, text, query, allowed)[0]
    return [
        Mention(text.folded[one.start : one.end], one.start, one.end)
        for one in numerals.numbers(text.folded)
        if _changed(text, own, one) and not _is_fact(one, allowed)
    ]


def _told_again(text: Text, found: Number, fact: Fact, query: str) -> bool:
    """Return whether another number is the value as well, in another unit."""
    others = (one for one in numerals.numbers(text.folded) if one.start != found.start)
    return any(_converts(text, one, fact, query) for one in others)


def _converts(text: Text, found: Number, fact: Fact, query: str) -> bool:
    """Return whether a number is the value once more, roughly, in another unit ("12 C (about 54 F)")."""
    if amounts.restates(text.folded, found.end, found.quantity.value, fact["value"], query):
        return True
    unit, mine = found.quantity.unit, fact["unit"]
    if not unit or not mine or unit == mine:
        return False
    told = Quantity(fact["value"], mine).readings(unit)
    return any(abs(one - found.quantity.value) <= max(0.5, 0.01 * abs(one)) for one in told)


def _is_fact(found: Number, allowed: Sequence[Fact]) -> bool:
    return any(
        abs(reading - other["value"]) <= other["tolerance"] + 1e-9
        for other in allowed
        if other["type"] == "number"
        for reading in found.quantity.readings(other["unit"])
    )


def _number(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> str:
    own, rivals = _numbers(fact, text, query, allowed)
    if not own:
        said = [text.folded[one.start : one.end] for one in numerals.numbers(text.folded)[:4]]
        return f"read {' and '.join(said) or 'no number'}"
    if all(bounds.is_one(text, one, query) for one in own):
        return f'read a bound: "{text.folded[max(0, own[0].start - 16) : own[0].end]}"'
    joined = [_joined(text, one, fact, query, allowed) for one in own]
    if all(joined):
        return f"read as well {joined[0]}"
    others = [other for other in allowed if other["type"] == "number"]
    spare = sum(not _numbers(other, text, query, ())[0] for other in others) if rivals else 0
    places = [(one.start, one.end) for one in numerals.numbers(text.folded) if not one.worded]
    return (
        settle(text, own, rivals, len(allowed) + 1, spare)
        or senses.misplaced(fact, query, text, own, places, allowed)
        or senses.robbed(fact, text, own, rivals, places)
    )


def _joined(text: Text, one: Mention, fact: Fact, query: str, allowed: Sequence[Fact]) -> str:
    """Return another number to which a value is joined as in "12/13" or "12 or thereabouts 13"."""
    for found in numerals.numbers(text.folded):
        first, second = sorted([(one.start, one.end), (found.start, found.end)])
        if first[1] > second[0] or not _JOIN.fullmatch(text.folded, first[1], second[0]):
            continue
        if found.start < one.start and _CHANGED.search(text.folded, max(0, found.start - 24), found.start):
            # "It rose from 900 to 1250" says which of both holds now.
            continue
        asked = any(found.quantity.value == quantity.value for quantity in _excused(query))
        if not asked and not _is_fact(found, [fact, *allowed]):
            return text.folded[found.start : found.end]
    return ""


def _moments(read: Callable[[str], Sequence[Moment]], kind: str) -> Found:
    def find(
        fact: Fact, text: Text, query: str, allowed: Sequence[Fact]
    ) -> tuple[list[Mention], list[Mention]]:
        excused = {value for moment in read(answers.fold(query)) for value in moment.values}
        mine = set(_values(allowed, kind))
        own: list[Mention] = []
        again: list[Mention] = []
        rivals: list[Mention] = []
        for moment in read(text.folded):
            said = text.folded[moment.start : moment.end]
            if fact["value"] in moment.values:
                own.append(Mention(said, moment.start, moment.end))
            elif _again(fact["value"], moment, said):
                again.append(Mention(said, moment.start, moment.end))
            elif mine.isdisjoint(moment.values):
                known = not set(fact["others"]).isdisjoint(moment.values)
                asked = not excused.isdisjoint(moment.values)
                if known or len(moment.values) <= 2:
                    rivals.append(Mention(said, moment.start, moment.end, known, asked))
        return [*own, *again] if own else own, rivals

    return find


def _again(value: str, moment: Moment, said: str) -> bool:
    """Return whether a date is the right one once more, without its year."""
    return _YEAR.search(said) is None and any(value[5:] == one[5:] for one in moment.values if "-" in one)


def _names(
    fact: Fact, text: Text, query: str, allowed: Sequence[Fact]
) -> tuple[list[Mention], list[Mention]]:
    mine = {item for values in _values(allowed, "names") for item in values}
    folded = answers.forwards(text.folded, fact["value"])
    words = answers.plain(folded)
    rivals = [other for other in fact["others"] if other not in mine and answers.plain(other) in words]
    wanted = {_short(value): value for value in fact["value"]}
    own, others = [], []
    asked = answers.named(query, rivals) if rivals else ()
    for name, place in answers.names_in(folded, [*wanted, *rivals]):
        if name in wanted:
            own.append(Mention(wanted[name], *place))
        elif not (fact["label"] == "currency" and _AMOUNT.search(folded, 0, place.start)):
            others.append(Mention(name, *place, known=True, asked=name in asked))
    said = {mention.said for mention in own}
    own_places = {(mention.start, mention.end) for mention in (*own, *others)}
    for value in fact["value"]:
        if any(map(str.isdigit, value)):
            pattern = re.sub(r"\d+", r"\\d+", re.escape(answers.fold(value)).replace("\\-", "-"))
            others += [
                Mention(match[0], match.start(), match.end(), asked=match[0] in answers.fold(query))
                for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", folded)
                if match.span() not in own_places
            ]
    for value in fact["value"]:
        if value not in said and value == value.lower():
            own += [Mention(value, *place) for place in answers.lemmas_in(folded, value)]
    return own, others


def _short(name: str) -> str:
    return name[4:] if name.startswith("The ") else name


def _named(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> str:
    own, rivals = _names(fact, text, query, allowed)
    if len(fact["value"]) == 1:
        own = [mention for mention in own if not mentions.loses(text, mention)]
    lacking = [value for value in fact["value"] if not any(mention.said == value for mention in own)]
    if lacking:
        read = " and ".join(mention.said for mention in [*own, *rivals][:4])
        return f"read {read or 'no such name'}"
    others = [_names(other, text, query, ())[0] for other in allowed if other["type"] == "names"]
    places = [(one.start, one.end) for one in (*own, *rivals, *(one for some in others for one in some))]
    for value in fact["value"]:
        mine = [mention for mention in own if mention.said == value]
        found = settle(text, mine, (), len(allowed) + 1) or senses.misplaced(
            fact, query, text, mine, places, allowed
        )
        if found:
            return found
    return settle(text, own, rivals, len(allowed) + 1)


def _codes(
    fact: Fact, text: Text, query: str, allowed: Sequence[Fact]
) -> tuple[list[Mention], list[Mention]]:
    mine = _values(allowed, "code")
    own = [Mention(fact["value"], *place) for place in answers.codes_at(text.folded, fact["value"])]
    # A table has what was compared as well; else the first place is the one that counts.
    told = (index for index, one in enumerate(own) if not listing.tabled(text.folded, one.start, one.end))
    own = own[: next(told, 0) + 1]
    rivals = [
        Mention(other, *found, known=True, asked=answers.has_code(query, other))
        for other in fact["others"]
        if other not in mine and (found := answers.code_at(text.folded, other))
    ]
    known = [(one.start, one.end) for one in (*own, *rivals)]
    before = 0
    for match in answers.codes_like(text.folded, fact["value"]):
        inside = any(start < match.end and match.start < end for start, end in known)
        said = text.folded[match.start : match.end]
        again = answers.has_code(said, fact["value"]) and match.start - before != _NEXT_ITEM
        if not (inside or again) and not any(answers.has_code(said, other) for other in mine):
            rivals.append(Mention(said, *match, asked=answers.has_code(query, said)))
        before = match.end
    return own, rivals


def _settled(find: Found) -> Check:
    def check(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> str:
        own, rivals = find(fact, text, query, allowed)
        if not own:
            return f"read {' and '.join(rival.said for rival in rivals[:4]) or 'nothing of the kind'}"
        others = [other for other in allowed if other["type"] == fact["type"]]
        found = [find(other, text, query, ())[0] for other in others]
        spare = sum(not mine for mine in found)
        places = [(one.start, one.end) for one in (*own, *rivals, *(one for mine in found for one in mine))]
        return settle(text, own, rivals, len(allowed) + 1, spare) or senses.misplaced(
            fact, query, text, own, places, allowed
        )

    return check


def _yes_no(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> str:  # noqa: ARG001
    said = polarity.says(text.said, fact.get("yes", ()), fact.get("no", ()), fact.get("subject", ""))
    if said is fact["value"]:
        yes, no = fact.get("yes", ()), fact.get("no", ())
        turned = polarity.contradicts(text.said, said, yes, no, fact.get("subject", ""))
        return "read it told the other way round" if turned else ""
    return "read neither" if said is None else f"read {'yes' if said else 'no'}"


# Labels of facts that have no sign.
_DISTANCES = frozenset({"change", "difference", "gap"})
_AMOUNT = re.compile(r"\d\s?(?:million |billion )?$")
_SPAN = re.compile(r"[\s\w.]{0,24}?\b(day|week|month|year|hour|minute)s?\b")
_YEAR = re.compile(r"\d{4}")
_LATE_YEAR = re.compile(r"(?:18|19|20)\d\d")
_JOIN = re.compile(r"\s*(?:/|-|–|—|,|\bto\b|\bor\b(?: thereabouts| so| maybe)?)\s*(?:[$€£]\s?)?")
_CHANGED = re.compile(
    r"\b(?:went|goes|rose|rises|fell|falls|dropped|changed|changes|moved|increased|grew|climbed|up|down) "
    r"from (?:[a-z]{3} )?$"
)
_NEXT_ITEM = len(", ")
_NEXT = re.compile(r"\s([a-z]{2,})")
_PRECISE = re.compile(
    r"(?i)\b(?:decimals?|exact(?:ly)?|precise(?:ly)?|tenths?|hundredths?|digits?|cents?|to the|"
    r"round(?:ed)?)\b"
)
FOUND: Mapping[str, Found] = {
    "number": _numbers,
    "names": _names,
    "code": _codes,
    "date": _moments(days, "date"),
    "time": _moments(clocks, "time"),
}
CHECKS: Mapping[str, Check] = {
    "number": _number,
    "names": _named,
    "yes_no": _yes_no,
    "lacking": lack.check,
    **{kind: _settled(FOUND[kind]) for kind in ("code", "date", "time")},
}
