"""Atoms of a text: the addresses, days, times, codes, numbers and names that can be held against data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal, NamedTuple

from stb_env.judges.cues import COMMON
from stb_env.judges.days import MONTHS
from stb_env.judges.terms import plain_number

Kind = Literal["address", "day", "time", "code", "number", "name"]

_MONTH = "|".join(f"{month[:3]}(?:{month[3:]}|\\.)?" for month in MONTHS if month != "may") + "|may"
_DAY = rf"""
    (?P<y1>\d{{4}})[-./](?P<m1>\d{{1,2}})[-./](?P<d1>\d{{1,2}})(?:t[\d:.]+(?:z\b|[+-]\d\d:?\d\d)?)?(?=\D|$)
  | (?P<a2>\d{{1,2}})(?P<s2>[-./])(?P<b2>\d{{1,2}})(?P=s2)(?P<y2>\d{{4}})(?=\D|$)
  | (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m3>{_MONTH})\b(?:,?\s(?P<y3>\d{{4}})\b)?
  | \b(?P<m4>{_MONTH})\s(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[.,]\d)(?:,?\s(?P<y4>\d{{4}})\b)?
"""
_ADDRESS = r"https?://[^\s|<>\"'\])]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]\.?m\b)?"
_CODE = r"[^\W_]*(?:[^\W\d_][-_./#]?\d|\d[-_./#]?[^\W\d_])[^\W_]*(?:[-_./#][^\W_]+)*"
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_ATOM = re.compile(
    rf"(?P<address>{_ADDRESS})|(?<![\w.])(?:(?P<day>{_DAY})|(?P<time>{_TIME})(?!\w))"
    rf"|(?<!\w)(?P<code>{_CODE})|(?P<number>{_NUMBER})",
    re.IGNORECASE | re.VERBOSE,
)
_NAME = re.compile(r"(?<!\w)[^\W\d_a-zà-þ][^\W\d_]*(?:['’-][^\W\d_]+)*")
_GAP = re.compile(r" | (?:of|de|van) ")
_QUANTITY = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)([^\W\d_]{1,5})")
_MARKER = re.compile(r"^[ \t]*(?:[-*•]\s+)?\d{1,2}[.)]\s+", re.MULTILINE)
_SIGNED = re.compile(r"(?:^|(?<=[\s(|:=]))[-−–]$")
_TRAILING = ".,;:!?*_`"


class Day(NamedTuple):
    """A day as far as a text says it.

    Attributes:
        year: None where it is left out.
        month: From 1 to 12, if it is one.
        day: Of the month.
    """

    year: int | None
    month: int
    day: int

    def meets(self, other: Day) -> bool:
        """Return whether both can be one day.

        Examples:
            >>> Day(None, 6, 1).meets(Day(2024, 6, 1)), Day(2023, 6, 1).meets(Day(2024, 6, 1))
            (True, False)
        """
        years = {self.year, other.year} - {None}
        return self[1:] == other[1:] and len(years) < 2


@dataclass(frozen=True, slots=True)
class Atom:
    """A part of a text that is true or not by itself.

    Attributes:
        kind: What it is.
        text: As data would write it: numbers without marks of thousands, the rest in small letters.
        start: Where it begins.
        end: Where it ends.
        days: What a day can mean; "01/02/2024" is two.
    """

    kind: Kind
    text: str
    start: int
    end: int
    days: tuple[Day, ...] = ()


def atoms(text: str) -> tuple[Atom, ...]:
    """Return the atoms of a text in order; numbers that only count the items of a list are none.

    Examples:
        >>> text = "1. Low Map: 1,054 views since 6 October 2019 at 22:47, id CF10-3, -4.5 degrees"
        >>> [(atom.kind, atom.text) for atom in atoms(text)][:4]
        [('name', 'low map'), ('number', '1054'), ('day', '6 october 2019'), ('time', '22:47')]
        >>> [(atom.kind, atom.text) for atom in atoms(text)][4:]
        [('code', 'cf10-3'), ('number', '-4.5')]
    """
    covered = _MARKER.sub(lambda match: " " * len(match[0]), text)
    found = list(_marked(covered))
    for atom in found:
        covered = covered[: atom.start] + "\0" * (atom.end - atom.start) + covered[atom.end :]
    return tuple(sorted((*found, *_names(covered)), key=lambda atom: atom.start))


def _marked(text: str) -> Iterator[Atom]:
    for match in _ATOM.finditer(text):
        start, end = match.span()
        said = match[0]
        if match["address"]:
            said = said.rstrip(_TRAILING)
            yield Atom("address", said.lower(), start, start + len(said))
        elif match["day"]:
            yield Atom("day", said.lower(), start, end, _days(match))
        elif match["time"]:
            yield Atom("time", said.lower(), start, end)
        elif match["code"]:
            yield _code(said, start)
        else:
            yield _number(text, said, start)


def _code(said: str, start: int) -> Atom:
    quantity = _QUANTITY.fullmatch(said)
    if quantity:
        return Atom("number", plain_number(quantity[1]), start, start + len(quantity[1]))
    return Atom("code", said.lower(), start, start + len(said))


def _number(text: str, said: str, start: int) -> Atom:
    sign = "-" if _SIGNED.search(text[max(0, start - 2) : start]) else ""
    return Atom("number", sign + plain_number(said), start, start + len(said))


def _days(match: re.Match[str]) -> tuple[Day, ...]:
    part = match.groupdict()
    if part["a2"]:
        year, one, two = int(part["y2"]), int(part["a2"]), int(part["b2"])
        return tuple(Day(year, *pair) for pair in {(one, two), (two, one)} if pair[0] <= len(MONTHS))
    for form in ("1", "3", "4"):
        if part[f"m{form}"]:
            said = part[f"y{form}"]
            return (Day(int(said) if said else None, _month(part[f"m{form}"]), int(part[f"d{form}"])),)
    return ()


def _month(said: str) -> int:
    if said.isdigit():
        return int(said)
    return next(index for index, month in enumerate(MONTHS, 1) if month[:3] == said.lower()[:3])


def _names(text: str) -> Iterator[Atom]:
    run: list[re.Match[str]] = []
    for match in _NAME.finditer(text):
        if run and not _GAP.fullmatch(text, run[-1].end(), match.start()):
            yield from _named(text, run)
            run = []
        run.append(match)
    if run:
        yield from _named(text, run)


def _named(text: str, run: list[re.Match[str]]) -> Iterator[Atom]:
    # Any sentence begins with a capital.
    run = list(dropwhile(lambda word: word[0].lower() in COMMON, run))
    if not run:
        return
    start, end = run[0].start(), run[-1].end()
    yield Atom("name", text[start:end].lower(), start, end)
