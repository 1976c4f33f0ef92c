"""Choice of the values for a field by its name and type, made once, when a skeleton is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, TypeVar

from stb_env import seeding
from stb_env.backend.simulator.template import values
from stb_env.backend.simulator.template.values import Maker, Scene, pick
from stb_env.tools import pure_name

LeafType = Literal["text", "int", "float", "bool", "null"]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIERS = frozenset({"id", "uuid", "guid", "uid", "isbn", "asin", "sku", "slug"})
# Standardised names have lost the capital that marked the last word.
_JOINED_ID = re.compile(
    r"(?:user|product|item|video|channel|team|game|match|player|movie|season|tournament|series|imdb|event|post|page"
    r"|place|hotel|station|artist|album|track|book|article|order|account|store|league|comment|owner|property)id$"
)


@lru_cache(maxsize=16_384)
def field_key(name: str) -> str:
    """Return what two spellings of one field have in common.

    Examples:
        >>> field_key("countryCode") == field_key("country_code"), field_key("id") == field_key("is_id")
        (True, True)
    """
    return pure_name(name[:200]).replace("_", "")


@lru_cache(maxsize=16_384)
def is_identifier(name: str) -> bool:
    """Tell whether a field or parameter names a record.

    Examples:
        >>> [is_identifier(name) for name in ("movie_id", "movieId", "is_id", "userid", "valid")]
        [True, True, True, True, False]
    """
    parts = _split(name)
    return bool(parts) and (parts[-1] in _IDENTIFIERS or _JOINED_ID.search(parts[-1]) is not None)


def _split(name: str) -> list[str]:
    return [part.lower() for part in _WORDS.findall(name[:200])]


def maker(name: str, kind: LeafType, unknown: tuple[int, int] = (0, 1000)) -> tuple[int, Maker]:
    """Choose how a field gets its values.

    Args:
        name: Name of the field, as the API spells it.
        kind: Its type.
        unknown: The least and the most of a whole number whose name tells nothing.

    Returns:
        A salt to mix into the record's seed, and the function that turns the mixed number into a value.
        Fields that describe one person or one place share a salt, so that they agree.
    """
    salt = seeding.derive("field", field_key(name), kind)
    if kind == "null":
        return salt, lambda _number, _scene: None
    if kind == "bool":
        return salt, _bool(name)
    if kind != "text":
        whole = kind == "int"
        field = _numeric(name)
        if field in _COORDINATES:
            return _PLACE, _coordinate(field, whole)
        return salt, _number(_RANGES.get(field, unknown if whole else (0, 100)), whole)
    return _text(name, salt)


def _bool(name: str) -> Maker:
    parts = set(_split(name))
    if parts & _NEVER:
        return lambda _number, _scene: False
    if parts & _ALWAYS:
        return lambda _number, _scene: True
    return lambda number, _scene: bool(number & 1)


def _numeric(name: str) -> str:
    parts = _split(name)
    for part in ("".join(parts), *reversed(parts)):
        if part in _RANGES or part in _COORDINATES:
            return part
    return ""


def _number(bounds: tuple[float, float], whole: bool) -> Maker:
    low, high = bounds
    if whole:
        first, span = int(low), max(1, int(high) - int(low) + 1)
        return lambda number, _scene: first + number % span
    hundredths = max(1, int((high - low) * 100))
    return lambda number, _scene: round(low + number % hundredths / 100, 2)


def _coordinate(name: str, whole: bool) -> Maker:
    attribute = _COORDINATES[name]

    def make(number: int, scene: Scene) -> float:
        value: float = getattr(values.place(number, scene), attribute)
        return int(value) if whole else value

    return make


def _text(name: str, salt: int) -> tuple[int, Maker]:
    parts = _split(name)
    joined = "".join(parts)
    if joined in _PERSON:
        return _PERSON_SALT, _PERSON[joined]
    if joined in _TOWN:
        return _PLACE, _TOWN[joined]
    if is_identifier(name) and parts[-1] in _TEXTS:
        return salt, _TEXTS[parts[-1]]
    if is_identifier(name):
        return salt, values.identifier
    for part in (joined, *reversed(parts)):
        for table in (_TEXTS, _PERSON, _TOWN):
            if part in table:
                return salt, table[part]
    if _numeric(name):
        return salt, _digits(maker(name, "float")[1])
    return salt, values.phrase


def _digits(make: Maker) -> Maker:
    return lambda number, scene: str(make(number, scene))


_PERSON_SALT = seeding.derive("person")
_PLACE = seeding.derive("place")

T = TypeVar("T")


def _named(table: Mapping[str, T]) -> dict[str, T]:
    """Return a table with one entry for each word of its keys."""
    return {word: value for words, value in table.items() for word in words.split()}


def _of_place(attribute: str) -> Maker:
    return lambda number, scene: str(getattr(values.place(number, scene), attribute))


_COORDINATES = _named({"lat latitude": "latitude", "lon lng long longitude": "longitude"})

_PERSON: Mapping[str, Maker] = _named(
    {
        "firstname": values.first_name,
        "lastname surname": values.surname,
        "fullname": values.full_name,
        "username login nickname": values.handle,
        "email": values.email,
    }
)

_TOWN: Mapping[str, Maker] = _named(
    {
        "city town location cityname": _of_place("city"),
        "country countryname": _of_place("country"),
        "countrycode": _of_place("code"),
        "timezone tz": _of_place("timezone"),
        "lat latitude": _of_place("latitude"),
        "lon lng longitude": _of_place("longitude"),
    }
)

_TEXTS: Mapping[str, Maker] = _named(
    {
        "author artist actor director character player owner creator": values.full_name,
        "company organization brand publisher manufacturer provider": values.company,
        "title headline subject caption alt": values.phrase,
        "description summary text content body overview detail info": values.sentence,
        "quote joke fact comment review answer definition snippet": values.sentence,
        "url uri link href website permalink": values.url,
        "image img thumbnail avatar icon logo photo picture poster": values.image,
        "domain host hostname": values.domain,
        "date day birthday released": values.date,
        "timestamp datetime created updated published modified at": values.datetime_text,
        "time hour sunrise sunset": values.clock,
        "phone telephone mobile fax": values.phone,
        "category tag tags genre keyword keywords type topic": values.noun,
        "slug path alias": values.slug,
        "uuid guid": values.uuid,
        "error errors warning exception stack": values.one_of(""),
        "status message msg statusmessage": values.one_of("OK"),
        "language lang locale": values.one_of("en", "fr", "de", "es", "it", "ja"),
        "code": lambda number, scene: f"{values.noun(number, scene)[:3].upper()}{number % 1000:03d}",
        "symbol ticker": lambda number, scene: values.noun(number, scene)[:4].upper(),
        "address": values.address,
        "street": values.street,
        "state region": lambda number, scene: pick(scene.words.states, number),
        "zipcode zip postcode": lambda number, _scene: f"{number % 90_000 + 10_000}",
        "job": lambda number, scene: pick(scene.words.jobs, number),
        "color": lambda number, scene: pick(scene.words.colors, number),
        "currency": lambda number, scene: pick(scene.words.currencies, number)[0],
        "currencyname": lambda number, scene: pick(scene.words.currencies, number)[1],
        "team": values.team,
        "league": lambda number, scene: f"{values.place(number, scene).country} League",
        "ip": lambda number, _scene: f"203.0.113.{number % 254 + 1}",
        "version": lambda number, _scene: f"{number % 5 + 1}.{number // 5 % 10}.{number // 50 % 10}",
        "gender": values.one_of("female", "male"),
        "condition weather": values.one_of(
            "clear sky", "light rain", "cloudy", "sunny", "snow showers", "fog"
        ),
        "unit": values.one_of("metric"),
    }
)

_RANGES: Mapping[str, tuple[float, float]] = _named(
    {
        "year season": (1990, 2023),
        "rating stars": (0, 5),
        "price amount cost value open close high low last": (1, 500),
        "temp temperature celsius feelslike tempmin tempmax": (-5, 35),
        "percent percentage humidity probability cloud clouds": (0, 100),
        "views followers likes subscribers population volume": (100, 2_000_000),
        "count total results size length number totalcount": (10, 200),
        "page currentpage pagenumber version": (1, 1),
        "pages totalpages position rank index order": (1, 50),
        "id uid": (1000, 999_999),
        "width height": (200, 1920),
        "duration runtime": (30, 600),
        "timestamp unix epoch timestampunix": (1_388_534_400, 1_704_067_199),
        "statuscode status httpcode code": (200, 200),
        "rate ratio factor": (0.1, 2),
        "goals score points": (0, 10),
        "fahrenheit": (23, 95),
        "change": (-10, 10),
        "age": (18, 80),
        "month": (1, 12),
        "day": (1, 28),
        "hour": (0, 23),
        "minute": (0, 59),
        "limit": (10, 10),
        "offset": (0, 0),
    }
)

_NEVER = frozenset(
    {"error", "errors", "deleted", "nsfw", "adult", "disposable", "blocked", "cached", "failed"}
)
_ALWAYS = frozenset({"success", "ok", "valid", "active", "available", "status", "found", "enabled"})
