"""Sandbox tasks: splits, ids, groups, reproducibility."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from itertools import islice

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.suites.sandbox.catalog import apis
from stb_env.suites.sandbox.generator import bucket_of, draw_of, generate, plan_of
from stb_env.suites.sandbox.task_key import BUCKETS, MOST_DISTRACTORS, TEST_GROUP, TaskKey, draws
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import GROUPS, NEW_TEMPLATES, group_of, templates
from stb_env.suites.sandbox.tools import cine_people, city_atlas, reel_index, skyfare, stay_finder
from stb_env.tasks import Task
from tests.suites.sandbox.gold_calls import made

SPLITS = [SandboxTasks(split) for split in BUCKETS]
SCRIPT = """
import hashlib
from stb_env.suites.sandbox.tasks import SandboxTasks
for split in ("train", "val", "missing"):
    print(SandboxTasks(split).hash)
"""


@pytest.fixture(scope="module")
def every() -> list[Task]:
    """Every listed task, and four of each template from the one split that has no end."""
    return [source.at(index) for source in SPLITS for index in range(source.size or 4 * len(templates()))]


@pytest.mark.heavy
def test_equal_settings_give_equal_bytes_in_every_process():
    other = os.environ | {"PYTHONHASHSEED": "77"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=other, capture_output=True, text=True, check=True
    )
    assert done.stdout == "".join(f"{SandboxTasks(split).hash}\n" for split in ("train", "val", "missing"))


@pytest.mark.heavy
def test_an_id_alone_gives_the_task_again(every):
    other = SandboxTasks("train", template="sun_times")
    for task in every:
        assert other.get(task.id).key == task.key


def test_ids_are_unique(every):
    assert len({task.id for task in every}) == len(every)


@pytest.mark.heavy
def test_the_number_of_distractors_is_part_of_the_id_and_is_kept():
    test = SandboxTasks("test")
    for count in (0, 1, 4, MOST_DISTRACTORS):
        source = SandboxTasks("train", distractors=count)
        for index in range(len(templates()) - 1):
            task = source.at(index)
            offers = {api.id for api in TaskKey.parse(task.id).template.offers}
            assert len(task.tools) == len(offers.union(task.relevant)) + count
            assert test.get(task.id).key == task.key


def test_no_slots_occur_in_two_splits(every):
    owners = {}
    for task in every:
        key = TaskKey.parse(task.id)
        draw = draw_of(key)
        slots = (key.template.name, *draw.slots)
        if not key.template.held_out:
            assert bucket_of(key.template.name, draw.slots) in BUCKETS[key.split]
        assert owners.setdefault(slots, key.split) == key.split


def test_the_buckets_of_the_splits_are_disjoint_and_complete():
    owned = [bucket for buckets in BUCKETS.values() for bucket in buckets]
    assert sorted(owned) == list(range(10))


def test_train_and_val_never_show_what_is_held_out(every):
    for task in every:
        if task.split != "test":
            assert not any(apis()[tool.id].tool.held_out for tool in task.tools)


def test_the_test_split_covers_all_six_groups_and_every_template(every):
    tasks = [task for task in every if task.split == "test"]
    assert {task.group for task in tasks} == set(GROUPS)
    assert {task.record["template"] for task in tasks} == set(templates())
    assert {task.group for task in every if task.split == "train"} == {
        group for group in GROUPS if group.endswith("Instruction")
    }


def test_the_test_split_has_a_hundred_tasks_of_each_group():
    assert {group: SandboxTasks("test", group=group).size for group in GROUPS} == dict.fromkeys(GROUPS, 100)


def test_no_two_listed_tasks_of_a_template_have_the_same_slots():
    for split in ("val", "test"):
        source = SandboxTasks(split)
        drawn = [TaskKey.parse(source.at(index).id) for index in range(source.size or 0)]
        slots = {(key.template.name, *draw_of(key).slots) for key in drawn}
        assert len(slots) == len(drawn)


def test_train_goes_on_for_ever_and_the_lists_start_over():
    train, test = SandboxTasks("train"), SandboxTasks("test")
    assert train.size is None
    assert train.at(10**12).id != train.at(10**12 + 1).id
    assert test.size == TEST_GROUP * len(GROUPS)
    assert test.at(test.size + 3).key == test.at(3).key


@pytest.mark.parametrize("name", templates())
def test_a_template_has_several_wordings_and_many_instances(name):
    source = SandboxTasks("test", template=name)
    assert source.size == draws("test", templates()[name])
    assert len(plan_of(source.at(0).id).wordings) >= 3


@pytest.mark.heavy
def test_a_task_uses_the_tools_and_writes_the_tables_that_its_template_declares(every):
    for task in every:
        known = templates()[task.record["template"]]
        assert {apis()[identity].tool for identity in task.relevant} <= set(known.tools), task.id
        assert set(task.goal["writes"]) <= set(known.writes), task.id
        assert len(task.gold) <= known.calls == task.record["level"], task.id


def test_a_task_checks_something_that_guessing_does_not_give(every):
    for task in every:
        values = task.goal["answer"].values()
        assert task.goal["writes"] or any(not isinstance(value, bool) for value in values), task.id


def test_goals_and_gold_are_plain_json(every):
    for task in every:
        assert json.loads(json.dumps(dict(task.goal))) == task.goal
        assert all(json.loads(json.dumps(call.arguments)) == call.arguments for call in task.gold)


@pytest.mark.parametrize("split", BUCKETS)
def test_nobody_is_asked_when_a_restaurant_opens_on_the_day_on_which_it_stays_shut(split):
    source = SandboxTasks(split, template="dinner_by_daylight")
    for task in map(source.at, range(source.size or 40)):
        details, sun = (call.result.response for call in made(task, task.gold)[1:])
        assert date.fromisoformat(sun["date"]).strftime("%A") != details["closed_on"]


def test_the_weight_that_a_task_logs_is_near_the_one_before():
    known = templates()["class_and_weight"]
    for turn in range(40):
        answer = generate(TaskKey("test", known, turn, 0)).goal["answer"]
        assert 0 < answer["weight_difference"] <= 2


def test_needed_tools_are_offered_in_a_shuffled_order(every):
    needed_first = sum(task.tools[0].id in task.relevant for task in every)
    assert 0.1 < needed_first / len(every) < 0.7


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_can_be_asked_for(group):
    source = SandboxTasks("test", group=group)
    assert {source.at(index).group for index in range(source.size)} == {group}


def test_a_level_can_be_asked_for():
    source = SandboxTasks("train", level=3)
    assert all(len(source.at(index).gold) == 3 for index in range(12))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "tset"}, r"split 'tset'; known: train, val, test, missing\. Did you mean 'test'\?"),
        ({"group": "I1-Tools"}, r"unknown group 'I1-Tools'; .* Did you mean 'I1-Tool'\?"),
        ({"template": "sun_time"}, r"unknown template 'sun_time'; .* Did you mean 'sun_times'\?"),
        ({"distractors": 99}, "distractors must be from 0 to 20, got 99"),
        ({"split": "train", "group": "I1-Tool"}, "no template has split='train', group='I1-Tool'"),
        ({"level": 40}, "levels go from 1 to"),
        ({"split": "mising"}, r"known: train, val, test, missing\. Did you mean 'missing'\?"),
        ({"split": "missing", "template": "hotel_rom"}, r"unknown template .* Did you mean 'hotel_room'\?"),
        ({"split": "missing", "level": 9}, "levels go from 1 to 5"),
    ],
)
def test_a_wrong_setting_is_explained(settings, message):
    with pytest.raises(ConfigError, match=message):
        SandboxTasks(**settings)


@pytest.mark.parametrize(
    ("task_id", "message"),
    [
        ("train-sun_time-0", "Did you mean 'train-sun_times-0'"),
        ("588", "ids look like 'train-sun_times-17'"),
        ("", "no sandbox task ''"),
        ("train-sun_times-01", "no sandbox task"),
        ("train-sun_times-١", "no sandbox task"),
        ("test-sun_times-999", "test has instances 0 to"),
        ("train-film_facts-0", "needs held-out tools, which only test has"),
        ("train-sun_times-0-d99", "at most 20 distractors, got 99"),
        ("missing-city_fact-99", "missing has instances 0 to 9 of city_fact"),
    ],
)
def test_an_unknown_id_is_explained(task_id, message):
    with pytest.raises(DataError, match=message):
        SandboxTasks().get(task_id)


@pytest.mark.parametrize(
    ("docs", "group"),
    [
        ([city_atlas.TOOL], "I1-Instruction"),
        ([city_atlas.TOOL, skyfare.TOOL], "I2-Instruction"),
        ([stay_finder.TOOL], "I1-Tool"),
        ([reel_index.TOOL], "I1-Category"),
        ([reel_index.TOOL, cine_people.TOOL], "I2-Category"),
    ],
)
def test_the_group_follows_from_the_tools(docs, group):
    assert group_of(docs) == group


def test_tools_that_fit_no_group_are_refused():
    with pytest.raises(ValueError, match=r"\['City Atlas', 'StayFinder'\] fit none of the groups"):
        group_of([city_atlas.TOOL, stay_finder.TOOL])


def test_train_draws_differ():
    source = SandboxTasks("train", template="convert_amount")
    assert len({task.query for task in islice(map(source.at, range(40)), 40)}) == 40


@pytest.mark.heavy
def test_the_group_of_new_templates_uses_tools_that_training_has_seen_for_what_it_has_not():
    trained = next(source for source in SPLITS if source.size is None)
    seen = [trained.at(index) for index in range(6 * len(templates()))]
    apis_seen = {call.name for task in seen for call in task.gold}
    plans_seen = {tuple(call.name for call in task.gold) for task in seen}
    new = SandboxTasks("test", group=NEW_TEMPLATES)
    assert {task.record["template"] for task in seen}.isdisjoint(
        new.at(index).record["template"] for index in range(new.size)
    )
    for index in range(new.size):
        calls = [call.name for call in new.at(index).gold]
        assert apis_seen.issuperset(calls), new.at(index).id
        assert tuple(calls) not in plans_seen, new.at(index).id
