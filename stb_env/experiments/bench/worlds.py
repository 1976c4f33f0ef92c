"""Steps, forks and resets in the worlds that ship, and what a search costs on top."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

from gymnasium.envs.registration import registry

from stb_env import DepthFirstSearch, ToolCall, ToolEnv
from stb_env.core import jsontext
from stb_env.core.settings import accepts
from stb_env.envs.state import State
from stb_env.errors import ConfigError
from stb_env.experiments.bench.measurement import TURNS, Measurement, cycle, episode_rate, rate
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.make import env_ids, make_env, maker_of
from stb_env.suites.api_bank.api_set import LEVEL_12
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.suites.sambanova.common.interpreter.child import watched
from stb_env.tools import PYTHON

PROGRAMS = {
    "GoogleSheets": (
        "rows = worksheet.get_all_values()\n"
        "for number, row in enumerate(rows[1:], 2):\n"
        "    if number % 2 == 0 and len(row) > 1:\n"
        "        worksheet.update_cell(number, len(row) + 1, row[0].upper())"
    ),
    "Tabletop": (
        "for name in objects:\n"
        "    x, y = get_obj_pos(name)[:2]\n"
        "    if 'block' in name:\n"
        "        put_first_on_second(name, [-x / 2, y])"
    ),
}
"""A program for each world that reads Python: goes through what there is, and changes some of it."""

# The real catalogue of RapidAPI is about as large.
_MANY = 16_000
_BRIEF = 0.5
_WARM_UP = 8_000
_NODES = 200
_CALLS = 20
_OPEN = "stb_env.suites.stabletoolbench.env:make"


def sandbox_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure the Sandbox: steps, snapshots, forks and resets."""
    env = _made("stb/Sandbox-v1", split="train")
    call = env.task.gold[0]
    action = jsontext.dumps({"name": call.name, "arguments": call.arguments})
    yield Measurement("env.step, Sandbox call", episode_rate(env, cycle([action]), seconds), "/s")
    env.step(action)

    def back_and_forth() -> None:
        env.restore(env.snapshot())

    yield Measurement("snapshot + restore", 1e6 / rate(back_and_forth, seconds), "us")
    yield Measurement("fork", 1e6 / rate(env.fork, seconds), "us")
    # The first resets also fill the tables of the world, once in a process.
    for _ in range(int(_WARM_UP * min(1.0, seconds / _BRIEF))):
        env.reset()
    yield Measurement("reset, new task", rate(env.reset, seconds), "/s", "training tasks, steady state")
    yield _search_measurement(seconds)


def world_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure resets and steps, the first and the judged last one, of every other environment with an oracle.

    A reset is to one of the test tasks, most of which were made before; that to a training task makes it.
    """
    world = ApiBankWorld()
    yield Measurement("fresh API-Bank world", 1e6 / rate(world.fresh, seconds), "us")
    for env_id in env_ids():
        own = env_id.startswith("stb/") and env_id != "stb/Sandbox-v1"
        if own and registry[env_id].entry_point != _OPEN:
            name = env_id.removeprefix("stb/").rpartition("-v")[0]
            env = _made(env_id)
            if env.oracle is not None:
                yield Measurement(
                    f"env.step, {name}", _step_rate(env, _first_action(env), env.snapshot(), seconds), "/s"
                )
                yield Measurement(f"last step, {name}", 1e6 / _last_step_rate(env, seconds), "us")
                yield Measurement(f"reset, {name}", 1e6 / rate(env.reset, seconds), "us")
                if accepts(maker_of(env_id), "split"):
                    training = _made(env_id, split="train")
                    yield Measurement(f"reset, new task, {name}", 1e6 / rate(training.reset, seconds), "us")
                    training.close()
            env.close()
    yield from program_measurements(seconds)


def program_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure a step that runs a whole program, in the worlds that read Python."""
    for name, program in PROGRAMS.items():
        env = _made(f"stb/{name}-v1")
        yield Measurement(
            f"env.step, program, {name}", _step_rate(env, program, env.snapshot(), seconds), "/s"
        )
        state = env.snapshot().backend
        way = rate(partial(watched, copy.copy, state), seconds)
        yield Measurement(
            f"way to a child process, {name}", 1e6 / way, "us", "with the state, there and back"
        )
        env.close()


