"""Household tasks: an activity to be done as somebody is known to have done it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.common.seeded_tasks import TEST_SIZE, SeededTasks
from stb_env.suites.sambanova.virtual_home.chores import Activity, activity, test_chores, training_chore
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.tools import tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall

NAME = "VirtualHome"


class VirtualHomeTasks(SeededTasks):
    """A `TaskSource` of household activities of our own.

    Args:
        split: ``test``, a fixed list of 100, or ``train``, without end. No kind of errand is in both, and
            no activity of training in a demonstration.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> task = VirtualHomeTasks("test").at(0)
        >>> task.goal["labels"][0].startswith("Agent.")
        True
    """

    def __init__(self, split: str = "test") -> None:
        super().__init__(NAME, generate, split)


@lru_cache(maxsize=1_024)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    chore = test_chores(TEST_SIZE)[index] if split == "test" else training_chore(index)
    return household_task(f"{split}-{index}", split, activity(chore), tools_of(embedded()))


def household_task(task_id: str, split: str, known: Activity, tools: Iterable[Tool]) -> Task:
    """Build a task from an activity; its goal says what is reached where that is known.

    Raises:
        DataError: A solution is no program.
    """
    tools = tuple(tools)
    parameters = {tool.name: list(tool.parameters["properties"]) for tool in tools}
    gold = [
        ToolCall(step.name, dict(zip(parameters.get(step.name, ()), step.objects, strict=False)))
        for step in steps_of(known.solutions[0])
    ]
    return Task(
        id=task_id,
        query=known.name,
        tools=tools,
        suite=NAME,
        split=split,
        gold=tuple(gold),
        goal={"labels": list(known.solutions), **_home(known)},
        answer="acts",
        record={"prompt": known.name, "completion": list(known.solutions)},
    )


def _home(known: Activity) -> JsonObject:
    if not known.reaches:
        return {}
    rests = {"rests": list(known.rests)} if known.rests else {}
    return {"reaches": list(known.reaches), "given": list(known.given), **rests}
