"""Whether an answer says what a request lacks, claims nothing and guesses nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stb_env.jsontypes import JsonMapping
from stb_env.reading import numerals
from stb_env.suites.sandbox import absence, answers, mentions
from stb_env.suites.sandbox.mentions import Text

Fact = JsonMapping

_UNITS = re.compile(r"\b(?:to|km|c|f|aur|min|h|g|kg|kb|mi)\b")
_OTHER = re.compile(r"\b(?:similar|closest|nearest|other|another|different|alternative|straight|crow)\b")
"""Says that what follows is something else than what was asked for."""
_ROUGHLY = frozenset(["about", "roughly", "around", "approximately", "ca", "or", "i", "e"])
_MAYBE = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|guess\w*|might be|may be|could be|not sure|be sure|unsure|"
    r"either)\b"
)
_WHICH = re.compile(r"\b(?:which|what|when|where|who|whom|whose|whether|how)\b")


def check(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> str:  # noqa: ARG001
    """Return why an answer does not say what is lacking, or nothing; as `checks.Check` has it."""
    if any(part.framed and part.stance in ("retracted", "denied") for part in text.said):
        return "read it taken back"
    if any(part.framed and part.stance == "alternative" for part in text.said):
        return "read an alternative"
    twice = mentions.mirrored(text)
    if twice:
        return f'read it twice, with other figures: "{twice}"'
    answer = _sure(text)
    if absence.claims(answer, query):
        return "read a claim that it was done"
    if not absence.says(fact["kind"], fact["value"], answer, query):
        return "read no word of it"
    stated = _stated(text)
    guesses = [other for other in fact["others"] if _states(stated, other) and not _states(query, other)]
    return f"read the guess {guesses[0]}" if guesses else ""


def _sure(text: Text) -> str:
    """Return what is said without "maybe" and the like; a doubt about what is meant is no such doubt."""
    unsure = {
        part.sentence
        for part in text.said
        if part.framed and part.stance == "hedged" and not _WHICH.search(part.text)
    }
    asked = {part.sentence for part in text.said if part.stance == "asked"}
    kept = text.folded
    for part in text.said:
        if part.sentence in unsure - asked and any(
            one.sentence == part.sentence and _MAYBE.search(one.text) for one in text.said
        ):
            kept = f"{kept[: part.start]}{' ' * len(part.text)}{kept[part.end :]}"
    return kept


def _stated(text: Text) -> str:
    """Return the clauses but for those with figures of something else, as of "the straight line"."""
    kept = []
    before = ""
    for part in text.said:
        # "The straight line is 12 km (about 7 miles)" says only before the bracket what both are.
        words = part.text if _tells(part.text) else f"{before} {part.text}"
        if not _OTHER.search(words) or not numerals.numbers(part.text):
            kept.append(part.text)
        before = words
    return " ; ".join(kept)


def _tells(clause: str) -> bool:
    """Return whether a clause has more than figures with their units."""
    for number in numerals.numbers(clause):
        clause = f"{clause[: number.start]}{' ' * (number.end - number.start)}{clause[number.end :]}"
    return not _ROUGHLY.issuperset(answers.plain(_UNITS.sub("", clause)).split())


def _states(text: str, value: float | str) -> bool:
    if isinstance(value, str):
        return bool(answers.named(text, [value]))
    return any(abs(quantity.value - value) <= 0.005 for quantity in numerals.quantities(text))
