"""Features of a candidate action, for policies without a language model that generalise across tasks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stb_env.core import jsontext
from stb_env.wrappers.candidate import AnswerCandidate, CallCandidate, Candidate
from stb_env.wrappers.documented import documented, words
from stb_env.wrappers.mentions import mentions
from stb_env.wrappers.proposals import Done, Seen

CALL_FEATURES = (
    "name_overlap",  # share of the words of the API's name that the query says
    "description_overlap",  # share of the query's words that the documentation says
    "best_overlap",  # whether no tool of the task has a better overlap
    "same_family",  # whether the last successful call went to the same tool
    "tool_called",  # whether this API was called before
    "call_repeated",  # whether it was called with the same arguments before
    "call_failed",  # whether it was so, and answered with an error
    "needs_nothing",  # whether it has no required parameter
    "from_query",  # share of required parameters filled from the query
    "from_results",  # share filled from results
    "from_default",  # share left at the documented default or example
    "relevance",  # mean relevance of all values to the query
    "in_order",  # whether values stand in the query's order
    "optional_given",  # whether an optional parameter is given
    "new_mentions",  # share of the query's values that this call would be the first to use
)
ANSWER_FEATURES = (
    "finish",  # whether it is an answer at all
    "field_overlap",  # share of the words of the quoted fields' names that the query says
    "quoted_relevance",  # relevance of the quoted rows
    "quoted_share",  # share of that result's values that is quoted
    "singled_out",  # whether it quotes the one row, of several like it, that the query names
    "quotes_latest",  # whether the latest result is quoted
    "quotes_nothing",  # whether it only says that the task is done
    "last_call_ok",  # whether the last call was answered without an error
    "mentions_used",  # share of the query's values that successful calls have used
    "results_used",  # whether a successful call used a value of an earlier result
    "turn",  # turns taken, of eight
)
FEATURES = CALL_FEATURES + ANSWER_FEATURES
"""Names of the columns. A column that is the same for every candidate cannot move a softmax over them, so
what describes the episode stands at the answers alone: it says whether it is time to stop."""

_TURNS = 8
_KEPT = 1024
_CHANGING = [
    CALL_FEATURES.index(name)
    for name in ("same_family", "tool_called", "call_repeated", "call_failed", "new_mentions")
]


def features(found: Sequence[Candidate], seen: Seen, size: int) -> NDArray[np.float32]:
    """Return one row of numbers in [0, 1] for each candidate, zeros where there is none.

    Args:
        found: The candidates.
        seen: What they were made from.
        size: Number of rows.

    Returns:
        float32 array of shape (size, len(FEATURES)).
    """
    table = np.zeros((size, len(FEATURES)), dtype=np.float32)
    calls = tuple(one for one in found if isinstance(one, CallCandidate))
    answers = tuple(one for one in found if isinstance(one, AnswerCandidate))
    if calls:
        table[: len(calls), : len(CALL_FEATURES)] = _standing(calls, seen.tools, seen.query)
        table[: len(calls), _CHANGING] = _changing(calls, seen)
    if answers:
        said = table[len(calls) : len(found), len(CALL_FEATURES) :]
        said[:, :-4] = _quoting(answers, seen.query)
        said[:, -4:] = _progress(seen)
    return table


@lru_cache(maxsize=_KEPT)
def _standing(calls: tuple[CallCandidate, ...], tools: str, query: str) -> NDArray[np.float32]:
    """Return what stays true of calls, and zeros for what does not."""
    return np.array([_row(call, tools, query) for call in calls], np.float32)


@lru_cache(maxsize=32 * _KEPT)
def _row(call: CallCandidate, tools: str, query: str) -> tuple[float, ...]:
    said, tool, required = words(query), call.tool, call.required
    overlap = _share(said & tool.described, said)
    origins = [filling.origin for filling in required]
    optional = [f for f, p in zip(call.fillings, tool.parameters, strict=True) if not p.required]
    return (
        _share(said & tool.named, tool.named),
        overlap,
        float(overlap >= _best_overlap(tools, query)),
        *(0.0,) * 4,
        float(not required),
        *(_part(origins.count(origin), len(origins)) for origin in ("query", "result", "default")),
        sum(f.relevance for f in call.fillings) / max(1, len(call.fillings)),
        float(call.in_order),
        float(any(filling.origin != "omitted" for filling in optional)),
        0.0,
    )


def _changing(calls: Sequence[CallCandidate], seen: Seen) -> list[tuple[float, ...]]:
    """Return what the calls of the episode say of each candidate, in the columns `_CHANGING`."""
    ok = [call for call in seen.calls if call.ok]
    family = ok[-1].name.partition("_for_")[2] if ok else ""
    called = {call.name for call in seen.calls}
    repeated = {(call.name, call.arguments) for call in seen.calls}
    failed = {(call.name, call.arguments) for call in seen.calls if not call.ok}
    mentioned, unused = len(_mentioned(seen.query)), _unused(seen)
    return [
        (
            float(bool(family) and call.tool.family == family),
            float(call.tool.name in called),
            float((call.tool.name, call.written) in repeated),
            float((call.tool.name, call.written) in failed),
            _part(sum(not readings.isdisjoint(call.values) for readings in unused), mentioned),
        )
        for call in calls
    ]


@lru_cache(maxsize=_KEPT)
def _quoting(answers: tuple[AnswerCandidate, ...], query: str) -> NDArray[np.float32]:
    said = words(query)
    rows = [
        (
            1.0,
            _share(said & answer.names, answer.names),
            answer.relevance,
            answer.share,
            float(answer.singled_out),
            float(answer.latest),
            float(not answer.share),
        )
        for answer in answers
    ]
    return np.array(rows, np.float32)


def _progress(seen: Seen) -> tuple[float, ...]:
    mentioned = len(_mentioned(seen.query))
    return (
        float(bool(seen.calls) and seen.calls[-1].ok),
        _part(mentioned - len(_unused(seen)), mentioned),
        float(_chained(seen)),
        min(1.0, seen.turn / _TURNS),
    )


def _unused(seen: Seen) -> list[frozenset[str]]:
    """Return the values of the query that no successful call has used."""
    used = frozenset[str]().union(*(call.values for call in seen.calls if call.ok))
    return [readings for readings in _mentioned(seen.query) if readings.isdisjoint(used)]


@lru_cache(maxsize=_KEPT)
def _best_overlap(tools: str, query: str) -> float:
    said = words(query)
    return max((_share(said & tool.described, said) for tool in documented(tools)), default=0.0)


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return _part(len(part), len(whole))


def _part(count: int, whole: int) -> float:
    return count / whole if whole else 0.0


@lru_cache(maxsize=_KEPT)
def _mentioned(query: str) -> list[frozenset[str]]:
    """Return the values of a query as JSON texts; readings of one place are one value."""
    places: dict[int, set[str]] = {}
    for mention in mentions(query):
        places.setdefault(mention.position, set()).add(jsontext.dumps(mention.value))
    return [frozenset(readings) for readings in places.values()]


def _chained(seen: Seen) -> bool:
    """Return whether a successful call used a text or number that only a result before it held."""
    known: set[str] = set()
    for call in seen.calls:
        if call.ok and not known.isdisjoint(call.values):
            return True
        known |= _found(call, seen.query)
    return False


@lru_cache(maxsize=4 * _KEPT)
def _found(call: Done, query: str) -> frozenset[str]:
    """Return the values of a result that the query does not say, as JSON texts."""
    values = (value for row in call.rows for _, value in row.fields)
    return frozenset(jsontext.dumps(value) for value in values if str(value) not in query)
