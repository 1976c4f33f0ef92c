"""Clothes of the sandbox's fashion shop, prices in cents of an aurel."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition, with_drawn_ids

SIZES = ("M", "S", "L", "XL")
_CLOTHS = ("Corduroy", "Cotton", "Denim", "Flannel", "Jersey", "Linen", "Tweed", "Woollen")
_CUTS = ("Blazer", "Cardigan", "Dungarees", "Overcoat", "Pullover", "Shirt", "Skirt", "Trousers", "Waistcoat")


@per_edition()
@with_drawn_ids
def garments() -> Mapping[str, JsonObject]:
    """Return every garment by id; a name is a cloth and a cut, and no two share one."""
    rng = edition.rng("garments")
    rows: dict[str, JsonObject] = {}
    for cut in _CUTS:
        for cloth in sorted(rng.sample(_CLOTHS, 6)):
            key = f"garment-{len(rows) + 1:03}"
            rows[key] = {
                "garment_id": key,
                "name": f"{cloth} {cut}",
                "price_cents": rng.randrange(1_990, 18_990, 10),
                # Medium never runs out, so that every garment can be bought.
                "stock": {size: rng.choice((0, 0, 3, 8)) if size != "M" else 9 for size in SIZES},
            }
    return rows
