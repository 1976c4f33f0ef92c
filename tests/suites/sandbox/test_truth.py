"""Truth is derived twice: gold holds with unlimited pages, and no filter of a gold call is idle."""

from __future__ import annotations

from functools import partial

import pytest

from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.checks import is_true
from stb_env.suites.sandbox.conventions import unlimited_pages
from stb_env.suites.sandbox.facts import integer
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.solving import idle_filters, run
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import Answer, Plan
from stb_env.suites.sandbox.tools import city_atlas


@pytest.mark.heavy
@pytest.mark.parametrize("split", ["test", "val", "missing", "train"])
def test_gold_is_the_same_where_every_list_has_one_page(split):
    source = SandboxTasks(split)
    tasks = [source.at(index) for index in range(source.size or 150)]
    assert [task.id for task in tasks if not is_true(task)] == []


def counted(*, whole: bool):
    """Count the cities of a country: those of all pages, or of the first alone."""
    seen, page = 0, 1
    while True:
        found = yield city_atlas.search_cities(query="a", page=page)
        seen += len(found["results"])
        if not whole or page == found["pages"]:
            return Answer("", [integer("cities", seen)])
        page += 1


@pytest.mark.parametrize("whole", [True, False])
def test_a_solution_that_reads_one_page_of_several_is_found(whole):
    plan = Plan(("How many?",), partial(counted, whole=whole))
    usual = run(plan, household(0)).answer
    with unlimited_pages():
        all_of_them = run(plan, household(0)).answer
    assert (usual == all_of_them) is whole


def test_a_filter_that_changes_nothing_is_found():
    def solve():
        page = yield city_atlas.search_cities(query=name, country=country)
        return Answer("", [integer("cities", len(page["results"]))])

    row = next(iter(city_atlas.cities().values()))
    name, country = row["name"], row["country"]
    plan = Plan(("How many?",), solve)
    state = household(0)
    assert idle_filters(plan, state, run(plan, state))


def test_no_task_of_training_has_an_idle_filter():
    source = SandboxTasks("train")
    for index in range(80):
        task = source.at(index)
        plan, state = plan_of(task.id), household(task.record["household"])
        assert not idle_filters(plan, state, run(plan, state)), task.id
