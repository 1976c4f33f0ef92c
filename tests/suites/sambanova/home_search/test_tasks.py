"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

from string import Formatter

import pytest

from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.home_search.catalogue import cities, homes_in, matching
from stb_env.suites.sambanova.home_search.env import API
from stb_env.suites.sambanova.home_search.functions import MODES, NUMBERS
from stb_env.suites.sambanova.home_search.tasks import WITHHELD, demonstrations, tasks_of
from stb_env.suites.sambanova.home_search.tools import BY_NAME, FUNCTIONS, documents

TEST = tasks_of("test")
TRAIN = tasks_of("train")
TASKS = [TEST.at(index) for index in range(100)]
NAMED = {"Multi-family": "multi-family home", "Mobile": "mobile home", "Land": "land"}


def functions_of(program: str) -> frozenset[str]:
    return frozenset(line.split("(")[0] for line in program.split("\n"))


def test_the_test_split_has_a_hundred_different_goals_with_every_function():
    assert TEST.size == len(TASKS) == 100
    assert len({task.query for task in TASKS}) == 100
    called = [{call.name for call in task.gold} for task in TASKS]
    assert all(sum(name in names for names in called) >= 5 for name in FUNCTIONS)


def test_no_set_of_functions_of_the_test_is_in_training_or_in_a_demonstration():
    tested = {functions_of(task.goal["labels"][0]) for task in TASKS}
    trained = {functions_of(TRAIN.at(index).goal["labels"][0]) for index in range(600)}
    assert not tested & (trained | {functions_of(demo.program) for demo in demonstrations()})


def test_no_program_of_the_test_is_in_a_demonstration():
    shown = {demo.program for demo in demonstrations()}
    assert not shown & {label for task in TASKS for label in task.goal["labels"]}


@pytest.mark.parametrize("mode", MODES)
def test_either_aim_opens_in_twelve_ways_and_says_what_and_where(mode: str):
    openings = content("home_search", "goals")["openings"][mode]
    assert len({text.lower() for text in openings}) >= 12
    for text in openings:
        assert sorted(field for _, field, _, _ in Formatter().parse(text) if field) == ["home", "location"]


def test_wishes_come_in_any_order():
    firsts = {
        next(name for name in ("floor", "$", "square feet", "bedroom", "") if name in first)
        for first in (task.query.split(". ")[1] for task in TASKS if ". " in task.query)
    }
    assert len(firsts) == 5


def test_there_are_ten_executable_demonstrations_without_the_three_withheld_functions():
    demos = demonstrations()
    assert [demo.name for demo in demos] == [f"{index}_0" for index in range(10)]
    for demo in demos:
        assert FormWorld(API).run(demo.program) == FormWorld(API, original=True).run(demo.program)
        assert not any(name in demo.program for name in WITHHELD)
    shown = "".join(demo.program for demo in demos)
    assert [name for name in FUNCTIONS if name not in shown] == [
        name for name in FUNCTIONS if name in WITHHELD
    ]


def test_every_goal_is_met_by_a_home_and_not_by_all():
    for task in TASKS:
        form = FormWorld(API).run(task.goal["labels"][0])
        found = matching(form.criteria)
        assert 1 <= len(found) < len(homes_in(form.criteria["location"]))


def test_what_is_found_meets_every_criterion():
    wanted = {
        "location": "Boise",
        "buy_or_rent": "buy",
        "home_type": "condo,house",
        "num_beds": 2,
        "max_price": 400_000,
    }
    found = matching(wanted)
    assert found
    for home in homes_in("Boise"):
        meets = (
            home.mode == "buy"
            and home.type in ("House", "Condo")
            and home.beds >= 2
            and home.price <= 400_000
        )
        assert (home in found) == meets


@pytest.mark.parametrize("value", [None, "2", [2], {"a": 1}, float("nan")])
def test_a_value_that_is_of_no_use_finds_no_home(value: object):
    criteria = {"location": "Boise", "buy_or_rent": "buy"}
    assert matching({**criteria, "num_beds": value}) == matching({**criteria, "location": value}) == []


def test_a_goal_names_everything_that_its_program_has():
    for task in TASKS:
        for call in task.gold[:-1]:
            (value,) = call.arguments.values() if not isinstance(call.arguments, str) else ()
            if call.name == "select_home_type":
                assert all(NAMED.get(kind, kind.lower()) in task.query for kind in value)
            elif call.name in NUMBERS:
                assert f"{value:,}" in task.query
        assert str(task.gold[0].arguments["value"]) in task.query  # type: ignore[index]


def test_every_city_offers_homes():
    assert len(cities()) >= 50
    assert all(homes_in(city) for city in cities())


def test_the_fifteen_functions_have_documents():
    made = documents()
    assert [document.name for document in made] == list(FUNCTIONS)
    assert len(made) == 15
    for name, text in made:
        comment, signature = text.split("\n")
        assert comment.startswith("# ")
        assert signature.startswith(f"API.{name}(")
        assert all(parameter in signature for parameter in BY_NAME[name].parameters["properties"])
    assert made[1].text.split("\n")[0].endswith("Values: buy, rent.")
