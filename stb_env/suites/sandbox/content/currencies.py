"""Currencies of the sandbox, one a country, and the aurel in which fares and shop prices are given."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition

HUB = "AUR"

_NAMES = {
    "ALD": "Aldorian crown",
    "BRV": "Brevonian livre",
    "CIC": "Caldera conch",
    "DUK": "Dunmark krona",
    "EST": "Estavian lira",
    "FAR": "Farhold dinar",
    "GYO": "Gyoren sen",
    "HLV": "Halvean peso",
}
FOREIGN = sorted(_NAMES)
CODES = sorted((HUB, *_NAMES))


@per_edition()
def currencies() -> Mapping[str, JsonObject]:
    """Return every currency by code; ``per_aurel`` is what one aurel buys."""
    rng = edition.rng("currencies")
    rows = {HUB: {"code": HUB, "name": "aurel", "per_aurel": 1.0}}
    for code, name in _NAMES.items():
        rows[code] = {"code": code, "name": name, "per_aurel": round(2 ** rng.uniform(-2, 7), 4)}
    return rows


def convert(amount: float, source: str, target: str) -> float:
    """Convert an amount between two known codes, rounded to cents."""
    table = currencies()
    converted: float = round(amount / table[source]["per_aurel"] * table[target]["per_aurel"], 2)
    return converted
