"""verifiers with our harness: its interception, its tool server, and the model over HTTP."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from stb_env.bench.beside import beside
from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import Script
from stb_env.bench.process import cpu_seconds
from stb_env.errors import ConfigError

_KEY = "STB_BENCH_KEY"
_MODEL = "stb_env.bench.integrations.model_server"


@contextmanager
def verifiers(script: Script) -> Iterator[Play]:
    """Play as ``vf-eval stb_sandbox`` does, one rollout after another."""
    with beside(_MODEL, str(len(script.turns))) as (port, _), asyncio.Runner() as runner:
        serving = _serving(f"http://127.0.0.1:{port}/v1", len(script.turns))
        env, context, tasks = runner.run(serving.__aenter__())
        children = _children(os.getpid())

        async def play(ids: Sequence[str]) -> float:
            slots = [slot for task in ids for slot in env.slots(tasks[task], 1)]
            episodes = [await env.run_slot(slot, context) for slot in slots]
            for told in (told for episode in episodes for told in (episode, *episode.traces)):
                if told.errors:
                    raise ConfigError(f"a rollout failed, so nothing was measured: {told.errors[0]}")
            return mean([trace.reward for episode in episodes for trace in episode.traces])

        try:
            yield Play(lambda ids: runner.run(play(ids)), lambda: sum(map(cpu_seconds, children)))
        finally:
            runner.run(serving.__aexit__(None, None, None))


@asynccontextmanager
async def _serving(url: str, count: int) -> AsyncIterator[tuple[Any, Any, dict[str, Any]]]:
    from verifiers.v1.cli.resolve import narrow_config
    from verifiers.v1.clients import ModelContext
    from verifiers.v1.configs.cli.eval import EvalConfig
    from verifiers.v1.utils.loaders import load_environment

    os.environ.setdefault(_KEY, "none")
    taskset = {"id": "stb_sandbox", "num_tasks": count}
    kind = narrow_config(EvalConfig, ["--env.taskset.id", taskset["id"]])
    config = kind.model_validate(
        {
            "model": "knowing",
            "client": {"base_url": url, "api_key_var": _KEY},
            "env": {"taskset": taskset, "agent": {"runtime": {"type": "subprocess"}}},
            "push": False,
        }
    )
    env = load_environment(config.env)
    context = ModelContext(client=config.client, model=config.model, sampling=config.sampling)
    async with env.serving():
        yield env, context, {task.data.id: task for task in env.taskset}


def _children(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    own = [int(child) for each in lists for child in each.read_text(encoding="ascii").split()]
    return [*own, *(below for child in own for below in _children(child))]
