"""The task of `rollouts` in other frameworks, where they are installed, so that figures stand beside ours."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stb_env import ConfigError
from stb_env.experiments.bench.measurement import Measurement
from stb_env.experiments.bench.shop import FOUND, QUERY
from stb_env.experiments.bench.wire import CALLS

Play = Callable[[str, int, int, Path], int]
"""Of an endpoint, how many episodes, how many at once and a folder; returns how many came to their end."""

# Episodes at least, and those of the short evaluation that is taken off.
_MANY, _FEW = 128, 2


def framework_measurements(url: str, in_flight: int, latency: float) -> Iterator[Measurement]:
    """Measure the frameworks that are installed.

    What a framework does once is left out: an evaluation of two episodes is taken off, all but the time that
    its calls wait, after another of two, which imports the framework.

    Args:
        url: The endpoint.
        in_flight: Episodes at once.
        latency: Seconds that the endpoint takes for an answer.

    Raises:
        ConfigError: A framework did not play all of them to their end.
    """
    for name, needed, play in _FRAMEWORKS:
        if find_spec(needed) is None:
            continue
        _took(name, play, url, _FEW, in_flight)
        few, spent_on_few = _took(name, play, url, _FEW, in_flight)
        rounds = max(1, _MANY // in_flight)
        many, spent = _took(name, play, url, rounds * in_flight, in_flight)
        share = min(1.0, rounds * CALLS * latency / (many - few + CALLS * latency))
        cost = 1e6 * (spent - spent_on_few) / (CALLS * (rounds * in_flight - _FEW))
        yield Measurement(f"{name}, {in_flight:,} in flight", share, "of the bound", f"{cost:.0f} us/call")


def _took(name: str, play: Play, url: str, episodes: int, in_flight: int) -> tuple[float, float]:
    with TemporaryDirectory(prefix="stb-bench-") as folder:
        spent, begun = time.process_time(), time.perf_counter()
        whole = play(url, episodes, in_flight, Path(folder))
        took, spent = time.perf_counter() - begun, time.process_time() - spent
    if whole != episodes:
        raise ConfigError(f"{name} played {whole} of {episodes} episodes to their end; see its own log")
    return took, spent


def _inspect(url: str, episodes: int, in_flight: int, folder: Path) -> int:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.solver import Generate, Solver, TaskState, solver, use_tools
    from inspect_ai.tool import Tool, tool

    @tool
    def search_products() -> Tool:
        async def execute(query: str, limit: int = 5) -> str:
            """Finds what a shop sells, and returns the first of it with price and stock.

            Args:
                query: What to look for, in words.
                limit: How many.
            """
            del query, limit
            return FOUND.text

        return execute

    @solver
    def turns() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            for _ in range(CALLS):
                state = await generate(state, tool_calls="single")
            return state

        return solve

    config = GenerateConfig(max_connections=in_flight)
    model = get_model(
        "openai-api/fake/fake", base_url=url, api_key="none", config=config, memoize=False, stream=False
    )
    samples = [Sample(input=QUERY, id=number) for number in range(1, episodes + 1)]
    played = Task(dataset=samples, solver=[use_tools(search_products()), turns()])
    (log,) = evaluate(
        played, model=model, max_samples=in_flight, log_dir=str(folder), display="none", log_level="error"
    )
    return sum(sum(said.role == "tool" for said in sample.messages) == CALLS for sample in log.samples or ())


def _verifiers(url: str, episodes: int, in_flight: int, folder: Path) -> int:
    from verifiers.v1.cli.eval.runner import run_eval
    from verifiers.v1.configs.cli.eval import EvalConfig

    from stb_env.experiments.bench import verifiers_shop

    # It looks for a taskset among the modules without a package, and for a key in the environment.
    sys.modules["stb_bench_shop"] = verifiers_shop
    os.environ.setdefault("STB_BENCH_KEY", "none")
    settings: dict[str, Any] = {
        "env": {
            "taskset": {"id": "stb_bench_shop"},
            "agent": {"runtime": {"type": "subprocess"}},
        },
        "model": "fake",
        "client": {"base_url": url, "api_key_var": "STB_BENCH_KEY"},
        "num_rollouts": episodes,
        "max_concurrent": in_flight,
        "push": False,
        "rich": None,
        "output_dir": folder,
    }
    played = asyncio.run(run_eval(EvalConfig.model_validate(settings)))
    return sum(episode.ok for episode in played)


_FRAMEWORKS: tuple[tuple[str, str, Play], ...] = (
    ("Inspect AI", "inspect_ai", _inspect),
    ("verifiers", "verifiers", _verifiers),
)
"""Each framework's name, the module that it needs, and what plays the task in it."""
