"""Services that one subscribes to, with the monthly price of each tier in aurel."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition

TIERS = ("basic", "standard", "premium")
_NAMES = (
    "Chalkboard Lessons", "Crumb Recipes", "Drumlin Music", "Fernleaf Storage", "Gazette Daily",
    "Halftone Comics", "Lantern Films", "Pocket Chess", "Quill Notes", "Tidal Podcasts",
)  # fmt: skip


@per_edition()
def services() -> Mapping[str, Mapping[str, float]]:
    """Return the price of every tier by service; a better tier costs more."""
    rng = edition.rng("services")
    prices = {name: sorted(rng.sample(range(250, 3_200), len(TIERS))) for name in _NAMES}
    return {
        name: {tier: cents / 100 for tier, cents in zip(TIERS, row, strict=True)}
        for name, row in prices.items()
    }
