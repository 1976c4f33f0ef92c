"""Environments of the suites whose backend fails at every call, declared as somebody's own file does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from stb_env.backend.backend import Backend
from stb_env.core.request import Slow
from stb_env.envs.state import State
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError
from stb_env.runs.make import make_env
from stb_env.suite import Maker, Suite
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.wrappers.ruled import AroundBackend

SUITE_IDS = ("stb/Sandbox-v1", "stb/APIBankRetrieve-v1", "stb/OpenWeather-v1", "stb/I1Instruction-v0")


@dataclass
class Down(AroundBackend):
    backend: Backend

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        yield from ()
        raise BackendError("the backend is down", retryable=False)

    def recorded(self, state: Any, tool: Tool, call: ToolCall) -> ToolResult | None:
        return None


def down(backend: Backend, state: State) -> Backend:
    return Down(backend)


def broken(env_id: str, **settings: Any) -> ToolEnv:
    env = make_env(env_id, settings)
    env.rules = replace(env.rules, layers=(*env.rules.layers, down))
    return env


def named(env_id: str) -> str:
    return env_id.replace("stb/", "broken/")


ENVIRONMENTS = {
    named(env_id): Maker("tests.integrations.broken:broken", {"env_id": env_id}) for env_id in SUITE_IDS
}
SUITE = Suite(name="broken", description="backends that are down", environments=ENVIRONMENTS)
