"""Translates between OpenAI's chat completions and the messages of Pydantic AI, which knows the providers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.models.chat import MALFORMED
from stb_env.models.opaque import OPAQUE

# Members of a request whose setting has the same name, and those that are called otherwise.
_SETTINGS = ("temperature", "top_p", "max_tokens", "seed", "frequency_penalty", "presence_penalty")
_RENAMED = {"stop": "stop_sequences", "max_completion_tokens": "max_tokens"}
UNIFIED = frozenset({"thinking", "top_k", "parallel_tool_calls", "service_tier", "cache"})
"""Members of ``extra`` that every provider has in its own words. The rest goes into the body as it is."""
_REASONS = {"tool_call": "tool_calls"}
# What the model did wrong with a call, in the words of Gemini and Bedrock.
_MISTAKES = frozenset(
    {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "TOO_MANY_TOOL_CALLS",
        "UNEXPECTED_TOOL_CALL",
        "malformed_model_output",
        "malformed_tool_use",
    }
)
# Of a response: what a provider may want back. Times and counts would make each recording another.
_KEPT = ("parts", "provider_name", "provider_url", "canonical_system", "provider_response_id", "kind")


def request_messages(messages: Sequence[JsonMapping], provider: str) -> list[ModelMessage]:
    """Return OpenAI chat messages as Pydantic AI's; opaque members of the same provider are put back."""
    names = {
        call["id"]: call["function"]["name"] for said in messages for call in said.get("tool_calls") or ()
    }
    turns: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for message in messages:
        if message["role"] != "assistant":
            parts.append(_request_part(message, names))
            continue
        if parts:
            turns.append(ModelRequest(parts))
            parts = []
        turns.append(_response(message, provider))
    return [*turns, ModelRequest(parts)] if parts else turns


def _request_part(message: JsonMapping, names: Mapping[str, str]) -> ModelRequestPart:
    content = str(message.get("content") or "")
    if message["role"] == "tool":
        call_id = message["tool_call_id"]
        return ToolReturnPart(names.get(call_id, ""), content, call_id)
    return SystemPromptPart(content) if message["role"] == "system" else UserPromptPart(content)


def _response(message: JsonMapping, provider: str) -> ModelResponse:
    text = message.get("content") or ""
    calls = [
        ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"])
        for call in message.get("tool_calls") or ()
    ]
    plain = [*([TextPart(text)] if text else []), *calls]
    kept = message.get(OPAQUE)
    if not isinstance(kept, Mapping) or kept.get("provider") != provider:
        return ModelResponse(plain)
    (known,) = ModelMessagesTypeAdapter.validate_python([kept["response"]])
    parts = _as_said(known.parts, text, calls)
    return ModelResponse(plain) if parts is None else replace(known, parts=parts)


def _as_said(
    parts: Sequence[ModelResponsePart], text: str, calls: Sequence[ToolCallPart]
) -> list[ModelResponsePart] | None:
    """Return the parts with the calls as they stand in the message; None where it says something else."""
    said = {call.tool_call_id: call for call in calls}
    known = [part.tool_call_id for part in parts if isinstance(part, ToolCallPart)]
    if known != list(said) or _text(parts) != text:
        return None
    return [
        _same(part, said[part.tool_call_id]) if isinstance(part, ToolCallPart) else part for part in parts
    ]


def _same(part: ToolCallPart, call: ToolCallPart) -> ToolCallPart:
    # A signature covers the arguments to the letter; a call that was mended has to be replaced all the same.
    return part if _arguments(part) == call.args else replace(part, tool_name=call.tool_name, args=call.args)


def _text(parts: Sequence[ModelResponsePart]) -> str:
    return "".join(part.content for part in parts if isinstance(part, TextPart))


def _arguments(part: ToolCallPart) -> str:
    return part.args if isinstance(part.args, str) and part.args else jsontext.dumps(part.args or {})


