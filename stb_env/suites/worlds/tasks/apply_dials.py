"""Puts a task under the conditions that dials ask for."""

from __future__ import annotations

from dataclasses import replace

from stb_env.judges.judge import Case
from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.data.traits import Key
from stb_env.suites.worlds.drawing.draw_goal import CALLS
from stb_env.suites.worlds.episode.script import Script, ScriptRecord
from stb_env.suites.worlds.goals.goal import Change, Make, parts_of
from stb_env.suites.worlds.judge import ExactJudge, generated_columns
from stb_env.suites.worlds.oracle.persistent import told
from stb_env.suites.worlds.oracle.requests import Plan
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.draw_events import EventDrawer, Moving
from stb_env.suites.worlds.tasks.nearby import tools_nearby
from stb_env.suites.worlds.tasks.settings import WORLDS
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import GeneratedWorld
from stb_env.tools import ToolCall

_FAULTS = "The systems are unsteady today; what they answer says when to ask again."

_EVENTS = (
    "Others change records while you work; what they have changed can be listed. What counts is how things "
    "stand when you finish, so what comes in until then counts, too."
)
SLOW = (1, 5, 20)
"""Calls that do nothing, by which gold is made slow."""
_MATTER = 0.7
"""Share of the tasks in which events matter, where they can."""


_SPARE_TURNS = 40
"""Actions beside twice the calls of the longest plan."""
_ASKED = 8
"""Calls that it takes to learn a detail that the user knows, at most."""


def turns_allowed(level: int, dials: Dials) -> int:
    """Return the actions of an episode at most; gold needs fewer in every task that is drawn.

    Args:
        level: The level of the task, or the highest of several.
        dials: Conditions of the episode.
    """
    _, most = CALLS[level]
    # What fails is done again, and what others changed is read again.
    often = 2 + 4 * dials.faults / 100 + 3 * dials.events
    return round(often * (most + _ASKED * dials.hidden)) + _SPARE_TURNS


def apply_dials(made: WorldTask, dials: Dials) -> WorldTask | None:
    """Return a task under dials, or None where it does not suit them.

    What an agent has to know of its conditions is said at the end of the request.
    """
    made = _among_others(made, dials.tools)
    record, said = ScriptRecord(), [made.task.query]
    record.update(made.task.goal.get("script", ScriptRecord()))
    task = replace(made.task, id=f"{made.task.id}.{dials.suffix}")
    if dials.faults:
        if _has_a_double(made):
            return None
        record["faults"], record["seed"] = dials.faults, task.id
        said.append(_FAULTS)
    made = replace(made, task=replace(task, goal={**task.goal, "script": record}))
    if dials.events:
        if any(isinstance(part, Change) and part.target is not None for part in parts_of(made.drawn.goal)):
            # What is moved before others change a quantity is lost in what they set it to.
            return None
        moved = _with_events(made)
        if moved is None:
            return None
        made = moved
        record = made.task.goal["script"]
        said.append(_EVENTS)
    gold = _calls(made)
    if len(gold) >= turns_allowed(made.task.record["level"], dials):
        return None
    if dials.budget:
        # Gold always has enough.
        budget = max(1, -(-len(gold) * max(dials.budget, 100) // 100))
        record["budget"] = budget
        said.append(f"You have {budget} calls.")
    goal = {**made.task.goal, "script": record}
    return replace(made, task=replace(made.task, query=" ".join(said), goal=goal, gold=gold))


def _with_events(made: WorldTask) -> WorldTask | None:
    """Return a task in which others change rows, or None where no changes suit it.

    Mostly they matter: who reads once and never again does not solve it.
    """
    pick = rng("events", made.task.id)
    drawer = EventDrawer(made, pick)
    if drawer.can_matter and pick.random() < _MATTER:
        for moving in drawer.candidates(matter=True):
            moved = _moved(made, moving)
            if not _reads_once(moved) and _is_fair(moved):
                return moved
    others = (_moved(made, moving) for moving in drawer.candidates(matter=False))
    return next((moved for moved in others if _is_fair(moved)), None)


def _is_fair(made: WorldTask) -> bool:
    """Return whether nothing that others change is what the user's words lead to."""
    return made.open is None or all(solved_after(made, idle) for idle in SLOW)


def _moved(made: WorldTask, moving: Moving) -> WorldTask:
    """Return a task with events."""
    task, blueprint = made.task, made.world.blueprint
    added = {event.entity for event in moving.events if event.new is not None}
    generated = {**task.goal.get("generated", {}), **generated_columns(blueprint, sorted(added))}
    goal = {
        **task.goal,
        "answer": moving.stages[-1]["answer"],
        "support": moving.stages[-1]["support"],
        "changes": moving.stages[-1]["changes"],
        "stages": list(moving.stages),
        "script": {**task.goal["script"], "events": [each.record for each in moving.events]},
        **({"generated": generated} if generated else {}),
    }
    feed = tuple(tool.tool for tool in made.world.scripted.values() if tool.kind == "changes")
    return replace(made, task=replace(task, tools=(*task.tools, *feed), goal=goal))


def _reads_once(made: WorldTask) -> bool:
    """Return whether the plan that reads once, and never looks what others change, solves a task."""
    try:
        return _ends_well(made, made.plan(watches=False), 0)
    except (LookupError, TypeError, ValueError):
        return False


def solved_after(made: WorldTask, idle: int) -> bool:
    """Return whether gold solves a task after so many calls that do nothing, if no call fails."""
    return _ends_well(made, made.plan(watches=True), idle)


def _ends_well(made: WorldTask, plan: Plan, idle: int) -> bool:
    """Return whether a plan solves a task after so many calls that do nothing, if no call fails."""
    world, tools = GeneratedWorld(), {tool.name: tool for tool in made.task.tools}
    script = made.task.goal["script"].copy()
    for name in ("faults", "seed", "budget"):
        script.pop(name, None)
    state = State(script=Script.of(script))
    nothing = next(tool for tool in made.world.tools.values() if tool.kind == "today")
    for _ in range(idle):
        _, state = world.call(state, nothing.tool, {})
    response: object = None
    while True:
        try:
            request = plan.send(response)
        except StopIteration as stop:
            answer, cannot = stop.value.get("answer"), stop.value.get("cannot")
            case = Case(made.task, "", (), state, answer=answer, cannot=cannot)
            return case.verdict(ExactJudge()).status == "solved"
        result, state = world.call(state, tools[request.tool.tool.name], request.arguments)
        response = told(result)


def _has_a_double(made: WorldTask) -> bool:
    """Return whether a row that has to be made is like one that is there: nobody could tell it was made."""
    blueprint = made.world.blueprint
    for part in parts_of(made.drawn.goal):
        asked = made.task.goal["changes"].get(part.entity) if isinstance(part, Make) else None
        if not isinstance(part, Make) or asked is None:
            continue
        columns = blueprint.entities[part.entity].columns
        label = columns[blueprint.entities[part.entity].label]
        drawn = {(*row[:label], *row[label + 1 :]) for row in blueprint.data.rows[part.entity]}
        if any(tuple(new) in drawn for new in asked["new"]):
            return True
    return False


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
