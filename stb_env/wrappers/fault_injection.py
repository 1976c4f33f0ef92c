"""Faults around any backend: an agent learns to live with APIs that fail."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from stb_env.backend.backend import Backend
from stb_env.backend.faults import Faults, Outage, unavailable
from stb_env.core import jsontext
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow
from stb_env.core.settings import check_settings, checks_settings
from stb_env.envs.rules import Rules
from stb_env.envs.state import State
from stb_env.errors import ConfigError
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.wrappers.ruled import AroundBackend, RuledWrapper


class FaultInjection(RuledWrapper):
    """Lets calls go wrong, in worlds too, as an agent that has to cope with it sees them.

    Tools that are down answer as in the experiment of Guo et al., 2024. An error of a request is an
    observation here, with an error that says to try again, and the call was not made: nothing changes in
    the world. Its source is ``fault``. To test how the package itself copes with failing APIs, give the
    environment ``faults`` instead. What is hit follows from the faults' seed, the episode's seed, the call
    and how often the episode made it; a call that is made again has another chance.

    Args:
        env: A tool environment; it stays as it is, a fork of it is played.
        faults: Which faults, as `Faults` or a dict of its settings. Without ``tools`` each tool is down with
            probability ``share``.

    Raises:
        ConfigError: A setting is out of range, or one that only an environment's own backend can follow.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = FaultInjection(notes(), {"errors": {"503": 1.0}})
        >>> _ = env.reset(seed=0)
        >>> env.step({"name": "find_notes", "arguments": {"word": "dentist"}})[0]["result"]
        '{"error": "the API answered with HTTP status 503; try again", "response": ""}'
    """

    @checks_settings
    def __init__(self, env: AnyEnv, faults: Faults | JsonMapping) -> None:
        if isinstance(faults, Mapping):
            check_settings(Faults, faults, "faults")
        self.faults = Faults(**faults) if isinstance(faults, Mapping) else faults
        if self.faults.action != "unavailable" or self.faults.after_cache:
            raise ConfigError(
                "action='simulator' and after_cache are for the backend of an environment; make it with "
                "faults=..., or leave them out here"
            )
        super().__init__(env, faults=faults)

    def ruled(self, rules: Rules) -> Rules:
        """Return the rules with the faults between agent and backend."""
        outage = self.faults.outage(self.faults.tools)
        return replace(rules, layers=(*rules.layers, _Injected(self.faults, outage)))


@dataclass(frozen=True, slots=True)
class _Injected:
    """Puts faults around a backend."""

    faults: Faults
    outage: Outage

    def __call__(self, backend: Backend, state: State) -> Backend:
        made = Counter(_key(call) for call in state.calls) if self.faults.errors else Counter[str]()
        return _Faulty(backend, self, state.seed, made)


@dataclass
class _Faulty(AroundBackend):
    backend: Backend
    injected: _Injected
    seed: int
    made: Counter[str] = field(default_factory=Counter)

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        if self.injected.outage.hits(tool.id):
            return unavailable(), state
        faults = self.injected.faults
        fault = faults.strike(f"{self.seed} {_key(call)}", self.made[_key(call)])
        self.made[_key(call)] += 1
        if fault == "delay":
            yield Request(partial(time.sleep, faults.delay_s), partial(asyncio.sleep, faults.delay_s))
        elif fault:
            return ToolResult.of("", error=_said(fault), source="fault"), state
        return (yield from self.backend.answer(state, tool, call))

    def recorded(self, state: object, tool: Tool, call: ToolCall) -> ToolResult | None:
        return None if self.injected.outage.hits(tool.id) else self.backend.recorded(state, tool, call)


def _key(call: Any) -> str:
    return f"{call.name} {jsontext.dumps(call.arguments)}"


def _said(fault: str) -> str:
    if fault == "truncated":
        return "the answer of the API broke off; try again"
    return f"the API answered with HTTP status {fault}; try again"
