"""Puts a task under the conditions that dials ask for."""

from __future__ import annotations

from dataclasses import replace

from stb_env.seeding import rng
from stb_env.suites.worlds.dials import Dials
from stb_env.suites.worlds.nearby import MOST_TOOLS, tools_nearby
from stb_env.suites.worlds.script import ScriptRecord
from stb_env.suites.worlds.settings import WORLDS
from stb_env.suites.worlds.traits import Key
from stb_env.suites.worlds.world import GeneratedWorld
from stb_env.suites.worlds.world_task import WorldTask
from stb_env.tools import ToolCall


def apply_dials(made: WorldTask, dials: Dials) -> WorldTask | None:
    """Return a task under dials, or None where it does not suit them.

    What an agent has to know of its conditions is said at the end of the request.
    """
    if dials.tools > MOST_TOOLS:
        return None
    made = _among_others(made, dials.tools)
    record, said = ScriptRecord(), [made.task.query]
    record.update(made.task.goal.get("script", ScriptRecord()))
    if dials.budget:
        # Gold always has enough.
        record["budget"] = max(1, -(-len(made.task.gold) * max(dials.budget, 100) // 100))
        said.append(f"You have {record['budget']} calls.")
    task = replace(
        made.task,
        id=f"{made.task.id}.{dials.suffix}",
        query=" ".join(said),
        goal={**made.task.goal, "script": record},
    )
    return recorded(replace(made, task=task))


def recorded(made: WorldTask) -> WorldTask:
    """Return a task with the calls that its oracle makes as its gold."""
    return replace(made, task=replace(made.task, gold=_calls(made)))


def _among_others(made: WorldTask, least: int) -> WorldTask:
    """Return a task that offers so many tools, in no order: those of organisations nearby, too."""
    own = made.task.tools
    if len(own) >= least:
        return made
    seed = Key.of(made.key).seed
    seeds = next(each for each in WORLDS.values() if seed in each)
    offered = [*own, *tools_nearby(made.key, least - len(own), seeds)]
    rng("offered", made.key, least).shuffle(offered)
    return replace(made, task=replace(made.task, tools=tuple(offered)))


def _calls(made: WorldTask) -> tuple[ToolCall, ...]:
    """Play a task as its oracle does, and return the calls."""
    world, tools = GeneratedWorld(), {tool.name: tool for tool in made.task.tools}
    state, play, calls = world.start(made.task, 0), made.play(), list[ToolCall]()
    result = None
    while True:
        try:
            call = next(play) if result is None else play.send(result)
        except StopIteration:
            return tuple(calls)
        calls.append(call)
        if isinstance(call.arguments, str):
            raise TypeError(f"gold calls {call.name} with text, expected an object")
        result, state = world.call(state, tools[call.name], call.arguments)
