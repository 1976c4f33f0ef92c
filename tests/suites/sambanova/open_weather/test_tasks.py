"""Goals come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from string import Formatter

import pytest

from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.suites.sambanova.open_weather.api import SERVICE, documents
from stb_env.suites.sambanova.open_weather.judge import wanted
from stb_env.suites.sambanova.open_weather.service import ENDPOINTS
from stb_env.suites.sambanova.open_weather.tasks import demonstrations, tasks_of

TEST = tasks_of("test")
TRAIN = tasks_of("train")
LABELS = {label for index in range(100) for label in TEST.at(index).goal["labels"]}


def test_the_test_split_has_a_hundred_different_goals_over_nine_kinds():
    tasks = [TEST.at(index) for index in range(TEST.size or 0)]
    assert len({task.query for task in tasks}) == len({task.goal["labels"][0] for task in tasks}) == 100
    counts = [sum(task.group == api.name for task in tasks) for api in ENDPOINTS]
    assert len(counts) == 9
    assert set(counts) == {11, 12}


def test_training_and_demonstrations_share_no_request_with_the_test():
    trained = {TRAIN.at(index).goal["labels"][0] for index in range(600)}
    assert len(trained) > 500
    assert not LABELS & (trained | {demo.program for demo in demonstrations()})


def phrasings() -> Iterator[tuple[str, list[str]]]:
    content = files("stb_env.suites.sambanova.open_weather") / "content" / "goals.json"
    texts = json.loads(content.read_text(encoding="utf-8"))
    yield from ((name, texts[name]) for name in texts if name not in ("after", "anywhere"))


@pytest.mark.parametrize(("kind", "texts"), list(phrasings()))
def test_every_kind_is_asked_for_in_twelve_ways_and_each_names_its_place(kind: str, texts: list[str]):
    assert len({text.lower() for text in texts}) >= 12
    (api,) = (api for api in ENDPOINTS if api.name == kind)
    places = (
        [{"compass"}, set(api.required)]
        if "lat" in api.required
        else [{"place"} if "q" in api.required else {"zip"}]
    )
    for text in texts:
        assert {field for _, field, _, _ in Formatter().parse(text) if field} in places


def test_there_are_two_executable_demonstrations_of_each_kind():
    demos = demonstrations()
    assert [demo.name for demo in demos] == [f"{kind}_{number}" for kind in range(9) for number in (0, 1)]
    for demo, api in zip(demos, [api for api in ENDPOINTS for _ in (0, 1)], strict=True):
        assert wanted(demo.program)["path"] == api.path
        assert set(api.required) <= {word.split("=")[0] for word in re.split(r"[?&]", demo.program)}
        assert OriginalJudge(SERVICE).answer_to(demo.program, ())


def test_a_goal_names_everything_that_its_request_has():
    for index in range(100):
        task = TEST.at(index)
        call = task.gold[0]
        assert isinstance(call.arguments, dict)
        for name in ("q", "zip", "limit"):
            assert str(call.arguments.get(name, "")) in task.query
        for name, sides in (("lat", "SN"), ("lon", "WE")):
            if name in call.arguments:
                value = call.arguments[name]
                assert str(value) in task.query or f"{abs(value)}° {sides[value >= 0]}" in task.query


def test_every_kind_has_a_document_with_its_parameters():
    assert [document.name for document in documents()] == [api.name for api in ENDPOINTS]
    for document, api in zip(documents(), ENDPOINTS, strict=True):
        lines = document.text.splitlines()
        assert lines[0].startswith("# ")
        assert "{API_KEY}" in lines[1]
        assert [line.split(" ")[0] for line in lines[3:]] == [*api.required, "appid", *api.optional]
