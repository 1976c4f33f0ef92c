"""Solved examples for prompts: two of each kind of request, as the paper has them."""

from __future__ import annotations

from stb_env.suites.sambanova.cat_api.apis import APIS
from stb_env.suites.sambanova.cat_api.tasks import make_task
from stb_env.suites.sambanova.common.official import Demonstration

PER_KIND = 2


def demonstrations() -> list[Demonstration]:
    """Return the demonstrations; none is a test task.

    Examples:
        >>> demo = demonstrations()[4]
        >>> demo.name, demo.program
        ('2_0', "curl -X GET 'https://api.thecatapi.com/v1/favourites'")
    """
    made = []
    for kind, api in enumerate(APIS):
        for number in range(PER_KIND):
            task = make_task("demo", number, api.name)
            made.append(Demonstration(f"{kind}_{number}", task.query, task.goal["labels"][0]))
    return made
