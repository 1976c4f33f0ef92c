"""An answer as bare values: each fact of a task has its item, and no item is left over.

Free text can say a right value and take it back in words that no list foresees. A bare value cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from stb_env.actions import finish_arguments
from stb_env.jsontypes import Json, JsonArray, JsonMapping
from stb_env.reading import numerals
from stb_env.reading.moments import Moment, clocks, days
from stb_env.suites.sandbox import amounts, answers
from stb_env.suites.sandbox.checks import is_near
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.mentions import content, stems
from stb_env.tools import FINISH, ToolCall
from stb_env.trajectory import CallRecord

Fact = JsonMapping

LONGEST = 60
"""Characters of an item; what is longer is no bare value."""
SPARE = 3
"""Items that may repeat the query beside those asked for."""

_POLAR = {"yes": True, "true": True, "no": False, "false": False}
_WORD = re.compile(r"[^\W\d_]+")
_JOINED = re.compile(r"[/,;|?]|\b(?:or|and)\b")
_ARTICLES = frozenset({"a", "an", "the"})
_DAYS = frozenset(day[:length].casefold() for day in WEEKDAYS for length in (3, len(day)))


def given_values(calls: Sequence[CallRecord]) -> JsonArray | None:
    """Return the ``values`` of the episode's Finish; None where it brought none.

    Args:
        calls: Every call of the episode.
    """
    for call in reversed(calls):
        if call.name == FINISH:
            values = finish_arguments(ToolCall(call.name, call.arguments)).get("values")
            return values if isinstance(values, list) else None
    return None


def values_of(facts: Iterable[Fact]) -> JsonArray:
    """Return the right values of facts, as a careful agent gives them.

    Examples:
        >>> from stb_env.suites.sandbox.facts import date, names, yes_no
        >>> values_of([names("who", ["Ada", "Bob"]), date("day", "2026-03-09"), yes_no("open", True)])
        ['Ada', 'Bob', '2026-03-09', 'yes']
    """
    found: JsonArray = []
    for fact in facts:
        if fact["type"] == "names":
            found += fact["value"]
        elif fact["type"] == "yes_no":
            found.append("yes" if fact["value"] else "no")
        elif fact["type"] == "lacking":
            found.append(fact["value"][0])
        else:
            found.append(fact["value"])
    return found


def parts(
    values: JsonArray, facts: Sequence[Fact], falsehoods: Iterable[Fact], query: str, known: str
) -> Iterator[tuple[str, str]]:
    """Yield each part that the values decide, with why it failed or an empty string.

    Args:
        values: What the answer gives.
        facts: What it must give.
        falsehoods: What it must not.
        query: The query; names and numbers of it may be repeated.
        known: What may be named where no fact is asked for: calls and their results.

    Examples:
        >>> from stb_env.suites.sandbox.facts import number
        >>> price = number("price", 1250, others=[900])
        >>> dict(parts(["1,250 AUR"], [price], (), "What is it?", ""))
        {'fact:price': '', 'values': ''}
        >>> dict(parts([1250, 900], [price], (), "What is it?", ""))["values"]
        'read 900 as well, which is none of what was asked for'
        >>> dict(parts([1250, 700], [price], [number("fee", 700)], "Is the fee 700?", ""))
        {'fact:price': '', 'values': '', 'falsehood:fee': 'read it'}
    """
    most = 2 * len(values_of(facts)) + SPARE
    if len(values) > most:
        yield "values", f"read {len(values)} items, more than {most}"
        return
    items = [_text(value) for value in values]
    for fact in facts:
        yield f"fact:{fact['label']}", _lacks(fact, items, query)
    yield "values", _spare(items, facts, query, known)
    for fact in falsehoods:
        told = any(gives(fact, item, query) for item in items)
        yield f"falsehood:{fact['label']}", "read it" if told else ""


def gives(fact: Fact, item: str, query: str) -> bool:
    """Return whether an item is a value of the fact, and nothing else.

    Examples:
        >>> from stb_env.suites.sandbox.facts import number
        >>> far = number("way", 3.2, unit="km")
        >>> gives(far, "3.2 km", ""), gives(far, "3200 m", ""), gives(far, "3.2 km or 4 km", "")
        (True, True, False)
        >>> gives(far, "3.2 km - not!", "")
        False
    """
    if len(item) > LONGEST:
        return False
    wanted = fact["value"] if fact["type"] == "names" else [fact["value"]]
    return any(_READERS[fact["type"]](fact, value, answers.fold(item).strip(" ."), query) for value in wanted)


def _lacks(fact: Fact, items: Sequence[str], query: str) -> str:
    """Return which value of a fact no item gives."""
    wanted = fact["value"] if fact["type"] == "names" else [fact["value"]]
    for value in wanted:
        alone = {**fact, "value": [value]} if fact["type"] == "names" else fact
        if not any(gives(alone, item, query) for item in items):
            shown = fact["label"] if fact["type"] == "lacking" else value
            return f"wanted {shown}, read {', '.join(item[:LONGEST] for item in items[:4]) or 'no values'}"
    return ""


def _spare(items: Sequence[str], facts: Sequence[Fact], query: str, known: str) -> str:
    """Return an item that is neither asked for nor of the query."""
    said = answers.plain(query if facts else f"{query}\n{known}")
    left = [item for item in items if not any(gives(fact, item, query) for fact in facts)]
    for item in left:
        if len(item) > LONGEST:
            return f"read more than {LONGEST} characters where a bare value belongs: {item[:LONGEST]}"
        rivals = any(_gives_rival(fact, item, query) for fact in facts)
        if rivals or answers.fold(item) in _POLAR or answers.plain(item) not in said:
            return f"read {item} as well, which is none of what was asked for"
    if len(left) > SPARE:
        return f"read {len(left)} items that only repeat the query"
    return ""


def _gives_rival(fact: Fact, item: str, query: str) -> bool:
    if fact["type"] == "lacking":
        return False
    others = fact["others"]
    made = [{**fact, "value": [other] if fact["type"] == "names" else other} for other in others]
    return any(gives(one, item, query) for one in made)


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value}"


def _is_number(fact: Fact, value: float, item: str, query: str) -> bool:
    found = numerals.numbers(item)
    if len(found) != 1:
        return False
    (one,) = found
    readings = one.quantity.readings(fact["unit"])
    near = any(is_near(reading, {**fact, "value": value}, one, query) for reading in readings)
    return near and _bare(item, one.start, one.end, query)


def _bare(item: str, start: int, end: int, query: str) -> bool:
    """Return whether nothing but a unit, a currency or what the query counts stands beside a value."""
    beside = f"{item[:start]} {item[end:]}"
    words = frozenset(_WORD.findall(beside)) - _ARTICLES
    if "?" in beside or any(char.isdigit() for char in beside) or len(words) > 1:
        return False
    return all(amounts.is_currency(word) for word in words) or (
        bool(content(words)) and content(words) <= stems(answers.fold(query))
    )


def _is_name(fact: Fact, value: str, item: str, query: str) -> bool:
    del query
    words = answers.plain(item).removeprefix(" the").split()
    wanted = answers.plain(value).removeprefix(" the").split()
    if words == wanted:
        return True
    rival = any(answers.plain(other) == answers.plain(item) for other in fact["others"])
    lower = value == value.lower()
    return lower and not rival and [*map(answers.stem, words)] == [*map(answers.stem, wanted)]


def _is_code(fact: Fact, value: str, item: str, query: str) -> bool:
    del fact, query
    return answers.code_at(item, value) is not None and answers.compact(item) == answers.compact(value)


def _is_moment(read: Callable[[str], Sequence[Moment]]) -> Callable[[Fact, str, str, str], bool]:
    def check(fact: Fact, value: str, item: str, query: str) -> bool:
        del fact
        found = read(item)
        if len(found) != 1 or value not in found[0].values or len(found[0].values) > 2:
            return False
        beside = item[: found[0].start] + item[found[0].end :]
        return _DAYS.issuperset(_WORD.findall(beside)) or _bare(item, found[0].start, found[0].end, query)

    return check


def _is_polar(fact: Fact, value: bool, item: str, query: str) -> bool:
    del fact, query
    return _POLAR.get(item) is value


def _is_lacking(fact: Fact, value: Sequence[str], item: str, query: str) -> bool:
    del fact
    if _JOINED.search(item):
        return False
    words = answers.plain(item)
    beside = [words.replace(answers.plain(one), " ", 1) for one in value if answers.plain(one) in words]
    known = {*_ARTICLES, "no", "of", *answers.plain(query).split()}
    return any(known.issuperset(one.split()) for one in beside)


_READERS: Mapping[str, Callable[..., bool]] = {
    "number": _is_number,
    "names": _is_name,
    "code": _is_code,
    "date": _is_moment(days),
    "time": _is_moment(clocks),
    "yes_no": _is_polar,
    "lacking": _is_lacking,
}
