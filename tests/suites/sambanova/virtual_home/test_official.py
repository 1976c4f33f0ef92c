"""Files that a user has: SambaNova's folder and VirtualHome's activities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.virtual_home.activities import read_activities
from stb_env.suites.sambanova.virtual_home.env import make
from stb_env.suites.sambanova.virtual_home.vocabulary import read_vocabulary

LISTS = {
    "Agent.Find": {"object": ["robot"]},
    "Agent.Put": {"object1": ["robot"], "object2": ["desk"]},
    "Agent.Sleep": {},
}
PROGRAM = "Agent.Find(robot)\nAgent.Put(robot, desk)\nAgent.Sleep()"


def folder_of(folder: Path, labels: list[str], lists: Any = LISTS) -> Path:
    (folder / "test.jsonl").write_text(json.dumps({"prompt": " Tidy ", "completion": labels}) + "\n")
    if lists is not None:
        (folder / "valid_object_lists.json").write_text(json.dumps(lists))
    return folder


@pytest.mark.parametrize("compat", [None, "original"])
def test_an_official_folder_is_played_with_its_object_lists(tmp_path: Path, compat: Any):
    env = make(data=folder_of(tmp_path, [PROGRAM]), compat=compat, program=True)
    env.reset(seed=0)
    assert env.task.query == "Tidy"
    assert [tool.name for tool in env.task.tools] == ["Find", "Put", "Sleep", "step"]
    assert env.step(PROGRAM)[1] == 1.0


def test_a_folder_without_object_lists_has_the_published_ones(tmp_path: Path):
    env = make(data=str(folder_of(tmp_path, ["Agent.LieOn(bed)"], None)), program=True)
    env.reset(seed=0)
    assert len(env.task.tools) == 41
    assert env.step("Agent.LieOn(bed)")[1] == 1.0


@pytest.mark.parametrize(
    ("labels", "lists", "message"),
    [
        (
            ["Agent.Find(cat)"],
            LISTS,
            r"a label has 'Agent\.Find\(cat\)', which the object lists do not allow",
        ),
        (["go to bed"], LISTS, "'go to bed' is no step of a program"),
        ([PROGRAM], {"Agent.Find": {"things": []}}, r"Agent\.Find needs {}, {'object': \[\.\.\.\]} or"),
        ([PROGRAM], {"Agent.Find": {"object": [1]}}, r"the objects of Agent\.Find must be a list of names"),
        ([PROGRAM], [], "must be an object with a function for each key"),
    ],
)
def test_a_broken_folder_is_an_error(tmp_path: Path, labels: list[str], lists: Any, message: str):
    with pytest.raises(DataError, match=message):
        make(data=folder_of(tmp_path, labels, lists))


def test_object_lists_that_are_no_json_are_an_error(tmp_path: Path):
    file = tmp_path / "lists.json"
    file.write_text("{")
    with pytest.raises(DataError, match="is no JSON"):
        read_vocabulary(file)


def test_a_folder_has_no_training_split(tmp_path: Path):
    with pytest.raises(ConfigError, match="has a test split alone, got split='train'"):
        make(data=folder_of(tmp_path, [PROGRAM]), split="train")


def test_an_activity_file_brings_its_own_objects(tmp_path: Path):
    file = tmp_path / "activities.json"
    texts = [f"Task: Pet  robot {n}\nStep 1: Find robot {n}\nStep 2: Touch robot {n}" for n in range(130)]
    file.write_text(json.dumps(texts))
    test, train = make(data=file), make(data=file, split="train", program=True)
    assert (test.tasks.size, train.tasks.size) == (100, 30)
    train.reset(seed=0)
    assert train.task.query.startswith("Pet robot ")
    assert train.step(train.task.goal["labels"][0])[1] == 1.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no readable JSON file"),
        ("[]", "must be a JSON list of texts"),
        ('["Rest"]', "'Rest' does not begin with 'Task:'"),
        ('["Task: Rest\\nStep 2: Sleep"]', "'Step 2: Sleep' should be 'Step 1: ...'"),
        ('["Task: Rest\\nStep 1: Levitate"]', "'Levitate' fits no step of the household"),
    ],
)
def test_a_broken_activity_file_is_an_error(tmp_path: Path, content: str, message: str):
    file = tmp_path / "activities.json"
    file.write_text(content)
    with pytest.raises(DataError, match=message):
        read_activities(file)
