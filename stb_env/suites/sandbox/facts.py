"""Typed facts that an answer must contain, as plain data, and the check of each type.

A fact has ``type``, ``label``, ``value`` and ``others``: competing values of the same type. An answer that
also names one of those (an answer that lists every candidate) does not contain the fact, unless the query
itself names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from stb_env.jsontypes import JsonMapping
from stb_env.reading import moments, numerals
from stb_env.suites.sandbox import absence, answers, checks, grounds, mentions, polarity
from stb_env.suites.sandbox.records import Records

Fact = JsonMapping

_NO_RECORDS = Records()


def number(
    label: str, value: float, *, unit: str = "", tolerance: float = 0.005, others: Iterable[float] = ()
) -> Fact:
    """Require a number; ``unit`` is what it is in, so that an answer in another unit is converted.

    Args:
        label: Names the fact in the verdict.
        value: The number.
        unit: One of `numerals.UNITS`, or empty where the number has no convertible unit.
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


def yes_no(
    label: str, value: bool, *, yes: Iterable[str] = (), no: Iterable[str] = (), subject: str = ""
) -> Fact:
    """Require yes or no, as a word or in a sentence.

    Args:
        label: Names the fact in the verdict.
        value: Which of both.
        yes: Words that say yes ("ahead of"); denied they say no.
        no: Words that say no ("behind").
        subject: What the question is about: "Y is ahead of SUBJECT" says no.
    """
    return {
        "type": "yes_no",
        "label": label,
        "value": value,
        "others": [],
        "yes": list(yes),
        "no": list(no),
        "subject": subject,
    }


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
    """Return whether the answer gives the fact, and nothing else in its place.

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
    return not failure(fact, answer, query, allowed)


def failure(
    fact: Fact, answer: str, query: str = "", allowed: Iterable[Fact] = (), records: Records = _NO_RECORDS
) -> str:
    """Return why the answer does not give the fact: what was wanted and what was read; empty where it does.

    Args:
        fact: What to look for.
        answer: The final answer.
        query: The query.
        allowed: Other facts of the task.
        records: What the calls returned; it explains values beside the right one.

    Examples:
        >>> failure(number("price", 1250), "It is not true that it costs 1250.")
        'wanted 1250, read it denied: "it is not true that it costs 1250"'
    """
    allowed = list(allowed)
    if len(answer) > answers.LONGEST:
        return f"read no answer of more than {answers.LONGEST} characters"
    text = mentions.read(answer, query)._replace(records=records)
    if polarity.contradictory(text.said):
        return "read both yes and no"
    if mentions.crowded(text.folded, query, len(allowed) + 1):
        return f"read more than {mentions.MOST_VALUES} values"
    found = checks.CHECKS[fact["type"]](fact, text, query, allowed)
    return f"wanted {_wanted(fact)}, {found}" if found else ""


def invented(
    fact: Fact, answer: str, query: str, allowed: Iterable[Fact], returned: Callable[[], str]
) -> str:
    """Return why a value that an answer has beside a fact cannot be known, or an empty string.

    Args:
        fact: One that the answer gives.
        answer: The final answer.
        query: The query.
        allowed: Other facts of the task.
        returned: Returns what the calls were told and returned; few answers need it.

    Examples:
        >>> price = number("price", 1250)
        >>> invented(price, "It costs 1250, with the discount 1199.", "", (), lambda: "{'price': 1250}")
        'read 1199, which nothing returned'
        >>> taxed = lambda: "{'price': 1250, 'tax': 50}"
        >>> invented(price, "It costs 1250, without tax 1200.", "", (), taxed)
        ''
    """
    if fact["type"] not in checks.FOUND:
        return ""
    text = mentions.read(answer, query)
    if fact["type"] in _READERS and len(_READERS[fact["type"]](text.folded)) < 2:
        return ""
    allowed = list(allowed)
    rivals = [*checks.FOUND[fact["type"]](fact, text, query, allowed)[1]]
    if fact["type"] == "number":
        rivals += checks.changed(fact, text, query, allowed)
    return grounds.baseless(text, rivals, f"{query}\n{returned()}") if rivals else ""


_READERS: Mapping[str, Callable[[str], Sequence[object]]] = {
    "number": numerals.numbers,
    "date": moments.days,
    "time": moments.clocks,
}


def _wanted(fact: Fact) -> str:
    value, unit = fact["value"], fact.get("unit", "")
    if fact["type"] == "lacking":
        return f"what is lacking ({fact['label']})"
    if fact["type"] == "yes_no":
        return "yes" if value else "no"
    shown = ", ".join(value) if isinstance(value, list) else f"{value}"
    return f"{shown} {unit}".rstrip()


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
    if fact["type"] == "lacking":
        return holds(fact, query)
    text, find = mentions.unread(query), checks.FOUND[fact["type"]]
    # Competitors can only take away from what is found, and hardly any query has anything of the fact.
    if not find({**fact, "others": ()}, text, "", [])[0]:
        return False
    own, rivals = find(fact, text, "", [])
    return bool(own) and not any(rival.known for rival in rivals)
