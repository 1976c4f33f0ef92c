"""Openings: the point where an agent begins, at the start of an episode or later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import JsonMapping
from stb_env.usage import NO_USAGE, Usage


@dataclass(frozen=True, slots=True)
class Opening:
    """First view of an agent, and the steps that were played before it.

    Attributes:
        observation: The observation that it decides on.
        info: As a reset gives it: with ``tools``, and with ``messages`` up to here.
        steps: The steps so far, as a trajectory has them.
        spent: What the environment's own models cost so far; no part of what the agent plays from here.
    """

    observation: JsonMapping
    info: JsonMapping
    steps: Sequence[JsonMapping] = ()
    spent: Usage = NO_USAGE
