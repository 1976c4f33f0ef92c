"""LangGraph plays: langgraph_agent.py URL MODEL (pip: langchain langchain-openai langchain-mcp-adapters)."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI


async def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    client = MultiServerMCPClient({"stb-env": {"transport": "streamable_http", "url": url}})
    async with client.session("stb-env") as session:
        system, user = await client.get_prompt("stb-env", "task")
        tools = await load_mcp_tools(session)
        agent = create_agent(ChatOpenAI(model=model), tools, system_prompt=system.content)
        try:
            said = (await agent.ainvoke({"messages": [user]}, {"recursion_limit": 50}))["messages"][-1].text
            await session.call_tool("Finish", {"final_answer": said})
        finally:
            print((await session.read_resource("stb-env://verdict")).contents[0].text)


asyncio.run(play(*sys.argv[1:]))
