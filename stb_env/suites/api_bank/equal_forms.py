"""Forms of an argument that mean the same: what no schema settles shall decide nothing.

The paper's rules compare most inputs as texts. A date with or without zeros, a blank, a capital, "Dr.", the
order of attendees or an article before a room are no difference to the user; neither is what nobody ever
gave.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from stb_env.jsontypes import Json, JsonMapping, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.times import read_date, read_time
from stb_env.suites.api_bank.wording import alike, words_of

Loose = Mapping[str, str]
"""Arguments that nobody gave, by name: all of them, their date or their time; see `grounding`."""
NOTHING_LOOSE: Loose = {}

WORDED = frozenset(("address", "content", "hotel_name", "location", "meeting_topic", "question", "subject"))
"""Texts whose wording is the agent's."""
PERSONS = frozenset(("doctor_name", "new_appointment_doctor"))
"""Names that people give with or without a title and a first name."""


def reconciled(predicted: JsonMapping, gold: JsonMapping, loose: Loose = NOTHING_LOOSE) -> JsonObject:
    """Return a prediction's input with the recorded value wherever its own means the same.

    Examples:
        >>> gold = {"time": "2023-04-12 08:00:00", "location": "office", "end_time": "2023-04-12 09:00:00"}
        >>> ours = {"time": "2023-4-12 8:00:00", "location": "the office", "end_time": "2023-04-12 08:45:00"}
        >>> reconciled(ours, gold)["end_time"], reconciled(ours, gold, {"end_time": "time"}) == gold
        ('2023-04-12 08:45:00', True)
    """
    return {
        name: gold[name] if name in gold and _same(name, value, gold[name], loose.get(name)) else value
        for name, value in predicted.items()
    }


def _same(name: str, ours: Json, theirs: Json, loose: str | None) -> bool:
    if loose == "all":
        return True
    if isinstance(ours, list) and isinstance(theirs, list):
        return _as_set(ours) == _as_set(theirs) and _as_set(theirs) is not None
    if not (isinstance(ours, str) and isinstance(theirs, str)):
        return False
    if name in WORDED:
        return alike(ours, theirs)
    if name in PERSONS:
        one, other = words_of(ours), words_of(theirs)
        return bool(one and other) and (one <= other or other <= one)
    if name == "formula":
        return _terms(ours) == _terms(theirs)
    return _same_moment(ours.strip(), theirs.strip(), loose)


def _as_set(items: list[Json]) -> set[str] | None:
    """Return names as a set, without regard to case; None for a list of anything else."""
    if not all(isinstance(item, str) for item in items):
        return None
    return {" ".join(item.casefold().split()) for item in items}


def _same_moment(ours: str, theirs: str, loose: str | None) -> bool:
    if ours == theirs:
        return True
    one, other = _moment(ours), _moment(theirs)
    if one is None or other is None:
        return False
    if loose == "date":
        return one.time() == other.time()
    return one.date() == other.date() if loose == "time" else one == other


def _moment(text: str) -> datetime | None:
    for read in (read_time, read_date):
        try:
            return read(text)
        except ApiError:
            continue
    return None


def _terms(formula: str) -> Counter[str]:
    """Return the numbers and signs of a formula: in whatever order and brackets, they are the same sum."""
    return Counter(re.findall(r"\d+|[-+*/]", formula))
