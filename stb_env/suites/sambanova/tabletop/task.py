"""The declaration of Tabletop."""

from __future__ import annotations

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="tabletop",
    env_id="stb/Tabletop-v1",
    env="stb_env.suites.sambanova.tabletop.env:make",
    documents="stb_env.suites.sambanova.tabletop.tools:documents",
    demonstrations="stb_env.suites.sambanova.tabletop.demos:demonstrations",
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
)
