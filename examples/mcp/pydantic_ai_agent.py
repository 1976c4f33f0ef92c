"""Pydantic AI plays an episode: python pydantic_ai_agent.py URL MODEL (pip: pydantic-ai-slim[openai,mcp])."""

import asyncio
import json
import sys
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel


async def verdict(tools: MCPToolset) -> dict[str, Any]:
    """Return how the episode stands; no model sees it."""
    return json.loads(await tools.read_resource("stb-env://verdict"))


async def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    async with MCPToolset(url) as tools:
        system, user = (await tools.get_prompt("task")).messages
        agent = Agent(
            OpenAIChatModel(model), instructions=system.content.content, toolsets=[tools], retries=24
        )
        try:
            done = await agent.run(user.content.content)
            if not (await verdict(tools))["over"]:
                answer = {"return_type": "give_answer", "final_answer": done.output}
                await tools.direct_call_tool("Finish", answer)
        finally:
            print(json.dumps(await verdict(tools)))


asyncio.run(play(*sys.argv[1:]))
