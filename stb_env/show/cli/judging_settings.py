"""Settings of judging: explicit ones first, then a protocol's, then our defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.runs.protocol import Protocol, find_protocol
from stb_env.suites.stabletoolbench.originals import find_evaluator

Command = Literal["judge", "comparison"]

_OURS = ("order", "unsure")
"""What our own comparison knows alone."""


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
        >>> settings_under(None, "comparison", {"order": "random"}).order
        'random'
        >>> settings_under("stabletoolbench", "judge", {"votes": 1}).protocol["departures"][0]
        'votes is 1, not 3'
    """

    judge: str | None = None
    votes: int | None = None
    compat: str | None = None
    comparisons: int = 3
    order: str = "both"
    unsure: str = "wins"
    evaluator: Path | None = None
    protocol: JsonObject = field(default_factory=dict)


def settings_under(
    protocol: str | None,
    command: Command,
    given: JsonMapping,
    evaluator: Path | None = None,
    originals: Path | None = None,
) -> JudgingSettings:
    """Return the settings of a judging command.

    Args:
        protocol: Name of the protocol; None for our defaults.
        command: Whether answers are judged or compared.
        given: Settings that were given; None stands for what was not.
        evaluator: Evaluator folder that was given.
        originals: Copy of the original's repository, whose evaluator is taken where none was given.

    Raises:
        ConfigError: There is no such protocol.
        DataError: The copy has no evaluator.
    """
    asked = {name: value for name, value in given.items() if value is not None}
    if evaluator is None and originals is not None:
        evaluator = find_evaluator(originals)
    if protocol is None:
        return JudgingSettings(**asked, evaluator=evaluator)
    found = find_protocol(protocol)
    fixed = found.values(command)
    if "judge" in asked or any(asked.get(name) not in (None, fixed.get(name)) for name in _OURS):
        # Neither a judge of one's own nor another rule is the original's program.
        fixed.pop("compat", None)
    said = _said(found, command, asked, fixed, evaluator)
    return JudgingSettings(**(fixed | asked), evaluator=evaluator, protocol=said)


def _said(
    protocol: Protocol, command: Command, asked: JsonMapping, fixed: JsonMapping, evaluator: Path | None
) -> JsonObject:
    departures = protocol.departures(command, "", asked)
    if "compat" in protocol.values(command) and "judge" not in asked and "compat" not in fixed:
        departures.append("compared by our own rules, not by the original's program")
    if "judge" in asked and "judge" not in protocol.values(command):
        departures.append(f"judge is {asked['judge']!r}, not the original's")
    if evaluator is None:
        departures.append("own prompts stand in for the original evaluator's")
    return {"name": protocol.name, "version": protocol.version, "departures": departures}
