"""Texts of mails and posts: subjects and bodies with one detail each."""

from __future__ import annotations

import random
from typing import NamedTuple

from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.conventions import show_clock


class Kind(NamedTuple):
    """A kind of mail.

    Attributes:
        subject: Its subject line.
        body: Its text, with ``{}`` where the detail goes.
        detail: What a reader would ask for.
        fact: Type of the detail: code, date, time or number, which is an amount in aurel.
        field: Name of the detail as a field of an answer.
    """

    subject: str
    body: str
    detail: str
    fact: str
    field: str


KINDS = (
    Kind(
        "Key box",
        "The key box at the back door opens with {}. Leave it locked!",
        "key box code",
        "code",
        "key_box_code",
    ),
    Kind(
        "Wifi", "You asked for the wifi password of the cabin: {}.", "wifi password", "code", "wifi_password"
    ),
    Kind(
        "Your train",
        "I booked you on the train that leaves at {}, coach two.",
        "departure time",
        "time",
        "departs",
    ),
    Kind(
        "Concert",
        "Doors are at {}; bring the printed tickets.",
        "time when the doors open",
        "time",
        "doors_open",
    ),
    Kind(
        "Our visit",
        "We would arrive on {} and stay for two nights.",
        "day of arrival",
        "date",
        "arrival_date",
    ),
    Kind(
        "Handover",
        "The landlord can do the handover on {} only.",
        "day of the handover",
        "date",
        "handover_date",
    ),
    Kind("Roof repair", "The roofer wants {} AUR, materials included.", "price in AUR", "number", "price"),
    Kind(
        "Group gift",
        "We collected {} AUR for the gift so far.",
        "amount collected in AUR",
        "number",
        "amount",
    ),
)


def detail_in(text: str) -> tuple[Kind, str]:
    """Read a detail back out of a text.

    Examples:
        >>> kind, detail = detail_in("The landlord can do the handover on 2026-04-01 only.")
        >>> kind.subject, detail
        ('Handover', '2026-04-01')
    """
    for kind in KINDS:
        before, _, after = kind.body.partition("{}")
        _, found, rest = text.partition(before)
        if found:
            return kind, rest.removesuffix(after)
    raise ValueError(f"no detail in {text[:80]!r}")


def detail_of(kind: Kind, rng: random.Random) -> str:
    """Draw the detail of a mail, in the form in which it stands in the body."""
    return {
        "code": lambda: f"{rng.choice('BDFGKLMPRT')}{rng.choice('BDFGKLMPRT')}{rng.randrange(1000, 10_000)}",
        "time": lambda: show_clock(rng.randrange(6 * 12, 22 * 12) * 5),
        "date": lambda: iso_day(rng.randint(10, 150)),
        "number": lambda: f"{rng.randrange(5_000, 90_000) / 100:.2f}",
    }[kind.fact]()
