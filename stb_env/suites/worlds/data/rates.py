"""Rates: in how much of another currency an amount of an organisation's money is."""

from __future__ import annotations

from functools import lru_cache

from stb_env.seeding import rng
from stb_env.suites.worlds.data.blueprint import Blueprint, names
from stb_env.suites.worlds.schema.kit import Quantity

PARTS = 10_000
"""A rate counts ten-thousandths."""
SHOWN = "rate of the day"
"""Place of the rate among what results have shown."""
_LEAST, _MOST = 6_000, 19_000


@lru_cache(maxsize=32)
def rate_of(blueprint: Blueprint) -> tuple[str, int]:
    """Return another currency, and the rate of the day."""
    pick = rng("rate", blueprint.kit.name, blueprint.seed)
    currency = pick.choice([each for each in names()["currencies"] if each != blueprint.currency])
    rate = pick.choice([each for each in range(_LEAST, _MOST) if abs(each - PARTS) > PARTS // 50])
    return currency, rate


def has_money(blueprint: Blueprint) -> bool:
    """Return whether an attribute of a world is an amount of money."""
    return any(
        isinstance(each, Quantity) and each.type == "money"
        for described in blueprint.entities.values()
        for each in described.attributes.values()
    )


def converted(value: int, digits: int, rate: int) -> int:
    """Return an amount in hundredths of another currency, rounded to the nearest, halves up."""
    whole: int = 10**digits * PARTS
    return (2 * value * 100 * rate + whole) // (2 * whole)
