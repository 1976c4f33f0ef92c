"""Origins of the arguments of recorded calls: the user's words, earlier results, or nothing at all.

Annotators sometimes wrote arguments that nobody ever gave: an end time, a room, a year's wrong day. Nothing
but the text of a dialogue decides that here, so that it holds for dialogues nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.api_bank.apis.schedule import TODAY
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.argument_forms import share_of
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall
from stb_env.suites.api_bank.languages import languages
from stb_env.suites.api_bank.spoken_times import NUMBERS, clocks_in, dates_in
from stb_env.suites.api_bank.times import read_date, read_moment

Loose = Literal["all", "date", "time"]
"""The part of an argument that nobody gave: all of it, the date of a time, or the time of day."""

_ENOUGH = 0.5
_KILO = 1_000
# What an argument can say without anybody having said it, for it is one of few choices.
_CHOICES = ("status", "on")


class Origin(NamedTuple):
    """Origins of the arguments of one recorded call.

    Attributes:
        loose: Arguments that nobody gave, and which part of them.
        told: Arguments that no earlier result gives, so that a user can be asked for them.
    """

    loose: dict[str, Loose]
    told: tuple[str, ...]


class _Known(NamedTuple):
    said: str
    results: str
    today: date


def origins(dialogue: Dialogue) -> list[Origin]:
    """Return where the arguments of each recorded call come from.

    Examples:
        >>> from stb_env.suites.api_bank.formats.dialogues import Utterance
        >>> asked = Utterance("User", "A meeting on 5 May at 2 pm, please.")
        >>> times = {"start_time": "2023-05-05 14:00:00", "end_time": "2023-05-05 15:00:00"}
        >>> call = GoldCall("AddMeeting", {**times, "location": "Attic"}, {"output": "success"})
        >>> origins(Dialogue("d", 1, (asked, call)))[0].loose
        {'end_time': 'time', 'location': 'all'}
    """
    said: list[str] = []
    results: list[str] = []
    found = []
    for item in dialogue.items:
        if isinstance(item, GoldCall):
            known = _Known("\n".join(said), "\n".join(results), read_date(TODAY).date())
            found.append(_origin(item, known))
            if item.name != SEARCHER:
                results.append(jsontext.dumps(item.result.get("output")))
        elif item.speaker == "User":
            said.append(item.text)
    return found


def _origin(call: GoldCall, known: _Known) -> Origin:
    if call.name == SEARCHER:
        return Origin({}, ())
    # The recorded input has lists as lists, where the arguments have them as texts.
    received: JsonMapping = call.result.get("input") or call.arguments
    loose = {name: part for name, value in received.items() if (part := _loose(name, value, known))}
    told = (
        name
        for name, value in received.items()
        if str(value) in known.said or not _from_results(value, known)
    )
    return Origin(loose, tuple(name for name in told if name != "token"))


def _loose(name: str, value: object, known: _Known) -> Loose | None:
    if name in _CHOICES or isinstance(value, bool) or value in ("", None) or _from_results(value, known):
        return None
    if isinstance(value, str) and (moment := read_moment(value)) is not None:
        return _loose_time(value, moment, known)
    return None if all(_is_said(part, known) for part in _parts(value)) else "all"


def _loose_time(text: str, moment: datetime, known: _Known) -> Loose | None:
    if text in known.said:
        return None
    has_date = moment.date() in dates_in(f"{known.said}\n{known.results}", known.today)
    has_clock = len(text) <= len("2023-03-31") or (moment.hour, moment.minute) in clocks_in(known.said)
    if has_date:
        return None if has_clock else "time"
    return "date" if has_clock and len(text) > len("2023-03-31") else "all"


def _is_said(value: object, known: _Known) -> bool:
    if isinstance(value, int | float):
        return _is_counted(value, known.said)
    text = str(value)
    if text.casefold() in known.said.casefold() or share_of(text, known.said) > _ENOUGH:
        return True
    language = languages().get(text)
    if language is not None and language in known.said.casefold():
        return True
    # A formula, or a day of the year.
    numbers = [part for part in "".join(c if c.isdecimal() else " " for c in text).split() if part]
    symbols = set(text) - set("0123456789 +-*/().")
    if not symbols and numbers:
        if text.count("-") == 1 and len(numbers) == 2 and _day_is_said(numbers, known):
            return True
        return all(_is_counted(int(number), f"{known.said}\n{known.results}") for number in numbers)
    return False


def _day_is_said(numbers: Sequence[str], known: _Known) -> bool:
    days = dates_in(f"{known.said}\n{known.results}", known.today)
    return any((day.month, day.day) == tuple(map(int, numbers)) for day in days)


def _is_counted(number: float, text: str) -> bool:
    written = f"{number:g}" if isinstance(number, float) else str(number)
    if any(float(word) == number for word in _numbers(text)):
        return True
    lower = text.casefold()
    if number % _KILO == 0 and f"{number // _KILO:g}km" in lower.replace(" ", ""):
        return True
    named = isinstance(number, int) and 0 <= number < len(NUMBERS) and NUMBERS[number] in lower
    # "a child", "a room", and the children nobody spoke of.
    return named or written in text or number in (0, 1)


def _numbers(text: str) -> Iterable[str]:
    cleaned = "".join(char if char.isdecimal() or char == "." else " " for char in text.replace(",", ""))
    return (part for word in cleaned.split() if (part := word.strip(".")) and part.count(".") <= 1)


def _from_results(value: object, known: _Known) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_from_results(each, known) for each in value)
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return any(float(word) == value for word in _numbers(known.results))
    text = str(value)
    number = _number(text)
    return len(text) > 1 and (text in known.results or (number is not None and _from_results(number, known)))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _parts(value: object) -> list[object]:
    if isinstance(value, list):
        return [part for each in value for part in _parts(each)]
    # What the members of a record are called is the API's matter, what they hold is the user's.
    return _parts(value.get("value", list(value.values()))) if isinstance(value, dict) else [value]
