"""Forms: how a service writes and reads the values of an attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.worlds.schema.kit import Quantity
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.style import Style

Forms = tuple[Callable[[int], Json], Callable[[Json], int], JsonObject]
"""Writes a stored value as JSON; reads JSON as a stored value, or raises `ApiError`; schema of arguments."""

_DAY_FORMS = {"iso": "%Y-%m-%d", "dotted": "%d.%m.%Y", "slashed": "%m/%d/%Y", "compact": "%Y%m%d"}
DAY_WORDS = {"iso": "YYYY-MM-DD", "dotted": "DD.MM.YYYY", "slashed": "MM/DD/YYYY", "compact": "YYYYMMDD"}
FLAGS: Mapping[str, list[Json]] = {"bool": [False, True], "yes": ["no", "yes"], "digit": [0, 1]}


def day_forms(style: Style) -> Forms:
    """Return the forms of dates."""
    words = DAY_WORDS[style.days]
    form = _DAY_FORMS[style.days]
    places = [words.index(part) for part in ("YYYY", "MM", "DD")]

    def write(value: int) -> Json:
        return _day_text(form, value)

    def read(value: object) -> int:
        try:
            if not isinstance(value, str) or not value.isascii() or len(value) != len(words):
                raise ValueError
            year, month, day = (
                int(value[place : place + width]) for place, width in zip(places, (4, 2, 2), strict=True)
            )
            found = date(year, month, day).toordinal()
            if _day_text(form, found) != value:
                raise ValueError
            return found
        except ValueError:
            message = style.error("invalid", f"a date is written {words}, got {value!r:.40}")
            raise ApiError(message, arguments=True) from None

    return write, read, {"type": "string", "description": words}


def quantity_forms(style: Style, attribute: Quantity, currency: str) -> Forms:
    """Return the forms of numbers and amounts."""
    digits, money = attribute.digits, attribute.type == "money"
    unit = currency if money else attribute.unit
    said: JsonObject = {"description": f"In {unit}."} if unit else {}

    def fail(value: object) -> ApiError:
        wanted = f"a number with at most {digits} decimals" if digits else "a whole number"
        return ApiError(style.error("invalid", f"expected {wanted}, got {value!r:.40}"), arguments=True)

    def scaled(value: object, places: int) -> int:
        try:
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                raise fail(value)
            exact = Decimal(str(value)).scaleb(places)
            if exact != int(exact):
                raise fail(value)
            return int(exact)
        except (InvalidOperation, OverflowError, ValueError):
            raise fail(value) from None

    if money and style.money == "cents":
        # Whole cents, whatever the smallest part that rows keep.
        factor: int = 10 ** (2 - digits)

        def from_cents(value: object) -> int:
            return scaled(value, 0) // factor

        schema: JsonObject = {"type": "integer", "description": f"In cents of {currency}."}
        return (lambda value: value * factor), from_cents, schema
    as_text = style.money in ("text", "object") if money else style.numbers_as_text and digits > 0
    if as_text:
        example = f"As text, such as {Decimal(1250).scaleb(-digits)}."
        said = {"description": f"In {unit}. {example}" if unit else example}
        if money and style.money == "object":

            def amount(value: int) -> Json:
                return {"amount": f"{Decimal(value).scaleb(-digits)}", "currency": currency}

            def from_amount(value: object) -> int:
                return scaled(value.get("amount") if isinstance(value, Mapping) else value, digits)

            return amount, from_amount, {"type": "string", **said}
        return (
            (lambda value: f"{Decimal(value).scaleb(-digits)}"),
            (lambda value: scaled(value, digits)),
            {"type": "string", **said},
        )
    if not digits:
        return (lambda value: value), (lambda value: scaled(value, 0)), {"type": "integer", **said}
    divisor = 10**digits
    return (
        (lambda value: value / divisor),
        (lambda value: scaled(value, digits)),
        {"type": "number", **said},
    )


@lru_cache(maxsize=65_536)
def _day_text(form: str, ordinal: int) -> str:
    return date.fromordinal(ordinal).strftime(form)


def letters(text: str) -> str:
    """Return a text with every sign but letters and digits as a blank."""
    return "".join(char if char.isalnum() else " " for char in text)


def listed_forms(style: Style, written: Sequence[object], kind: str) -> Forms:
    """Return the forms of one of a few values."""

    def read(value: object) -> int:
        if value not in written:
            known = ", ".join(map(str, written))
            raise ApiError(
                style.error("invalid", f"expected one of {known}, got {value!r:.40}"), arguments=True
            )
        return written.index(value)

    if kind == "boolean":
        return (lambda value: bool(value)), read, {"type": "boolean"}
    return written.__getitem__, read, {"enum": list(written)}


def text_forms(style: Style, texts: tuple[str, ...], word: str, *, exact: bool) -> Forms:
    """Return the forms of names and codes."""
    places: dict[str, int] = {}

    def read(value: object) -> int:
        if not places:
            places.update({text.casefold(): place for place, text in enumerate(texts)})
        if not isinstance(value, str):
            raise ApiError(style.error("invalid", f"{word} must be text, got {value!r:.40}"), arguments=True)
        found = places.get(value.strip().casefold())
        if found is None:
            raise ApiError(style.error("not_found", f"no {word} is {value!r:.60}"))
        return found

    said = "Exact; case does not count." if exact else "In full; case does not count."
    return texts.__getitem__, read, {"type": "string", "description": said}
