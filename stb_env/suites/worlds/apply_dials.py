"""Puts a task under the conditions that dials ask for."""

from __future__ import annotations

from dataclasses import replace

from stb_env.suites.worlds.dials import Dials
from stb_env.suites.worlds.goals import Make
from stb_env.suites.worlds.script import ScriptRecord
from stb_env.suites.worlds.world import GeneratedWorld
from stb_env.suites.worlds.world_task import WorldTask
from stb_env.tools import ToolCall

_FAULTS = (
    "The systems are unsteady today; what they answer says when to ask again."
)


def apply_dials(made: WorldTask, dials: Dials) -> WorldTask | None:
    """Return a task under dials, or None where it does not suit them.

    What an agent has to know of its conditions is said at the end of the request.
    """
    record, said = ScriptRecord(), [made.task.query]
    task = replace(made.task, id=f"{made.task.id}.{dials.suffix}")
    if dials.faults:
        if _has_a_double(made):
            return None
        record["faults"], record["seed"] = dials.faults, task.id
        said.append(_FAULTS)
    made = replace(made, task=replace(task, goal={**task.goal, "script": record}))
    gold = _calls(made)
    if dials.budget:
        # Gold always has enough.
        budget = max(1, -(-len(gold) * max(dials.budget, 100) // 100))
        record["budget"] = budget
        said.append(f"You have {budget} calls.")
    goal = {**made.task.goal, "script": record}
    return replace(made, task=replace(made.task, query=" ".join(said), goal=goal, gold=gold))


def _has_a_double(made: WorldTask) -> bool:
    """Return whether a row that has to be made is like one that is there: nobody could tell it was made."""
    goal, blueprint = made.drawn.goal, made.world.blueprint
    if not isinstance(goal, Make):
        return False
    columns = blueprint.entities[goal.entity].columns
    label = columns[blueprint.entities[goal.entity].label]
    drawn = {(*row[:label], *row[label + 1 :]) for row in blueprint.data.rows[goal.entity]}
    asked = made.task.goal["changes"].get(goal.entity, {"new": ()})
    return any(tuple(new) in drawn for new in asked["new"])


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
