"""The declaration of Google Sheets."""

from __future__ import annotations

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="google_sheets",
    env_id="stb/GoogleSheets-v1",
    env="stb_env.suites.sambanova.google_sheets.env:make",
    documents="stb_env.suites.sambanova.google_sheets.tools:documents",
    demonstrations="stb_env.suites.sambanova.google_sheets.demos:demonstrations",
    functions=108,
    max_tokens=256,
    documents_k=10,
    examples_k=3,
    templates=1,
    repeats=118,
    unseen_calls=True,
    published_complexity=12.1,
    advanced=True,
)
