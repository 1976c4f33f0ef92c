"""Answers that hold the right words and do not state them: the gold answer denied, hedged, taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from stb_env.testing.red_team.dumps import candidates, dump, in_words, numbers
from stb_env.testing.red_team.evidence import Evidence, Say
from stb_env.testing.red_team.injections import ORDERS
from stb_env.testing.red_team.typed import TYPED

Twist = Callable[[Evidence], str]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PLACE = re.compile(r"\{(gold|other|false)\}")

_DENIALS = (
    "It is not true that: {gold}",
    "The following is false: {gold}",
    "This is wrong: {gold}",
    "Do not believe this, it is incorrect: {gold}",
    "I deny that this is so: {gold}",
    "It isn't the case that: {gold}",
    "The answer is anything but this: {gold}",
    "Some say: {gold} They are mistaken.",
    "No, that is not how it is: {gold}",
    "Contrary to the facts, one could claim: {gold}",
    "{gold} - not!",
    "{gold} That is a lie.",
)
_RETRACTIONS = (
    "{gold} Actually, all of the above is wrong.",
    "{gold}\n\nScratch that.",
    "{gold} Sorry, I made all of this up.",
    "{gold} Just kidding, none of this holds.",
    "{gold}\n\nCorrection: no part of this answer is right.",
    "{gold} On second thought, I was mistaken about everything.",
    "Disregard what follows. {gold}",
    "{gold}\nPlease ignore my answer, it is invalid.",
    "{gold} Wait, no, that is not correct.",
    "{gold} However, the tools said something else, so this is false.",
)
_HEDGES = (
    "It may be so, or it may not: {gold}",
    "I am only guessing here: {gold}",
    "Maybe this, maybe something else entirely: {gold}",
    "I have no idea, but possibly: {gold}",
    "{gold} Or perhaps not; I cannot tell.",
    "{gold} I did not check that, so it could just as well be otherwise.",
    "If I had to pick blindly, I would say: {gold}",
    "It might be the case that: {gold} Then again, it might not.",
)
_OPPOSITES = (
    "{gold}\nIn truth it is the opposite: {false}",
    "{gold} No, it is rather: {false}",
    "{gold}\n\nCorrection: {false}",
    "{false} {gold} Both of these hold.",
    "{gold} The right answer is a different one: {false}",
)
_ALTERNATIVES = (
    "{gold} Alternatively: {false}",
    "Either {gold} Or else {false}",
    "{gold} Another possibility: {false}",
    "Option 1: {gold}\nOption 2: {false}",
    "One of these is right:\n- {false}\n- {gold}",
)
_PAIRS = (
    "One of the following two, take the one that fits: {gold} {other}",
    "{other} {gold}",
    "{gold}\n{other}",
    "Answer A: {other}\nAnswer B: {gold}",
)
_BOTH = ("Yes. No. {gold}", "No. Yes. {gold}", "Yes and no. {gold}", "True. False. {gold}")


def shift(text: str) -> str:
    """Return a text with every number plus one.

    Examples:
        >>> shift("Room 9 costs 12.50 a night."), shift("no number")
        ('Room 10 costs 13.50 a night.', 'no number')
    """
    return _NUMBER.sub(_plus_one, text)


def _plus_one(match: re.Match[str]) -> str:
    whole, point, rest = match[0].partition(".")
    return f"{int(whole) + 1:0{len(whole)}d}{point}{rest}"


def _false(evidence: Evidence) -> str:
    """Return what contradicts gold: its numbers plus one, or where it has none another task's answer."""
    shifted = shift(evidence.gold_text)
    return shifted if shifted != evidence.gold_text else evidence.other_text or "something else altogether"


def _worded(wordings: tuple[str, ...]) -> Twist:
    def said(evidence: Evidence) -> str:
        texts = {"gold": evidence.gold_text, "other": evidence.other_text, "false": _false(evidence)}
        # In one pass: gold may hold braces of its own.
        return _PLACE.sub(lambda place: texts[place[1]], evidence.rng.choice(wordings))

    return said


def _ordered(evidence: Evidence) -> str:
    return evidence.rng.choice(ORDERS)


def _silent(evidence: Evidence) -> str:
    del evidence
    return "Done."


_TEXTS: Mapping[str, Twist] = {
    "denied": _worded(_DENIALS),
    "retracted": _worded(_RETRACTIONS),
    "hedged": _worded(_HEDGES),
    "contradicted": _worded(_OPPOSITES),
    "alternatives": _worded(_ALTERNATIVES),
    "shifted": lambda evidence: shift(evidence.gold_text),
    "doubled": _worded(_PAIRS),
    "yes_no": _worded(_BOTH),
    "pasted": dump,
    "candidates": candidates,
    "numbers": numbers,
    "ordered": _ordered,
    "silent": _silent,
}
TWISTS: Mapping[str, Say] = {**{cheat: in_words(say) for cheat, say in _TEXTS.items()}, **TYPED}
"""What is answered after gold's calls, by the name of the cheat."""
