"""Scores of samples: call accuracy and ROUGE-L by level, and the types of wrong calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stb_env.core.jsontypes import JsonObject

TOTAL_WEIGHTS: Mapping[int, int] = {1: 399, 2: 123, 3: 152}
"""Weights of the levels in a total. The paper gives none; these reproduce every total of its table 3."""


class ErrorType(StrEnum):
    """Types of wrong calls, in the order in which they are looked for."""

    NO_CALL = "No API Call"
    FORMAT = "False API Call Format"
    RETRIEVAL = "Failed API Retrieval"
    HALLUCINATION = "API Hallucination"
    INPUT = "Invalid Input Parameters"
    MISSING = "Missing Input Parameters"
    EXCEPTION = "Has Exception"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The facts about a call that is not right.

    Attributes:
        level: Level of the dialogue.
        gold: Name of the API that is right here.
        name: Name of the API that was called; empty where no call was found.
        calls: How many calls were found.
        readable: Whether the arguments are keywords with literal values.
        is_search: Whether the right API is the one that searches.
        was_found: Whether an earlier search had found the API that was called.
        misfit: Whether a parameter is unknown, or a value cannot be cast to its type.
        missing: Whether a required parameter is missing.
        raised: Whether the API refused.
    """

    level: int
    gold: str
    name: str = ""
    calls: int = 1
    readable: bool = True
    is_search: bool = False
    was_found: bool = True
    misfit: bool = False
    missing: bool = False
    raised: bool = False


def error_type(attempt: Attempt) -> ErrorType:
    """Return the one type of an attempt that is not right; the first that holds.

    1. No call was found: ``No API Call``.
    2. There are several calls, or the arguments cannot be read strictly: ``False API Call Format``.
    3. In levels 2 and 3, the right thing was to search and no search, or one with another find, was made; or
       an API was called that no search had found: ``Failed API Retrieval``.
    4. Another API was called: ``API Hallucination``.
    5. A parameter is unknown, or a value is of a wrong type: ``Invalid Input Parameters``.
    6. A required parameter is missing: ``Missing Input Parameters``.
    7. The API refused: ``Has Exception``.
    8. The call ran, but is not what was wanted: ``Invalid Input Parameters``.

    The paper leaves open where values of a wrong type and the last case belong; this is our reading.

    Examples:
        >>> str(error_type(Attempt(1, "AddAlarm", name="SetAlarm")))
        'API Hallucination'
        >>> str(error_type(Attempt(3, "AddMeeting", name="AddAgenda", was_found=False)))
        'Failed API Retrieval'
        >>> str(error_type(Attempt(1, "AddAlarm", name="AddAlarm", raised=True)))
        'Has Exception'
    """
    if not attempt.name or not attempt.calls:
        return ErrorType.NO_CALL
    if attempt.calls > 1 or not attempt.readable:
        return ErrorType.FORMAT
    return _of_name(attempt) or _of_arguments(attempt)


def _of_name(attempt: Attempt) -> ErrorType | None:
    other = attempt.name != attempt.gold
    unfound = other and not attempt.was_found
    runs = not (attempt.misfit or attempt.missing or attempt.raised)
    if attempt.level > 1 and (unfound or (attempt.is_search and (other or runs))):
        return ErrorType.RETRIEVAL
    return ErrorType.HALLUCINATION if other else None


