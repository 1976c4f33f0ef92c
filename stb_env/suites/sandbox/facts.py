"""Typed facts that an answer must contain, as plain data, and the check of each type.

A fact has ``type``, ``label``, ``value`` and ``others``: competing values of the same type. An answer that
also names one of those (an answer that lists every candidate) does not contain the fact, unless the query
itself names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from stb_env.jsontypes import JsonArray, JsonMapping
from stb_env.suites.sandbox import absence, answers
from stb_env.suites.sandbox.answers import Quantity

Fact = JsonMapping


def number(
    label: str, value: float, *, unit: str = "", tolerance: float = 0.005, others: Iterable[float] = ()
) -> Fact:
    """Require a number; ``unit`` is what it is in, so that an answer in another unit is converted.

    Args:
        label: Names the fact in the verdict.
        value: The number.
        unit: One of `answers.UNITS`, or empty where the number has no convertible unit.
        tolerance: Greatest allowed difference, in ``unit``.
        others: Competing numbers, in the same unit.
    """
    rivals = [other for other in others if abs(other - value) > tolerance]
    return {
        "type": "number",
        "label": label,
        "value": value,
        "unit": unit,
        "tolerance": tolerance,
        "others": rivals,
    }


def name(label: str, value: str, *, others: Iterable[str] = ()) -> Fact:
    """Require a name, whatever its case, accents and punctuation."""
    return names(label, [value], others=others)


def names(label: str, values: Iterable[str], *, others: Iterable[str] = ()) -> Fact:
    """Require every name of a list, in any order; none of ``others`` may be named."""
    values = list(values)
    rivals = [other for other in others if other not in values]
    return {"type": "names", "label": label, "value": values, "others": rivals}


def code(label: str, value: str, *, others: Iterable[str] = ()) -> Fact:
    """Require a phone number, id or flight number, however it is spaced."""
    return _text_fact("code", label, value, others)


def date(label: str, value: str, *, others: Iterable[str] = ()) -> Fact:
    """Require a date (``YYYY-MM-DD``), in any common form."""
    return _text_fact("date", label, value, others)


def time(label: str, value: str, *, others: Iterable[str] = ()) -> Fact:
    """Require a time of day (``HH:MM``, 24 hours), in any common form."""
    return _text_fact("time", label, value, others)


def _text_fact(kind: str, label: str, value: str, others: Iterable[str]) -> Fact:
    return {
        "type": kind,
        "label": label,
        "value": value,
        "others": [other for other in others if other != value],
    }


def yes_no(label: str, value: bool) -> Fact:
    """Require yes or no: the first clear polarity of the answer."""
    return {"type": "yes_no", "label": label, "value": value, "others": []}


def lacking(kind: str, subject: str, *names: str, others: Iterable[float | str] = ()) -> Fact:
    """Require that the answer says what is lacking: that it cannot be done, and what it is for want of.

    An answer that says as well that something was done does not hold it.

    Args:
        kind: ``detail`` (the query leaves it out), ``thing`` (it does not exist) or ``ability`` (no tool
            does it).
        subject: One of `absence.SUBJECTS` of that kind; names the fact in the verdict.
        *names: Further words for it, such as the name of what does not exist.
        others: Numbers and names that a guess would give; an answer with one of them is a guess.
    """
    return {
        "type": "lacking",
        "label": subject,
        "kind": kind,
        "value": [*names, *absence.SUBJECTS[kind][subject]],
        "others": list(others),
    }


def holds(fact: Fact, answer: str, query: str = "", allowed: Iterable[Fact] = ()) -> bool:
    """Return whether the answer contains the fact and no competitor.

    Args:
        fact: What to look for.
        answer: The final answer.
        query: The query; what it mentions may be repeated.
        allowed: Other facts of the task, whose values are no competitors either.

    Examples:
        >>> holds(number("price", 1250, others=[900]), "It costs 1,250.00 AUR.")
        True
        >>> holds(number("price", 1250, others=[900]), "Either 900 or 1250.")
        False
        >>> holds(date("day", "2026-03-09"), "On 9 March 2026, a Monday.")
        True
    """
    return len(answer) <= answers.LONGEST and _CHECKS[fact["type"]](fact, answer, query, allowed)


def given_away(fact: Fact, query: str) -> bool:
    """Return whether a query contains the fact; offering both "yes" and "no" gives neither away.

    Examples:
        >>> given_away(yes_no("open", True), "Yes, I think it is open. Is it?")
        True
        >>> given_away(yes_no("open", True), "Is it open? Yes or no.")
        False
    """
    if fact["type"] == "yes_no":
        return answers.polarities(query) == {fact["value"]}
    return holds(fact, query)


def _values(facts: Iterable[Fact], kind: str) -> JsonArray:
    return [fact["value"] for fact in facts if fact["type"] == kind]


def _number(fact: Fact, answer: str, query: str, allowed: Iterable[Fact]) -> bool:
    unit, slack = fact["unit"], fact["tolerance"] + 1e-9
    if not answers.may_say(answer, fact["value"], unit, slack):
        return False

    def said(value: float, quantities: Iterable[Quantity]) -> bool:
        return any(
            abs(candidate - value) <= slack
            for quantity in quantities
            for candidate in quantity.readings(unit)
        )

    quantities, excused = answers.quantities(answer), answers.quantities(query)
    if not said(fact["value"], quantities) or len({*quantities}.difference(excused)) > answers.MOST_VALUES:
        return False
    mine = _values(allowed, "number")
    return not any(
        said(other, quantities) and not said(other, excused) and other not in mine for other in fact["others"]
    )


def _names(fact: Fact, answer: str, query: str, allowed: Iterable[Fact]) -> bool:
    wanted = fact["value"]
    words = answers.plain(answer)
    if any(answers.plain(item) not in words for item in wanted):
        return False
    mine = {item for values in _values(allowed, "names") for item in values}
    rivals = [other for other in fact["others"] if other not in mine]
    said = answers.named(answer, [*wanted, *rivals])
    extra = said.difference(wanted)
    if extra:
        extra -= answers.named(query, rivals)
    return said.issuperset(wanted) and not extra


def _exact(
    read: Callable[[str], frozenset[str]], kind: str, glance: Callable[[str, str], bool]
) -> Callable[[Fact, str, str, Iterable[Fact]], bool]:
    def check(fact: Fact, answer: str, query: str, allowed: Iterable[Fact]) -> bool:
        if not glance(answers.fold(answer), fact["value"]):
            return False
        said, excused = read(answer), read(query)
        if fact["value"] not in said or len(said - excused) > answers.MOST_VALUES:
            return False
        return not said.intersection(fact["others"]).difference(_values(allowed, kind), excused)

    return check


def _may_date(text: str, day: str) -> bool:
    """Return False where the day of the month, YYYY-MM-DD, is nowhere in a folded text."""
    return day[-2:].lstrip("0") in text


def _may_time(text: str, time: str) -> bool:
    """Return False where the hour, HH:MM, is nowhere in a folded text, on a clock of 24 hours or of 12."""
    hour = int(time[:2])
    return str(hour) in text or str(hour % 12 or 12) in text


def _code(fact: Fact, answer: str, query: str, allowed: Iterable[Fact]) -> bool:
    if not answers.has_code(answer, fact["value"]):
        return False
    mine = _values(allowed, "code")
    return not any(
        other not in mine and answers.has_code(answer, other) and not answers.has_code(query, other)
        for other in fact["others"]
    )


def _yes_no(fact: Fact, answer: str, query: str, allowed: Iterable[Fact]) -> bool:  # noqa: ARG001
    return answers.polarity(answer) is fact["value"]


def _lacking(fact: Fact, answer: str, query: str, allowed: Iterable[Fact]) -> bool:  # noqa: ARG001
    if absence.claims(answer, query) or not absence.says(fact["kind"], fact["value"], answer, query):
        return False
    return not any(_states(answer, other) and not _states(query, other) for other in fact["others"])


def _states(text: str, value: float | str) -> bool:
    if isinstance(value, str):
        return bool(answers.named(text, [value]))
    return any(abs(quantity.value - value) <= 0.005 for quantity in answers.quantities(text))


_CHECKS: Mapping[str, Callable[[Fact, str, str, Iterable[Fact]], bool]] = {
    "number": _number,
    "names": _names,
    "code": _code,
    "date": _exact(answers.dates, "date", _may_date),
    "time": _exact(answers.times, "time", _may_time),
    "yes_no": _yes_no,
    "lacking": _lacking,
}
