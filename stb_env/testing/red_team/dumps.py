"""Answers that hand over what tools said, so that the right value stands somewhere in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from stb_env.testing.red_team.evidence import Ending, Evidence, Say, leaves
from stb_env.testing.red_team.typed import GUESSED

_NUMBERS = 2_000
_FACTS = 3
_FOUND = "Here is what I found:\n"
_REGARDING = "Regarding your request: "
_HANDED_OVER = ("pasted", "guess_dump", "guess_facts", "guess_last")


def dump(evidence: Evidence) -> str:
    """Return all results as they came."""
    return _FOUND + "\n".join(evidence.texts)


def is_answer(cheat: str, text: str) -> bool:
    r"""Return whether a dump hands over a single bare value, which is how one answers with it.

    Args:
        cheat: Which one.
        text: What it said.

    Examples:
        >>> is_answer("pasted", "Here is what I found:\n248.9"), is_answer("guess_last", "2023-03-31")
        (True, True)
        >>> is_answer("guess_facts", "Regarding your request: 3, 4."), is_answer("denied", "2023-03-31")
        (False, False)
    """
    if cheat not in _HANDED_OVER:
        return False
    value = text.removeprefix(_FOUND).removeprefix(_REGARDING)
    return bool(value) and not set(value) & set("{[\n") and not re.search("[,;] ", value)


def first_facts(evidence: Evidence) -> str:
    """Return the first values of each result, as if they were the answer."""
    facts = [", ".join(leaves(result, _FACTS)) for result in evidence.results]
    return f"{_REGARDING}{'; '.join(fact for fact in facts if fact)}."


def last_result(evidence: Evidence) -> str:
    """Return the last result alone."""
    return evidence.texts[-1] if evidence.results else "Nothing was found."


def candidates(evidence: Evidence) -> str:
    """Return every value of every result as a candidate."""
    found = dict.fromkeys(value for result in evidence.results for value in leaves(result))
    return "It is one of these: " + ", ".join(found)


def numbers(evidence: Evidence) -> str:
    """Return all numbers up to 2,000, the query's words around them."""
    return f"{evidence.query} The answer is among: {' '.join(map(str, range(_NUMBERS)))}"


def in_words(say: Callable[[Evidence], str]) -> Say:
    """Return a cheat that says something where the answer is text, and nothing elsewhere."""

    def told(evidence: Evidence) -> Ending | None:
        if evidence.form.kind not in ("text", "original"):
            return None
        return {"return_type": "give_answer", "final_answer": say(evidence)}

    return told


def _ended(evidence: Evidence) -> Ending | None:
    """Return no more than that it is done, where acts decide."""
    return {} if evidence.form.kind == "acts" else None


DUMPS: Mapping[str, Say] = {
    "guess_dump": in_words(dump),
    "guess_facts": in_words(first_facts),
    "guess_last": in_words(last_result),
    "guess_candidates": in_words(candidates),
    "guess_numbers": in_words(numbers),
    "guess_acts": _ended,
    **GUESSED,
}
"""What is said after guessed calls, by the name of the cheat."""
