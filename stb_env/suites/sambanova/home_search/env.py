"""The Home Search environment: wishes in words, a program that fills in a search form, homes that answer it.

Besides what is said of all forms, the default takes a home type that is named twice once, and refuses an
empty list of home types.
"""

from __future__ import annotations

from stb_env.suites.sambanova.common.form.api import FormApi
from stb_env.suites.sambanova.common.form.task import form_task
from stb_env.suites.sambanova.home_search.catalogue import VERSION, find
from stb_env.suites.sambanova.home_search.functions import fill
from stb_env.suites.sambanova.home_search.tasks import NAME, home_task, tasks_of
from stb_env.suites.sambanova.home_search.tools import TOOLS

API = FormApi("home_search", VERSION, TOOLS, classes={}, fill=fill, find=find)
"""The search form."""

TASK = form_task(API, NAME, tasks_of, home_task)
"""The parts of the environment."""

make = TASK.maker(turns=24)
"""Makes it. An action is a program on ``API``, of which nothing is ever run, or calls in any other form."""
