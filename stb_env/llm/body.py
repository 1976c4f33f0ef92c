"""The body of a chat completion request: what is asked, over what the model's configuration says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from stb_env.jsontypes import Json, JsonObject
from stb_env.llm.chat import ChatRequest
from stb_env.llm.config import ModelConfig


def request_body(config: ModelConfig, request: ChatRequest) -> JsonObject:
    """Return a request in OpenAI's form; what it leaves open is as configured.

    Args:
        config: Names the model and its sampling.
        request: What is asked; its index shifts a configured seed.

    Examples:
        >>> request_body(ModelConfig("judge", "tiny", seed=3), ChatRequest.of("Solved?", index=2))
        {'model': 'tiny', 'messages': [{'role': 'user', 'content': 'Solved?'}], 'seed': 5}
    """
    defaults: JsonObject = {
        "temperature": config.temperature,
        "top_p": config.top_p,
        "max_tokens": config.max_tokens,
        "seed": None if config.seed is None else config.seed + request.index,
    }
    rest = request.to_dict()
    asked = rest.pop("sampling", {})
    rest.pop("index", None)
    sampling = {name: value for name, value in defaults.items() if value is not None} | asked
    body: JsonObject = _sendable({"model": config.model, **rest, **sampling})
    return body


def _sendable(value: Json) -> Json:
    """Return a JSON value that UTF-8 can carry: lone surrogates become ``?``, NaN becomes text."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, Mapping):
        return {_sendable(name): _sendable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sendable(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
