"""Providers of language models as strict fakes: each refuses what the real one refuses, in its own words.

A conversation has three turns: the model thinks and calls `weather`, hears the result and speaks, and speaks
again. A fake that signs its thoughts answers the second turn only if the signature came back.
"""

from __future__ import annotations

import binascii
import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.scripted import Answer, AnsweringHandler, ScriptedServer

KEY = "key-0123456789abcdef"
SIGNATURE = "c2lnbmF0dXJlLW9mLXRoZS10aG91Z2h0LTAxMjM0NTY3ODk="
THOUGHT = "The user asks for the weather."
CALL_ID = "abcDEF123"
ARGUMENTS = {"city": "Oslo"}
SAID = "It is sunny."


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Any


class Refusal(Exception):
    """What a provider does not take."""


def need(holds: object, reason: str) -> None:
    """Refuse a request for a reason."""
    if not holds:
        raise Refusal(reason)


def only(table: Mapping[str, Any], names: str, where: str = "body") -> None:
    """Refuse a table with members that the provider does not know."""
    unknown = set(table) - set(names.split())
    need(not unknown, f"{where}: unknown field {sorted(unknown)}")


def events(*each: Any, named: bool = False) -> Answer:
    """Return server-sent events."""
    lines = [f"event: {one['type']}\n" if named else "" for one in each]
    text = "".join(f"{line}data: {json.dumps(one)}\n\n" for line, one in zip(lines, each, strict=True))
    return Answer(text, headers={"Content-Type": "text/event-stream"})


