"""Health Log: the user's runs, rides and weight; metric. Training never sees its category."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.conventions import PAGE, added, found, page_of, parse_day, where
from stb_env.suites.sandbox.params import choice, day, number, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Fitness", "Health Log", "The user's workouts and weight; metric.", held_out="category")
SPORTS = ("run", "ride", "swim")
_FROM = day("first_date", "First day.", "2026-02-02")
_TO = day("last_date", "Last day.", "2026-03-02")
_SPEED = {"run": 6.0, "ride": 2.6, "swim": 24.0}
"""Minutes a kilometre."""


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with two months of workouts and weekly weights."""
    workouts: dict[str, Row] = {}
    for offset in sorted(rng.sample(range(-60, 0), 24)):
        key, sport = f"workout-{len(workouts) + 1:03}", rng.choice(SPORTS)
        distance = round(rng.uniform(3, 14) * (1 if sport == "run" else 3 if sport == "ride" else 0.15), 1)
        workouts[key] = {
            "workout_id": key,
            "sport": sport,
            "date": iso_day(offset),
            "distance_km": distance,
            "minutes": round(distance * _SPEED[sport] * rng.uniform(0.85, 1.2)),
        }
    weight = rng.uniform(58, 95)
    weights: dict[str, Row] = {}
    for offset in range(-56, 0, 7):
        weight += rng.uniform(-1.1, 0.9)
        weights[f"weight-{len(weights) + 1:03}"] = {"date": iso_day(offset), "kg": round(weight, 1)}
    goals = {
        f"goal-{number + 1:03}": {"sport": sport, "weekly_km": 0.0} for number, sport in enumerate(SPORTS)
    }
    return {"workouts": workouts, "weights": weights, "sport_goals": goals}


def _past(value: str) -> str:
    if parse_day(value) > TODAY:
        raise ApiError(f"only the past can be logged, until {TODAY}; got {value}")
    return value


def _workouts(state: Tables, first_date: str, last_date: str, sport: str) -> list[Row]:
    first, last = parse_day(first_date).isoformat(), parse_day(last_date).isoformat()
    rows = where(state.table("workouts").values(), sport=sport)
    return [row for row in rows if first <= row["date"] <= last]


@TOOL.api(
    "List Workouts", _FROM, _TO, choice("sport", "Only this sport.", ("any", *SPORTS), optional=True), PAGE
)
def list_workouts(state: Tables, first_date: str, last_date: str, sport: str, page: int) -> Response:
    """Workouts of a period by date, both days included."""
    rows = _workouts(state, first_date, last_date, sport)
    rows.sort(key=lambda row: (row["date"], row["workout_id"]))
    return page_of(rows, page)


@TOOL.api("Sum Workouts", _FROM, _TO, choice("sport", "The sport.", SPORTS))
def sum_workouts(state: Tables, first_date: str, last_date: str, sport: str) -> Response:
    """Number, kilometres and minutes of the workouts of a sport in a period, both days included."""
    rows = _workouts(state, first_date, last_date, sport)
    distance = round(sum(row["distance_km"] for row in rows), 1)
    return {"count": len(rows), "distance_km": distance, "minutes": sum(row["minutes"] for row in rows)}


@TOOL.api(
    "Log Workout",
    choice("sport", "The sport.", SPORTS),
    day("date", "The day.", "2026-03-01"),
    number("distance_km", "Distance in kilometres.", 5, 0.05, 500),
    whole("minutes", "Time in minutes.", 30, 1, 1_440),
)
def log_workout(state: Tables, sport: str, date: str, distance_km: float, minutes: int) -> Update:
    """Add a workout."""
    return added(
        state,
        "workouts",
        "workout",
        sport=sport,
        date=_past(date),
        distance_km=round(distance_km, 2),
        minutes=minutes,
    )


@TOOL.api("Delete Workout", text("workout_id", "Id from List Workouts.", "workout-001"))
def delete_workout(state: Tables, workout_id: str) -> Update:
    """Remove a workout."""
    row = found(state.row("workouts", workout_id), "workout", workout_id)
    return {"deleted": row["workout_id"]}, state.without_row("workouts", workout_id)


@TOOL.api("Weight History")
def weight_history(state: Tables) -> Response:
    """All weights in kilograms by date."""
    rows = [dict(row) for row in state.table("weights").values()]
    return {"weights": sorted(rows, key=lambda row: str(row["date"]))}


@TOOL.api(
    "Log Weight", day("date", "The day.", "2026-03-02"), number("kg", "Weight in kilograms.", 70, 20, 300)
)
def log_weight(state: Tables, date: str, kg: float) -> Update:
    """Add a weight; one a day."""
    if any(row["date"] == _past(date) for row in state.table("weights").values()):
        raise ApiError(f"there is a weight of {date} already")
    key, state = state.next_id("weight")
    row = {"date": date, "kg": round(kg, 1)}
    return dict(row), state.with_row("weights", key, row)


@TOOL.api(
    "Set Weekly Goal",
    choice("sport", "The sport.", SPORTS),
    number("weekly_km", "Kilometres a week.", 20, 0, 500),
)
def set_weekly_goal(state: Tables, sport: str, weekly_km: float) -> Update:
    """Set how far the user means to go in a week; 0 is no goal."""
    key = next(key for key, row in state.table("sport_goals").items() if row["sport"] == sport)
    row = {"sport": sport, "weekly_km": round(weekly_km, 1)}
    return dict(row), state.with_row("sport_goals", key, row)
