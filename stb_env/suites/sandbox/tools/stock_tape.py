"""Stock Tape: share prices by symbol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812
from datetime import timedelta

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.companies import (
    FIRST_DAY,
    SECTORS,
    closing_prices,
    companies,
    companies_by_symbol,
    trades,
)
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.conventions import PAGE, page_of, parse_day, search
from stb_env.suites.sandbox.params import choice, day, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Finance", "Stock Tape", "Share prices in aurel (AUR), not adjusted for splits.")
_SYMBOL = text("symbol", "Symbol from Search Symbols.", "AXXO")


def _company(symbol: str) -> JsonObject:
    row = companies_by_symbol().get(symbol.strip().upper())
    if row is None:
        raise ApiError(f"no share with symbol {symbol[:40]!r}; Search Symbols finds them by company")
    return row


def _prices(company: Mapping[str, object], days: Sequence[Date]) -> list[dict[str, object]]:
    closes = zip(days, closing_prices(company, days), strict=True)
    return [{"date": when.isoformat(), "close": close} for when, close in closes]


@TOOL.lookup(
    "Search Symbols",
    text("company", "Part of the company's name, in any case.", "er"),
    choice("sector", "Only this sector.", ("any", *SECTORS), optional=True),
    PAGE,
)
def search_symbols(company: str, sector: str, page: int) -> Response:
    """Find the symbols of companies by part of their name."""
    rows = search(companies().values(), "name", company, sector=sector)
    return page_of([{"symbol": row["symbol"], "company": row["name"]} for row in rows], page)


@TOOL.lookup("Latest Price", _SYMBOL)
def latest_price(symbol: str) -> Response:
    """Last closing price of a share and its day."""
    company, when = _company(symbol), TODAY - timedelta(days=1)
    while not trades(when):
        when -= timedelta(days=1)
    return {"symbol": company["symbol"], "currency": "AUR", **_prices(company, [when])[0]}


@TOOL.lookup("Price On", _SYMBOL, day("date", "A past trading day.", "2026-02-02"))
def price_on(symbol: str, date: str) -> Response:
    """Closing price of a share on one day; refused for days on which the exchange was closed."""
    company, when = _company(symbol), parse_day(date)
    if not trades(when):
        raise ApiError(f"no trading on {date}; prices exist for past weekdays since {FIRST_DAY}")
    return {"symbol": company["symbol"], "currency": "AUR", **_prices(company, [when])[0]}


@TOOL.lookup(
    "Price History",
    _SYMBOL,
    day("start_date", "First day.", "2026-02-02"),
    whole("trading_days", "How many trading days from then on.", 5, 1, 30, optional=True),
)
def price_history(symbol: str, start_date: str, trading_days: int) -> Response:
    """Closing prices of a share on several trading days in a row, weekends left out."""
    company, when = _company(symbol), max(parse_day(start_date), FIRST_DAY)
    days: list[Date] = []
    while when < TODAY and len(days) < trading_days:
        if trades(when):
            days.append(when)
        when += timedelta(days=1)
    return {"symbol": company["symbol"], "currency": "AUR", "prices": _prices(company, days)}


@TOOL.lookup("Stock Splits", _SYMBOL)
def stock_splits(symbol: str) -> Response:
    """Splits of a share: from that day on each old share counts as several new ones."""
    company = _company(symbol)
    return {"symbol": company["symbol"], "splits": [dict(split) for split in company["splits"]]}
