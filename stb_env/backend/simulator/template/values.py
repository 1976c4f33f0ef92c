"""Plausible values: each is a pure function of one 64-bit number and the scene of the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from stb_env import seeding
from stb_env.backend.simulator.template.words import Place, Words

# Dates lie in the ten years before this moment; the clock of the machine is never asked.
REFERENCE = datetime(2024, 1, 1, tzinfo=UTC)
_MINUTES = 10 * 365 * 24 * 60


@dataclass(frozen=True, slots=True)
class Scene:
    """Settings that all values of one answer share.

    Attributes:
        words: The word pools.
        topic: What the tool is about; the same for all its APIs, so that a record reads the same in each.
        place: Town that the call named, if it is a known one.
    """

    words: Words
    topic: str
    place: Place | None = None


Scalar = str | int | float | bool | None
Maker = Callable[[int, Scene], Scalar]

T = TypeVar("T")


def pick(pool: Sequence[T], number: int) -> T:
    """One of a pool."""
    return pool[number % len(pool)]


def place(number: int, scene: Scene) -> Place:
    """A town: the one the call named, else any."""
    return scene.place or pick(scene.words.places, number)


def first_name(number: int, scene: Scene) -> str:
    """First name of a person."""
    return pick(scene.words.first_names, number)


def surname(number: int, scene: Scene) -> str:
    """Last name of the same person."""
    return pick(scene.words.surnames, number >> 20)


def full_name(number: int, scene: Scene) -> str:
    """A person's full name."""
    return f"{first_name(number, scene)} {surname(number, scene)}"


def handle(number: int, scene: Scene) -> str:
    """A user name that goes with the person."""
    return f"{first_name(number, scene)}.{surname(number, scene)}".lower()


def email(number: int, scene: Scene) -> str:
    """An address that goes with the person, under a domain reserved for examples."""
    return f"{handle(number, scene)}@example.com"


def noun(number: int, scene: Scene) -> str:
    """A plain noun."""
    return pick(scene.words.nouns, number)


def adjective(number: int, scene: Scene) -> str:
    """An adjective for any noun."""
    return pick(scene.words.adjectives, number >> 20)


def phrase(number: int, scene: Scene) -> str:
    """A short heading."""
    return f"{adjective(number, scene)} {noun(number, scene)}".title()


def sentence(number: int, scene: Scene) -> str:
    """A sentence about the topic."""
    return pick(scene.words.sentences, number >> 30).format(
        topic=scene.topic,
        title=phrase(number, scene),
        adjective=adjective(number, scene),
        noun=noun(number, scene),
        other=noun(number >> 10, scene),
        count=number % 89 + 2,
    )


def slug(number: int, scene: Scene) -> str:
    """Words for an address."""
    return f"{noun(number, scene)}-{noun(number >> 20, scene)}-{number % 1000}"


def identifier(number: int, _scene: Scene) -> str:
    """Six digits."""
    return str(100_000 + number % 900_000)


def uuid(number: int, _scene: Scene) -> str:
    """Thirty-two hex digits in the usual groups."""
    text = f"{number:016x}{seeding.mix(number, 1):016x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:32]}"


def url(number: int, scene: Scene) -> str:
    """Address of a page, under a domain reserved for examples."""
    return f"https://{domain(number, scene)}/{slug(number >> 8, scene)}"


def image(number: int, scene: Scene) -> str:
    """Address of an image."""
    return f"https://images.example.com/{slug(number, scene)}.jpg"


def domain(number: int, scene: Scene) -> str:
    """A domain reserved for examples."""
    return f"{noun(number, scene)}.example.com"


def _moment(number: int) -> datetime:
    return REFERENCE - timedelta(minutes=number % _MINUTES)


def date(number: int, _scene: Scene) -> str:
    """A day in ISO form."""
    return _moment(number).date().isoformat()


def datetime_text(number: int, _scene: Scene) -> str:
    """A moment in ISO form, UTC."""
    return f"{_moment(number).replace(tzinfo=None).isoformat()}Z"


def clock(number: int, _scene: Scene) -> str:
    """Hour and minute."""
    return f"{number % 24:02d}:{number // 24 % 60:02d}"


def phone(number: int, _scene: Scene) -> str:
    """A number from the range kept for fiction."""
    return f"+1-555-{number % 900 + 100}-{number // 1000 % 9000 + 1000}"


def address(number: int, scene: Scene) -> str:
    """Street and town."""
    return f"{street(number, scene)}, {place(number >> 16, scene).city}"


def street(number: int, scene: Scene) -> str:
    """House number and street."""
    return f"{(number >> 20) % 289 + 1} {pick(scene.words.streets, number)}"


def team(number: int, scene: Scene) -> str:
    """Name of a sports team."""
    return f"{place(number, scene).city} {noun(number >> 16, scene).title()}s"


def one_of(*choices: str) -> Maker:
    """Return a maker that chooses one of some texts."""
    return lambda number, _scene: pick(choices, number)


def company(number: int, scene: Scene) -> str:
    """Name of a company."""
    return f"{pick(scene.words.company_names, number)} {pick(scene.words.company_trades, number >> 20)}"
