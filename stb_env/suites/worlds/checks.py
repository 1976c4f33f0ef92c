"""Checks of generated worlds' own tasks, beside those that every environment goes through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.drawing.draw_goal import fits, identity
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.oracle.careful import CarefulPlayer, play
from stb_env.suites.worlds.tasks.apply_dials import SLOW, solved_after
from stb_env.suites.worlds.tasks.hidden_tasks import guesses
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import build
from stb_env.tasks import Task
from stb_env.testing.report import Report

_SHOWN = 5


def check(report: Report, env: ToolEnv, tasks: Sequence[Task]) -> None:
    """Hold tasks against what a generated world promises.

    Args:
        report: Gets ``truth is derived twice``: the oracle, which sees tool results alone, and the evaluator,
            which sees tables alone, agree on answer and state; ``tasks are of their level``: the shortest
            plan and the independent decisions are within the level's bounds; ``no request occurs twice`` in
            one world with the same facts; ``who never asks is wrong``, where requests leave details open: no
            likely guess gives what is expected; ``worlds are the same again``: built anew, tools and rows are
            equal; and, where others change rows, ``gold is right however slow``: with harmless calls before
            its own.
        env: The environment.
        tasks: The tasks.
    """
    del env
    made = [task_of(task.id) for task in tasks]
    unequal: list[str] = []
    outside: list[str] = []
    for each in made:
        if not _agree(each):
            unequal.append(each.task.id)
        calls = each.task.record["calls"]
        # A request that cannot be met is of its twin's level: the calls are fewer that show why.
        if each.refusal is None and not fits(each.task.record["level"], calls, each.drawn.decisions):
            outside.append(each.task.id)
    _add(report, "truth is derived twice", unequal, len(made))
    _add(report, "tasks are of their level", outside, len(made))
    distinct = {each.task.id: each for each in made}
    said = Counter((each.world.key, each.task.query, _facts(each)) for each in distinct.values())
    twice = [query for (_, query, _), count in said.items() if count > 1]
    _add(report, "no request occurs twice", twice, len(distinct))
    hidden = [each for each in distinct.values() if each.open is not None]
    if hidden:
        guessed = [each.task.id for each in hidden if any(guesses(each).values())]
        _add(report, "who never asks is wrong", guessed, len(hidden))
    worlds = {each.world.key: each.world for each in made}
    other: list[str] = []
    for key, world in worlds.items():
        again = build(world.blueprint.kit, world.blueprint.seed, world.blueprint.traits)
        specs = [tool.tool.spec for tool in world.tools.values()]
        same = specs == [tool.tool.spec for tool in again.tools.values()]
        if not same or world.blueprint.data.rows != again.blueprint.data.rows:
            other.append(key)
    _add(report, "worlds are the same again", other, len(worlds))
    moving = [each for each in distinct.values() if _moves(each)]
    if moving:
        late = [each.task.id for each in moving if not all(solved_after(each, count) for count in SLOW)]
        _add(report, "gold is right however slow", late, len(moving))


def _moves(each: WorldTask) -> bool:
    """Return whether others change rows in a task, in which as many calls may be made as one likes."""
    script = each.task.goal.get("script", {})
    return "events" in script and "budget" not in script and each.missing is None


def _agree(each: WorldTask) -> bool:
    """Return whether the oracle and the evaluator end a task alike."""
    if each.refusal is not None:
        wanted: JsonObject = {"cannot": {"reason": each.refusal.reason, "what": list(each.refusal.what)}}
        state = State()
    else:
        expected = evaluate(each.drawn.goal, each.world.blueprint, State())
        wanted, state = {"answer": expected.answer}, expected.state
    if not each.paired:
        return {"answer": each.solved.answer} == wanted and each.solved.state == state
    player = CarefulPlayer(each.world, each.solved.modes)
    ended = play(player, each.drawn.goal, each.missing, each.task.record["calls"])
    return ended is not None and ended.ending == wanted and ended.state == state


def _facts(each: WorldTask) -> str:
    """Return the values that only the user knows: they tell equal requests apart."""
    return "" if each.open is None else identity(each.drawn.goal) + repr(each.refusal)


def _add(report: Report, name: str, failed: Sequence[str], count: int) -> None:
    detail = f"{count - len(failed)} of {count} hold"
    report.add(name, not failed, detail + (f", not {', '.join(failed[:_SHOWN])}" if failed else ""))
