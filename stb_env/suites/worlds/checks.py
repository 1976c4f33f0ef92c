"""Checks of generated worlds' own tasks, beside those that every environment goes through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.judge import Case
from stb_env.suites.worlds.careful import CarefulPlayer, play
from stb_env.suites.worlds.draw_goal import fits
from stb_env.suites.worlds.evaluation import evaluate
from stb_env.suites.worlds.judge import ExactJudge
from stb_env.suites.worlds.making import task_of
from stb_env.suites.worlds.rows import State
from stb_env.suites.worlds.world import GeneratedWorld, build
from stb_env.suites.worlds.world_task import WorldTask
from stb_env.tasks import Task
from stb_env.testing.report import Report

_SHOWN = 5
_SLOW = (1, 5, 20)
"""Calls that do nothing, by which gold is made slow."""


def check(report: Report, env: ToolEnv, tasks: Sequence[Task]) -> None:
    """Hold tasks against what a generated world promises.

    Args:
        report: Gets ``truth is derived twice``: the oracle, which sees tool results alone, and the evaluator,
            which sees tables alone, agree on answer and state; ``tasks are of their level``: the shortest
            plan and the independent decisions are within the level's bounds; ``no request occurs twice`` in
            one world; ``worlds are the same again``: built anew, tools and rows are equal; and, where others
            change rows, ``gold is right however slow``: with harmless calls before its own.
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
    said = Counter((each.world.key, each.task.query) for each in distinct.values())
    twice = [query for (_, query), count in said.items() if count > 1]
    _add(report, "no request occurs twice", twice, len(distinct))
    worlds = {each.world.key: each.world for each in made}
    other: list[str] = []
    for key, world in worlds.items():
        again = build(world.blueprint.kit, world.blueprint.seed)
        specs = [tool.tool.spec for tool in world.tools.values()]
        same = specs == [tool.tool.spec for tool in again.tools.values()]
        if not same or world.blueprint.data.rows != again.blueprint.data.rows:
            other.append(key)
    _add(report, "worlds are the same again", other, len(worlds))
    moving = [each for each in distinct.values() if _moves(each)]
    if moving:
        late = [each.task.id for each in moving if not all(_solved_after(each, count) for count in _SLOW)]
        _add(report, "gold is right however slow", late, len(moving))


def _moves(each: WorldTask) -> bool:
    """Return whether others change rows in a task, in which as many calls may be made as one likes."""
    script = each.task.goal.get("script", {})
    return "events" in script and "budget" not in script and each.missing is None


def _solved_after(each: WorldTask, idle: int) -> bool:
    """Return whether gold solves a task after so many calls that do nothing."""
    world, tools = GeneratedWorld(), {tool.name: tool for tool in each.task.tools}
    nothing = next(tool for tool in each.world.tools.values() if tool.kind == "today")
    state, play = world.start(each.task, 0), each.play()
    for _ in range(idle):
        _, state = world.call(state, nothing.tool, {})
    result = None
    while True:
        try:
            call = next(play) if result is None else play.send(result)
        except StopIteration as stop:
            ending = stop.value
            break
        if isinstance(call.arguments, str):
            raise TypeError(f"gold calls {call.name} with text, expected an object")
        result, state = world.call(state, tools[call.name], call.arguments)
    if isinstance(ending, str):
        return False
    case = Case(each.task, "", (), state, answer=ending.get("answer"), cannot=ending.get("cannot"))
    return case.verdict(ExactJudge()).status == "solved"


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


def _add(report: Report, name: str, failed: Sequence[str], count: int) -> None:
    detail = f"{count - len(failed)} of {count} hold"
    report.add(name, not failed, detail + (f", not {', '.join(failed[:_SHOWN])}" if failed else ""))
