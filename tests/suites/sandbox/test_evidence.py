"""A right answer counts where the calls yield it, by whatever route, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stb_env.judges.judge import Case
from stb_env.suites.sandbox.catalog import apis, tools
from stb_env.suites.sandbox.evidence import unsupported
from stb_env.suites.sandbox.registry import Api
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.tools import (
    city_atlas,
    climate_desk,
    date_reckoner,
    number_crunch,
    rate_board,
    stock_tape,
    unit_smith,
)
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tasks import Task
from stb_env.tools import ToolCall
from tests.suites.sandbox.gold_calls import gold_calls, made

CALCULATORS = (number_crunch, unit_smith, date_reckoner)


def drawn(name: str, index: int = 0) -> Task:
    return SandboxTasks("test" if templates()[name].held_out else "train", template=name).at(index)


def call(api: Api, **arguments) -> ToolCall:
    return ToolCall(tools()[api.id].name, arguments)


def gold_of(task: Task, api: Api) -> ToolCall:
    return next(made for made in task.gold if made.name == tools()[api.id].name)


def routed(task: Task, old: Api, *new: ToolCall) -> Task:
    """Return the task's calls with those of one API replaced."""
    name = tools()[old.id].name
    kept = tuple(other for other in task.gold if other.name != name)
    return made(task, (*kept, *new))


@pytest.mark.parametrize("name", templates())
def test_without_any_call_only_what_can_be_reckoned_is_right(name):
    task = drawn(name)
    if task.goal["facts"]:
        calculated = all(
            apis()[identity].tool in [module.TOOL for module in CALCULATORS] for identity in task.relevant
        )
        assert bool(unsupported(task, ())) is not calculated


@pytest.mark.parametrize("name", templates())
def test_the_calls_of_gold_yield_every_fact_however_many_others_stand_beside_them(name):
    task = drawn(name)
    # A call that gold does not make keeps the short cut for gold's own calls out of the way.
    longer = replace(task, gold=(*task.gold, ToolCall("unheard_of", {})))
    assert unsupported(longer, gold_calls(task.id)) == []


def test_the_verdict_names_the_fact_for_which_nothing_was_looked_up():
    task = drawn("city_population")
    state = SandboxWorld().start(task, 0)
    judged = Case(task, task.record["answer"], (), state).verdict(ExactJudge())
    assert (judged.status, judged.parts) == ("unsolved", {"fact:population": True, "calls:population": False})
    judged = Case(task, task.record["answer"], gold_calls(task.id), state).verdict(ExactJudge())
    assert (judged.status, judged.parts) == ("solved", {"fact:population": True})


def test_an_echo_of_a_guess_is_no_evidence():
    task = drawn("city_population")
    (fact,) = task.goal["facts"]
    echo = call(number_crunch.average, numbers=f"{fact['value']}, {fact['value']}", kind="mean")
    assert unsupported(task, made(task, (echo,))) == ["population"]


def test_the_rate_serves_as_well_as_the_converted_amount():
    task = drawn("shares_abroad")
    gold = gold_of(task, rate_board.convert_amount).arguments
    rate = call(rate_board.get_rate, base_code=gold["source_code"], quote_code=gold["target_code"])
    assert unsupported(task, routed(task, rate_board.convert_amount, rate)) == []
    assert unsupported(task, routed(task, rate_board.convert_amount)) == ["cost"]


def test_other_units_serve_as_well():
    task = drawn("headquarters_distance")
    gold = dict(gold_of(task, city_atlas.distance_between).arguments)
    other = call(city_atlas.distance_between, **{**gold, "unit": "mi" if gold["unit"] == "km" else "km"})
    assert unsupported(task, routed(task, city_atlas.distance_between, other)) == []


def test_days_that_are_asked_for_one_by_one_serve_as_well_as_the_week():
    task = drawn("wettest_day")
    week = gold_of(task, climate_desk.weekly_outlook)
    (shown,) = (record for record in gold_calls(task.id) if record.name == week.name)
    single = [
        call(climate_desk.daily_forecast, city_id=week.arguments["city_id"], date=row["date"])
        for row in shown.result.response["days"]
    ]
    assert unsupported(task, routed(task, climate_desk.weekly_outlook, *single)) == []
    assert unsupported(task, routed(task, climate_desk.weekly_outlook, *single[:2])) == ["day", "rain"]


def test_one_of_two_prices_decides_no_comparison():
    task = drawn("share_price_change")
    first, last = (made for made in task.gold if made.name == tools()[stock_tape.price_on.id].name)
    assert unsupported(task, routed(task, stock_tape.price_on, last, first)) == []
    assert "rose" in unsupported(task, routed(task, stock_tape.price_on, first))


def test_that_a_thing_is_missing_takes_a_look_and_that_a_detail_is_takes_none():
    missing = SandboxTasks("missing")
    for index in range(missing.size):
        task = missing.at(index)
        if task.record["template"] in ("film_that_is_not_listed", "mail_to_one_of_two"):
            assert unsupported(task, ())
            assert unsupported(task, gold_calls(task.id)[:1]) == []
        if task.record["template"] in ("fare_without_day", "translate_without_tool"):
            assert unsupported(task, ()) == []
