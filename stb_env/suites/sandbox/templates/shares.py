"""Tasks about shares and the companies behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import combinations, compress
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.companies import FIRST_DAY, YEARS, closing_prices, companies, trades
from stb_env.suites.sandbox.content.currencies import FOREIGN
from stb_env.suites.sandbox.content.edition import Options, per_edition
from stb_env.suites.sandbox.lookups import DISTANCE_UNITS, distance, exchanged, find, long_date, spoken
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, ranked, template
from stb_env.suites.sandbox.tools import city_atlas, company_register, number_crunch, rate_board, stock_tape

_COMPANIES = Options(lambda: companies().values())
_SPLIT = Options(lambda: [row for row in _COMPANIES if row["splits"]])
_BEST: Mapping[str, Callable[..., Any]] = {"highest": np.max, "lowest": np.min}
_TRADING_DAYS = [day for day in (FIRST_DAY + timedelta(days=n) for n in range(770)) if trades(day)]


def _symbol(company: str) -> Steps[str]:
    return str((yield from find(stock_tape.search_symbols(company=company), company=company))["symbol"])


@per_edition(maxsize=64)
def _closes(company: str) -> list[float]:
    return closing_prices(companies()[company], _TRADING_DAYS)


@per_edition(maxsize=128)
def _decided_starts(company: str, wording: str) -> list[date]:
    """Return the days from which on one of five trading days has the best close alone."""
    weeks = sliding_window_view(_closes(company)[:-1], 5)
    best = _BEST[wording](weeks, axis=1, keepdims=True)
    return list(compress(_TRADING_DAYS, (weeks == best).sum(axis=1) == 1))


def _later_days(company: str, first: date, *, higher: bool) -> list[date]:
    """Return the days after one on which a share closed higher, or lower; all of them where there are none.

    Splits make prices fall, so of all pairs of days most would show a loss.
    """
    place = _TRADING_DAYS.index(first)
    closes = _closes(company)
    later = zip(_TRADING_DAYS[place + 1 :], closes[place + 1 :], strict=True)
    return [day for day, close in later if (close > closes[place]) is higher] or _TRADING_DAYS[place + 1 :]


def _company_id(name: str) -> Steps[str]:
    return str((yield from find(company_register.search_companies(name=name), name=name))["company_id"])


@template(stock_tape.TOOL, calls=3)
def share_price_change(draw: Draw) -> Plan:
    """Change of a share's price between two days."""
    company = draw.pick(_COMPANIES)
    name, first = company["name"], draw.pick(_TRADING_DAYS[:-1])
    last = draw.pick(_later_days(company["company_id"], first, higher=draw.rng.choice((True, False))))

    def solve() -> Solution:
        symbol = yield from _symbol(name)
        old = (yield stock_tape.price_on(symbol=symbol, date=first.isoformat()))["close"]
        new = (yield stock_tape.price_on(symbol=symbol, date=last.isoformat()))["close"]
        if new == old:
            raise Undecided
        polarity, gap = ("Yes, higher" if new > old else "No, lower"), round(abs(new - old), 2)
        return Answer.of(
            f"{polarity}; the difference is {gap:.2f} AUR.",
            facts.yes_no("is_higher", new > old, "the later one"),
            facts.number("price_difference", gap, "in AUR, not negative"),
        )

    return Plan.of(
        f"Did a share of {name} close higher on {long_date(last)} than on {long_date(first)}, and how many "
        "aurel lie between the two closing prices? Take prices as they were quoted.",
        f"Compare the closing prices of {name} on {first} and {last} as published: was the later one the "
        "higher, and what is the difference in AUR?",
        f"Was {name} quoted above its close of {long_date(first)} on {long_date(last)}? State the gap "
        "between the closing prices in aurel.",
        solve=solve,
    )


