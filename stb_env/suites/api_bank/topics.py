"""Ranks APIs by the words that people use for what they do: the default of ToolSearcher."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from stb_env.retrieval import NgramRetriever
from stb_env.retrieval.inverted import InvertedIndex
from stb_env.suites.api_bank.argument_forms import word_list

_NAME, _USED, _DESCRIBED = 3.0, 2.0, 1.0
# Spelling and endings decide between equals, and where no word is known.
_SPELLING = 2.0
# What can be added, deleted, modified and queried: only the verb tells these APIs apart.
_RECORDS = frozenset(("Agenda", "Alarm", "HealthData", "Meeting", "Registration", "Reminder", "Scene"))
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


class TopicIndex:
    """Scores APIs by shared words: those of the name weigh most, then those people use, then the description.

    Args:
        records: The documentation of the APIs.

    Examples:
        >>> flights = {"name": "FlightSearch", "description": "Find flights on a day."}
        >>> hotels = {"name": "HotelAvailability", "description": "Find hotels that are free on a day."}
        >>> index = TopicIndex([flights, hotels])
        >>> index.best("search hotels"), index.best("zzz") is None
        (1, True)
    """

    def __init__(self, records: Sequence[Mapping[str, object]]) -> None:
        self._words = words = InvertedIndex(
            _weights(str(record["name"]), str(record["description"])) for record in records
        )
        self._idf = [math.log(1 + words.size / count) for count in words.frequencies.tolist()]
        self._spelling = NgramRetriever(
            f"{_spaced(str(record['name']))} " * 3 + str(record["description"]) for record in records
        )

    def best(self, query: str) -> int | None:
        """Return the place of the best API, the first of equals; None where nothing is alike."""
        if not self._words.size:
            return None
        known = self._words.terms
        asked = {word: self._idf[known[word]] for word in word_list(_spaced(query)) if word in known}
        scores = self._words.scores(asked) + _SPELLING * self._spelling.scores(query)
        top = int(scores.argmax())
        return top if scores[top] > 0 else None


@lru_cache(maxsize=1)
def _used() -> tuple[Mapping[str, str], Mapping[str, str]]:
    text = (files("stb_env.suites.api_bank") / "search_words.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return data["verbs"], data["apis"]


def _weights(name: str, description: str) -> dict[str, float]:
    verbs, apis = _used()
    verb = next((verb for verb in verbs if name.removeprefix(verb) in _RECORDS), "")
    fields = ((_DESCRIBED, description), (_USED, f"{verbs.get(verb, '')} {apis.get(name, '')}"))
    weights: dict[str, float] = {}
    for weight, text in (*fields, (_NAME, _spaced(name))):
        weights |= dict.fromkeys(word_list(text), weight)
    return weights


def _spaced(name: str) -> str:
    return _CAPITAL.sub(" ", name) if name[:1].isupper() and " " not in name else name
