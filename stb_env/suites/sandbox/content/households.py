"""The people whose accounts the stateful tools hold: each task plays in one household."""

from __future__ import annotations

from datetime import date, timedelta

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.people import full_names
from stb_env.suites.sandbox.content.places import cities

COUNT = 24
TODAY = date(2026, 3, 2)
"""The sandbox's present; nothing reads the clock."""


@per_edition(maxsize=COUNT)
def friends(household: int) -> tuple[JsonObject, ...]:
    """Return the contacts that a household starts with."""
    rng = edition.rng("friends", household)
    city_ids = list(cities())
    rows = []
    for index, name in enumerate(full_names(rng, 24)):
        first, last = name.casefold().split()
        rows.append(
            {
                "contact_id": f"contact-{index + 1:03}",
                "name": name,
                "phone": phone(rng.randrange(10**8)),
                "email": f"{first}.{last}@{rng.choice(('postbox', 'quickmail', 'lettera'))}.example",
                "city_id": rng.choice(city_ids),
                "birthday": (date(1950, 1, 1) + timedelta(days=rng.randrange(20_000))).isoformat(),
            }
        )
    return tuple(rows)


def phone(digits: int) -> str:
    """Write eight digits as a phone number.

    Examples:
        >>> phone(1234567)
        '+44 0123 4567'
    """
    return f"+44 {digits // 10_000:04} {digits % 10_000:04}"
