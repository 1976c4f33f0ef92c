"""The declaration of WebShop, in the two versions of its demonstrations."""

from __future__ import annotations

from dataclasses import replace

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="web_shop",
    env_id="stb/WebShop-v1",
    env="stb_env.suites.sambanova.web_shop.env:make",
    documents="stb_env.suites.sambanova.web_shop.tools:documents",
    demonstrations="stb_env.suites.sambanova.web_shop.demos:demonstrations",
    calls="stb_env.suites.sambanova.web_shop.program:calls",
    turns="stb_env.suites.sambanova.web_shop.program:turns",
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

SHORT = replace(
    TASK,
    id="web_shop_short",
    demonstrations="stb_env.suites.sambanova.web_shop.demos:short_demonstrations",
    published_as="webshop_short",
)
"""The same goals and pages; prompts show the demonstrations with the least text."""
