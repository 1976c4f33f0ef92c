"""LangGraph plays: langgraph_agent.py URL MODEL (pip: langchain langchain-openai langchain-mcp-adapters)."""

import asyncio
import json
import sys
from typing import Any

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.prompts import load_mcp_prompt
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI
from mcp import ClientSession


async def verdict(session: ClientSession) -> dict[str, Any]:
    """Return how the episode stands; no model sees it."""
    return json.loads((await session.read_resource("stb-env://verdict")).contents[0].text)


async def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    client = MultiServerMCPClient({"stb-env": {"transport": "streamable_http", "url": url}})
    async with client.session("stb-env") as session:
        system, user = await load_mcp_prompt(session, "task")
        tools = await load_mcp_tools(session)
        agent = create_agent(ChatOpenAI(model=model), tools, system_prompt=system.content)
        try:
            done = await agent.ainvoke({"messages": [user]}, {"recursion_limit": 50})
            if not (await verdict(session))["over"]:
                answer = {"return_type": "give_answer", "final_answer": done["messages"][-1].text}
                await session.call_tool("Finish", answer)
        finally:
            print(json.dumps(await verdict(session)))


asyncio.run(play(*sys.argv[1:]))
