"""What the cheats give where an answer comes as bare values, an item each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from stb_env.jsontypes import Json, JsonArray
from stb_env.testing.red_team.evidence import Evidence, leaves

_NUMBERS = 2_000
_FACTS = 3


def items(cheat: str, say: Callable[[Evidence], str], evidence: Evidence) -> JsonArray:
    """Return the values of a cheat's answer: what it puts side by side apart, or each value told as it tells.

    Args:
        cheat: Its name.
        say: What it says in words.
        evidence: What it has at hand.

    Examples:
        >>> from random import Random
        >>> evidence = Evidence("How many?", [{"count": 4}], Random(0), "4 notes.", "Oslo.", [4], ["Oslo"])
        >>> items("shifted", lambda seen: seen.gold.replace("4", "5"), evidence)
        ['5']
        >>> items("doubled", lambda seen: f"{seen.gold} {seen.other}", evidence)
        [4, 'Oslo']
    """
    if cheat in _APART:
        return _APART[cheat](evidence)
    return [say(replace(evidence, gold=str(value))) for value in evidence.values]


def _all(evidence: Evidence) -> JsonArray:
    return [leaf for result in evidence.results for leaf in leaves(result)]


def _first(evidence: Evidence) -> JsonArray:
    return [leaf for result in evidence.results for leaf in leaves(result, _FACTS)]


def _last(evidence: Evidence) -> JsonArray:
    last: Json = evidence.results[-1] if evidence.results else None
    return [*leaves(last)]


def _counted(evidence: Evidence) -> JsonArray:
    return [*evidence.values, *range(_NUMBERS)]


def _none(evidence: Evidence) -> JsonArray:
    del evidence
    return []


_APART: Mapping[str, Callable[[Evidence], JsonArray]] = {
    "doubled": lambda evidence: [*evidence.values, *evidence.others],
    "yes_no": lambda evidence: ["yes", "no", *evidence.values],
    "pasted": lambda evidence: [*evidence.texts],
    "candidates": _all,
    "numbers": _counted,
    "silent": _none,
    "neighbour": lambda evidence: [*evidence.others],
    "guess_dump": lambda evidence: [*evidence.texts],
    "guess_facts": _first,
    "guess_last": _last,
    "guess_candidates": _all,
    "guess_numbers": _counted,
}
