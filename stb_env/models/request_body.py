"""The body of a chat completion request: what is asked, over what the model's configuration says."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import cache, partial

from stb_env.core.jsontypes import Json, JsonObject
from stb_env.models.chat import ChatRequest, not_json
from stb_env.models.config import ModelConfig
from stb_env.models.opaque import without_opaque


def request_body(config: ModelConfig, request: ChatRequest) -> dict[str, object]:
    """Return a request in OpenAI's form; what it leaves open is as configured.

    Args:
        config: Names the model and its sampling.
        request: What is asked; its index shifts a configured seed.

    Examples:
        >>> request_body(ModelConfig("judge", "tiny", seed=3), ChatRequest.of("Solved?", index=2))
        {'model': 'tiny', 'messages': [{'role': 'user', 'content': 'Solved?'}], 'seed': 5}
    """
    # Whoever writes it copies it, so nothing is copied here: a conversation is long, and asked about often.
    messages = [*request.messages] if config.provider else without_opaque(request.messages)
    body: JsonObject = {"model": config.model, "messages": messages}
    if request.tools:
        body["tools"] = [*request.tools]
    if request.tool_choice:
        body["tool_choice"] = request.tool_choice
    if request.response_format:
        body["response_format"] = request.response_format
    if config.temperature is not None:
        body["temperature"] = config.temperature
    if config.top_p is not None:
        body["top_p"] = config.top_p
    if config.max_tokens is not None:
        body["max_tokens"] = config.max_tokens
    if config.seed is not None:
        body["seed"] = config.seed + request.index
    body |= request.sampling.to_dict()
    for name in config.drop:
        body.pop(name, None)
    return body


def encoded(body: Mapping[str, object]) -> bytes:
    r"""Return a request body as JSON text that UTF-8 can carry: lone surrogates become ``?``, NaN text.

    Raises:
        ConfigError: It holds what is no JSON value.

    Examples:
        >>> encoded({"content": "Zürich \ud800", "top_p": float("nan")}).decode()
        '{"content": "Zürich ?", "top_p": "nan"}'
    """
    text = _quickly(body)
    if text is not None:
        return text
    try:
        return json.dumps(_sendable(body), ensure_ascii=False).encode()
    except TypeError as error:
        raise not_json(error) from error


def sendable(body: Mapping[str, object]) -> JsonObject:
    """Return a request body as one that every JSON writer takes; see `encoded`."""
    return dict(body) if _quickly(body) is not None else _sendable(body)


def _quickly(body: Mapping[str, object]) -> bytes | None:
    """Return JSON text; None where the value needs a closer look."""
    try:
        text = _writer()(body)
    except TypeError:
        return None
    # It writes null for NaN, but most nulls are none: they stand in what tools answered. To look for one from
    # behind takes half the time.
    return text if text.rfind(b"null") < 0 or _is_finite(body) else None


@cache
def _writer() -> Callable[[Mapping[str, object]], bytes]:
    # Takes longer to import than to be used a hundred times.
    import orjson

    plain = (
        orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
    )
    return partial(orjson.dumps, option=plain)


def _is_finite(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _sendable(value: object) -> Json:
    """Return a JSON value that UTF-8 can carry: lone surrogates become ``?``, NaN becomes text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, Mapping):
        return {_sendable(name): _sendable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sendable(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
