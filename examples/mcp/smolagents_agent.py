"""smolagents plays: python smolagents_agent.py URL MODEL (pip: smolagents[openai,mcp] mcp[ws]<2)."""

import asyncio
import json
import os
import sys
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from smolagents import MCPClient, OpenAIModel, ToolCallingAgent


async def asked(url: str) -> tuple[str, dict[str, Any]]:
    """Return the task, and how the episode stands; smolagents itself reads tools alone."""
    async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        task = "\n\n".join(said.content.text for said in (await session.get_prompt("task")).messages)
        read = await session.read_resource("stb-env://verdict")
        return task, json.loads(read.contents[0].text)


def play(url: str, model: str) -> None:
    """Play the episode of a URL, and show how it was judged."""
    task, _ = asyncio.run(asked(url))
    server = {"url": url, "transport": "streamable-http"}
    chat = OpenAIModel(model, api_base=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])
    with MCPClient(server, structured_output=False) as tools:
        agent = ToolCallingAgent(tools, chat, max_steps=24, verbosity_level=0)
        answer = str(agent.run(task))
        if not asyncio.run(asked(url))[1]["over"]:
            finish = next(tool for tool in tools if tool.name == "Finish")
            finish(return_type="give_answer", final_answer=answer)
    print(json.dumps(asyncio.run(asked(url))[1]))


play(*sys.argv[1:])
