"""Household tasks: an activity to be done as somebody is known to have done it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.common.seeded_tasks import TEST_SIZE, SeededTasks
from stb_env.suites.sambanova.virtual_home.chores import (
    DEMONSTRATED,
    Activity,
    activity,
    demonstrated_chores,
    test_chores,
    training_chore,
)
from stb_env.suites.sambanova.virtual_home.judge import steps_of
from stb_env.suites.sambanova.virtual_home.tools import tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall

NAME = "VirtualHome"
DEMONSTRATIONS = 512
"""Demonstrations that the paper has, over 83 activities."""


@lru_cache(maxsize=1_024)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    chore = test_chores(TEST_SIZE)[index] if split == "test" else training_chore(index)
    return household_task(f"{split}-{index}", split, activity(chore), tools_of(embedded()))


tasks_of = partial(SeededTasks, NAME, generate)
"""Makes the activities of a split.

No kind of errand is in both splits, and no activity of training in a demonstration.
"""


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none is of a test activity.

    Examples:
        >>> demos = demonstrations()
        >>> len(demos), len({demo.goal for demo in demos})
        (512, 83)
    """
    each, more = divmod(DEMONSTRATIONS, DEMONSTRATED)
    made = []
    for index, chore in enumerate(demonstrated_chores()):
        solutions = activity(chore, each + (index < more)).solutions
        made += [
            Demonstration(f"{index}_{number}", chore.name, program)
            for number, program in enumerate(solutions)
        ]
    return made


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


def _home(known: Activity) -> dict[str, object]:
    if not known.reaches:
        return {}
    rests = {"rests": list(known.rests)} if known.rests else {}
    return {"reaches": list(known.reaches), "given": list(known.given), **rests}
