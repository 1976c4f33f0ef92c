"""API-Bank's types of wrong calls as a decision procedure (Li et al., 2023, appendix with tables 4 to 6)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ErrorType(StrEnum):
    """What is wrong with a call that is not right, in the order in which it is looked for."""

    NO_CALL = "No API Call"
    FORMAT = "False API Call Format"
    RETRIEVAL = "Failed API Retrieval"
    HALLUCINATION = "API Hallucination"
    INPUT = "Invalid Input Parameters"
    MISSING = "Missing Input Parameters"
    EXCEPTION = "Has Exception"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known of a call that is not right.

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
