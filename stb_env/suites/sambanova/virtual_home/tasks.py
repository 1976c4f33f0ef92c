"""Household tasks: an activity to be done as somebody is known to have done it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from stb_env.seeding import rng
from stb_env.suites.sambanova.common.seeded_tasks import TEST_SIZE, SeededTasks
from stb_env.suites.sambanova.virtual_home.chores import VERSION, Activity, activity, chores, joined
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.tools import tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall

NAME = "VirtualHome"
DEMONSTRATED = 83
"""Activities that the demonstrations are of."""

_JOINED_SHARE = 0.5


class VirtualHomeTasks(SeededTasks):
    """A `TaskSource` of household activities of our own.

    Args:
        split: ``test``, a fixed list of 100, or ``train``, without end: single activities and pairs of
            them. No activity is in both, nor in a demonstration.

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
    if split == "test":
        chore = chores()[index]
    else:
        draw = rng("virtual_home", VERSION, split, index)
        pool = chores()[TEST_SIZE + DEMONSTRATED :]
        chore = draw.choice(pool)
        if draw.random() < _JOINED_SHARE:
            chore = joined(chore, draw.choice(pool))
    return household_task(f"{split}-{index}", split, activity(chore), tools_of(embedded()))


def household_task(task_id: str, split: str, known: Activity, tools: Iterable[Tool]) -> Task:
    """Build a task from an activity.

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
        goal={"labels": list(known.solutions)},
        record={"prompt": known.name, "completion": list(known.solutions)},
    )