@template(stock_tape.TOOL, calls=2)
def best_close(draw: Draw) -> Plan:
    """Highest or lowest close of five trading days."""
    company, wording = draw.pick(_COMPANIES), draw.pick(tuple(_BEST))
    name, first = company["name"], draw.pick(_decided_starts(company["company_id"], wording))

    def solve() -> Solution:
        symbol = yield from _symbol(name)
        history = yield stock_tape.price_history(symbol=symbol, start_date=first.isoformat(), trading_days=5)
        rows = history["prices"]
        best = ranked(rows, lambda row: row["close"], most=wording == "highest")[0]
        when = spoken(best["date"])
        return Answer.of(
            f"On {when}, at {best['close']:.2f} AUR.",
            facts.date("close_date", best["date"]),
            facts.number("closing_price", best["close"], "in AUR"),
        )

    return Plan.of(
        f"In the five trading days from {long_date(first)} on, on which date did {name} have its {wording} "
        "close, and what was it?",
        f"Look at {name} over five trading days starting {first}. Date and amount of the {wording} closing "
        "price?",
        f"Find the {wording} close of {name} among the five trading days that begin with {long_date(first)}: "
        "date and price.",
        solve=solve,
    )


@template(stock_tape.TOOL, number_crunch.TOOL, calls=3)
def average_close(draw: Draw) -> Plan:
    """Average price of a share."""
    # An odd number of prices: no mean or median of theirs lies halfway between two cents.
    name, first, count = (
        draw.pick(_COMPANIES)["name"],
        draw.pick(_TRADING_DAYS[:-20]),
        draw.pick((5, 7, 9, 11)),
    )
    kind = draw.pick(("mean", "median"))

    def solve() -> Solution:
        symbol = yield from _symbol(name)
        history = yield stock_tape.price_history(
            symbol=symbol, start_date=first.isoformat(), trading_days=count
        )
        numbers = ", ".join(str(row["close"]) for row in history["prices"])
        result = (yield number_crunch.average(numbers=numbers, kind=kind))["result"]
        average = round(result, 2)
        return Answer.of(
            f"It was {average:.2f} AUR.",
            facts.number("average_price", average, "in AUR, to the cent", tolerance=0.005),
        )

    return Plan.of(
        f"What was the {kind} closing price of {name} over {count} trading days from {long_date(first)} on, "
        "to the cent?",
        f"Take the {count} closing prices of {name} that start on {first} and tell me their {kind}, to the "
        "cent.",
        f"{name}: {kind} of the closes of {count} trading days in a row, first day {long_date(first)}, "
        "rounded to cents.",
        solve=solve,
    )


@template(stock_tape.TOOL, calls=3)
def split_holding(draw: Draw) -> Plan:
    """Number of shares in an old holding after splits, and its value."""
    company, count = draw.pick(_SPLIT), draw.between(3, 400)
    last = date.fromisoformat(company["splits"][-1]["date"])
    bought = draw.pick([day for day in _TRADING_DAYS if day < last])
    name = company["name"]

    def solve() -> Solution:
        symbol = yield from _symbol(name)
        held = count
        for split in (yield stock_tape.stock_splits(symbol=symbol))["splits"]:
            if bought.isoformat() < split["date"]:
                held *= split["new_shares_for_each"]
        worth = round(held * (yield stock_tape.latest_price(symbol=symbol))["close"], 2)
        return Answer.of(
            f"You hold {held} shares, worth {worth:.2f} AUR.",
            facts.integer("share_count", held),
            facts.number("value", worth, "in AUR"),
        )

    return Plan.of(
        f"I bought {count} shares of {name} on {long_date(bought)} and never sold any. With all splits since "
        "then, how many do I hold now, and what are they worth at the latest price?",
        f"{count} shares of {name}, bought {bought}, kept ever since: number of shares today after splits, "
        "and value in AUR at the last close?",
        f"My grandmother put {count} {name} shares aside on {long_date(bought)}. Mind the splits: how many "
        "shares are they today, and how many aurel at the latest close?",
        solve=solve,
    )


