"""smolagents plays: python smolagents_agent.py URL MODEL (pip: smolagents[openai,mcp] mcp[ws]<2)."""

import asyncio
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from smolagents import MCPClient, OpenAIModel, ToolCallingAgent


async def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    # smolagents itself reads tools alone, not the task and the verdict.
    async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        task = "\n\n".join(said.content.text for said in (await session.get_prompt("task")).messages)
        try:
            with MCPClient({"url": url, "transport": "streamable-http"}, structured_output=False) as tools:
                agent = ToolCallingAgent(tools, OpenAIModel(model), max_steps=24, verbosity_level=0)
                said = str(await asyncio.to_thread(agent.run, task))
            await session.call_tool("Finish", {"final_answer": said})
        finally:
            print((await session.read_resource("stb-env://verdict")).contents[0].text)


asyncio.run(play(*sys.argv[1:]))
