"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import json
from importlib.resources import files
from string import Formatter

import pytest

from stb_env.suites.sambanova.cat_api.api import account_of, documents
from stb_env.suites.sambanova.cat_api.images import breeds, search
from stb_env.suites.sambanova.cat_api.judge import outcome_of
from stb_env.suites.sambanova.cat_api.service import ENDPOINTS
from stb_env.suites.sambanova.cat_api.tasks import demonstrations, make_task, tasks_of

TEST = tasks_of("test")
TRAIN = tasks_of("train")
TASKS = [TEST.at(index) for index in range(100)]
LIST = "curl -X GET 'https://api.thecatapi.com/v1/favourites'"


def test_the_test_split_has_a_hundred_goals_over_six_kinds():
    assert TEST.size == len(TASKS) == 100
    counts = {api.name: sum(task.group == api.name for task in TASKS) for api in ENDPOINTS}
    assert sum(counts.values()) == 100
    assert min(counts.values()) == counts["list_favourites"] == 4
    assert len({(task.query, str(task.goal)) for task in TASKS}) == 100


def test_training_and_demonstrations_share_nothing_with_the_test():
    trained = [TRAIN.at(index) for index in range(600)]
    labels = {task.goal["labels"][0] for task in TASKS} - {LIST}
    assert not labels & (
        {task.goal["labels"][0] for task in trained} | {demo.program for demo in demonstrations()}
    )


@pytest.mark.parametrize("kind", [api.name for api in ENDPOINTS])
def test_every_kind_is_asked_for_in_twelve_ways_and_each_names_its_image(kind: str):
    content = files("stb_env.suites.sambanova.cat_api") / "content" / "goals.json"
    texts = json.loads(content.read_text(encoding="utf-8"))[kind]
    assert len({text.lower() for text in texts}) >= 12
    named = [] if kind in ("list_favourites", "search_images") else ["image_id"]
    for text in texts:
        assert [field for _, field, _, _ in Formatter().parse(text) if field] == named


def test_there_are_two_executable_demonstrations_of_each_kind():
    demos = demonstrations()
    assert [demo.name for demo in demos] == [f"{kind}_{number}" for kind in range(6) for number in (0, 1)]
    for position, demo in enumerate(demos):
        task = make_task("demo", position % 2, ENDPOINTS[position // 2].name)
        assert (task.query, task.goal["labels"]) == (demo.goal, [demo.program])
        assert outcome_of(demo.program, account_of(task))[0]


def test_every_filter_of_a_search_goal_matters():
    searches = [task.gold[0].arguments for task in TASKS if task.group == "search_images"]
    assert len(searches) >= 20
    for filters in searches:
        assert isinstance(filters, dict)
        texts = {name: str(value) for name, value in filters.items()}
        assert filters["order"] in ("ASC", "DESC")
        for name in texts:
            assert search({key: texts[key] for key in texts if key != name}) != search(texts)


def test_a_goal_names_everything_that_its_request_has():
    for task in TASKS:
        arguments = task.gold[0].arguments
        assert isinstance(arguments, dict)
        named = [str(arguments[name]) for name in ("image_id", "limit", "size") if name in arguments]
        named += [breeds()[code] for code in arguments.get("breed_ids", "").split(",") if code]
        assert all(name in task.query for name in named)


def test_every_kind_has_a_document():
    assert [document.name for document in documents()] == [api.name for api in ENDPOINTS]
    assert documents()[2].text.splitlines() == ["# Lists the favourites.", LIST]
    assert documents()[5].text.splitlines()[1].endswith("/v1/images/search?{optional_params}'")
    assert all(code in documents()[5].text for code in breeds())
