"""The Cat API environment: one request to an embedded image service with an account."""

from __future__ import annotations

from stb_env.suites.sambanova.cat_api.api import SERVICE
from stb_env.suites.sambanova.cat_api.judge import AccountJudge
from stb_env.suites.sambanova.cat_api.tasks import NAME, official_task, tasks_of
from stb_env.suites.sambanova.common.rest.judge import OriginalJudge
from stb_env.suites.sambanova.common.rest.task import rest_task

# By the original's rules any image that is added is the right one.
ORIGINAL = OriginalJudge(SERVICE, floors={"random": 0.1})
TASK = rest_task(SERVICE, NAME, tasks_of, official_task, AccountJudge(), ORIGINAL)
"""The parts of the environment."""

make = TASK.maker(turns=8)
"""Makes it. An action is a curl command, of which nothing is ever run, or a typed call."""
