"""Figures of the sandbox that a reader knows from life lie where they lie in life, in every edition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise

import pytest

from stb_env.backend.world import Tables
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.content.edition import KEPT, within
from stb_env.suites.sandbox.content.foods import foods
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.content.leagues import matches, teams
from stb_env.suites.sandbox.generator import generate
from stb_env.suites.sandbox.task_key import TaskKey
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.tools.meter_portal import USE


@pytest.fixture(params=range(KEPT))
def edition(request: pytest.FixtureRequest) -> Iterator[int]:
    with ExitStack() as stack:
        stack.enter_context(within(request.param))
        yield request.param


@pytest.fixture
def homes(edition: int) -> list[Tables]:
    return [household(edition * COUNT + number) for number in range(COUNT)]


def nutrient(food: str, name: str) -> float:
    return float(next(row[name] for row in foods().values() if row["name"] == food))


def test_a_food_weighs_no_less_than_what_is_in_it(edition: int):
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
def test_foods_hold_what_they_hold_in_life(edition: int, food: str, name: str, least: float, greatest: float):
    assert least <= nutrient(food, name) <= greatest


def test_a_weight_changes_little_from_week_to_week(homes: list[Tables]):
    for home in homes:
        rows = sorted(home.table("weights").values(), key=lambda row: str(row["date"]))
        for before, after in pairwise(rows):
            assert abs(before["kg"] - after["kg"]) <= 2


def test_the_weight_that_a_task_logs_is_near_the_one_before():
    known = templates()["class_and_weight"]
    for turn in range(40):
        answer = generate(TaskKey("test", known, turn, 0)).goal["answer"]
        assert 0 < answer["weight_difference"] <= 2


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


def test_a_crowd_fits_into_the_stadium(edition: int):
    for row in matches().values():
        if row["attendance"] is not None:
            assert row["attendance"] <= teams()[row["home_team_id"]]["stadium_capacity"]
