"""Solved examples for prompts: two of each kind of request, as the paper has them."""

from __future__ import annotations

from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.open_weather.apis import APIS
from stb_env.suites.sambanova.open_weather.tasks import generate

PER_KIND = 2


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none is a test task.

    Examples:
        >>> demo = demonstrations()[0]
        >>> demo.name, demo.program.startswith("curl -X GET 'https://api.openweathermap.org/")
        ('0_0', True)
    """
    made = []
    for kind in range(len(APIS)):
        for number in range(PER_KIND):
            task = generate("demo", kind + number * len(APIS))
            made.append(Demonstration(f"{kind}_{number}", task.query, task.goal["labels"][0]))
    return made
