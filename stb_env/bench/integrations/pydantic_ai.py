"""An agent SDK that plays over MCP, with a server in a process of its own: Pydantic AI."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from stb_env.bench.beside import session_server
from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script, calls_of
from stb_env.bench.process import cpu_seconds


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
