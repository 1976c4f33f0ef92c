"""Steps and fields that the solutions of many templates share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache

from stb_env.backend.world import Row
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.conventions import long_date as long_date
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.template import Steps
from stb_env.suites.sandbox.tools import (
    city_atlas,
    contact_book,
    corner_shop,
    day_planner,
    file_nest,
    pocket_bank,
    rate_board,
)


def rows_of(response: JsonMapping) -> Sequence[Row]:
    """Return the rows that a response lists, whatever it calls them."""
    name = next(name for name, value in response.items() if isinstance(value, list))
    rows: Sequence[Row] = response[name]
    return rows


def find(call: ApiCall, **values: Json) -> Steps[Row]:
    """Make a call and return the first row of its result that has some values."""
    rows = rows_of((yield call))
    return next(row for row in rows if all(row[name] == value for name, value in values.items()))


def find_any(call: ApiCall, **values: Json) -> Steps[Row | None]:
    """Make a call and return the first row that has some values, or None where there is none."""
    rows = rows_of((yield call))
    return next((row for row in rows if all(row[name] == value for name, value in values.items())), None)


def once(look: ApiCall, act: ApiCall, *unlisted: str) -> Steps[Row]:
    """Make a call unless a row shows that it was made before.

    Args:
        look: Lists the rows.
        act: The call, whose arguments its row has.
        *unlisted: Arguments of it that rows do not have.

    Returns:
        That row, or the result of the call.
    """
    wanted = {name: value for name, value in act.arguments.items() if name not in unlisted}
    row = next((row for row in rows_of((yield look)) if wanted.items() <= row.items()), None)
    if row is None:
        row = yield act
    return row or {}


def accepted(call: ApiCall) -> Steps[bool]:
    """Make a call and return whether it is accepted, and not refused."""
    try:
        yield call
    except ApiError:
        return False
    return True


def city_id(name: str) -> Steps[str]:
    """Find the id of a city by its full name."""
    return str((yield from find(city_atlas.search_cities(query=name), name=name))["city_id"])


def contact_id(name: str) -> Steps[str]:
    """Find the id of a contact by full name; empty where there is none (any more)."""
    row = yield from find_any(contact_book.search_contacts(name=name), name=name)
    return str(row["contact_id"]) if row else ""


def contact_named(name: str) -> Steps[Row]:
    """Look up what is known of a contact by full name; two calls."""
    row: Row = yield contact_book.contact_details(contact_id=(yield from contact_id(name)))
    return row


def product_id(name: str) -> Steps[str]:
    """Find the id of a product by its full name."""
    return str((yield from find(corner_shop.search_products(query=name), name=name))["product_id"])


def file_named(name: str) -> Steps[Row | None]:
    """Find a file by its full name; None where there is none (any more)."""
    return (yield from find_any(file_nest.search_files(name=name), name=name))


def account_named(kind: str) -> Steps[Row]:
    """Look up an account of the user by its kind."""
    return (yield from find(pocket_bank.list_accounts(), kind=kind))


def transferred(source: str, target: str, amount: int) -> Steps[None]:
    """Move money between two accounts, by id, unless that was done."""
    act = pocket_bank.transfer_money(source_account_id=source, target_account_id=target, amount=amount)
    yield from once(pocket_bank.list_transfers(), act)


def exchanged(amount: float, code: str, source: str = "AUR") -> Steps[float]:
    """Convert an amount to another currency."""
    row = yield rate_board.convert_amount(amount=amount, source_code=source, target_code=code)
    return float(row["converted"])


def noted(event: JsonMapping) -> Steps[None]:
    """Put an event into the calendar unless it is there."""
    yield from once(day_planner.list_events(date=event["date"]), day_planner.create_event(**event))


DISTANCE_UNITS = (("km", "kilometres"), ("mi", "miles"))
"""Units of distance: as City Atlas takes them, and in words."""


def distance(value: float, word: str) -> facts.Fact:
    """Require a distance between two cities, in a unit of `DISTANCE_UNITS` that the field's name says.

    City Atlas gives tenths of either unit; one that was converted by hand is a little off.
    """
    name = "distance_km" if word == "kilometres" else "distance_miles"
    return facts.number(
        name, value, "as the crow flies, to one decimal; 0.1 more or less counts", tolerance=0.1
    )


def temperature(end: str, value: float, scale: str) -> facts.Fact:
    """Require the high or low of a day in a scale, which the field's name says.

    Args:
        end: ``high`` or ``low``.
        value: The temperature, to one decimal.
        scale: ``Celsius`` or ``Fahrenheit``. The services measure in tenths of a degree Celsius, so a value
            that was converted to Fahrenheit by hand is a little off.
    """
    name = f"{end}_{scale.casefold()}"
    if scale == "Celsius":
        return facts.number(name, value, "to one decimal")
    return facts.number(name, value, "to one decimal; 0.1 more or less counts", tolerance=0.1)


@lru_cache(maxsize=256)
def days(first: int, last: int) -> tuple[date, ...]:
    """Return the days from so many days after the sandbox's present to so many."""
    return tuple(TODAY + timedelta(days=offset) for offset in range(first, last + 1))


def spoken(day: str) -> str:
    """Write an ISO date the way people do."""
    return long_date(date.fromisoformat(day))
