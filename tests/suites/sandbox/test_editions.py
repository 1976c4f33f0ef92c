"""Editions: what one split shows of the world is wrong in the others."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import combinations

import pytest

from stb_env.suites.sandbox.catalog import apis, household, tools
from stb_env.suites.sandbox.content.bistros import bistros, days_with_table, free_tables
from stb_env.suites.sandbox.content.cars import cars
from stb_env.suites.sandbox.content.companies import closing_prices, companies, trades
from stb_env.suites.sandbox.content.edition import KEPT, edition, edition_of, within
from stb_env.suites.sandbox.content.ferries import ports
from stb_env.suites.sandbox.content.flights import flights
from stb_env.suites.sandbox.content.foods import foods
from stb_env.suites.sandbox.content.garments import garments
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.products import products
from stb_env.suites.sandbox.content.rail import trains
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.lookups import days
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.task_key import EDITIONS
from stb_env.suites.sandbox.tasks import SandboxTasks
from tests.suites.sandbox.gold_calls import BY_NAME, WORLD


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
        return not isinstance(stop.value, str) and stop.value.get("answer") == task.goal["answer"]
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


IDS = {
    "city": lambda: {row["name"]: key for key, row in cities().items()},
    "food": lambda: {row["name"]: key for key, row in foods().items()},
    "stem of a company": lambda: {row["name"].split()[0]: key for key, row in companies().items()},
    "symbol": lambda: {row["name"].split()[0]: row["symbol"] for row in companies().values()},
    "product": lambda: {row["name"]: key for key, row in products().items()},
    "garment": lambda: {row["name"]: key for key, row in garments().items()},
    "route of a flight": lambda: {
        (named(row["origin_city_id"]), named(row["destination_city_id"])): key
        for key, row in flights().items()
    },
    "route of a train": lambda: {
        (named(row["origin_city_id"]), named(row["destination_city_id"])): key
        for key, row in trains().items()
    },
    "car": lambda: {(named(row["city_id"]), row["model"]): key for key, row in cars().items()},
    "port": lambda: {port["name"]: key for key, port in ports().items()},
}
"""Ids of what has the same name in several editions, by that name."""


def named(city_id: str) -> str:
    return cities()[city_id]["name"]


def ids_in(number: int, what: str) -> dict[object, str]:
    with within(number):
        return IDS[what]()


@pytest.mark.heavy
@pytest.mark.parametrize("what", IDS)
def test_an_id_learnt_in_training_is_wrong_in_val_and_test(what):
    learnt = defaultdict(set)
    for number in EDITIONS["train"]:
        for name, key in ids_in(number, what).items():
            learnt[name].add(key)
    for number in (*EDITIONS["val"], *EDITIONS["test"]):
        met = {name: key for name, key in ids_in(number, what).items() if name in learnt}
        assert met
        # Whoever recites an id of a training edition is right by chance only.
        hits = sum(1 / len(learnt[name]) for name, key in met.items() if key in learnt[name])
        assert hits <= len(met) / 6, (number, hits, len(met))


@pytest.mark.parametrize("what", ["city", "food"])
def test_every_edition_has_the_ids_that_the_documentation_quotes(what):
    documented = ids_in(0, what)
    assert [*documented.values()] == sorted(documented.values())
    for number in range(1, KEPT):
        drawn = ids_in(number, what)
        assert {*drawn} == {*documented}
        assert sorted(drawn.values()) == sorted(documented.values())
        assert drawn != documented


@pytest.mark.parametrize(
    ("table", "field"),
    [
        ("accounts", "kind"),
        ("devices", "name"),
        ("heat_zones", "name"),
        ("mails", "subject"),
        ("meters", "kind"),
        ("scenes", "name"),
        ("todos", "title"),
    ],
)
def test_no_household_has_the_ids_of_another(table, field):
    seen = defaultdict(set)
    for number in (*range(COUNT), *range(10 * COUNT, 11 * COUNT)):
        for key, row in household(number).table(table).items():
            seen[key].add(row[field])
    # The documented device and the meters of the demonstration user are everybody's.
    known = {"device-001", "meter-001", "meter-002", "meter-003"}
    assert all(len(values) > 1 for key, values in seen.items() if key not in known)
