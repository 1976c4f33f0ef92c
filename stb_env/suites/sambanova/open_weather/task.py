"""The declaration of Open Weather."""

from __future__ import annotations

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="open_weather",
    env_id="stb/OpenWeather-v1",
    env="stb_env.suites.sambanova.open_weather.env:make",
    documents="stb_env.suites.sambanova.open_weather.tools:documents",
    demonstrations="stb_env.suites.sambanova.open_weather.demos:demonstrations",
    calls="stb_env.suites.sambanova.open_weather.program:calls",
    # The paper prints 37 here and 52 for the Cat API; counting requests gives them the other way round.
    functions=52,
    max_tokens=128,
    documents_k=9,
    examples_k=3,
    templates=90,
    repeats=20,
    published_complexity=1.1,
)
