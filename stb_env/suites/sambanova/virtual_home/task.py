"""The declaration of VirtualHome."""

from __future__ import annotations

from stb_env.suites.sambanova.common.task import SambaNovaTask

TASK = SambaNovaTask(
    id="virtual_home",
    env_id="stb/VirtualHome-v1",
    env="stb_env.suites.sambanova.virtual_home.env:make",
    documents="stb_env.suites.sambanova.virtual_home.tools:documents",
    demonstrations="stb_env.suites.sambanova.virtual_home.demos:demonstrations",
    functions=40,
    max_tokens=128,
    documents_k=10,
    examples_k=3,
    templates=1,
    repeats=512,
    published_complexity=12.3,
    figures=("executable", "lcs"),
)
