"""What most blocks import, imported once for all of them."""

import gymnasium
import jsonschema_rs
import pydantic
import rich.progress
import rich.table

import stb_env
import stb_env.cli
from stb_env.suite import suites

for _public in stb_env.__all__:
    getattr(stb_env, _public)
for _suite in suites():
    for _env_id in _suite.environments:
        gymnasium.spec(_env_id)
__all__ = ["gymnasium", "jsonschema_rs", "pydantic", "rich", "stb_env"]
