"""Grounding of written arguments: the user, an earlier result, or a default of the API.

Decided by the words of the dialogue alone, never by a model: a value that stands in none of these, in no
equal form, was made up. Equal forms are other capitals, order and endings of words, dates and times of day
as people say them, numbers as words or with separators, degrees on the other scale, and the name of a
language for its code. What has to be worked out from several values is in no equal form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json
from stb_env.experiments.synthesis.api import Api
from stb_env.experiments.synthesis.dialogue import Turn
from stb_env.suites.api_bank.argument_forms import words_of
from stb_env.suites.api_bank.languages import languages
from stb_env.suites.api_bank.spoken_times import NUMBERS, clocks_in, dates_in

VERSION = 1
"""Raised whenever another set of dialogues would be refused."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[,\d]*\d)?(?:\.\d+)?")
_FORMULA = re.compile(r"[\d\s.+*/()^%-]+")
_MOMENT = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::\d{2})?)?\Z")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?\Z")
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'-]+")
_CHOICES = re.compile(
    r"\b(?:one of|defaults? to|default is|default|by default)\b[:\s]*([^.;]*)", re.IGNORECASE
)
_DEGREES = re.compile(r"°|\b(?:celsius|fahrenheit|degrees)\b", re.IGNORECASE)
_MADE_UP = "is said by no user, no earlier result and no default"
# A name or a title is said word by word; a message is composed, but around what was said.
_SHORT = 4
_COMPOSED = 0.6


@dataclass(frozen=True)
class Known:
    """Text that is known when a call is made.

    Attributes:
        said: What the user has said so far.
        returned: What calls have returned so far, as text.
        today: The day on which they speak.

    Examples:
        >>> known = Known("A table for two at Zest, tomorrow at 7 pm", '{"id": "B7"}', date(2031, 5, 4))
        >>> [known.holds(value) for value in (2, "zest", "2031-05-05 19:00:00", "B7")]
        [True, True, True, True]
        >>> [known.holds(value) for value in (4, "Zest Lisbon", "2031-05-06", "B8")]
        [False, False, False, False]
    """

    said: str
    returned: str
    today: date

    def holds(self, value: Json) -> bool:
        """Return whether a value stands in what is known, in an equal form."""
        match value:
            case None | bool():
                # Nothing, and one of two choices, say nothing that could be made up.
                return True
            case int() | float():
                return float(value) in self._numbers
            case str():
                return self._holds_text(value)
            case list():
                return all(map(self.holds, value))
            case _:
                return all(map(self.holds, value.values()))

    @cached_property
    def _all(self) -> str:
        return f"{self.said}\n{self.returned}"

    @cached_property
    def _words(self) -> set[str]:
        return words_of(self._all)

    @cached_property
    def _numbers(self) -> set[float]:
        found = {float(word.replace(",", "")) for word in _NUMBER.findall(self._all)}
        spoken = set(re.findall(r"[a-z]+", self.said.casefold()))
        found |= {float(place) for place, word in enumerate(NUMBERS) if word in spoken}
        if not _DEGREES.search(self._all):
            return found
        scales = {turned for each in found for turned in (each * 1.8 + 32, (each - 32) / 1.8)}
        return found | {round(turned, digits) for turned in scales for digits in (0, 1, 2)}

    def _holds_text(self, text: str) -> bool:
        if not text.strip() or self._stands(text):
            return True
        moment = self._holds_moment(text)
        if moment is not None:
            return moment
        if _FORMULA.fullmatch(text):
            numbers = _NUMBER.findall(re.sub(r"[-+*/()^%]", " ", text))
            return bool(numbers) and all(float(word.replace(",", "")) in self._numbers for word in numbers)
        language = languages().get(text)
        return (language is not None and self._stands(language)) or self._holds_words(text)

    def _stands(self, text: str) -> bool:
        """Return whether a text stands there as it is, and not only inside of other words."""
        return re.search(rf"(?<!\w){re.escape(text.casefold())}(?!\w)", self._all.casefold()) is not None

    def _holds_moment(self, text: str) -> bool | None:
        """Return whether a date, a time of day or both are known; None where a text is none of these."""
        if (clock := _CLOCK.match(text)) is not None:
            return (int(clock[1]), int(clock[2])) in clocks_in(self._all)
        moment = _MOMENT.match(text)
        if moment is None:
            return None
        try:
            day = date(int(moment[1]), int(moment[2]), int(moment[3]))
        except ValueError:
            return False
        if day not in dates_in(self._all, self.today):
            return False
        return moment[4] is None or (int(moment[4]), int(moment[5])) in clocks_in(self._all)

    def _holds_words(self, text: str) -> bool:
        words = words_of(text)
        if not words:
            return False
        if len(words) <= _SHORT:
            return words <= self._words
        exact = (*_NUMBER.findall(text), *_NAME.findall(text))
        return all(map(self._stands, exact)) and len(words & self._words) >= _COMPOSED * len(words)


def ungrounded(turns: Sequence[Turn], apis: Sequence[Api], time: str) -> Iterator[str]:
    """Yield each argument that was made up, one sentence each.

    What a search found is a description and grounds nothing, and so do examples in descriptions; a default or
    a choice that the description of a parameter names does.

    Args:
        turns: The dialogue.
        apis: Its APIs.
        time: When the user first speaks, ``YYYY-MM-DD HH:MM:SS``, or empty.

    Examples:
        >>> from stb_env.experiments.synthesis.dialogue import Call
        >>> turn = Turn("High water in Brest?", (Call("Tides", {"harbour": "Nantes"}, {}),), "At six.")
        >>> list(ungrounded([turn], (), "2031-05-04 08:00:00"))
        ["'Nantes' for harbour of Tides is said by no user, no earlier result and no default"]
    """
    inputs = {api.name: api.inputs for api in apis}
    today = _day(time)
    said: list[str] = [time]
    returned: list[str] = []
    for turn in turns:
        said.append(turn.user)
        for call in turn.calls:
            if call.is_search:
                continue
            known = Known("\n".join(said), "\n".join(returned), today)
            parameters = inputs.get(call.name, {})
            for name, value in call.arguments.items():
                if not known.holds(value) and not _defaults(parameters.get(name, {}), today).holds(value):
                    shown = repr(value[:80]) if isinstance(value, str) else jsontext.dumps(value)[:80]
                    yield f"{shown} for {name} of {call.name} {_MADE_UP}"
            returned.append(jsontext.dumps(call.result))


def _defaults(parameter: Mapping[str, object], today: date) -> Known:
    """Return what a parameter's own documentation offers: its default, and the choices that it lists."""
    named = _CHOICES.findall(str(parameter.get("description", "")))
    declared = [jsontext.dumps(parameter[member]) for member in ("default", "enum") if member in parameter]
    return Known("", "\n".join([*named, *declared]), today)


def _day(time: str) -> date:
    try:
        return datetime.fromisoformat(time).date()
    except ValueError:
        return date.min
