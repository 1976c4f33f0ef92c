"""The OpenAI Agents SDK plays: python openai_agent.py URL MODEL, after pip install openai-agents."""

import asyncio
import sys

from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled


async def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    set_tracing_disabled(True)  # otherwise what is said would be sent elsewhere
    async with MCPServerStreamableHttp(params={"url": url}, cache_tools_list=False) as server:
        system, user = (await server.get_prompt("task")).messages
        chat = OpenAIChatCompletionsModel(model, AsyncOpenAI())
        agent = Agent("player", instructions=system.content.text, model=chat, mcp_servers=[server])
        try:
            said = (await Runner.run(agent, user.content.text, max_turns=24)).final_output
            await server.call_tool("Finish", {"final_answer": str(said)})
        finally:
            print((await server.read_resource("stb-env://verdict")).contents[0].text)


asyncio.run(play(*sys.argv[1:]))
