"""Forms of an argument that mean the same, and arguments as the databases write them.

The paper's rules compare most inputs as texts. A date with or without zeros, a blank, a capital, "Dr.", the
order of attendees or an article before a room are no difference to the user; neither is what nobody ever
gave.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_moment

_WORD = re.compile(r"[^\W_]+(?:'\w+)?")
_LISTED = (
    "a an and at be by do for from her his i in is it its me my of on or our please the their this that "
    "to with your dr mr mrs ms doctor "
)
_EMPTY = frozenset(_LISTED.split())
_ENDINGS = ("'s", "ing", "ed", "es", "s")
_STEM = 3
_DATED = re.compile(r"\d{4}-")
_TOPICS: Mapping[str, tuple[str, str]] = {
    f"{verb}{noun}": (noun, "meeting_topic" if noun == "Meeting" else "content")
    for verb in ("Delete", "Modify", "Query")
    for noun in ("Agenda", "Meeting", "Reminder")
}
"""Table, and the field that tells a record, of the APIs that look for one."""

Loose = Mapping[str, str]
"""Arguments that nobody gave, by name: all of them, their date or their time; see `argument_origins`."""
NOTHING_LOOSE: Loose = {}

WORDED = frozenset(("address", "content", "hotel_name", "location", "meeting_topic", "question", "subject"))
"""Texts whose wording is the agent's."""
PERSONS = frozenset(("doctor_name", "new_appointment_doctor"))
"""Names that people give with or without a title and a first name."""


def words_of(text: str) -> set[str]:
    """Return the words of a text that mean something, without endings.

    Examples:
        >>> sorted(words_of("Meeting with John at the offices"))
        ['john', 'meet', 'offic']
    """
    return {_stem(word) for word in _WORD.findall(text.casefold().replace("_", " "))} - _EMPTY


def word_list(text: str) -> list[str]:
    """Return every word of a text without its ending, in order.

    Examples:
        >>> word_list("Searching hotels")
        ['search', 'hotel']
    """
    return [_stem(word) for word in _WORD.findall(text.casefold().replace("_", " ")) if word not in _EMPTY]


def share_of(part: str, whole: str) -> float:
    """Return which share of the words of one text stands in another; 1 for a text without any.

    Examples:
        >>> share_of("Team meeting", "a meeting of our teams in June")
        1.0
    """
    words = words_of(part)
    return len(words & words_of(whole)) / len(words) if words else 1.0


def alike(one: str, other: str) -> bool:
    """Return whether at least half of all the words of two texts are shared.

    Examples:
        >>> alike("Meeting with John", "Meeting with John at the office"), alike("Tea", "Meeting")
        (True, False)
    """
    ours, theirs = words_of(one), words_of(other)
    if not ours or not theirs:
        return one.strip().casefold() == other.strip().casefold()
    return len(ours & theirs) * 2 >= len(ours | theirs)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word


def reconciled(
    predicted: Mapping[str, object], gold: Mapping[str, object], loose: Loose = NOTHING_LOOSE
) -> dict[str, object]:
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


def _same(name: str, ours: object, theirs: object, loose: str | None) -> bool:
    if loose == "all":
        return True
    if isinstance(ours, list) and isinstance(theirs, list):
        return _as_set(ours) == _as_set(theirs) and _as_set(theirs) is not None
    if not (isinstance(ours, str) and isinstance(theirs, str)):
        return False
    if name in WORDED:
        return alike(ours, theirs)
    if name in PERSONS:
        names, known = words_of(ours), words_of(theirs)
        return bool(names and known) and (names <= known or known <= names)
    if name == "formula":
        return _terms(ours) == _terms(theirs)
    one, other = read_moment(ours.strip()), read_moment(theirs.strip())
    if ours.strip() == theirs.strip() or one is None or other is None:
        return ours.strip() == theirs.strip()
    if loose == "date":
        return one.time() == other.time()
    return one.date() == other.date() if loose == "time" else one == other


def _as_set(items: list[Json]) -> set[str] | None:
    """Return names as a set, without regard to case; None for a list of anything else."""
    if not all(isinstance(item, str) for item in items):
        return None
    return {" ".join(item.casefold().split()) for item in items}


def _terms(formula: str) -> Counter[str]:
    """Return the numbers and signs of a formula: in whatever order and brackets, they are the same sum."""
    return Counter(re.findall(r"\d+|[-+*/]", formula))


def as_stored(name: str, state: State, bound: JsonObject) -> dict[str, object]:
    """Return the arguments of a call as the databases write them: times in full, texts in the stored wording.

    The released code looks for equal texts, so that "gym workout" misses "Gym workout". Here the same words
    in whatever capitals, order and endings mean the user's record, where none has exactly the text given.

    Args:
        name: Name of the API.
        state: Has the records.
        bound: The arguments, cast.
    """
    bound = {key: in_full(value) if isinstance(value, str) else value for key, value in bound.items()}
    if name not in _TOPICS or "token" not in bound:
        return bound
    table, field = _TOPICS[name]
    try:
        user = state.user_of(bound["token"])
    except ApiError:
        return bound
    texts = [row[field] for row in state.table(table).values() if row["username"] == user]
    if bound[field] in texts:
        return bound
    words = words_of(bound[field])
    stored = next((text for text in texts if words and words_of(text) == words), bound[field])
    return {**bound, field: stored}


def in_full(text: str) -> str:
    """Return a date with a time, or a date alone, with all its zeros; any other text as it is.

    Examples:
        >>> in_full("2023-4-3 6:45:00"), in_full("2023-4-3"), in_full("2023-4")
        ('2023-04-03 06:45:00', '2023-04-03', '2023-4')
    """
    moment = read_moment(text) if _DATED.match(text) else None
    return text if moment is None else moment.isoformat(" ")[: 19 if ":" in text else 10]
