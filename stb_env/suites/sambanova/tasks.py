"""The tasks of the suite: one table of their declarations, from which all else follows."""

from __future__ import annotations

from dataclasses import replace

from stb_env.errors import ConfigError, did_you_mean
from stb_env.suites.sambanova.common.task import SambaNovaTask

_HOME = "stb_env.suites.sambanova"

_WEB_SHOP = SambaNovaTask(
    id="web_shop",
    env_id="stb/WebShop-v1",
    demonstrations=f"{_HOME}.web_shop.demos:demonstrations",
    calls=f"{_HOME}.web_shop.program:calls",
    turns=f"{_HOME}.web_shop.program:turns",
    max_tokens=128,
    documents_k=2,
    examples_k=3,
    templates=2,
    repeats=900,
    published_complexity=0.0,
    advanced=True,
    published_as="webshop_long",
    figures=("score",),
)

TASKS = (
    SambaNovaTask(
        id="open_weather",
        env_id="stb/OpenWeather-v1",
        documents=f"{_HOME}.open_weather.api:documents",
        calls=f"{_HOME}.open_weather.api:calls",
        # The paper prints 37 here and 52 for the Cat API; counting requests gives them the other way round.
        functions=52,
        max_tokens=128,
        documents_k=9,
        examples_k=3,
        templates=90,
        repeats=20,
        published_complexity=1.1,
    ),
    SambaNovaTask(
        id="cat_api",
        env_id="stb/CatAPI-v1",
        documents=f"{_HOME}.cat_api.api:documents",
        calls=f"{_HOME}.cat_api.api:calls",
        functions=37,
        max_tokens=128,
        documents_k=6,
        examples_k=3,
        templates=40,
        repeats=45,
        published_complexity=1.0,
    ),
    SambaNovaTask(
        id="home_search",
        env_id="stb/HomeSearch-v1",
        functions=15,
        max_tokens=128,
        documents_k=15,
        examples_k=3,
        templates=100,
        repeats=18,
        published_complexity=6.4,
    ),
    SambaNovaTask(
        id="trip_booking",
        env_id="stb/TripBooking-v1",
        functions=20,
        max_tokens=300,
        documents_k=20,
        examples_k=3,
        templates=30,
        repeats=60,
        published_complexity=10.1,
    ),
    SambaNovaTask(
        id="google_sheets",
        env_id="stb/GoogleSheets-v1",
        demonstrations=f"{_HOME}.google_sheets.demos:demonstrations",
        functions=108,
        max_tokens=256,
        documents_k=10,
        examples_k=3,
        templates=1,
        repeats=118,
        unseen_calls=True,
        published_complexity=12.1,
        advanced=True,
    ),
    SambaNovaTask(
        id="virtual_home",
        env_id="stb/VirtualHome-v1",
        functions=40,
        max_tokens=128,
        documents_k=10,
        examples_k=3,
        templates=1,
        repeats=512,
        published_complexity=12.3,
        figures=("executable", "lcs"),
    ),
    _WEB_SHOP,
    # The same goals and pages; prompts show the demonstrations with the least text.
    replace(
        _WEB_SHOP,
        id="web_shop_short",
        demonstrations=f"{_HOME}.web_shop.demos:short_demonstrations",
        published_as="webshop_short",
    ),
    SambaNovaTask(
        id="tabletop",
        env_id="stb/Tabletop-v1",
        demonstrations=f"{_HOME}.tabletop.demos:demonstrations",
        # The appendix gives no size; the demonstrations call 32 functions.
        functions=32,
        max_tokens=256,
        documents_k=0,
        examples_k=0,
        templates=1,
        repeats=74,
        published_complexity=4.6,
        advanced=True,
        stops=("#", "objects = ["),
    ),
)
"""The declarations, in the order of the paper's tables."""

SUITE = {task.id: task for task in TASKS}
"""Every task by its name."""


def suite_task(name: str) -> SambaNovaTask:
    """Return a task by its name, the name that saved episodes have, or the id of its environment.

    Raises:
        ConfigError: There is no such task; the message names the nearest.

    Examples:
        >>> suite_task("home_search") is suite_task("HomeSearch") is suite_task("stb/HomeSearch-v1")
        True
    """
    if name in SUITE:
        return SUITE[name]
    for task in SUITE.values():
        if name in (task.name, task.env_id):
            return task
    known = ", ".join(SUITE)
    raise ConfigError(f"no SambaNova task {name!r}; there is {known}.{did_you_mean(name, list(SUITE))}")
