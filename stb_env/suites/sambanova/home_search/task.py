"""The declaration of Home Search."""

from __future__ import annotations

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="home_search",
    env_id="stb/HomeSearch-v1",
    env="stb_env.suites.sambanova.home_search.env:make",
    documents="stb_env.suites.sambanova.home_search.tools:documents",
    demonstrations="stb_env.suites.sambanova.home_search.demos:demonstrations",
    functions=15,
    max_tokens=128,
    documents_k=15,
    examples_k=3,
    templates=100,
    repeats=18,
    published_complexity=6.4,
)
