"""What the user of a dialogue knows, and what of it an agent's question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stb_env.jsontypes import Json
from stb_env.suites.api_bank.apis.today import TODAY
from stb_env.suites.api_bank.formats.dialogues import GoldCall
from stb_env.suites.api_bank.grounding import Origin
from stb_env.suites.api_bank.spoken_times import clocks_in, dates_in
from stb_env.suites.api_bank.times import read_date
from stb_env.suites.api_bank.wording import share_of

_HINTS = {
    "account": r"account|identifier",
    "address": r"address|where",
    "adult_count": r"adult|people|persons|guests|how many",
    "appointment_id": r"\bid\b|number",
    "attendees": r"attend|participa|invite|\bwho\b|whom",
    "check_in_time": r"check.?in|arriv|dates?\b|nights?|when|how long",
    "check_out_time": r"check.?out|leav|depart|dates?\b|nights?|when|how long",
    "child_count": r"child|kids|people|persons|guests|how many",
    "content": r"content|about|title|subject|called|what (is|should|shall|do you|would you)|describe|remind",
    "doctor_name": r"doctor|\bdr\b|physician",
    "email": r"e-?mail",
    "formula": r"formula|expression|calculat|numbers",
    "health_data": r"health data|measure|value|reading|record",
    "location": r"location|where|place|room|venue",
    "meeting_topic": r"topic|about|title|subject|called|\bname of the meeting",
    "password": r"password|credential|authenticat|log ?in|passcode|account details",
    "patient_name": r"patient|your (full )?name|name of|for whom|\bwho\b",
    "receiver": r"e-?mail|receiver|recipient|whom|\bwho\b",
    "recipient": r"e-?mail|recipient|whom|\bwho\b",
    "room_count": r"rooms?\b",
    "src": r"text|sentence|phrase|what .*translat",
    "stock_code": r"stock|share|code|ticker|symbol|company",
    "tgt_lang": r"language|into",
    "url": r"url|link|address|where",
    "user_id": r"\bid\b|user",
    "user_name": r"name|\bwho\b",
    "username": r"user.?name|\blog ?in|credential|authenticat|account (name|details)|who are you|your name",
    "verification_code": r"code",
}
_DATE = r"\b(date|day|when|which night|month|time frame|period)\b"
_TIME = r"\b(date|day|times?|when|hour|o'clock|start|begin|end|until|long|duration)\b"


class Fact(NamedTuple):
    """One thing that the user can tell.

    Attributes:
        turn: Turn in which it is needed, from 0.
        name: Name of the parameter.
        value: The value, as text.
    """

    turn: int
    name: str
    value: str


def facts_of(calls: Iterable[tuple[int, GoldCall, Origin]]) -> list[Fact]:
    """Return what a user knows: the arguments of the recorded calls that no result gives.

    Args:
        calls: Recorded calls, each with its turn and where its arguments come from.
    """
    return [
        Fact(turn, name, _written((call.result.get("input") or call.arguments)[name]))
        for turn, call, origin in calls
        for name in origin.told
        if (call.result.get("input") or call.arguments).get(name) not in (None, "", [])
    ]


def asked_for(text: str, facts: Sequence[Fact], turn: int) -> list[Fact]:
    """Return the facts that a question is about: those of this turn, else of the next one that has any.

    Examples:
        >>> facts = [Fact(0, "username", "mira"), Fact(0, "password", "k1"), Fact(1, "time", "noon")]
        >>> [fact.value for fact in asked_for("Your user name and password, please?", facts, 1)]
        ['mira', 'k1']
    """
    about = [fact for fact in facts if re.search(_hint(fact.name), text, re.IGNORECASE)]
    turns = sorted({fact.turn for fact in about}, key=lambda other: (other < turn, abs(other - turn)))
    names: dict[str, int] = {}
    for other in turns:
        for fact in about:
            if fact.turn == other:
                names.setdefault(fact.name, other)
    return list(dict.fromkeys(fact for fact in about if names[fact.name] == fact.turn))


def answer_with(facts: Sequence[Fact]) -> str:
    """Return a sentence that tells facts.

    Examples:
        >>> answer_with([Fact(0, "start_time", "2023-05-05 14:00:00"), Fact(0, "location", "Attic")])
        'The start time is 2023-05-05 14:00:00, and the location is Attic.'
    """
    values: dict[str, list[str]] = {}
    for fact in facts:
        values.setdefault(fact.name.replace("_", " "), []).append(fact.value)
    parts = [f"the {name} is {', then '.join(dict.fromkeys(told))}" for name, told in values.items()]
    text = ", and ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def is_told(fact: Fact, text: str) -> bool:
    """Return whether a text says something of a fact, a date in any form.

    Examples:
        >>> fact = Fact(0, "date", "2023-05-03")
        >>> is_told(fact, "On 3 May."), is_told(fact, "Soon.")
        (True, False)
    """
    if fact.value in text or share_of(fact.value, text) >= 1 / 2:
        return True
    day, _, clock = fact.value.partition(" ")
    told = {str(date) for date in dates_in(text, read_date(TODAY).date())}
    return day in told or clock[:5] in {f"{hour:02}:{minute:02}" for hour, minute in clocks_in(text)}


def _hint(name: str) -> str:
    if "date" in name:
        return _DATE
    if name == "time" or name.endswith("_time"):
        return _HINTS.get(name, _TIME)
    for known in (name, name.removeprefix("new_"), name.removeprefix("old_")):
        if known in _HINTS:
            return _HINTS[known]
    return r"\b" + name.replace("_", r"[ _]?")


def _written(value: Json) -> str:
    if isinstance(value, list):
        return ", ".join(map(_written, value))
    if isinstance(value, dict):
        return " ".join(map(_written, value.values()))
    return str(value)
