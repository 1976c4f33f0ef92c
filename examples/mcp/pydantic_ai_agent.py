"""Pydantic AI plays an episode: python pydantic_ai_agent.py URL MODEL (pip: pydantic-ai-slim[openai,mcp])."""

import asyncio
import sys
from contextlib import suppress

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel


async def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    async with MCPToolset(url) as tools:
        system, user = (await tools.get_prompt("task")).messages
        chat = OpenAIChatModel(model)
        agent = Agent(chat, instructions=system.content.content, toolsets=[tools], retries=24)
        try:
            said = (await agent.run(user.content.content)).output
            with suppress(ModelRetry):  # the model has called it already
                await tools.direct_call_tool("Finish", {"final_answer": said})
        finally:
            print(await tools.read_resource("stb-env://verdict"))


asyncio.run(play(*sys.argv[1:]))
