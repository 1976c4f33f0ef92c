"""Different calls of the Sandbox's APIs: written from their documentation, or taken from gold solutions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from stb_env import Tool, seeding
from stb_env.backend.cache.key import canonical
from stb_env.backend.call_writer import CallWriter
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import drive
from stb_env.suites.sandbox.catalog import household, tools
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tools import ToolId


class SandboxCall(NamedTuple):
    """One call of a Sandbox API.

    Attributes:
        tool: The API.
        arguments: What it is called with.
        household: The household whose starting state it meets.
    """

    tool: Tool
    arguments: JsonMapping
    household: int = 0


def written_calls(apis: int, calls: int, writer: CallWriter, seed: int) -> list[SandboxCall]:
    """Have a writer write different calls of APIs that the seed chooses.

    Args:
        apis: Number of APIs; fewer where there are no more.
        calls: Number of calls of each; an API whose documentation allows fewer is passed over.
        writer: Writes the calls.
        seed: Seed of the choice.
    """
    chosen: list[SandboxCall] = []
    for tool in _shuffled(tools().values(), seed):
        if len(chosen) >= apis * calls:
            break
        written = drive(writer.write(tool, calls))
        if not written.missing:
            chosen += [SandboxCall(tool, arguments) for arguments in written]
    return chosen


def gold_calls(apis: int, calls: int, seed: int) -> list[SandboxCall]:
    """Take different calls that solve test tasks and that the Sandbox answers without an error.

    Args:
        apis: Number of APIs; fewer where there are no more.
        calls: Number of calls of each; an API that the gold solutions call less often is passed over.
        seed: Seed of the choice.
    """
    known = _gold()
    usable = _shuffled((tool for tool in tools().values() if len(known.get(tool.id, ())) >= calls), seed)
    return [
        call
        for tool in usable[:apis]
        for call in seeding.rng("lab calls", seed, *tool.id).sample(known[tool.id], calls)
    ]


def _shuffled(offered: Iterable[Tool], seed: int) -> list[Tool]:
    shuffled = list(offered)
    seeding.rng("lab apis", seed).shuffle(shuffled)
    return shuffled


def _gold() -> dict[ToolId, list[SandboxCall]]:
    """Return the different gold calls of the test tasks that work as the first call of an episode."""
    tasks = SandboxTasks("test")
    found: dict[ToolId, dict[str, SandboxCall]] = {}
    for task in map(tasks.at, range(tasks.size or 0)):
        offered, home = {tool.name: tool for tool in task.tools}, task.record["household"]
        for gold in task.gold:
            if isinstance(gold.arguments, Mapping):
                call = SandboxCall(offered[gold.name], gold.arguments, home)
                result, _ = SandboxWorld().call(household(home), call.tool, call.arguments)
                if not result.error:
                    found.setdefault(call.tool.id, {}).setdefault(canonical(call.arguments), call)
    return {identity: list(different.values()) for identity, different in found.items()}
