"""Editions: what one split shows of the world is wrong in the others."""

from __future__ import annotations

import json
from itertools import combinations

from stb_env.suites.sandbox.catalog import apis, household, tools
from stb_env.suites.sandbox.content.bistros import bistros, days_with_table, free_tables
from stb_env.suites.sandbox.content.companies import closing_prices, companies, trades
from stb_env.suites.sandbox.content.edition import KEPT, edition, edition_of, within
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.lookups import days
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.task_key import EDITIONS
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import SandboxWorld

WORLD = SandboxWorld()
BY_NAME = {tool.name: tool for tool in tools().values()}


def remembered(count: int) -> dict[tuple[str, str], object]:
    """Return what lookups answered in the gold solutions of training tasks, by heart."""
    source, known = SandboxTasks("train"), {}
    for index in range(count):
        task = source.at(index)
        state = WORLD.start(task, 0)
        for call in task.gold:
            result, state = WORLD.call(state, BY_NAME[call.name], call.arguments)
            if apis()[BY_NAME[call.name].id].stateless:
                known[call.name, json.dumps(call.arguments)] = result
    return known


def recited(task, known) -> bool:
    """Return whether gold's solution, answered from memory alone, ends in the right answer."""
    solution, result = oracle(task), None
    try:
        while True:
            call = solution.send(result)
            result = known.get((call.name, json.dumps(call.arguments)))
            if result is None:
                return False
    except StopIteration as stop:
        return stop.value == task.goal["answer"]
    except (RuntimeError, LookupError):
        return False


def test_no_edition_is_in_two_splits_and_all_are_kept():
    assert all(not {*one} & {*other} for one, other in combinations(EDITIONS.values(), 2))
    assert {number for numbers in EDITIONS.values() for number in numbers} == {*range(KEPT)}


def test_a_task_plays_in_an_edition_of_its_split():
    for split, numbers in EDITIONS.items():
        source = SandboxTasks(split)
        played = {edition_of(WORLD.start(source.at(index), 0)) for index in range(12)}
        assert played <= {*numbers}
        assert len(played) > 1


def test_the_same_city_has_other_facts_in_every_edition():
    found = set()
    for number in range(KEPT):
        with within(number):
            found.add(cities()["city-001"]["population"])
    assert len(found) == KEPT


def test_an_edition_ends_where_its_block_ends_even_when_that_fails():
    try:
        with within(5):
            raise LookupError
    except LookupError:
        assert edition() == 0


def test_a_state_answers_in_its_own_edition_whatever_runs_around_it():
    tool = next(tool for tool in tools().values() if tool.id.api == "city_details")
    state = household(3 * COUNT)
    with within(7):
        result, _ = WORLD.call(state, tool, {"city_id": "city-001"})
    with within(3):
        assert result.response["population"] == cities()["city-001"]["population"]


def test_a_solution_runs_in_its_edition_whoever_drives_it():
    for index in range(40):
        task = SandboxTasks("test").at(index)
        with within(0):
            assert next(plan_of(task.id).solve(), None) is not None or not task.gold


def test_training_learnt_by_heart_solves_no_lookup_of_the_test():
    known = remembered(400)
    test, train = SandboxTasks("test"), SandboxTasks("train")
    looked = [
        task
        for task in map(test.at, range(100))
        if not task.goal["writes"] and all(apis()[identity].stateless for identity in task.relevant)
    ]
    assert sum(recited(task, known) for task in looked) <= len(looked) / 100
    # The same agent recites what it has learnt.
    assert recited(train.get("train-city_population-0"), known)


def test_what_is_reckoned_for_many_days_at_once_is_what_each_day_says():
    coming, past = days(50, 90), [day for day in days(-500, 0) if trades(day)]
    with within(3):
        for row in [*companies().values()][:4]:
            assert closing_prices(row, []) == []
            assert closing_prices(row, past) == [closing_prices(row, [day])[0] for day in past]
        for key in [*bistros()][:4]:
            free = [day for day in coming if max(free_tables(key, str(day)), default="") >= "20:00"]
            assert days_with_table(key, coming, "20:00") == free
