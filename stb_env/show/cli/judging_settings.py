"""Settings of judging: explicit ones first, then a protocol's, then our defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import Doc

from stb_env.core.jsontypes import JsonObject
from stb_env.core.kinds import AtLeast
from stb_env.core.options import Judge, Originals, ProtocolName
from stb_env.judges.preference import LoneUnsure, Order
from stb_env.runs.protocol import Protocol, find_protocol
from stb_env.suites.stabletoolbench.originals import find_evaluator

Command = Literal["judge", "comparison"]

_OURS = ("order", "unsure")
"""What our own comparison knows alone."""


class CompatName(StrEnum):
    """Programs whose behaviour is reproduced, defects included."""

    original = "original"


class OrderName(StrEnum):
    """Order in which a model sees two answers."""

    both = "both"
    random = "random"


class UnsureName(StrEnum):
    """Worth of a lone unsure against unsolved."""

    wins = "wins"
    compare = "compare"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingOptions:
    """Options of judging answers; None for what was not given."""

    votes: Annotated[
        int | None,
        Doc("How often a model judges each episode: once, or 3 times with --compat original."),
        AtLeast(1),
    ] = None
    judge: Annotated[
        Judge,
        Doc(
            "pass, final_answer (FAC), original_pass, heuristic, an evaluator folder, path.py:Name or "
            "module:Name; pass where its model has a key."
        ),
    ] = None
    evaluator: Annotated[
        Path | None, Doc("Evaluator folder whose words the judge has; our own if not given.")
    ] = None
    compat: Annotated[
        CompatName | None,
        Doc("original: score and write as StableToolBench's programs; DIR may hold answers, too."),
    ] = None
    protocol: ProtocolName = None
    originals: Originals = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """Options of comparing two answers to a task; None for what was not given."""

    comparisons: Annotated[
        int | None, Doc("How often two answers to a task are compared; 3."), AtLeast(1)
    ] = None
    order: Annotated[OrderName | None, Doc("Ask in both orders (default), or once in a random one.")] = None
    unsure: Annotated[
        UnsureName | None,
        Doc("Whether a lone unsure wins against unsolved (default) or is compared."),
    ] = None


@dataclass(frozen=True, slots=True)
class JudgingSettings:
    """The settings of one judging command.

    Attributes:
        judge: Name of the judge; None where it was left open.
        votes: How often each answer is judged; None where it was left open.
        compat: ``original``, or None for our own judging.
        comparisons: How often the two answers to a task are compared.
        order: In which order a model sees them.
        unsure: What a lone unsure against unsolved is worth.
        evaluator: Evaluator folder whose words the judge has; None for our own.
        protocol: What a report says of the protocol that was followed; empty without one.

    Examples:
        >>> settings_under("comparison", JudgingOptions(), ComparisonOptions(comparisons=1)).comparisons
        1
        >>> asked = JudgingOptions(votes=1, protocol="stabletoolbench")
        >>> settings_under("judge", asked, ComparisonOptions()).protocol["departures"][0]
        'votes is 1, not 3'
    """

    judge: str | None = None
    votes: int | None = None
    compat: str | None = None
    comparisons: int = 3
    order: Order = "both"
    unsure: LoneUnsure = "wins"
    evaluator: Path | None = None
    protocol: JsonObject = field(default_factory=dict)


def settings_under(
    command: Command, judging: JudgingOptions, comparison: ComparisonOptions
) -> JudgingSettings:
    """Return the settings of a judging command.

    Args:
        command: Whether answers are judged or compared.
        judging: What was given; the evaluator of ``originals`` is taken where none was.
        comparison: What was given about comparisons.

    Raises:
        ConfigError: There is no such protocol.
        DataError: The copy has no evaluator.
    """
    given: JsonObject = {
        "judge": judging.judge,
        "compat": judging.compat and judging.compat.value,
        "votes": judging.votes,
        "comparisons": comparison.comparisons,
        "order": comparison.order and comparison.order.value,
        "unsure": comparison.unsure and comparison.unsure.value,
    }
    asked = {name: value for name, value in given.items() if value is not None}
    evaluator = judging.evaluator
    if evaluator is None and judging.originals:
        evaluator = find_evaluator(Path(judging.originals))
    if judging.protocol is None:
        return JudgingSettings(**asked, evaluator=evaluator)
    found = find_protocol(judging.protocol)
    fixed = found.values(command)
    if "judge" in asked or any(asked.get(name) not in (None, fixed.get(name)) for name in _OURS):
        # Neither a judge of one's own nor another rule is the original's program.
        fixed.pop("compat", None)
    said = _said(found, command, asked, fixed, evaluator)
    return JudgingSettings(**(fixed | asked), evaluator=evaluator, protocol=said)


def _said(
    protocol: Protocol,
    command: Command,
    asked: Mapping[str, object],
    fixed: Mapping[str, object],
    evaluator: Path | None,
) -> JsonObject:
    departures = protocol.departures(command, "", asked)
    if "compat" in protocol.values(command) and "judge" not in asked and "compat" not in fixed:
        departures.append("compared by our own rules, not by the original's program")
    if "judge" in asked and "judge" not in protocol.values(command):
        departures.append(f"judge is {asked['judge']!r}, not the original's")
    if evaluator is None:
        departures.append("own prompts stand in for the original evaluator's")
    return {"name": protocol.name, "version": protocol.version, "departures": departures}
