"""Loops with a server in a process of its own: OpenEnv, Pydantic AI and verifiers."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from stb_env import ConfigError
from stb_env.experiments.bench.integrations.loop import ENV_ID, Play, Script, calls_of, mean
from stb_env.experiments.bench.processes import beside, cpu_seconds, session_server

_KEY = "STB_BENCH_KEY"
_MODEL = "stb_env.experiments.bench.integrations.model_server"


@contextmanager
def openenv(script: Script) -> Iterator[Play]:
    """Play as TRL's asynchronous trainer does."""
    from openenv.core.harness import MCPHarnessAdapter, ModelStepResult
    from openenv.core.llm_client import LLMResponse, ToolCall

    from stb_env.integrations.openenv import SessionFactory

    def model(messages: Sequence[Any], tools: object, sampling: object) -> ModelStepResult:
        del tools, sampling
        with script.model():
            turn = script.next_turn(messages)
            calls = [ToolCall(f"c{n}", name, given) for n, (name, given) in enumerate(calls_of(turn))]
            return ModelStepResult(LLMResponse(str(turn["content"] or ""), calls))

    with session_server(ENV_ID) as (port, pid):
        sessions = SessionFactory(f"http://127.0.0.1:{port}/openenv/{ENV_ID}")

        def one(task: str) -> float | None:
            session = sessions.create(task, seed=0)
            try:
                played = MCPHarnessAdapter().run_white_box(model, session)
                reward: float | None = session.verify(played.messages).env_reward
                return reward
            finally:
                session.close()

        yield Play(lambda ids: mean([one(task) for task in ids]), lambda: cpu_seconds(pid))


@contextmanager
def pydantic_ai(script: Script) -> Iterator[Play]:
    """Play as ``examples/mcp/pydantic_ai_agent.py`` does."""
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    numbers = count()

    async def one(url: str, task: str) -> float | None:
        def answer(messages: Sequence[Any], info: object) -> ModelResponse:
            del info
            with script.model():
                turns = script.turns[task]
                place = sum(isinstance(message, ModelResponse) for message in messages)
                if place == len(turns):
                    # The SDK asks once more for a text.
                    return ModelResponse([TextPart("Done.")])
                return ModelResponse([ToolCallPart(name, given) for name, given in calls_of(turns[place])])

        async with MCPToolset(url) as tools:
            system, user = (await tools.get_prompt("task")).messages
            model = FunctionModel(answer)
            agent = Agent(model, instructions=system.content.content, toolsets=[tools], retries=24)
            await agent.run(user.content.content)
            reward: float | None = json.loads(await tools.read_resource("stb-env://verdict"))["reward"]
            return reward

    async def play(base: str, ids: Sequence[str]) -> float:
        addresses = ((f"{base}&task_id={task}&episode={next(numbers)}", task) for task in ids)
        return mean([await one(url, task) for url, task in addresses])

    with session_server(ENV_ID) as (port, pid), asyncio.Runner() as runner:
        base = f"http://127.0.0.1:{port}/mcp?id={ENV_ID}&seed=0"
        yield Play(lambda ids: runner.run(play(base, ids)), lambda: cpu_seconds(pid))


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
