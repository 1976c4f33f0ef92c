"""Solved examples for prompts: ten, as the paper has them, of which none uses the withheld functions."""

from __future__ import annotations

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.home_search.tasks import WITHHELD, make_task

COUNT = 10


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none has the set of functions of a test task.

    Examples:
        >>> demo = demonstrations()[0]
        >>> demo.name, demo.program.endswith("API.search()")
        ('0_0', True)
    """
    tasks = [make_task("demo", index, WITHHELD) for index in range(COUNT)]
    return [
        Demonstration(f"{index}_0", task.query, task.goal["labels"][0]) for index, task in enumerate(tasks)
    ]