@template(company_register.TOOL, stock_tape.TOOL, calls=3)
def stake_value(draw: Draw) -> Plan:
    """Market value of a part of a company."""
    name, percent = draw.pick(_COMPANIES)["name"], draw.between(2, 60)

    def solve() -> Solution:
        row = yield company_register.company_profile(company_id=(yield from _company_id(name)))
        price = (yield stock_tape.latest_price(symbol=row["symbol"]))["close"]
        worth = round(price * row["shares_million"] * percent * 10_000)
        chief = row["chief_executive"]
        return Answer.of(
            f"It is worth {worth} AUR; the chief executive is {chief}.",
            facts.integer("market_value", worth, "in AUR, not in millions"),
            facts.name("chief_executive", chief),
        )

    return Plan.of(
        f"What is a stake of {percent} % of all shares in {name} worth at the latest price, in aurel, and "
        "who runs the company?",
        f"A fund holds {percent} % of {name}. Value of that in AUR at the last close, and the name of the "
        "chief executive, please.",
        f"Work out the market value of {percent} per cent of {name} (shares outstanding times last close) "
        "and name its chief executive.",
        solve=solve,
    )


@template(stock_tape.TOOL, rate_board.TOOL, calls=3, unseen=True)
def shares_abroad(draw: Draw) -> Plan:
    """Price of some shares in another currency."""
    name, count, code = draw.pick(_COMPANIES)["name"], draw.between(2, 300), draw.pick(FOREIGN)

    def solve() -> Solution:
        price = (yield stock_tape.latest_price(symbol=(yield from _symbol(name))))["close"]
        amount = yield from exchanged(round(price * count, 2), code)
        return Answer.of(
            f"They cost {amount:.2f} {code}.",
            facts.number("total", amount, f"in {code}, the sum converted to the cent"),
        )

    return Plan.of(
        f"How much are {count} shares of {name} at the latest price, converted to {code} in one sum?",
        f"I pay in {code}. What would {count} shares of {name} cost me at the last close, the whole sum "
        "converted?",
        f"Price of {count} x {name} on the exchange at the last close, its sum converted from aurel to "
        f"{code}?",
        solve=solve,
    )


@template(company_register.TOOL, calls=3)
def revenue_growth(draw: Draw) -> Plan:
    """Change of a company's revenue between two years."""
    name = draw.pick(_COMPANIES)["name"]
    first, last = draw.pick(list(combinations(YEARS, 2)))
    measure = draw.pick(("revenue", "profit"))

    def solve() -> Solution:
        key = yield from _company_id(name)
        old = (yield company_register.annual_accounts(company_id=key, year=first))[f"{measure}_million"]
        new = (yield company_register.annual_accounts(company_id=key, year=last))[f"{measure}_million"]
        if new == old:
            raise Undecided
        polarity, gap = ("Yes" if new > old else "No"), round(abs(new - old) * 1e6)
        return Answer.of(
            f"{polarity}; the difference is {gap} AUR.",
            facts.yes_no("is_higher", new > old, "the later one"),
            facts.integer("amount_difference", gap, "in AUR, not in millions; not negative"),
        )

    return Plan.of(
        f"Was the {measure} of {name} higher in {last} than in {first}, and by how much do the two years "
        "differ, in aurel?",
        f"Did {name} report more {measure} for {last} than for {first}? Tell me the difference in AUR, too.",
        f"Compare the {measure} of {name} in {first} and {last}: did it grow, and what is the gap in aurel?",
        solve=solve,
    )


@template(company_register.TOOL, city_atlas.TOOL, calls=5)
def headquarters_distance(draw: Draw) -> Plan:
    """Distance between the headquarters of two companies."""
    first = draw.pick(_COMPANIES)
    home = first["headquarters_city_id"]
    second = draw.pick([row for row in _COMPANIES if row["headquarters_city_id"] != home])
    unit, word = draw.pick(DISTANCE_UNITS)
    one, two = first["name"], second["name"]

    def solve() -> Solution:
        seats = []
        for name in (one, two):
            row = yield company_register.company_profile(company_id=(yield from _company_id(name)))
            seats.append(row["headquarters_city_id"])
        row = yield city_atlas.distance_between(first_city_id=seats[0], second_city_id=seats[1], unit=unit)
        return Answer.of(f"They are {row['distance']} {word} apart.", distance(row["distance"], word))

    return Plan.of(
        f"How many {word}, to one decimal, lie between the headquarters of {one} and {two}, as the crow "
        "flies?",
        f"A courier flies from the head office of {one} to that of {two}. What is the straight-line distance "
        f"in {word}, to one decimal?",
        f"Find the headquarters cities of {one} and {two} and tell me their distance in {word} (one "
        "decimal).",
        solve=solve,
    )
