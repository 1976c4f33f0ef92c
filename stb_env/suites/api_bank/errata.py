"""Errata: recorded calls that the released code does not reproduce, their causes and cures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause for which a class of recorded calls does not reproduce.

    Attributes:
        what: What is wrong.
        cure: What this package does about it.
    """

    what: str
    cure: str


@dataclass(frozen=True, slots=True)
class Errata:
    """The file ``errata.json``.

    Attributes:
        version: Raised with every change.
        causes: Why calls do not reproduce, by name.
        device_ids: Devices by the ids under which some dialogues know them.
        known: Causes of calls that are known not to reproduce, by dialogue and number of the call.
    """

    version: int
    causes: Mapping[str, Cause]
    device_ids: Mapping[str, str]
    known: Mapping[tuple[str, int], str]


@lru_cache(maxsize=1)
def errata() -> Errata:
    """Return the errata that come with the package.

    Examples:
        >>> errata().causes["earlier_calls"].cure
        'Earlier calls are played first.'
    """
    data = json.loads((files("stb_env.suites.api_bank") / "errata.json").read_text(encoding="utf-8"))
    return Errata(
        data["version"],
        {name: Cause(**cause) for name, cause in data["causes"].items()},
        data["device_ids"],
        {(each["dialogue"], each["call"]): each["cause"] for each in data.get("known", ())},
    )
