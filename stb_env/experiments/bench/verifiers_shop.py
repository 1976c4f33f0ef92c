"""The task of `rollouts` for verifiers: four questions of a rollout, each answered with what a shop has."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI

from stb_env.core.jsontext import read_back
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.bench.shop import FOUND, QUERY, SHOP
from stb_env.experiments.bench.wire import CALLS

__all__ = ["Shop", "ShopLoop"]


class Shop(vf.Taskset[vf.Task[vf.TaskData, vf.State, vf.TaskConfig], vf.TasksetConfig]):
    """One task, which any number of rollouts play."""

    def load(self) -> list[vf.Task[vf.TaskData, vf.State, vf.TaskConfig]]:
        """Return it."""
        data = vf.TaskData(idx=0, prompt=QUERY)
        return [vf.Task(data, self.config.task)]


class ShopLoop(vf.Harness[vf.HarnessConfig]):
    """Asks and answers in verifiers' own process, without a server for the tool, which costs it least."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Play one rollout."""
        del trace, runtime, mcp_urls, tool_interception_url
        tools: Any = [read_back(SHOP.spec)]
        messages: Any = [{"role": "user", "content": data.prompt}]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as model:
            for _ in range(CALLS):
                asked = await model.chat.completions.create(model=ctx.model, messages=messages, tools=tools)
                said: JsonObject = asked.choices[0].message.model_dump(exclude_none=True)
                messages.append(said)
                messages += [
                    {"role": "tool", "tool_call_id": call["id"], "content": FOUND.text}
                    for call in said["tool_calls"]
                ]
        return vf.ProgramResult(0, "", "")
