"""The declaration of SambaNova's ToolBench."""

from __future__ import annotations

from stb_env.suite import Maker, Suite

_FOLDERS = {
    "OpenWeather": "open_weather",
    "CatAPI": "cat_api",
    "HomeSearch": "home_search",
    "TripBooking": "trip_booking",
    "GoogleSheets": "google_sheets",
    "VirtualHome": "virtual_home",
    "WebShop": "web_shop",
    "Tabletop": "tabletop",
}

SUITE = Suite(
    name="sambanova",
    description="SambaNova's ToolBench: eight tasks whose answer is a program or a sequence of actions",
    environments={
        f"stb/{name}-v0": Maker(f"stb_env.suites.sambanova.{folder}.env:make")
        for name, folder in _FOLDERS.items()
    },
    splits=("test", "train"),
    data=("sambanova",),
    protocol="sambanova",
    prompts="stb_env.suites.sambanova",
    agents={
        name: f"stb_env.suites.sambanova.few_shot_agent:{kind}"
        for name, kind in {
            "few_shot": "FewShotAgent",
            "zero_shot": "ZeroShotAgent",
            "system_prompt": "SystemPromptAgent",
            "system_few_shot": "SystemFewShotAgent",
        }.items()
    },
    commands="stb_env.suites.sambanova.commands:app",
)
