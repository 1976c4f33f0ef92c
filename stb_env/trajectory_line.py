"""The line of a saved episode: its version, types of fields, checksum, and what its reward must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from stb_env.core import jsontext
from stb_env.core.checksums import is_unchanged
from stb_env.core.jsontypes import JsonMapping
from stb_env.verdict import RewardMode, reward_of

VERSION = 3
# Since 2 steps may have an engine. Since 3 answers are typed beside their text, and lines carry a checksum.
READ = (1, 2, VERSION)
TYPED = 3
REWARD_SLACK = 1e-6
"""Difference of two equal rewards: potentials add up to nothing only as exactly as floats do."""

# Types that a parser of JSON makes, to which nothing is a subclass: a look into a set is all a check costs.
_TYPES: Mapping[str, tuple[set[Any], str]] = {
    **dict.fromkeys(
        ("suite", "group", "task_id", "query", "final_answer", "reward_mode", "run"), ({str}, "text")
    ),
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
    return "" if fields["verdict"] is None else _wrong_verdict(fields["verdict"])


def _wrong_verdict(verdict: JsonMapping) -> str:
    if type(verdict.get("status")) is not str:
        return f"status of verdict is text, got {verdict.get('status')!r:.40}"
    if type(verdict.get("score")) not in (int, float):
        return f"score of verdict is a number, got {verdict.get('score')!r:.40}"
    parts = verdict.get("parts", {})
    if type(parts) is not dict or not all(type(held) is bool for held in parts.values()):
        return f"parts of verdict say true or false of each, got {parts!r:.40}"
    return ""


def answer_text(data: JsonMapping) -> str:
    """Return the answer of a saved line as text, of any version that is read; see `Trajectory.text`.

    Examples:
        >>> answer_text({"version": 2, "answer": "42"})
        '42'
        >>> answer_text({"version": 3, "answer": {"count": 42}, "final_answer": ""})
        '{"count": 42}'
    """
    if data["version"] < TYPED:
        return str(data["answer"])
    return text_of(str(data["final_answer"]), data["answer"], data.get("cannot"))


def text_of(final_answer: str, answer: JsonMapping | None, cannot: JsonMapping | None) -> str:
    """Return an answer as people and models read it: its prose, else what is typed of it, as JSON.

    Examples:
        >>> text_of("It is 12.", {"total": 12}, None), text_of("", {"total": 12}, None)
        ('It is 12.', '{"total": 12}')
    """
    typed = answer if cannot is None else {"cannot": dict(cannot)}
    return final_answer or ("" if typed is None else jsontext.dumps(dict(typed)))


def was_changed(line: str, data: JsonMapping) -> bool:
    """Return whether a line is no longer as it was written.

    Lines of earlier versions have no checksum; one that has it was changed to pass for them.

    Args:
        line: The line.
        data: What it says.
    """
    version = data["version"]
    return version in READ and (version >= TYPED or "sha256" in data) and not is_unchanged(line)


def wrong_reward(fields: JsonMapping) -> str:
    """Return how a line's reward differs from what its verdict, validity and mode give, or nothing."""
    if fields["reward_mode"] == "own":
        return ""
    if fields["reward_mode"] not in get_args(RewardMode):
        modes = ", ".join(get_args(RewardMode))
        return f"reward_mode is one of {modes} or own, got {fields['reward_mode']!r:.40}"
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
