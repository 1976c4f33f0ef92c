"""Solved examples for prompts: eleven, as the paper has them."""

from __future__ import annotations

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.trip_booking.tasks import generate

COUNT = 11


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none has the functions of a test task.

    Examples:
        >>> demo = demonstrations()[0]
        >>> demo.name, demo.program.startswith('API.select_booking_type("trip tickets")')
        ('0_0', True)
    """
    tasks = [generate("demo", index) for index in range(COUNT)]
    return [
        Demonstration(f"{index}_0", task.query, task.goal["labels"][0]) for index, task in enumerate(tasks)
    ]
