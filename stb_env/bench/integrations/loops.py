"""The loops that are measured, where what they need is installed."""

from __future__ import annotations

from functools import partial

from stb_env.bench.integrations.gymnasium import stable_baselines
from stb_env.bench.integrations.inspect import inspect
from stb_env.bench.integrations.loop import Loop
from stb_env.bench.integrations.nemo_gym import nemo_gym
from stb_env.bench.integrations.openenv import openenv
from stb_env.bench.integrations.own import driven, own_loop
from stb_env.bench.integrations.pydantic_ai import pydantic_ai
from stb_env.bench.integrations.skyrl import skyrl
from stb_env.bench.integrations.trl import environments, rollouts
from stb_env.bench.integrations.verifiers import verifiers
from stb_env.bench.integrations.verl import verl

OURS = Loop("our own loop", "stb_env", own_loop)

LOOPS = (
    Loop("a driven episode", "stb_env", driven),
    Loop("SkyRL-gym", "skyrl_gym", skyrl),
    Loop("Inspect AI, exact", "inspect_ai", partial(inspect, form="exact")),
    Loop("Inspect AI, react", "inspect_ai", partial(inspect, form="react")),
    Loop("TRL, environments", "trl", environments),
    Loop("TRL, rollouts", "trl", rollouts),
    Loop("verifiers, our harness", "stb_sandbox", verifiers),
    Loop("verl", "verl", verl),
    Loop("NeMo Gym", "nemo_gym", nemo_gym),
    Loop("Stable-Baselines3", "sb3_contrib", stable_baselines),
    Loop("OpenEnv's harness", "openenv", openenv),
    Loop("Pydantic AI, by MCP", "pydantic_ai", pydantic_ai),
)
"""All but our own, each with the module that it needs."""
