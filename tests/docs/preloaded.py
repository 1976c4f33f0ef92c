"""What most blocks import and read, imported and read once for all of them."""

import warnings

import gymnasium
import jsonschema_rs
import pydantic
import rich.progress
import rich.table

import stb_env
import stb_env.show.cli
from stb_env.judges.heuristic import UnnamedJudgeWarning

PLAYED = (
    "stb/Sandbox-v1",
    "stb/I1Instruction-v0",
    "stb/APIBankRetrieve-v1",
    "stb/HomeSearch-v1",
    "stb/CatAPI-v1",
)

for _public in stb_env.__all__:
    getattr(stb_env, _public)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", UnnamedJudgeWarning)
    for _env_id in PLAYED:
        # Catalogues and worlds are read at the first reset, and kept.
        gymnasium.make(_env_id).reset(seed=0)
__all__ = ["PLAYED", "jsonschema_rs", "pydantic", "rich"]
