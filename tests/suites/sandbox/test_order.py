"""The facts of a task stand in the order in which its query asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.generator import _run
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import Draw, Plan, Template, Undecided, templates
from tests.suites.sandbox.test_values import TASKS

# How wordings ask for a fact. What one expression asks for twice ("hours") is asked for in its natural order.
CUES = {
    "album_by_year": {"album": r"album", "track": r"track|song"},
    "branch_closing": {
        "opening": r"when to|between which|opening",
        "closing": r"to when|which times|closing",
    },
    "car_terms": {"free distance": r"how far|free distance|what distance", "age": r"how old|age|what age"},
    "copy_without_space": {
        "size": r"size|kB the file has|kB the file",
        "free": r"space left|free space|are free",
    },
    "dinner_by_daylight": {"opening": r"opens?\b|opening", "sunset": r"sun sets|sunset"},
    "film_facts": {"runtime": r"how long|running time|how many minutes", "year": r"year"},
    "first_recorded": {"oldest": r"oldest|earliest", "youngest": r"youngest|latest"},
    "goals_in_rounds": {"scored": r"score|for and", "conceded": r"concede|against|let in"},
    "month_cost": {"used": r"units of|consumption", "cost": r"they cost|its cost|comes to"},
    "news_from_contact": {"reporter": r"who wrote|reporter", "topic": r"topic"},
    "parcel_to_pickup_point": {"opens": r"opening and|hours", "closes": r"closing|hours"},
    "portion_weight": {"weight": r"weigh|grams", "energy": r"kJ|energy"},
    "product_price": {"cost": r"cost|price|sum", "weight": r"weigh|weight"},
    "reading_days": {"pages": r"many pages|the pages", "days": r"which day|how many days"},
    "sample_summary": {"mean": r"mean", "median": r"median", "deviation": r"deviation"},
    "source_count": {"articles": r"articles|count what", "words": r"words"},
    "split_holding": {"shares": r"do I hold|number of shares|how many shares", "worth": r"worth|value|aurel"},
    "sun_times": {"sunrise": r"sunrise|sun come up", "sunset": r"sunset|go down"},
    "swap_purchase": {"refund": r"comes back|refund|cancel it", "cost": r"cost|new price|pieces of"},
    "visit_contact": {"hotel": r"which hotel|me hotel|name hotel", "model": r"model"},
    "workout_sum": {"distance": r"kilometres|miles", "time": r"many minutes|total time|the minutes"},
    "zone_gap": {"gap": r"degrees|gap", "humidity": r"humidity"},
}


def drawn(template: Template) -> Iterator[tuple[Plan, Sequence]]:
    for turn in range(12):
        draw = Draw(Random(f"{template.name} {turn}"))
        plan = template.draw(draw)
        try:
            solved = _run(plan, household(draw.household))
        except Undecided:
            continue
        yield plan, solved.answer.facts


def alike(facts: Sequence) -> list:
    """Return the facts of a type that another fact has as well."""
    kinds = [fact["type"] for fact in facts]
    return [fact for fact in facts if kinds.count(fact["type"]) > 1]


@pytest.mark.parametrize("name", templates())
def test_facts_of_one_type_stand_in_the_order_in_which_every_wording_asks_for_them(name: str):
    for plan, facts in drawn(templates()[name]):
        for place, query in enumerate(plan.wordings):
            asked = [fact["label"] for fact in alike(plan.asked(place, facts))]
            found = [re.search(CUES[name][label], query, re.IGNORECASE) for label in asked]
            assert None not in found, (query, asked)
            assert found == sorted(found, key=lambda one: one.start()), (query, asked)


def test_an_order_names_each_fact_once():
    for template in templates().values():
        for plan, facts in drawn(template):
            for order in plan.orders.values():
                assert sorted(order) == sorted(fact["label"] for fact in facts)


def test_a_task_has_its_facts_in_the_order_of_its_own_wording():
    source = SandboxTasks("train", template="reading_days")
    tasks = [*map(source.at, range(TASKS))]
    orders = {
        task.query.lower().startswith("how many days"): [fact["label"] for fact in task.goal["facts"]]
        for task in tasks
    }
    assert orders == {True: ["days", "pages"], False: ["pages", "days"]}