@dataclass(frozen=True)
class Dialect:
    """Chat completions as OpenAI has them, and base of the other protocols.

    Attributes:
        path: What a URL matches after the base.
        header: Name and beginning of the header that has the key.
        known: Members of a request, beside the usual ones.
        refused: Members that the provider refuses though others take them.
        thought: Member of a message in which thoughts come, and have to come back after a call.
        spoken: Further members of messages.
        model: A model of the provider.
    """

    path: str = r"/chat/completions$"
    header: tuple[str, str] = ("authorization", "Bearer ")
    known: str = ""
    refused: str = ""
    thought: str = ""
    spoken: str = ""
    model: str = "model-1"

    def answer(self, asked: Asked) -> Answer:
        """Return what the provider answers, or raise what it does not take."""
        need(re.search(self.path, asked.path), f"no path {asked.path}")
        name, before = self.header
        given = asked.headers.get(name, "")
        need(given.startswith(before), f"no key in {name}")
        need(before.startswith("AWS4") or given == before + KEY, "Invalid API key")
        need(name == "authorization" or "authorization" not in asked.headers, "two keys")
        self.check(asked)
        return self.reply(asked, self.turn(asked.body))

    def check(self, asked: Asked) -> None:
        body = asked.body
        usual = (
            "model messages tools tool_choice temperature top_p max_tokens max_completion_tokens seed stop"
        )
        only(
            body,
            f"{usual} stream stream_options response_format frequency_penalty presence_penalty {self.known}",
        )
        for name in self.refused.split():
            need(name not in body, f"Unsupported parameter: '{name}' is not supported with this model.")
        for message in body["messages"]:
            only(
                message, f"role content name tool_calls tool_call_id {self.thought} {self.spoken}", "message"
            )
            if message.get("tool_calls"):
                need(
                    not self.thought or self.thought_came_back(message),
                    f"Missing `{self.thought}` in assistant",
                )

    def thought_came_back(self, message: Mapping[str, Any]) -> bool:
        return bool(message.get(self.thought) == self.thinking[self.thought])

    @property
    def thinking(self) -> dict[str, Any]:
        """What the provider tells of its thoughts beside the message."""
        if self.thought == "reasoning_details":
            detail = {"type": "reasoning.encrypted", "data": SIGNATURE, "id": "r1", "format": "x", "index": 0}
            return {"reasoning_details": [detail]}
        return {self.thought: THOUGHT} if self.thought else {}

    def turn(self, body: Any) -> int:
        return sum(message["role"] == "assistant" for message in body["messages"])

    def reply(self, asked: Asked, turn: int) -> Answer:
        message: dict[str, Any] = {"role": "assistant", "content": SAID}
        if not turn:
            function = {"name": "weather", "arguments": json.dumps(ARGUMENTS)}
            call = {"id": CALL_ID, "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call], **self.thinking}
        reason = "stop" if turn else "tool_calls"
        body = {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": self.model,
            "provider": "Any",
            "choices": [
                {"index": 0, "message": message, "finish_reason": reason, "native_finish_reason": reason}
            ],
            "usage": self.usage,
        }
        if not asked.body.get("stream"):
            return Answer(body)
        return Answer(body | {"object": "chat.completion.chunk"}).streamed()

    @property
    def usage(self) -> dict[str, Any]:
        details = {"prompt_tokens_details": {"cached_tokens": 60}}
        return {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, **details}


class Mistral(Dialect):
    def check(self, asked: Asked) -> None:
        known = "model messages tools tool_choice temperature top_p max_tokens random_seed stop stream n"
        only(asked.body, f"{known} frequency_penalty presence_penalty response_format parallel_tool_calls")
        for message in asked.body["messages"]:
            for call in message.get("tool_calls") or ():
                need(
                    re.fullmatch("[a-zA-Z0-9]{9}", call["id"]), "Tool call id must be a-z, A-Z, 0-9, length 9"
                )

    def reply(self, asked: Asked, turn: int) -> Answer:
        whole = super().reply(Asked(asked.path, asked.headers, {**asked.body, "stream": False}), turn)
        if not asked.body.get("stream"):
            return whole
        choice = whole.body["choices"][0]
        # A call comes in one piece.
        return events({**whole.body, "choices": [{**choice, "delta": choice["message"]}]})


class Anthropic(Dialect):
    usage = {  # noqa: RUF012 (a property of the base)
        "input_tokens": 40,
        "cache_read_input_tokens": 60,
        "output_tokens": 20,
        "cache_creation_input_tokens": 0,
    }

    def check(self, asked: Asked) -> None:
        body = asked.body
        known = "model messages system tools tool_choice temperature top_p max_tokens stop_sequences"
        only(body, f"{known} stream thinking output_config")
        need(asked.headers.get("anthropic-version"), "anthropic-version: header is required")
        need(isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
        budget = body.get("thinking", {}).get("budget_tokens", 0)
        need(budget < body["max_tokens"], "`max_tokens` must be greater than `thinking.budget_tokens`.")
        need(
            not budget or body.get("temperature", 1) == 1, "`temperature` may only be set to 1 with thinking"
        )
        for tool in body.get("tools", ()):
            only(tool, "name description input_schema cache_control type strict", "tools.0")
        for before, after in zip(body["messages"], body["messages"][1:], strict=False):
            need(before["role"] != after["role"], "roles must alternate")
            kinds = [part["type"] for part in before["content"]] if before["role"] == "assistant" else []
            if "tool_use" not in kinds:
                continue
            need(after["content"][0]["type"] == "tool_result", "tool_use ids without tool_result blocks")
            need(kinds[0] == "thinking", "Expected `thinking`, but found `tool_use`")
            need(before["content"][0]["signature"] == SIGNATURE, "Invalid `signature` in `thinking` block")

    def reply(self, asked: Asked, turn: int) -> Answer:
        parts: list[dict[str, Any]] = [{"type": "text", "text": SAID}]
        if not turn:
            thought = {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE}
            parts = [thought, {"type": "tool_use", "id": CALL_ID, "name": "weather", "input": ARGUMENTS}]
        reason = "end_turn" if turn else "tool_use"
        usage = self.usage
        frame = {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "stop_sequence": None,
        }
        if not asked.body.get("stream"):
            return Answer({**frame, "content": parts, "stop_reason": reason, "usage": usage})
        start = {**frame, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
        return events(
            {"type": "message_start", "message": start},
            *(event for index, part in enumerate(parts) for event in _anthropic_events(index, part)),
            {
                "type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": usage,
            },
            {"type": "message_stop"},
            named=True,
        )


def _anthropic_events(index: int, part: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}
    opened = {**part, **begun[part["type"]]}
    yield {"type": "content_block_start", "index": index, "content_block": opened}
    deltas = {
        "text": [{"type": "text_delta", "text": part.get("text")}],
        "thinking": [
            {"type": "thinking_delta", "thinking": part.get("thinking")},
            {"type": "signature_delta", "signature": part.get("signature")},
        ],
        "tool_use": [{"type": "input_json_delta", "partial_json": json.dumps(part.get("input"))}],
    }
    for delta in deltas[part["type"]]:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


class Gemini(Dialect):
    def check(self, asked: Asked) -> None:
        only(asked.body, "contents systemInstruction tools toolConfig generationConfig safetySettings")
        for tool in asked.body.get("tools", ()):
            for function in tool["functionDeclarations"]:
                schema = json.dumps(function.get("parameters", {}))
                for name in ("examples", "additionalProperties", "$schema", "const"):
                    need(
                        f'"{name}"' not in schema,
                        f"Unknown name \"{name}\" at 'tools[0]': Cannot find field.",
                    )
        for content in asked.body["contents"]:
            for part in content["parts"]:
                if "functionCall" in part:
                    need(
                        part.get("thoughtSignature") == SIGNATURE,
                        "Function call is missing a thought_signature",
                    )

    def turn(self, body: Any) -> int:
        return sum(content["role"] == "model" for content in body["contents"])

    def reply(self, asked: Asked, turn: int) -> Answer:
        call = {
            "functionCall": {"id": CALL_ID, "name": "weather", "args": ARGUMENTS},
            "thoughtSignature": SIGNATURE,
        }
        parts = [{"text": SAID}] if turn else [{"text": THOUGHT, "thought": True}, call]
        counts = {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 5}
        body = {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {**counts, "thoughtsTokenCount": 15, "totalTokenCount": 120},
            "modelVersion": self.model,
            "responseId": "r1",
        }
        return events(body) if "stream" in asked.path else Answer(body)


class Responses(Dialect):
    def check(self, asked: Asked) -> None:
        known = "model input instructions tools tool_choice top_p max_output_tokens stream include text"
        only(asked.body, f"{known} reasoning store parallel_tool_calls truncation prompt_cache_key")
        need(
            "temperature" not in asked.body,
            "Unsupported parameter: 'temperature' is not supported with this model.",
        )
        kinds = [item.get("type", "message") for item in asked.body["input"]]
        for before, kind in zip(["", *kinds], kinds, strict=False):
            if kind == "function_call":
                need(
                    before == "reasoning",
                    "Item 'fc_1' was provided without its required 'reasoning' item: 'rs_1'.",
                )
        for item in asked.body["input"]:
            if item.get("type") == "reasoning":
                need(item["encrypted_content"] == SIGNATURE, "encrypted content could not be verified")

    def turn(self, body: Any) -> int:
        return sum(item.get("type") == "function_call_output" for item in body["input"])

    def reply(self, asked: Asked, turn: int) -> Answer:
        said = {"type": "output_text", "text": SAID, "annotations": [], "logprobs": []}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [said],
        }
        summary = [{"type": "summary_text", "text": THOUGHT}]
        reasoning = {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": SIGNATURE}
        function = {"name": "weather", "arguments": json.dumps(ARGUMENTS), "status": "completed"}
        call = {"id": "fc_1", "type": "function_call", "call_id": CALL_ID, **function}
        usage: dict[str, Any] = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
        usage |= {
            "input_tokens_details": {"cached_tokens": 60},
            "output_tokens_details": {"reasoning_tokens": 15},
        }
        body = {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": self.model,
            "output": [message] if turn else [reasoning, call],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }
        return _responses_events(body) if asked.body.get("stream") else Answer(body)


def _responses_events(body: dict[str, Any]) -> Answer:
    started = {**body, "output": [], "status": "in_progress", "usage": None}
    parts: list[dict[str, Any]] = [{"type": "response.created", "response": started}]
    for index, item in enumerate(body["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        begun = {**item, "content": []} if item["type"] == "message" else {**item}
        begun |= {"arguments": ""} if item["type"] == "function_call" else {}
        begun |= {"summary": []} if item["type"] == "reasoning" else {}
        parts.append({"type": "response.output_item.added", "output_index": index, "item": begun})
        if item["type"] == "message":
            empty = {**item["content"][0], "text": ""}
            parts.append({"type": "response.content_part.added", **place, "content_index": 0, "part": empty})
            delta = {"content_index": 0, "delta": SAID, "logprobs": []}
            parts.append({"type": "response.output_text.delta", **place, **delta})
        if item["type"] == "reasoning":
            empty = {"type": "summary_text", "text": ""}
            summed = {**place, "summary_index": 0}
            parts.append({"type": "response.reasoning_summary_part.added", **summed, "part": empty})
            parts.append({"type": "response.reasoning_summary_text.delta", **summed, "delta": THOUGHT})
        if item["type"] == "function_call":
            parts.append(
                {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]}
            )
        parts.append({"type": "response.output_item.done", "output_index": index, "item": item})
    parts.append({"type": "response.completed", "response": body})
    return events(*({**part, "sequence_number": number} for number, part in enumerate(parts)), named=True)


class Bedrock(Dialect):
    def check(self, asked: Asked) -> None:
        only(asked.body, "messages system toolConfig inferenceConfig additionalModelRequestFields")
        for message in asked.body["messages"]:
            kinds = [next(iter(part)) for part in message["content"]]
            if "toolUse" in kinds:
                need(kinds[0] == "reasoningContent", "Expected `thinking`, but found `tool_use`")
                text = message["content"][0]["reasoningContent"]["reasoningText"]
                need(text["signature"] == SIGNATURE, "Invalid `signature` in `thinking` block")

    def reply(self, asked: Asked, turn: int) -> Answer:
        call = {"toolUseId": CALL_ID, "name": "weather"}
        reason = "end_turn" if turn else "tool_use"
        usage = {"inputTokens": 40, "cacheReadInputTokens": 60, "outputTokens": 20, "totalTokens": 120}
        if not asked.path.endswith("converse-stream"):
            thought = {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": SIGNATURE}}}
            parts = [{"text": SAID}] if turn else [thought, {"toolUse": {**call, "input": ARGUMENTS}}]
            output = {"message": {"role": "assistant", "content": parts}}
            return Answer(
                {"output": output, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}
            )
        deltas: list[tuple[int, Any]] = [(0, {"text": SAID})]
        if not turn:
            thoughts = [
                {"reasoningContent": {"text": THOUGHT}},
                {"reasoningContent": {"signature": SIGNATURE}},
            ]
            deltas = [*((0, one) for one in thoughts), (1, {"toolUse": {"input": json.dumps(ARGUMENTS)}})]
        said: list[tuple[str, Any]] = [("messageStart", {"role": "assistant"})]
        for index, delta in deltas:
            if index:
                said.append(("contentBlockStop", {"contentBlockIndex": 0}))
                said.append(("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": call}}))
            said.append(("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}))
        said.append(("contentBlockStop", {"contentBlockIndex": deltas[-1][0]}))
        said += [
            ("messageStop", {"stopReason": reason}),
            ("metadata", {"usage": usage, "metrics": {"latencyMs": 1}}),
        ]
        content = b"".join(_amazon_event(name, value) for name, value in said)
        kind = {"Content-Type": "application/vnd.amazon.eventstream"}
        return Answer("", headers=kind, pack=lambda _: content)


def _amazon_event(name: str, value: Any) -> bytes:
    """Return an event in Amazon's binary form: lengths, their checksum, headers, JSON, a checksum of all."""
    fields = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    head = b"".join(
        bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
        for key, text in fields.items()
    )
    payload = json.dumps(value).encode()
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    message = prelude + struct.pack(">I", binascii.crc32(prelude)) + head + payload
    return message + struct.pack(">I", binascii.crc32(message))


class StrictServer(ScriptedServer):
    """Answers as a provider does.

    Attributes:
        fails: Status and body to answer with; None for none.
        refused: Reasons for which it refused requests.
        asked: The requests so far.
    """

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(_handler_for(self))
        self.dialect = dialect
        self.fails: tuple[int, Any] | None = None
        self.refused: list[str] = []
        self.asked: list[Asked] = []

    def next_answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        if self.fails:
            status, body = self.fails
            return Answer(body, status)
        try:
            return self.dialect.answer(asked)
        except Refusal as refusal:
            self.refused.append(str(refusal))
            return Answer({"error": {"message": str(refusal), "type": "invalid_request_error"}}, 400)


def _handler_for(server: StrictServer) -> type[AnsweringHandler]:
    class Handler(AnsweringHandler):
        def do_POST(self) -> None:  # noqa: N802 (http.server calls it by this name)
            headers, content = self.received()
            self.answer(server.next_answer(Asked(self.path, headers, json.loads(content))))

    return Handler
