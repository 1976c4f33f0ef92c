"""Figures of generated worlds: building one, drawing its tasks, its calls and its forks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count

from stb_env.experiments.bench.measurement import Measurement, rate
from stb_env.runs.make import make_env
from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.drawing.costs import Costs
from stb_env.suites.worlds.drawing.draw_goal import CALLS, GoalDrawer
from stb_env.suites.worlds.oracle.requests import Memory
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.kit import shipped_kit
from stb_env.suites.worlds.services.archetypes.tool import WorldTool
from stb_env.suites.worlds.world import Built, build, built

_KIT = "container_port"
_WORLD = f"{_KIT}-17"
_LEVELS = (1, 4, 6)


def generated_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure generated worlds: build, reset, draw, get, list and fork."""
    kit, seeds = shipped_kit(_KIT), count(50_000)
    world = built(_WORLD)
    rows = sum(len(each) for each in world.blueprint.data.rows.values())
    note = f"{len(world.tools)} tools, {rows:,} rows"
    figure = 1e3 / rate(lambda: build(kit, next(seeds)), seconds)
    yield Measurement("generated world, build", figure, "ms", note)
    drawer = GoalDrawer(world.blueprint, Costs(world))
    for level in _LEVELS:
        draw = _drawing(world, drawer, level)
        yield Measurement(f"generated world, draw a task, level {level}", 1e3 / rate(draw, seconds), "ms")
    for kind in ("get", "list"):
        tool = next(
            tool
            for tool in world.meant
            if tool.kind == kind and (kind == "get" or any(each.op == "=" for each in tool.filters))
        )
        run = partial(tool.call, State(), _arguments(world, tool))
        yield Measurement(f"generated world, {kind}", rate(run, seconds), "/s")
    env = make_env("stb/Worlds-v0", {"level": 2, "kit": _KIT})
    _, info = env.reset(seed=0)
    again = partial(env.reset, options={"task_id": info["task_id"]})
    yield Measurement("generated world, reset to a drawn task", 1e6 / rate(again, seconds), "us")
    call = env.task.gold[0]
    env.step({"name": call.name, "arguments": call.arguments})
    yield Measurement("generated world, fork", 1e6 / rate(env.fork, seconds), "us")
    env.close()


def _drawing(world: Built, drawer: GoalDrawer, level: int) -> Callable[[], None]:
    """Return what draws the next task of a level with all its checks."""
    numbers, memory = count(), Memory()

    def draw() -> None:
        for number in numbers:
            drawn = drawer.draw(level, rng("bench", level, number))
            if drawn is not None and solve(world, drawn.goal, *CALLS[level], memory) is not None:
                return

    return draw


def _arguments(world: Built, tool: WorldTool) -> Mapping[str, object]:
    """Return the arguments of a call: the first row, or the rows that equal it in an attribute."""
    if tool.kind == "get":
        return {tool.params[0].name: world.codec.id_of(tool.entity, 0)}
    row = world.blueprint.data.rows[tool.entity][0]
    each = next(each for each in tool.filters if each.op == "=")
    written = each.field.argument(row[each.field.column])
    group = next(param.group for param in tool.params if param.name == each.param)
    return {group: {each.param: written}} if group else {each.param: written}
