"""The form as a backend: documentation is enforced, what fails changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.core.request import drive
from stb_env.errors import DataError, JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.form.api import Form, Made
from stb_env.suites.sambanova.common.form.judge import FormJudge, Labels, OriginalJudge
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.home_search.env import API
from stb_env.suites.sambanova.home_search.tasks import home_task, tasks_of
from stb_env.suites.sambanova.trip_booking.env import API as TRIPS
from stb_env.tools import Tool, ToolResult
from stb_env.trajectory import CallRecord

START = 'API.set_location("Fargo"); API.set_buy_or_rent("rent"); '


def test_a_program_given_to_its_tool_is_the_same_as_its_calls():
    world = FormWorld(API)
    text = START + "API.set_num_beds(1); API.search()"
    result, form = world.call(Form(), API.by_name["program"], {"text": text})
    assert form == world.run(text)
    assert result.response["found"] > 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (START + "API.set_num_beds('five')", "set_num_beds: 'value' must be an integer, got the text 'five'"),
        (START + "API.set_location('Reno')", "call set_location first, and once; clear() starts over"),
        (START + "for x in []: pass", "not a program: invalid syntax"),
    ],
)
def test_a_program_that_fails_leaves_the_form_as_it_is(text: str, error: str):
    before = Form({"location": "Boise"})
    result, form = FormWorld(API).call(Form(), API.by_name["program"], {"text": text})
    assert form == Form()
    assert error in result.error
    assert FormWorld(API).call(before, API.by_name["search"], {})[1] is before


def test_a_criterion_after_the_search_has_to_be_searched_for_again():
    world = FormWorld(API)
    form = world.run(START + "API.search()")
    assert form.submitted
    changed = world.run("API.set_num_beds(2)", form)
    assert not changed.submitted
    assert world.run("API.search()", changed).submitted


@pytest.mark.parametrize(
    ("judge", "status"),
    [(FormJudge(API), "solved"), (FormJudge(API, mends=False), "unsolved")],
)
def test_later_calls_make_up_for_one_that_failed_unless_the_judge_is_told_otherwise(judge: Any, status: str):
    program = START + "API.search()"
    failed = CallRecord("c", "set_num_beds", {}, ToolResult.of("", error="no", source="world"))
    search = CallRecord("s", "search", {}, ToolResult.of({}, source="world"))
    task, form = home_task("1", "test", "goal", (), (program,)), FormWorld(API).run(program)
    case, late = Case(task, "", (failed, search), form), Case(task, "", (search, failed), form)
    verdict = drive(judge.judge(case))
    assert (verdict.status, verdict.metrics["executable"]) == (status, False)
    assert drive(judge.judge(late)).status == "unsolved"


def test_a_form_that_holds_values_of_classes_is_an_observation_all_the_same():
    text = 'API.select_booking_type("both"); API.set_num_adults(Loc(Loc("x"))); API.set_origin(Loc(Loc("y")))'
    result, form = FormWorld(TRIPS, original=True).call(Form(), TRIPS.by_name["program"], {"text": text})
    assert isinstance(form.criteria["location_from"], Made)
    assert result.response["criteria"]["num_adults"] == {"location": {"location": "x"}}


def test_a_tool_of_another_world_is_the_callers_mistake():
    with pytest.raises(DataError, match=r"'serch' is no tool of home_search; .* Did you mean 'search'"):
        FormWorld(API).call(Form(), Tool("serch", "", {}), {})


@pytest.mark.parametrize("judge", [FormJudge(API), OriginalJudge(API)])
def test_a_case_without_its_form_cannot_be_judged(judge: Any):
    with pytest.raises(JudgeError, match="task test-0 is judged by its form, got NoneType"):
        drive(judge.judge(Case(tasks_of().at(0), "", ())))


@pytest.mark.parametrize(
    ("original", "label", "error"),
    [
        (False, START, "does not end with search; correct it, or take compat='original'"),
        (
            False,
            START + "API.set_num_beds(None); API.search()",
            "does not run: set_num_beds: 'value' must be an",
        ),
        (True, "API.search(1)", "does not run: line 1: search takes 0 arguments, got 1; correct it$"),
        (True, "# nothing", "leaves the form empty; correct it$"),
    ],
)
def test_a_label_that_asks_for_nothing_is_an_error(original: bool, label: str, error: str):
    with pytest.raises(DataError, match=error):
        Labels(API, original=original).criteria(label)


def test_running_a_program_tells_where_it_crashes():
    with pytest.raises(CrashError, match="line 2: name 'x' is not defined"):
        FormWorld(API, original=True).run("API.search()\nAPI.set_location(x)")


def test_the_fingerprint_tells_worlds_and_modes_apart():
    worlds = [
        FormWorld(API),
        FormWorld(API, original=True),
        FormWorld(TRIPS),
        FormWorld(TRIPS, original=True),
    ]
    assert len({str(world.fingerprint) for world in worlds}) == 4
