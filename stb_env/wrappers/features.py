"""Features of a candidate action, for policies without a language model that generalise across tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stb_env import jsontext
from stb_env.wrappers.documented import documented, words
from stb_env.wrappers.mentions import mentions
from stb_env.wrappers.proposals import AnswerCandidate, CallCandidate, Candidate, Seen

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
    split = len(CALL_FEATURES)
    scene = _Scene(seen)
    for index, candidate in enumerate(found):
        if isinstance(candidate, CallCandidate):
            table[index, :split] = scene.call(candidate)
        else:
            table[index, split:] = scene.answer(candidate)
    return table


class _Scene:
    """What the numbers of one step share."""

    def __init__(self, seen: Seen) -> None:
        self.said = words(seen.query)
        self.calls = seen.calls
        ok = [call for call in self.calls if call.ok]
        used = frozenset(value for call in ok for value in call.values)
        mentioned = _mentioned(seen.query)
        self.mentioned = len(mentioned)
        self.unused = [readings for readings in mentioned if not readings & used]
        self.family = ok[-1].name.partition("_for_")[2] if ok else ""
        overlaps = [_share(self.said & tool.described, self.said) for tool in documented(seen.tools)]
        self.best = max(overlaps, default=0.0)
        self.episode = (
            float(bool(self.calls) and self.calls[-1].ok),
            _part(self.mentioned - len(self.unused), self.mentioned),
            float(_chained(seen)),
            min(1.0, seen.turn / _TURNS),
        )

    def call(self, candidate: CallCandidate) -> list[float]:
        tool, required = candidate.tool, candidate.required
        arguments = candidate.arguments
        written = jsontext.dumps(arguments)
        values = {jsontext.dumps(value) for value in arguments.values()}
        same = [call for call in self.calls if call.name == tool.name]
        repeated = [call for call in same if call.arguments == written]
        overlap = _share(self.said & tool.described, self.said)
        origins = [filling.origin for filling in required]
        optional = [f for f, p in zip(candidate.fillings, tool.parameters, strict=True) if not p.required]
        fresh = [readings for readings in self.unused if readings & values]
        return [
            _share(self.said & tool.named, tool.named),
            overlap,
            float(overlap >= self.best),
            float(bool(self.family) and tool.family == self.family),
            float(bool(same)),
            float(bool(repeated)),
            float(any(not call.ok for call in repeated)),
            float(not required),
            *(_part(origins.count(origin), len(origins)) for origin in ("query", "result", "default")),
            sum(f.relevance for f in candidate.fillings) / max(1, len(candidate.fillings)),
            float(candidate.in_order),
            float(any(filling.origin != "omitted" for filling in optional)),
            _part(len(fresh), self.mentioned),
        ]

    def answer(self, candidate: AnswerCandidate) -> list[float]:
        return [
            1.0,
            _share(self.said & candidate.names, candidate.names),
            candidate.relevance,
            candidate.share,
            float(candidate.singled_out),
            float(candidate.latest),
            float(not candidate.share),
            *self.episode,
        ]


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return _part(len(part), len(whole))


def _part(count: int, whole: int) -> float:
    return count / whole if whole else 0.0


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
        fields = (value for row in call.rows for _, value in row.fields)
        known |= {jsontext.dumps(value) for value in fields if str(value) not in seen.query}
    return False