def code_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure programs as actions: one that calls nothing, and a call in one; none without the extra."""
    try:
        env = _made("stb/Sandbox-v1", actions="code")
    except ConfigError:
        return
    call = env.task.gold[0]
    env.step({"name": PYTHON, "arguments": {"code": "found = []"}})
    start = env.snapshot()
    line = env.program_of([call]).splitlines()[1]
    alone = {"name": PYTHON, "arguments": {"code": "len(found)"}}
    many = {"name": PYTHON, "arguments": {"code": f"for _ in range({_CALLS}):\n    {line}"}}
    without = 1e6 / _step_rate(env, alone, start, seconds)
    yield Measurement("program without calls", without, "us", "variables loaded and kept")
    together = 1e6 / _step_rate(env, many, start, seconds)
    yield Measurement("call in a program", (together - without) / _CALLS, "us", f"{_CALLS} calls")
    env.close()


def searcher_measurements(seconds: float) -> Iterator[Measurement]:
    """Measure a tool search over API-Bank's catalogue and over one as large as RapidAPI's."""
    entries = LEVEL_12.entries
    many = _MANY if seconds >= _BRIEF else _MANY // 16
    numbered = [
        {**entry, "name": f"{entry['name']}{number}"}
        for number, entry in islice(enumerate(cycle(entries)), many)
    ]
    for records in (entries, numbered):
        search = ToolSearcher(records)
        figure = 1e3 / rate(lambda search=search: search("delete a meeting"), seconds)  # type: ignore[misc] # mypy takes the default for an argument
        yield Measurement(f"ToolSearcher query, {len(records):,} APIs", figure, "ms")


def _search_measurement(seconds: float) -> Measurement:
    """Return what a search adds to a step, in trees of 200 nodes."""
    inner = _made("stb/Sandbox-v1", max_turns=_NODES)
    call = inner.task.gold[0]
    action = {"name": call.name, "arguments": call.arguments}
    start, task_id = inner.snapshot(), inner.task.id
    search = DepthFirstSearch(_made("stb/Sandbox-v1", max_turns=_NODES), max_depth=TURNS, max_queries=_NODES)
    alone, with_search = float("inf"), float("inf")
    until = time.perf_counter() + max(seconds, 0.1)
    while time.perf_counter() < until:
        alone = min(alone, _steps(inner, action, start))
        search.reset(seed=0, options={"task_id": task_id})
        with_search = min(with_search, _tree(search, action))
    return Measurement("DFS, overhead of a node", 1e6 * (with_search - alone), "us", f"{_NODES} nodes")


def _steps(env: ToolEnv, action: object, start: State) -> float:
    begun = time.perf_counter()
    for number in range(_NODES):
        if number % TURNS == 0:
            env.restore(start)
        env.step(action)
    return (time.perf_counter() - begun) / _NODES


def _tree(search: DepthFirstSearch, action: object) -> float:
    begun, over = time.perf_counter(), False
    while not over:
        _, _, terminated, truncated, _ = search.step(action)
        over = terminated or truncated
    return (time.perf_counter() - begun) / _NODES


def _made(env_id: str, **settings: object) -> ToolEnv:
    env = make_env(env_id, {"max_turns": TURNS + 1, **settings})
    env.reset(seed=0)
    return env


def _last_step_rate(env: ToolEnv, seconds: float) -> float:
    """Return how often a second the step can be taken that ends an episode, its verdict included."""
    agent, over = Gold(), False
    observation, info = env.reset(seed=0)
    agent.reset(env, 0)
    while not over:
        start, action = env.snapshot(), agent.act(observation, info)
        observation, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    return _step_rate(env, action, start, seconds)


def _step_rate(env: ToolEnv, action: object, start: State, seconds: float) -> float:
    def step() -> None:
        env.restore(start)
        env.step(action)

    return rate(step, seconds)


def _first_action(env: ToolEnv) -> str:
    """Return the first call that solves the task; a text where the agent speaks first."""
    assert env.oracle is not None  # noqa: S101 (narrows the type)
    first = next(env.oracle(env.task))
    if isinstance(first, str):
        return first
    calls = (first,) if isinstance(first, ToolCall) else first
    said = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return jsontext.dumps(said[0] if len(said) == 1 else said)
