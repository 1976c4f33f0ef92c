"""What holds for the tasks of every text task: goals, answers and splits fit together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks
from stb_env.tasks import Task

TRAINED = 2_000
"""How many of the endless training tasks are looked at."""


def all_of(tasks: SeededTasks) -> list[Task]:
    return [tasks.at(index) for index in range(tasks.size or TRAINED)]


def answers_by_goal(tasks: Iterable[Task], answer: Callable[[Task], object]) -> dict[str, set[str]]:
    """The gold answers of each goal text; more than one means that the goal does not decide its answer."""
    found: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        found[task.query].add(repr(answer(task)))
    return found


def recurring(test: Sequence[Task], others: Iterable[Task | Demonstration]) -> set[str]:
    """Goals of the test that are met elsewhere too."""
    known = {other.query if isinstance(other, Task) else other.goal for other in others}
    return known & {task.query for task in test}