def request_settings(
    body: JsonMapping, extra: JsonMapping, provider: str
) -> tuple[ModelSettings, ModelRequestParameters]:
    """Return the sampling and the tools of a request in OpenAI's form.

    Args:
        body: The request.
        extra: The setting ``extra``. What begins with the provider's name is a setting of Pydantic AI's, such
            as ``anthropic_thinking``.
        provider: The provider.
    """
    own = f"{provider.split('-')[0]}_"
    named = {name for name in extra if name in UNIFIED or name.startswith(own)}
    settings: JsonObject = {name: body[name] for name in _SETTINGS if name in body}
    settings |= {known: body[name] for name, known in _RENAMED.items() if name in body}
    settings |= {name: extra[name] for name in named}
    rest = {name: value for name, value in extra.items() if name not in named}
    if rest:
        settings["extra_body"] = rest
    choice = body.get("tool_choice")
    if choice is not None:
        settings["tool_choice"] = choice if isinstance(choice, str) else [choice["function"]["name"]]
    tools = [*map(_tool, body.get("tools", ()))]
    parameters = ModelRequestParameters(function_tools=tools, **_form(body))
    return ModelSettings(**settings), parameters


def _tool(tool: JsonMapping) -> ToolDefinition:
    function = tool["function"]
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    # Whether a schema can be strict is for the library to say: strict forms of some providers are others.
    return ToolDefinition(
        name=function["name"],
        parameters_json_schema=schema,
        description=function.get("description"),
        strict=False,
    )


def _form(body: JsonMapping) -> JsonObject:
    form = body.get("response_format") or {}
    if form.get("type") != "json_schema":
        return {}
    asked = form["json_schema"]
    schema = OutputObjectDefinition(
        json_schema=asked["schema"], name=asked.get("name"), strict=asked.get("strict")
    )
    return {"output_mode": "native", "output_object": schema}


def completion_of(response: ModelResponse, provider: str) -> JsonObject:
    """Return a response as a chat completion in OpenAI's form, with what the provider wants back."""
    message: JsonObject = {"role": "assistant", "content": _text(response.parts)}
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    details = response.provider_details or {}
    told = details.get("finish_reason")
    reason = response.finish_reason or ("error" if told else "tool_call" if calls else "stop")
    if told in _MISTAKES:
        calls, reason = [], MALFORMED
    if calls:
        message["tool_calls"] = [*map(_call, calls)]
    thought = "\n".join(
        part.content for part in response.parts if isinstance(part, ThinkingPart) and part.content
    )
    if thought:
        message["reasoning_content"] = thought
    if any(_is_opaque(part) for part in response.parts):
        (dumped,) = ModelMessagesTypeAdapter.dump_python([response], mode="json")
        message[OPAQUE] = {"provider": provider, "response": {**dict(_kept(dumped))}}
    if details.get("refusal") and not told:
        # The library calls the model's own refusal a filter's. Anthropic's, which has a reason, is one.
        message["refusal"], reason = details["refusal"], "stop"
    choice: JsonObject = {"message": message, "finish_reason": _REASONS.get(reason, reason)}
    if reason in (MALFORMED, "error"):
        choice["stop_reason"] = told
    return {
        "model": response.model_name or "",
        "choices": [choice],
        "usage": _usage(response),
        "service_tier": details.get("service_tier"),
    }


def _kept(dumped: JsonMapping) -> Iterator[tuple[str, object]]:
    for name in _KEPT:
        value = dumped.get(name)
        if name == "parts":
            yield (
                name,
                [{key: each for key, each in part.items() if each is not None} for part in dumped[name]],
            )
        elif value is not None:
            yield name, value


def _is_opaque(part: ModelResponsePart) -> bool:
    return isinstance(part, ThinkingPart) or bool(
        getattr(part, "provider_details", None) or getattr(part, "id", None)
    )


def _call(part: ToolCallPart) -> JsonObject:
    function = {"name": part.tool_name, "arguments": _arguments(part)}
    return {"id": part.tool_call_id, "type": "function", "function": function}


def _usage(response: ModelResponse) -> JsonObject:
    usage = response.usage
    if not usage.has_values():
        return {}
    details = {
        "cached_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cache_write_1h_tokens": usage.cache_write_1h_tokens,
    }
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "prompt_tokens_details": details,
    }