def _of_arguments(attempt: Attempt) -> ErrorType:
    if attempt.misfit:
        return ErrorType.INPUT
    if attempt.missing:
        return ErrorType.MISSING
    return ErrorType.EXCEPTION if attempt.raised else ErrorType.INPUT


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one sample.

    Attributes:
        level: Level of its dialogue.
        dialogue: Name of its dialogue.
        right: Whether the call is right; None where a reply was wanted.
        rouge: ROUGE-L of the reply; None where a call was wanted.
        error: What is wrong with a call that was made and is not right.
        given: Whether there is a prediction at all; where not, the sample counts as not right.
    """

    level: int
    dialogue: str
    right: bool | None = None
    rouge: float | None = None
    error: ErrorType | None = None
    given: bool = True


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """The figures of one level.

    Attributes:
        calls: Call samples.
        right_calls: Those that are right.
        dialogues: Dialogues with a call sample.
        right_dialogues: Those of them in which every call is right.
        replies: Reply samples.
        rouge: Mean ROUGE-L over the reply samples; None where there are none.
        missing: Samples without a prediction.
        by_dialogue: Whether the level's accuracy counts dialogues and not calls, as level 3 does.
    """

    calls: int
    right_calls: int
    dialogues: int
    right_dialogues: int
    replies: int
    rouge: float | None
    missing: int
    by_dialogue: bool

    @property
    def accuracy(self) -> float | None:
        """Share of right calls, or dialogues in level 3; None where there are none."""
        right, tried = (
            (self.right_dialogues, self.dialogues) if self.by_dialogue else (self.right_calls, self.calls)
        )
        return right / tried if tried else None

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        names = (
            "calls",
            "right_calls",
            "dialogues",
            "right_dialogues",
            "replies",
            "rouge",
            "missing",
        )
        return {"accuracy": self.accuracy, **{name: getattr(self, name) for name in names}}


def by_level(scores: Iterable[Score]) -> dict[int, LevelFigures]:
    """Return the figures of each level that has samples.

    Examples:
        >>> scores = [Score(1, "a", right=True), Score(1, "b", right=False), Score(1, "b", rouge=0.5)]
        >>> figures = by_level(scores)[1]
        >>> figures.accuracy, figures.rouge
        (0.5, 0.5)
    """
    levels: dict[int, list[Score]] = {}
    for score in scores:
        levels.setdefault(score.level, []).append(score)
    return {level: _figures(level, levels[level]) for level in sorted(levels)}


def total(
    figures: Mapping[int, LevelFigures], name: str, weights: Mapping[int, int] = TOTAL_WEIGHTS
) -> float:
    """Return the weighted mean of ``accuracy`` or ``rouge`` over the levels that have one.

    Examples:
        >>> figures = by_level([Score(1, "a", right=True), Score(2, "b", right=False)])
        >>> round(total(figures, "accuracy"), 4)
        0.7644
    """
    values = {level: value for level, each in figures.items() if (value := getattr(each, name)) is not None}
    weight = sum(weights[level] for level in values)
    return sum(weights[level] * value for level, value in values.items()) / weight if weight else 0.0


def error_counts(scores: Iterable[Score]) -> dict[ErrorType, int]:
    """Return how many calls have which error, every type named, in the order of the types.

    Examples:
        >>> counts = error_counts([Score(1, "a", right=False, error=ErrorType.MISSING)])
        >>> counts[ErrorType.MISSING], counts[ErrorType.NO_CALL]
        (1, 0)
    """
    counted = Counter(score.error for score in scores if score.error is not None)
    return {kind: counted[kind] for kind in ErrorType}


def report(scores: Sequence[Score]) -> JsonObject:
    """Return everything as plain data: levels, totals with their weights, and errors by level and in all."""
    figures = by_level(scores)
    return {
        "levels": {str(level): each.to_dict() for level, each in figures.items()},
        "total": {
            "accuracy": total(figures, "accuracy"),
            "rouge": total(figures, "rouge"),
            "weights": {str(level): TOTAL_WEIGHTS[level] for level in figures},
        },
        "errors": _named(error_counts(scores)),
        "errors_by_level": {
            str(level): _named(error_counts(score for score in scores if score.level == level))
            for level in figures
        },
    }


def _figures(level: int, scores: Sequence[Score]) -> LevelFigures:
    calls = [score for score in scores if score.right is not None]
    replies = [score.rouge for score in scores if score.rouge is not None]
    wrong = {score.dialogue for score in calls if not score.right}
    dialogues = {score.dialogue for score in calls}
    return LevelFigures(
        calls=len(calls),
        right_calls=sum(bool(score.right) for score in calls),
        dialogues=len(dialogues),
        right_dialogues=len(dialogues - wrong),
        replies=len(replies),
        rouge=sum(replies) / len(replies) if replies else None,
        missing=sum(not score.given for score in scores),
        by_dialogue=level == 3,
    )


def _named(counts: Mapping[ErrorType, int]) -> dict[str, int]:
    return {str(kind): count for kind, count in counts.items()}
