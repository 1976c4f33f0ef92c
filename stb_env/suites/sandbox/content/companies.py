"""Companies of the sandbox, their accounts and their shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from stb_env import seeding
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition, with_drawn_ids
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.people import full_names
from stb_env.suites.sandbox.content.places import cities

SECTORS = ("energy", "transport", "food", "software", "media")
YEARS = range(2018, 2026)
"""Business years with published accounts."""
FIRST_DAY = date(2024, 1, 2)
"""First day with prices; the last is the day before the sandbox's present."""
_FIRST = FIRST_DAY.toordinal()
_TERMS = (1, 2, 4)
_MOST_SHIFT = 997
_STEMS = (
    "Aster", "Bolder", "Cinder", "Delphic", "Ember", "Fathom", "Gantry", "Helio", "Ionis", "Juniper",
    "Kestle", "Lumora", "Mistral", "Nimbus", "Orchid", "Pylon", "Quarrel", "Rampart", "Sable", "Tundra",
    "Umbra", "Verdant", "Willow", "Yonder", "Zephyr", "Argo", "Beryl", "Cobalt", "Drover", "Elm",
)  # fmt: skip
_TAILS: Mapping[str, tuple[str, ...]] = {
    "energy": ("Power", "Grid"),
    "transport": ("Freight", "Motors"),
    "food": ("Foods", "Mills"),
    "software": ("Systems", "Data"),
    "media": ("Press", "Studios"),
}


@per_edition()
@with_drawn_ids
def companies() -> Mapping[str, JsonObject]:
    """Return every listed company by id; names, symbols and stems are unique.

    Staff, shares and accounts follow from the revenue of a usual year.
    """
    rng = edition.rng("companies")
    rows = {}
    city_ids = list(cities())
    # Drawn, as a symbol that is made of the name would tell it without any look-up.
    symbols = ["".join(edition.rng("symbol", stem).choices(ascii_uppercase, k=3)) for stem in _STEMS]
    for index, (stem, chief) in enumerate(zip(_STEMS, full_names(rng, len(_STEMS)), strict=True)):
        revenue, price = math.exp(rng.uniform(3, 9)), math.exp(rng.uniform(1.5, 5.3))
        key = f"company-{index + 1:03}"
        sector = rng.choice(SECTORS)
        tail = rng.choice(_TAILS[sector])
        rows[key] = {
            "company_id": key,
            "name": f"{stem} {tail}",
            "symbol": stem[0] + symbols[index],
            "sector": sector,
            "founded": rng.randint(1890, 2015),
            "chief_executive": chief,
            "headquarters_city_id": rng.choice(city_ids),
            "employees": round(revenue / rng.uniform(0.08, 0.4)),
            "shares_million": max(1, round(revenue * rng.uniform(0.6, 2.5) / price)),
            "usual_revenue_million": revenue,
            "base_price": round(price, 2),
            "splits": _splits(rng.sample(range(60, 740), 2), rng.choices((2, 3, 4), k=2))
            if index % 2
            else [],
        }
    return rows


def _splits(offsets: list[int], ratios: list[int]) -> list[dict[str, object]]:
    days = [(FIRST_DAY + timedelta(days=offset)).isoformat() for offset in sorted(offsets)]
    return [{"date": when, "new_shares_for_each": ratio} for when, ratio in zip(days, ratios, strict=True)]


@per_edition()
def companies_by_symbol() -> Mapping[str, JsonObject]:
    """Return every company by its stock symbol."""
    return {row["symbol"]: row for row in companies().values()}


def trades(when: date) -> bool:
    """Return whether the exchange has prices of a day: a weekday that is over."""
    return FIRST_DAY <= when < TODAY and when.weekday() < 5


def closing_prices(company: JsonMapping, days: Sequence[date]) -> list[float]:
    """Return the closing price of each of these days in aurel, as it was then: a split makes it drop."""
    seed = _stock_seeds()[company["symbol"]]
    dates = np.array([when.toordinal() for when in days], np.int64)
    waves = sum(_waves(term)[dates + seed % _MOST_SHIFT * term - _FIRST] for term in _TERMS)
    drawn = seeding.mix_each(seed, dates) % np.uint64(10_000)
    prices = company["base_price"] * (1 + waves + (drawn / 10_000 - 0.5) * 0.05)
    for split in company["splits"]:
        prices[dates < date.fromisoformat(split["date"]).toordinal()] *= split["new_shares_for_each"]
    return [round(price, 2) for price in prices.tolist()]


@lru_cache(maxsize=len(_TERMS))
def _waves(term: int) -> NDArray[np.float64]:
    """Return the wave of a term on every day that a shifted date can be, from the first day with prices."""
    days = range(_FIRST, TODAY.toordinal() + _MOST_SHIFT * term)
    # Not numpy's sine: its last digit is another on some processors.
    return np.array([math.sin(day / (29 * term)) * 0.05 * term for day in days])


@per_edition()
def _stock_seeds() -> Mapping[str, int]:
    symbols = list(companies_by_symbol())
    return dict(zip(symbols, edition.derive_each(("stock",), symbols), strict=True))


@per_edition()
def accounts() -> Mapping[tuple[str, int], JsonObject]:
    """Return the yearly accounts by (company id, year), in millions of aurel."""
    rng = edition.rng("accounts")
    rows = {}
    for key, company in companies().items():
        for year in YEARS:
            revenue = round(company["usual_revenue_million"] * rng.uniform(0.8, 1.3), 1)
            rows[key, year] = {
                "company_id": key,
                "year": year,
                "revenue_million": revenue,
                "profit_million": round(revenue * rng.uniform(-0.08, 0.24), 1),
            }
    return rows
