"""Plausible values: each is a pure function of one 64-bit number and the scene of the call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from stb_env import seeding
from stb_env.backend.simulator.template.words import Place, Words

# Dates lie in the ten years before this moment; the clock of the machine is never asked.
REFERENCE = datetime(2024, 1, 1, tzinfo=UTC)
_MINUTES = 10 * 365 * 24 * 60


@dataclass(frozen=True, slots=True)
class Scene:
    """What all values of one answer share.

    Attributes:
        words: The word pools.
        topic: What the tool is about; the same for all its APIs, so that a record reads the same in each.
        place: Town that the call named, if it is a known one.
    """

    words: Words
    topic: str
    place: Place | None = None


Maker = Callable[[int, Scene], Any]


def place(number: int, scene: Scene) -> Place:
    """A town: the one the call named, else any."""
    return scene.place or scene.words.places[number % len(scene.words.places)]


def person(number: int, scene: Scene) -> tuple[str, str]:
    """First and last name of a person."""
    return scene.words.people[number % len(scene.words.people)]


def handle(number: int, scene: Scene) -> str:
    """A user name that goes with the person."""
    first, last = person(number, scene)
    return f"{first}.{last}".lower()


def noun(number: int, scene: Scene) -> str:
    """A plain noun."""
    return scene.words.nouns[number % len(scene.words.nouns)]


def phrase(number: int, scene: Scene) -> str:
    """A short heading."""
    return scene.words.phrases[number % len(scene.words.phrases)]


def sentence(number: int, scene: Scene) -> str:
    """A sentence about the topic."""
    extra = f"with a {noun(number >> 20, scene)} and {number % 89 + 2} more details"
    return f"{phrase(number, scene)} on {scene.topic}, {extra}."


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
    return _moment(number).strftime("%Y-%m-%dT%H:%M:%SZ")


def clock(number: int, _scene: Scene) -> str:
    """Hour and minute."""
    return f"{number % 24:02d}:{number // 24 % 60:02d}"


def phone(number: int, _scene: Scene) -> str:
    """A number from the range kept for fiction."""
    return f"+1-555-{number % 900 + 100}-{number // 1000 % 9000 + 1000}"


def address(number: int, scene: Scene) -> str:
    """Street and town."""
    return f"{scene.words.streets[number % len(scene.words.streets)]}, {place(number >> 16, scene).city}"


def one_of(*choices: str) -> Maker:
    """Return a maker that chooses one of some texts."""
    return lambda number, _scene: choices[number % len(choices)]


def full_name(number: int, scene: Scene) -> str:
    """A person's full name."""
    return " ".join(person(number, scene))


def company(number: int, scene: Scene) -> str:
    """Name of a company."""
    return scene.words.companies[number % len(scene.words.companies)]
