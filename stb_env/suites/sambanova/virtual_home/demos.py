"""Solved examples for prompts: one for each known solution of the demonstrated activities."""

from __future__ import annotations

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.virtual_home.chores import DEMONSTRATED, activity, demonstrated_chores

COUNT = 512
"""Demonstrations that the paper has, over 83 activities."""


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none is of a test activity.

    Examples:
        >>> demos = demonstrations()
        >>> len(demos), len({demo.goal for demo in demos})
        (512, 83)
    """
    each, more = divmod(COUNT, DEMONSTRATED)
    made = []
    for index, chore in enumerate(demonstrated_chores()):
        solutions = activity(chore, each + (index < more)).solutions
        made += [
            Demonstration(f"{index}_{number}", chore.name, program)
            for number, program in enumerate(solutions)
        ]
    return made
