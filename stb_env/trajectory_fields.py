"""What the fields of a saved episode must be, and what reward they must have."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, cast, get_args

from stb_env.jsontypes import JsonMapping
from stb_env.verdict import RewardMode, reward_of

_SUM = ', "sha256": "'

REWARD_SLACK = 1e-6
"""Difference of two equal rewards: potentials add up to nothing only as exactly as floats do."""

# Types that a parser of JSON makes, to which nothing is a subclass: a look into a set is all a check costs.
_TYPES: Mapping[str, tuple[set[Any], str]] = {
    **dict.fromkeys(("suite", "group", "task_id", "query", "final_answer", "reward_mode"), ({str}, "text")),
    **dict.fromkeys(("trial", "seed"), ({int}, "a whole number")),
    **dict.fromkeys(("tools", "messages", "steps"), ({list}, "a list of objects")),
    "reward": ({int, float}, "a number"),
    "valid": ({bool}, "true or false"),
    "usage": ({dict}, "an object"),
    **dict.fromkeys(
        ("answer", "cannot", "verdict", "failure", "tree", "usage_by_role"),
        ({dict, type(None)}, "an object or null"),
    ),
}
# What each entry of a list has; "" where readers take it without.
_PARTS = (("tools", "", dict), ("messages", "role", str), ("steps", "calls", list))


def wrong_type(fields: JsonMapping) -> str:
    """Return what is wrong with the fields of a line, or nothing."""
    for name, (types, words) in _TYPES.items():
        if type(fields[name]) not in types:
            return f"{name} is {words}, got {fields[name]!r:.40}"
    for name, key, kind in _PARTS:
        for place, part in enumerate(fields[name]):
            if type(part) is not dict:
                return f"{name} is a list of objects, got {part!r:.40} at {place}"
            if key and type(part.get(key)) is not kind:
                words = "text" if kind is str else "a list"
                return f"{key} of {name} {place} is {words}, got {part.get(key)!r:.40}"
    verdict = fields["verdict"]
    if verdict is not None and type(verdict.get("status")) is not str:
        return f"status of verdict is text, got {verdict.get('status')!r:.40}"
    return ""


def with_checksum(text: str) -> str:
    """Return the text of a JSON object with a checksum of itself as its last field.

    Examples:
        >>> is_unchanged(with_checksum('{"reward": 0}')), is_unchanged(with_checksum('{"reward": 0}')[::-1])
        (True, False)
    """
    return f'{text[:-1]}{_SUM}{_checksum(text)}"}}'


def is_unchanged(line: str) -> bool:
    """Return whether the checksum at the end of a line is that of what stands before it."""
    text, _, rest = line.rstrip("\n").rpartition(_SUM)
    return rest == f'{_checksum(text + "}")}"}}'


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def wrong_reward(fields: JsonMapping) -> str:
    """Return how a line's reward differs from what its verdict, validity and mode give, or nothing."""
    if fields["reward_mode"] == "own":
        return ""
    given = earned_reward(fields["verdict"], fields["reward_mode"], valid=fields["valid"])
    if given is None or abs(given - fields["reward"]) <= REWARD_SLACK:
        return ""
    return f"the reward is {fields['reward']}, and the verdict gives {given} in mode {fields['reward_mode']}"


def earned_reward(verdict: JsonMapping | None, mode: str, *, valid: bool) -> float | None:
    """Return what an episode earns by its verdict; None where it has none or nothing says so.

    Examples:
        >>> earned_reward({"status": "solved", "score": 1.0}, "sparse", valid=True)
        1.0
    """
    if not valid:
        return 0.0
    if verdict is None or mode not in get_args(RewardMode):
        return None
    return reward_of(verdict, cast(RewardMode, mode))
