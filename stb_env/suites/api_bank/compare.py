"""Rules of the paper that compare the result of a call with the recorded one, built of small checks.

A rule takes two envelopes, the executed prediction's and the recorded one's. Equality is Python's, without
tolerance; inputs that no check names do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Literal

from stb_env.core.jsontypes import Json
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.times import normal_date, normal_day, normal_time, read_time

Member = Literal["api_name", "input", "output", "exception"]
Rule = Callable[[Envelope, Envelope], bool]
Normal = Callable[[Json], object]


def all_of(*rules: Rule) -> Rule:
    """Return a rule that holds where all of these hold."""
    return lambda predicted, gold: all(rule(predicted, gold) for rule in rules)


def member(name: Member) -> Rule:
    """Return a rule that compares one member of the envelopes; an absent one counts as null."""
    return lambda predicted, gold: bool(predicted.get(name) == gold.get(name))


NAME = member("api_name")
INPUT = member("input")
OUTPUT = member("output")
EXCEPTION = member("exception")
RESULT = all_of(OUTPUT, EXCEPTION)
WHOLE = all_of(INPUT, RESULT)


def same(*names: str, normal: Normal = lambda value: value) -> Rule:
    """Return a rule that compares these inputs, each brought to a normal form first."""

    def rule(predicted: Envelope, gold: Envelope) -> bool:
        return all(normal(predicted["input"][name]) == normal(gold["input"][name]) for name in names)

    return rule


def all_but(name: str) -> Rule:
    """Return a rule that compares the whole input without this one."""

    def rule(predicted: Envelope, gold: Envelope) -> bool:
        return _without(predicted["input"], name) == _without(gold["input"], name)

    return rule


def alike(name: str, normal: Callable[[Json], str] = lambda value: value) -> Rule:
    """Return a rule that asks of an input that more than half of all its words are shared."""

    def rule(predicted: Envelope, gold: Envelope) -> bool:
        ours, theirs = (set(normal(each["input"][name]).split(" ")) for each in (predicted, gold))
        return len(ours & theirs) / len(ours | theirs) > 0.5

    return rule


def output_member(name: str) -> Rule:
    """Return a rule that compares one member of the outputs."""
    return lambda predicted, gold: bool(predicted["output"][name] == gold["output"][name])


def when_done(rule: Rule) -> Rule:
    """Return a rule that holds where both succeeded and ``rule`` holds, or where the results are equal."""

    def chosen(predicted: Envelope, gold: Envelope) -> bool:
        done = predicted["output"] == "success" == gold["output"]
        return rule(predicted, gold) if done else RESULT(predicted, gold)

    return chosen


def answered_alike(predicted: Envelope, gold: Envelope) -> bool:
    """Ask only that nothing came out where nothing should: random ids cannot be compared."""
    return gold["output"] is not None or predicted["output"] is None


def trimmed(value: str) -> str:
    """Return a text without the blanks around it."""
    return value.strip()


def folded(value: str) -> str:
    """Return a text without the blanks around it, in lower case."""
    return value.strip().lower()


def raised(value: str) -> str:
    """Return a text without the blanks around it, in upper case."""
    return value.upper().strip()


def optional(normal: Normal) -> Normal:
    """Return a normal form that leaves an absent value alone."""
    return lambda value: None if value is None else normal(value)


DATE: Normal = normal_date
DAY: Normal = normal_day
TIME: Normal = normal_time


def moment(value: str) -> datetime:
    """Return the point in time that a text means, however it is written."""
    return read_time(normal_time(value))


def _without(members: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in members.items() if key != name}
