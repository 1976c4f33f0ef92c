"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.open_weather.apis import APIS
from stb_env.suites.sambanova.open_weather.demos import demonstrations
from stb_env.suites.sambanova.open_weather.judge import OriginalJudge, wanted
from stb_env.suites.sambanova.open_weather.service import VERSION
from stb_env.suites.sambanova.open_weather.tasks import OpenWeatherTasks
from stb_env.suites.sambanova.open_weather.tools import documents

TEST = OpenWeatherTasks("test")
TRAIN = OpenWeatherTasks("train")
LABELS = {label for index in range(100) for label in TEST.at(index).goal["labels"]}


def test_the_test_split_is_the_pinned_one():
    # To change it on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
    assert (VERSION, TEST.hash) == (1, "84a6c4700e5968c722c89d7e0dff6e5c68e86823b1202d317b38da25060368ab")


def test_the_test_split_has_a_hundred_different_goals_over_nine_kinds():
    tasks = [TEST.at(index) for index in range(TEST.size or 0)]
    assert len({task.query for task in tasks}) == len({task.goal["labels"][0] for task in tasks}) == 100
    counts = [sum(task.group == api.name for task in tasks) for api in APIS]
    assert len(counts) == 9
    assert set(counts) == {11, 12}


def test_training_and_demonstrations_share_no_request_with_the_test():
    trained = {TRAIN.at(index).goal["labels"][0] for index in range(600)}
    assert len(trained) > 500
    assert not LABELS & (trained | {demo.program for demo in demonstrations()})


def test_there_are_two_executable_demonstrations_of_each_kind():
    demos = demonstrations()
    assert [demo.name for demo in demos] == [f"{kind}_{number}" for kind in range(9) for number in (0, 1)]
    for demo, api in zip(demos, [api for api in APIS for _ in (0, 1)], strict=True):
        assert wanted(demo.program)["api"] == api.name
        assert OriginalJudge().answer_to(demo.program)


def test_a_goal_names_everything_that_its_request_has():
    for index in range(100):
        task = TEST.at(index)
        call = task.gold[0]
        assert isinstance(call.arguments, dict)
        for name in ("q", "zip", "lat", "lon", "limit"):
            assert str(call.arguments.get(name, "")) in task.query


@pytest.mark.parametrize("index", range(9))
def test_a_task_comes_again_from_its_id(index: int):
    task = TRAIN.at(10_000 + index)
    assert OpenWeatherTasks("test").get(task.id).key == task.key


def test_every_kind_has_a_document_with_its_parameters():
    assert [document.name for document in documents()] == [api.name for api in APIS]
    for document, api in zip(documents(), APIS, strict=True):
        lines = document.text.splitlines()
        assert lines[0].startswith("# ")
        assert "{API_KEY}" in lines[1]
        assert [line.split(" ")[0] for line in lines[3:]] == [*api.place, "appid", *api.optional]
