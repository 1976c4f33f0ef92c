"""Plausible numbers: no edition of the content has a value that nobody would believe."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest

from stb_env.backend.world import Tables
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.content.articles import articles
from stb_env.suites.sandbox.content.books import books
from stb_env.suites.sandbox.content.cars import cars
from stb_env.suites.sandbox.content.climate import CONDITIONS, weather
from stb_env.suites.sandbox.content.companies import accounts, closing_prices, companies, trades
from stb_env.suites.sandbox.content.currencies import HUB, convert, currencies
from stb_env.suites.sandbox.content.edition import KEPT, within
from stb_env.suites.sandbox.content.ferries import ferry_routes, ports, vessels
from stb_env.suites.sandbox.content.films import films
from stb_env.suites.sandbox.content.flights import CABINS, fare, flights
from stb_env.suites.sandbox.content.foods import foods
from stb_env.suites.sandbox.content.garments import garments
from stb_env.suites.sandbox.content.gym_classes import gym_classes
from stb_env.suites.sandbox.content.hotels import hotels
from stb_env.suites.sandbox.content.households import COUNT, TODAY
from stb_env.suites.sandbox.content.leagues import matches, players, teams
from stb_env.suites.sandbox.content.music import albums, artists, concerts, tracks
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.products import products
from stb_env.suites.sandbox.content.rail import services, trains
from stb_env.suites.sandbox.content.recipes import recipes
from stb_env.suites.sandbox.content.restaurants import restaurants
from stb_env.suites.sandbox.content.services import services as subscriptions
from stb_env.suites.sandbox.content.support_staff import support_staff
from stb_env.suites.sandbox.content.vocabulary import words
from stb_env.suites.sandbox.tools.meter_portal import USE

RANGES = (
    (articles, "cost_million", 0.2, 900),
    (articles, "words", 150, 2_000),
    (books, "pages", 80, 900),
    (books, "year", 1980, 2026),
    (cars, "price_per_day", 20, 120),
    (cars, "free_miles_per_day", 50, 250),
    (cars, "min_driver_age", 18, 25),
    (cities, "population", 20_000, 5_000_000),
    (cities, "elevation_m", 0, 2_000),
    (companies, "employees", 40, 110_000),
    (companies, "shares_million", 1, 6_000),
    (companies, "base_price", 4, 220),
    (concerts, "capacity", 200, 18_000),
    (concerts, "price", 10, 100),
    (currencies, "per_aurel", 0.2, 130),
    (ferry_routes, "crossing_hours", 1.5, 24),
    (ferry_routes, "adult_price", 10, 100),
    (films, "runtime_minutes", 70, 200),
    (films, "rating", 1, 10),
    (flights, "minutes", 30, 1_440),
    (garments, "price_cents", 1_500, 20_000),
    (gym_classes, "capacity", 6, 30),
    (hotels, "stars", 1, 5),
    (players, "market_value_million", 0.1, 50),
    (products, "price_aur", 2, 520),
    (products, "weight_g", 50, 22_000),
    (recipes, "cook_minutes", 5, 180),
    (recipes, "oven_c", 120, 250),
    (restaurants, "rating", 1, 5),
    (services, "average_delay_seconds", 0, 1_800),
    (services, "on_time_percent", 40, 100),
    (services, "minutes", 15, 600),
    (support_staff, "open_tickets", 0, 40),
    (teams, "stadium_capacity", 3_000, 80_000),
    (tracks, "seconds", 60, 600),
    (trains, "fare", 4, 150),
    (trains, "minutes", 20, 600),
    (trains, "platform", 1, 24),
    (vessels, "passengers", 150, 2_400),
    (words, "uses_per_million", 0, 100),
)


@pytest.fixture(autouse=True, params=range(KEPT))
def number(request):
    with within(request.param):
        yield request.param


@pytest.mark.parametrize(
    ("content", "field", "low", "high"), RANGES, ids=[f"{row[0].__module__}.{row[1]}" for row in RANGES]
)
def test_a_number_is_within_its_plausible_range(content, field, low, high):
    values = [row[field] for row in content().values()]
    assert low <= min(values) <= max(values) <= high
    assert len(set(values)) > 1


def test_a_night_a_dish_and_a_month_cost_what_they_cost_elsewhere():
    for hotel in hotels().values():
        assert 25 <= convert(hotel["nightly_price"], hotel["currency"], HUB) <= 245
    for place in restaurants().values():
        for line in place["menu"]:
            most = 22 if line["course"] == "main" else 9.1
            assert 2.9 <= convert(line["price"], place["currency"], HUB) <= most
    for prices in subscriptions().values():
        assert 2 <= min(prices.values()) <= max(prices.values()) <= 33


def test_flights_cost_more_in_better_cabins_and_no_fortune():
    for flight in list(flights().values())[::20]:
        prices = [fare(flight, date(2026, 5, 4).toordinal(), cabin) for cabin in CABINS]
        assert 20 <= prices[0] < prices[1] < prices[2] <= 4_500


def test_a_thing_weighs_and_costs_what_such_a_thing_does():
    by_thing = {}
    for row in products().values():
        by_thing.setdefault(row["name"].partition(" ")[2], []).append(row)
    assert max(row["weight_g"] for row in by_thing["Yo-Yo"]) < 200
    assert max(row["weight_g"] for row in by_thing["Notebook"]) <= 600
    assert min(row["weight_g"] for row in by_thing["Office Chair"]) >= 8_000
    assert max(row["price_aur"] for row in by_thing["Notebook"]) < min(
        row["price_aur"] for row in by_thing["Office Chair"]
    )


def test_small_projects_cost_less_than_large_ones():
    costs = {}
    for row in articles().values():
        for word in ("festival", "umbrella", "tunnel"):
            if word in row["headline"]:
                costs.setdefault(word, []).append(row["cost_million"])
    assert max(costs["festival"]) < 3
    assert max(costs["umbrella"]) < 14
    assert min(costs["tunnel"]) >= 150


def test_ports_lie_at_the_sea():
    assert len(ports()) == 16
    assert max(port["elevation_m"] for port in ports().values()) < 40


def test_staff_accounts_and_worth_of_a_company_fit_each_other():
    day = max(
        TODAY - timedelta(days=offset) for offset in range(1, 5) if trades(TODAY - timedelta(days=offset))
    )
    for key, company in companies().items():
        revenue = accounts()[key, 2025]["revenue_million"]
        assert 0.05 <= revenue / company["employees"] <= 0.6
        worth = closing_prices(company, [day])[0] * company["shares_million"]
        assert 0.2 <= worth / revenue <= 15
    for row in accounts().values():
        assert -0.1 <= row["profit_million"] / row["revenue_million"] <= 0.25


def test_nobody_makes_a_film_as_a_child():
    born = {key: int(row["birth_date"][:4]) for key, row in people().items()}
    for film in films().values():
        for person in (film["director_id"], *film["cast_ids"]):
            assert 18 < film["year"] - born[person] < 80


def test_bands_form_before_their_first_album():
    assert all(artists()[row["artist_id"]]["formed"] < row["year"] <= TODAY.year for row in albums().values())


def test_the_weather_fits_the_temperature():
    for city in cities().values():
        for offset in range(0, 360, 9):
            day = weather(city, TODAY + timedelta(days=offset))
            assert day["condition"] in CONDITIONS
            assert -35 <= day["low_c"] < day["high_c"] <= 42
            assert 0 <= day["wind_kmh"] <= 90
            if day["condition"] == "snow showers":
                assert day["high_c"] <= 4
            if day["condition"] == "drizzle":
                assert 0 < day["rain_mm"] <= 4
            if day["condition"] == "heavy rain":
                assert day["rain_mm"] >= 12
            assert day["rain_mm"] <= 45


def test_late_trains_are_seldom_on_time():
    rows = sorted(services().values(), key=lambda row: row["average_delay_seconds"])
    punctual, late = rows[: len(rows) // 4], rows[-len(rows) // 4 :]
    assert min(row["on_time_percent"] for row in punctual) > max(row["on_time_percent"] for row in late)


def test_what_a_household_has_is_of_household_size(number):
    home = household(number * COUNT)
    assert all(600 <= row["balance"] <= 9_000 for row in home.table("accounts").values())
    assert all(4 <= row["amount"] <= 260 for row in home.table("transactions").values())
    assert all(100 <= row["weight_g"] <= 9_000 for row in home.table("parcels").values())


@pytest.fixture
def homes(number: int) -> list[Tables]:
    return [household(number * COUNT + home) for home in range(COUNT)]


def nutrient(food: str, name: str) -> float:
    return float(next(row[name] for row in foods().values() if row["name"] == food))


def test_a_food_weighs_no_less_than_what_is_in_it():
    for row in foods().values():
        parts = sum(row[name] for name in ("protein_g", "fat_g", "carbohydrate_g", "fibre_g"))
        assert 3 <= parts + row["salt_mg"] / 1000 <= 100, row
        assert 10 <= row["energy_kcal"] <= 800, row


@pytest.mark.parametrize(
    ("food", "name", "least", "greatest"),
    [
        ("Yoghurt", "fat_g", 2.5, 4.5),
        ("Butter", "fat_g", 60, 90),
        ("Carrot", "protein_g", 0.5, 1.5),
        ("Lentil", "protein_g", 18, 28),
        ("Walnut", "fat_g", 45, 70),
        ("Chicken", "carbohydrate_g", 0, 1),
        ("Ham", "salt_mg", 1500, 3000),
        ("Plum", "energy_kcal", 30, 70),
    ],
)
def test_foods_hold_what_they_hold_in_life(food: str, name: str, least: float, greatest: float):
    assert least <= nutrient(food, name) <= greatest


def test_a_weight_changes_little_from_week_to_week(homes: list[Tables]):
    for home in homes:
        rows = sorted(home.table("weights").values(), key=lambda row: str(row["date"]))
        for before, after in pairwise(rows):
            assert abs(before["kg"] - after["kg"]) <= 2


def test_nobody_runs_or_rides_faster_than_people_do(homes: list[Tables]):
    slowest = {"run": 9, "ride": 4, "swim": 32}
    fastest = {"run": 4.5, "ride": 2, "swim": 18}
    for home in homes:
        for row in home.table("workouts").values():
            pace = row["minutes"] / row["distance_km"]
            assert fastest[row["sport"]] <= pace <= slowest[row["sport"]], row


def test_a_month_takes_what_a_household_uses(homes: list[Tables]):
    for home in homes:
        for key, meter in home.table("meters").items():
            values = [row["value"] for row in home.table("readings").values() if row["meter_id"] == key]
            least, greatest = USE[meter["kind"]]
            assert all(least <= after - before <= greatest for before, after in pairwise(sorted(values)))


def test_a_crowd_fits_into_the_stadium():
    for row in matches().values():
        if row["attendance"] is not None:
            assert row["attendance"] <= teams()[row["home_team_id"]]["stadium_capacity"]
