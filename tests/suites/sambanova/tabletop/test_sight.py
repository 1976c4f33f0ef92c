"""What decides the answer is in sight: in the query, or in what the functions that look say."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.few_shot import FewShotPrompt
from stb_env.suites.sambanova.tabletop.env import make
from stb_env.suites.sambanova.tabletop.tasks import TEST_SIZE, tasks_of
from stb_env.suites.sambanova.tabletop.world import TabletopWorld, start_of
from stb_env.tasks import Task

TEST, TRAIN = tasks_of("test"), tasks_of("train")
TRAINED = 750


def gold(task: Task) -> str:
    return str([(call.name, dict(call.arguments)) for call in task.gold])


def looked_at(task: Task) -> str:
    """Return what an agent sees of a task that reads its query and asks where everything is."""
    world, scene = TabletopWorld(), start_of(task)
    tools = {tool.name: tool for tool in task.tools}
    names, _ = world.call(scene, tools["get_obj_names"], {})
    places, _ = world.call(scene, tools["get_obj_positions_np"], {"obj_names": names.response})
    return f"{task.query}\n{places.response}"


@pytest.mark.heavy
def test_of_two_tasks_that_look_equal_the_gold_is_equal():
    tasks = [*map(TEST.at, range(TEST_SIZE)), *map(TRAIN.at, range(TRAINED))]
    golds: dict[str, set[str]] = {}
    for task in tasks:
        golds.setdefault(looked_at(task), set()).add(gold(task))
    assert len(golds) > TEST_SIZE
    assert all(len(found) == 1 for found in golds.values())


def test_the_words_alone_would_not_tell_what_positions_decide():
    # Beside the test above: it could fail, for tasks with one instruction have several golds.
    golds: dict[str, set[str]] = {}
    for task in map(TRAIN.at, range(TRAINED)):
        golds.setdefault(task.query.splitlines()[1], set()).add(gold(task))
    assert any(len(found) > 1 for found in golds.values())


@pytest.mark.parametrize("index", range(15))
def test_the_prompt_is_the_objects_and_the_instruction(index: int):
    env = FewShotPrompt(make(program=True))
    _, info = env.reset(options={"task_id": f"test-{index}"})
    objects, instruction = info["messages"][0]["content"].splitlines()
    assert objects == f"objects = {list(env.task.goal['positions'])}"
    assert instruction == f"# {env.task.record['configs']['instruction']}"


def test_what_a_goal_is_about_follows_from_its_words():
    meant: dict[str, set[str]] = {}
    for task in (*map(TEST.at, range(TEST_SIZE)), *map(TRAIN.at, range(TRAINED))):
        meant.setdefault(task.query.splitlines()[1], set()).add(f"{task.group} {task.goal['slots']}")
    assert max(map(len, meant.values())) == 1
