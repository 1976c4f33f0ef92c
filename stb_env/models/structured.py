"""A model that is asked for the form of its reply in the way that its endpoint can take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow
from stb_env.models.abilities import Abilities
from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.models.config import Structured
from stb_env.models.contract import CALLS, Contract, Way, given
from stb_env.models.endpoint import ModelAddress
from stb_env.models.findings import FINDINGS, Findings
from stb_env.models.model import ChatModel, ModelError, WrappedModel, ask
from stb_env.models.prompting import prompt
from stb_env.models.written_tools import read_written, write_request

# HTTP statuses with which servers refuse what they do not know.
_REFUSED = frozenset({400, 422, 501})


class StructuredModel(WrappedModel):
    """Asks for a contract's form as JSON Schema, else as one forced function, else in words.

    Requests without a `Contract` go as they are, and so do those with one where the endpoint's abilities
    are not known. What a server refuses (HTTP 400) is asked again in the next way, and not in the refused one
    again. An agent's calls are asked for as function calls where the model gets to see the tools; otherwise
    the tools stand in the text, and each reply is held to the schema of a call, or is ReAct text.

    A probe's few tokens are on no budget: they are spent once for an endpoint, not for a run.

    Args:
        model: Answers.
        structured: ``auto`` for the best way that the endpoint has, or one way.
        place: Where the model is, for ``auto``.
        prober: Makes the model that is asked what the endpoint can do, for ``auto``.
        findings: What is known of endpoints.
    """

    def __init__(
        self,
        model: ChatModel,
        structured: Structured,
        place: ModelAddress,
        prober: Callable[[], ChatModel],
        findings: Findings = FINDINGS,
    ) -> None:
        super().__init__(model)
        self._structured = structured
        self._place = place
        self._prober = prober
        self._findings = findings
        self._refused: set[tuple[Way | None, str]] = set()

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Ask the model inside in the best way that its endpoint has not refused."""
        if request.contract is None:
            reply: ChatReply = yield ask(self.model, request)
            return reply
        abilities: Abilities | None = None
        if self._structured == "auto":
            find = partial(self._findings.of, self._place, self._prober)
            abilities = yield Request(run=find, arun=partial(asyncio.to_thread, find))
        *better, last = self._ways(request.contract, abilities)
        for way in better:
            refusal = (way, request.contract.name)
            if refusal in self._refused:
                continue
            try:
                reply = yield ask(self.model, written(request, way))
            except ModelError as error:
                if error.status not in _REFUSED:
                    raise
                self._refused.add(refusal)
            else:
                return read(reply, request)
        reply = yield ask(self.model, written(request, last))
        return read(reply, request)

    def close(self) -> None:
        """Close the connections of the model inside, where it has any."""
        if hasattr(self.model, "close"):
            self.model.close()

    async def aclose(self) -> None:
        """Close the connections that the model inside has on the running event loop, where it has any."""
        if hasattr(self.model, "aclose"):
            await self.model.aclose()

    def _ways(self, contract: Contract, abilities: Abilities | None) -> Iterator[Way | None]:
        if self._structured != "auto":
            yield self._structured
            return
        if abilities is None:
            yield None
            return
        if contract == CALLS and abilities.rendered:
            yield "tools"
            return
        if abilities.json_schema:
            yield "json_schema"
        if contract != CALLS and abilities.tools:
            yield "tools"
        yield "text"


def written(request: ChatRequest, way: Way | None) -> ChatRequest:
    """Return a request as it is sent; as it is where no way is known.

    Examples:
        >>> asked = replace(ChatRequest.of("Is it?"), contract=Contract("vote", {"type": "object"}))
        >>> written(asked, "tools").tool_choice
        {'type': 'function', 'function': {'name': 'vote'}}
        >>> print(written(asked, "text").messages[0]["content"])
        Is it?
        <BLANKLINE>
        Write your reply as one JSON object that fits this JSON Schema, and nothing else:
        {"type": "object"}
    """
    contract = request.contract
    if contract is None or way is None:
        return replace(request, contract=None)
    if contract == CALLS:
        if way == "tools":
            return replace(request, contract=None)
        return write_request(request, "json" if way == "json_schema" else "react")
    bare = replace(request, tools=(), tool_choice=None, response_format=None, contract=None)
    if way == "json_schema":
        return replace(bare, response_format=contract.response_format)
    if way == "tools":
        if request.tools:
            return replace(request, contract=None)
        choice = {"type": "function", "function": {"name": contract.name}}
        return replace(bare, tools=(contract.tool,), tool_choice=choice)
    *before, last = request.messages
    note = prompt("contract_as_text", "v1").render(schema=contract.text)
    return replace(bare, messages=(*before, {**last, "content": f"{last['content']}\n\n{note}"}))


def read(reply: ChatReply, request: ChatRequest) -> ChatReply:
    """Return a reply in the form in which the request's own words asked for it.

    Examples:
        >>> call = {"type": "function", "function": {"name": "answer", "arguments": '{"error": ""}'}}
        >>> asked = replace(ChatRequest.of("Hello?"), contract=Contract("answer"))
        >>> read(ChatReply({"tool_calls": [call]}), asked).text
        '{"error": ""}'
    """
    if request.contract == CALLS:
        return _without_nulls(read_written(reply, request.tools), request.tools)
    if request.tools or not reply.tool_calls:
        return reply
    content = str(reply.tool_calls[0]["function"]["arguments"])
    return replace(reply, message={"role": "assistant", "content": content})


def _without_nulls(reply: ChatReply, tools: Sequence[JsonMapping]) -> ChatReply:
    """Return a reply whose calls say nothing of what a strict form made them write null for."""
    if not reply.tool_calls:
        return reply
    schemas = {tool["function"]["name"]: tool["function"].get("parameters") for tool in tools}
    calls = [_call_without_nulls(call, schemas) for call in reply.tool_calls]
    return replace(reply, message={**reply.message, "tool_calls": calls})


def _call_without_nulls(call: JsonMapping, schemas: Mapping[str, JsonMapping | None]) -> Mapping[str, object]:
    function = call["function"]
    try:
        arguments = jsontext.loads(function["arguments"])
    except (TypeError, ValueError):
        return call
    kept = given(schemas.get(function["name"]), arguments)
    return (
        call if kept == arguments else {**call, "function": {**function, "arguments": jsontext.dumps(kept)}}
    )
