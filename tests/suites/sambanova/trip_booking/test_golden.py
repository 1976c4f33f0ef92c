"""The recorded verdicts of SambaNova's own evaluator on trip bookings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stb_env.suites.sambanova.common.agreement import best_agreement
from stb_env.suites.sambanova.common.form.judge import Labels
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.trip_booking.env import API
from stb_env.suites.sambanova.trip_booking.functions import ROOM_TYPES, day_of
from stb_env.suites.sambanova.trip_booking.tasks import trip_task
from stb_env.tasks import Task
from tests.shared import task_cases
from tests.suites.sambanova.common.form.play import ends_with_search, judged

ENV = "stb/TripBooking-v1"
FIGURES = ("executable", "success", "precision", "recall", "f1")


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict[str, Any]]:
    return task_cases(shared_data, "trip_booking")


def task_of(case: dict[str, Any]) -> Task:
    return trip_task("1", "test", "goal", (), tuple(case["labels"]))


def expected_by_default(case: dict[str, Any]) -> tuple[bool, bool] | None:
    """What the default says of a plain program; None where its reading of values decides."""
    expected = case["expected"]
    if case["syntax"] != "calls" or case["signature_problems"]:
        return None
    if not expected["executable"]:
        return False, False
    criteria = expected["criteria"]
    days = {key: day_of(value) for key, value in criteria.items() if key.endswith("_date")}
    if not ends_with_search(case["prediction"]) or None in days.values():
        return False, False
    if criteria.get("room_type", ROOM_TYPES[0]) not in ROOM_TYPES or not in_order(days):
        return False, False
    return None if criteria.get("num_children") == 0 else (True, expected["success"])


def in_order(days: dict[str, Any]) -> bool:
    pairs = (("departure_date", "return_date", 0), ("checkin_date", "checkout_date", 1))
    return all(
        (days[last] - days[first]).days >= least for first, last, least in pairs if {first, last} <= set(days)
    )


def test_golden_figures_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    for case in cases:
        verdict = judged(ENV, task_of(case), case["prediction"], compat="original", program=True)
        figures = {name: verdict[name] for name in FIGURES}
        assert figures == pytest.approx({name: float(case["expected"][name]) for name in FIGURES}), case["id"]
        if case["expected"].get("error_text"):
            assert verdict["votes"][0]["reason"] == case["expected"]["error_text"], case["id"]


def test_golden_criteria_and_the_best_label_of_every_case_are_the_originals(cases: list[dict[str, Any]]):
    world, labels = FormWorld(API, original=True), Labels(API, original=True)
    for case in cases:
        expected = case["expected"]
        wanted = [labels.criteria(label) for label in case["labels"]]
        assert wanted == expected["label_criteria"], case["id"]
        if expected["executable"]:
            form = world.run(case["prediction"])
            assert form.criteria == expected["criteria"], case["id"]
            assert best_agreement(form.criteria, wanted)[1] == expected["best_label_index"], case["id"]


def test_golden_python_programs_end_alike_as_whole_programs_and_call_by_call(cases: list[dict[str, Any]]):
    for case in cases:
        if case["syntax"] == "python" and case["expected"]["executable"]:
            verdict = judged(ENV, task_of(case), case["prediction"], program=True)
            assert verdict["success"] == case["expected"]["success"], case["id"]


def test_golden_verdicts_of_plain_programs_hold_by_default(cases: list[dict[str, Any]]):
    for case in cases:
        expected = expected_by_default(case)
        if expected is not None:
            verdict = judged(ENV, task_of(case), case["prediction"], program=True)
            assert (verdict["executable"], verdict["success"]) == expected, case["id"]
