"""Whether an answer stands where its task asks for no fact: it says what was done, and only that."""

from __future__ import annotations

import re

from stb_env.reading import numerals
from stb_env.reading.moments import MONTHS, clocks, days
from stb_env.suites.sandbox import answers, grounds, mentions, polarity
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS

_DIGITS = re.compile(r"\d{1,12}")
_FORMULA = re.compile(r"\d[^\n;:]{0,40}[×*/÷+−-][^\n;:]{0,40}[=≈]\s?\d[\d.,]{0,12}")
"""A working: "24.0 °C × 9/5 + 32 = 75.2 °F" has figures that nothing returned."""
_CALENDAR = frozenset(map(str.casefold, (*WEEKDAYS, *MONTHS, "Celsius", "Fahrenheit")))
_OPENS = re.compile(r"(?:^|[.!?:\n]\s{0,4}|^[^\w\n]{1,8})$")
_DEED = re.compile(r"\w+ed|sent|set|put|paid|made|done|here|all")
_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+|(?<=[a-z,] )[A-Z][a-z]{2,}")


def falls(answer: str, query: str, known: str) -> str:
    """Return why an answer does not stand, or an empty string where it does.

    It falls where its speaker denies, doubts or takes back what he says, says yes and no, gives alternatives,
    pastes raw data alone, or names what neither the query nor anything that is known has.

    Args:
        answer: The answer; an empty one stands.
        query: The query.
        known: What may be named besides: the right answer, calls and their results.

    Examples:
        >>> falls("Ann is in your contacts.", "Add Ann.", ""), falls("Maybe done.", "Add Ann.", "")
        ('', 'hedged: "maybe done"')
        >>> falls("I deleted Bob Ray.", "Add Ann.", "")
        'read Bob Ray, which nobody named'
    """
    if len(answer) > answers.LONGEST:
        return f"more than {answers.LONGEST} characters"
    text = mentions.read(answer, query)
    if polarity.contradictory(text.said):
        return "read both yes and no"
    for part in text.said:
        if part.framed and part.stance in ("denied", "retracted", "hedged", "alternative"):
            return f'{part.stance}: "{part.text[:80]}"'
    twice = mentions.mirrored(text)
    if twice:
        return f'read it twice, with other figures: "{twice}"'
    if text.said and all(part.stance == "asked" for part in text.said):
        return "read a question only"
    told = " ".join(part.text for part in text.said if part.stance == "asserted")
    if len(told.split()) < 3 and any(part.stance == "quoted" for part in text.said):
        return "read raw data and no sentence"
    strange = _strange(answer, f"{query}\n{known}")
    return f"read {strange}, which nobody named" if strange else ""


def _strange(answer: str, known: str) -> str:
    words = answers.plain(known)
    for match in _NAME.finditer(answer):
        parts = answers.plain(match[0]).split()
        if _DEED.fullmatch(parts[0]) and _OPENS.search(answer, 0, match.start()):
            # "Added Ann Ray" has a capital letter because it opens a sentence.
            parts = parts[1:]
        if not all(f" {part} " in words or part in _CALENDAR for part in parts):
            return match[0]
    folded, source = answers.fold(answer), answers.fold(known)
    digits = {float(digits) for digits in _DIGITS.findall(source)}
    worked = [found.span() for found in _FORMULA.finditer(folded)]
    for number in numerals.numbers(folded):
        # Of a working only what it yields must be known.
        step = any(start <= number.start and number.end < end for start, end in worked)
        value = number.quantity.value
        if number.worded or step or not digits.isdisjoint((value, round(value, 2))):
            continue
        # Few numbers are not in the source as they are written; reading all of it takes longest.
        if not {one.quantity.value for one in numerals.numbers(source)}.intersection(
            (value, round(value, 2))
        ):
            return folded[number.start : number.end]
    for read in (days, clocks):
        told = read(folded)
        stated = {value for moment in read(source) for value in moment.values} if told else frozenset()
        for moment in told:
            if stated.isdisjoint(moment.values) and not grounds.derived(moment.values, known):
                return folded[moment.start : moment.end]
    return ""
