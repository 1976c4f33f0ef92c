"""Templates of alignment data: goals and programs with slots, taken from solved goals and filled anew.

A slot is a value that stands once in a goal and once in its program, in whatever form each of them writes
it: ``Palo Alto`` and ``palo+alto``, ``$1,200`` and ``1200``, ``Dutch`` and ``nl``. Both are filled together.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, NamedTuple

from stb_env.suites.sambanova.alignment.text import Pair

Kind = Literal["text", "number", "date"]

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

_VALUES = re.compile(
    r"Date\((?P<date>\d{1,2}, \d{1,2}, \d{4})\)"
    r"|(?P<called>\w+)\((?:\"(?P<text>[^\"]+)\"|(?P<number>\d+(?:\.\d+)?))\)"
    r"|[?&](?P<field>\w+)=(?P<part>[^&'\"{]+)"
    r"|\"(?P<member>\w+)\": ?\"(?P<id>[^\"]+)\""
    r"|/(?P<folder>\w+)/(?P<last>(?=\w*[A-Z0-9])\w{6,})'"
)
_NAMED = re.compile(r"([\w-]+) \(([^();]+(?:\([^()]*\))?)\)")
_REACH = 4
_SHORT = 3
_FARTHEST = 150
_ATTEMPTS = 40


class Value(NamedTuple):
    """A value as a goal writes it, and as a program does."""

    said: str
    written: str


class Slot(NamedTuple):
    """A place for a value.

    Attributes:
        key: What is filled in: the function or parameter that takes it.
        kind: How it is filled.
        value: What stood there.
    """

    key: str
    kind: Kind
    value: Value


@dataclass(frozen=True, slots=True)
class Template:
    """A goal and an action with slots.

    Attributes:
        goal: The pieces of the goal; numbers of slots stand between texts.
        action: The pieces of the action.
        slots: The slots.
        context: Values that stay, and that decide which others go with them.
    """

    goal: tuple[str | int, ...]
    action: tuple[str | int, ...]
    slots: tuple[Slot, ...]
    context: tuple[str, ...] = ()

    def __str__(self) -> str:
        names = [f"{{{slot.key}}}" for slot in self.slots]
        return f"Task: {_joined(self.goal, names)}\nAction: {_joined(self.action, names)}"

    def pair(self, values: Iterable[Value]) -> Pair:
        """Return the goal and the action with values in their slots, one for each."""
        filled = tuple(values)
        return Pair(
            _joined(self.goal, [value.said for value in filled]),
            _joined(self.action, [value.written for value in filled]),
        )

    @classmethod
    def of(cls, pair: Pair, names: Mapping[str, str], fixed: Collection[str] = ()) -> Template:
        r"""Convert a solved goal.

        Args:
            pair: The goal and its program.
            names: What codes stand for, as `code_names` finds them in documents.
            fixed: Functions and parameters whose values stay as they are; a template is filled with values
                of those alone that have the same.

        Examples:
            >>> pair = Pair("A home in Rome for $1,200", 'API.set_location("Rome")\nAPI.set_max_price(1200)')
            >>> print(Template.of(pair, {}))
            Task: A home in {set_location} for ${set_max_price}
            Action: API.set_location("{set_location}")
            API.set_max_price({set_max_price})
        """
        found = list(_slots(pair, names))
        context = tuple(slot.value.written for slot, _ in found if slot.key in fixed)
        if sum(slot.kind == "date" for slot, _ in found) < pair.action.count("Date("):
            # Dates are moved together or not at all: some have to be before others.
            found = [(slot, at) for slot, at in found if slot.kind != "date"]
        found = [(slot, at) for slot, at in found if slot.key not in fixed]
        said = [place for slot, _ in found if (place := _only(slot.value.said, pair.goal)) is not None]
        goal, action = _cut(pair.goal, said), _cut(pair.action, [at for _, at in found])
        return cls(goal, action, tuple(slot for slot, _ in found), context)


class Pool:
    """The values that slots were seen with.

    Args:
        templates: Where they were seen; a template that is filled need not be among them.
    """

    def __init__(self, templates: Iterable[Template]) -> None:
        self._seen: dict[tuple[tuple[str, ...], str], dict[Value, None]] = defaultdict(dict)
        for template in templates:
            for slot in template.slots:
                self._seen[template.context, slot.key][slot.value] = None

    def fill(self, template: Template, draw: random.Random) -> Pair:
        """Fill a template: no value twice, no least above its most, dates as far apart as they were."""
        days = draw.randint(-_FARTHEST, _FARTHEST)
        for _ in range(_ATTEMPTS):
            values = [self._value(slot, template.context, days, draw) for slot in template.slots]
            if _sensible(template.slots, values):
                return template.pair(values)
        return template.pair(slot.value for slot in template.slots)

    def _value(self, slot: Slot, context: tuple[str, ...], days: int, draw: random.Random) -> Value:
        if slot.kind == "date":
            return _written_date(_read_date(slot.value.written) + timedelta(days=days))
        known = self._seen[context, slot.key]
        return draw.choice(
            [value for value in known if slot.kind == "text" or _is_near(value, slot.value)] or [slot.value]
        )


def code_names(documents: Iterable[str]) -> dict[str, str]:
    """Return what the codes in documents stand for.

    Examples:
        >>> code_names(["lang (optional): en (English), zh_cn (Chinese (simplified))."])
        {'lang': 'optional', 'en': 'English', 'zh_cn': 'Chinese (simplified)'}
    """
    return dict(pair for text in documents for pair in _NAMED.findall(text))


def _slots(pair: Pair, names: Mapping[str, str]) -> Iterator[tuple[Slot, tuple[int, int]]]:
    taken: set[tuple[int, int]] = set()
    for match in _VALUES.finditer(pair.action):
        group = next(name for name in ("date", "text", "number", "part", "id", "last") if match[name])
        key = match["called"] or match["field"] or match["member"] or match["folder"] or "Date"
        written = match[group]
        kind: Kind = "date" if group == "date" else "number" if group == "number" else "text"
        # A lone one would ask for a singular everywhere.
        if written == "1" or len(_places(written, pair.action)) != 1:
            continue
        for said in _ways_to_say(kind, written, names):
            place = _only(said, pair.goal)
            if place is not None and not any(begin < place[1] and place[0] < end for begin, end in taken):
                taken.add(place)
                yield Slot(key, kind, Value(pair.goal[slice(*place)], written)), match.span(group)
                break


def _ways_to_say(kind: Kind, written: str, names: Mapping[str, str]) -> Iterator[str]:
    if kind == "date":
        yield _written_date(_read_date(written)).said
        return
    if kind == "number" and written.isdecimal():
        yield f"{int(written):,}"
    if written in names:
        yield names[written]
    # A short code, such as Italian's, can be an ordinary word.
    if written not in names or len(written) > _SHORT:
        yield written
    if "+" in written:
        yield written.replace("+", " ")


def _places(said: str, text: str) -> list[tuple[int, int]]:
    pattern = rf"(?<![\w.,+-]){re.escape(said)}(?!\w|[.,]\d)"
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _only(said: str, text: str) -> tuple[int, int] | None:
    places = _places(said, text)
    return places[0] if len(places) == 1 else None


def _cut(text: str, places: Iterable[tuple[int, int]]) -> tuple[str | int, ...]:
    pieces: list[str | int] = []
    at = 0
    for (begin, end), number in sorted((place, number) for number, place in enumerate(places)):
        pieces += [text[at:begin], number]
        at = end
    return (*pieces, text[at:])


def _joined(pieces: Iterable[str | int], values: list[str]) -> str:
    return "".join(values[piece] if isinstance(piece, int) else piece for piece in pieces)


def _read_date(written: str) -> date:
    month, day, year = map(int, written.split(", "))
    return date(year, month, day)


def _written_date(day: date) -> Value:
    return Value(f"{MONTHS[day.month - 1]} {day.day}, {day.year}", f"{day.month}, {day.day}, {day.year}")


def _is_near(value: Value, other: Value) -> bool:
    """Say whether a number is of the same order: a rent is no purchase price."""
    one, two = float(value.written), float(other.written)
    return one <= _REACH * two and two <= _REACH * one


def _sensible(slots: Iterable[Slot], values: list[Value]) -> bool:
    texts, bounds = [], {}
    for slot, value in zip(slots, values, strict=True):
        if slot.kind == "text":
            texts.append((slot.key, value))
        elif slot.kind == "number":
            bounds[slot.key] = float(value.written)
    least = [(key, bound) for key, bound in bounds.items() if "min_" in key]
    ordered = all(bound < bounds.get(key.replace("min_", "max_"), bound + 1) for key, bound in least)
    return ordered and len(set(texts)) == len(texts)
