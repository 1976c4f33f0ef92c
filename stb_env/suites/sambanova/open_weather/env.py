"""The Open Weather environment: one request to an embedded weather service."""

from __future__ import annotations

from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.suites.sambanova.common.rest.task import rest_task
from stb_env.suites.sambanova.open_weather.api import SERVICE
from stb_env.suites.sambanova.open_weather.judge import RequestJudge
from stb_env.suites.sambanova.open_weather.tasks import NAME, official_task, tasks_of

TASK = rest_task(SERVICE, NAME, tasks_of, official_task, RequestJudge(), OriginalJudge(SERVICE))
"""The parts of the environment."""

make = TASK.maker(turns=8)
"""Makes it. An action is a curl command, of which nothing is ever run, or a typed call."""
