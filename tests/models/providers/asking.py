"""What is asked of the providers."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from stb_env.models import ChatRequest, Sampling
from tests.models.providers.named import NAMED

EXTRA = pytest.mark.skipif(
    find_spec("pydantic_ai") is None, reason="needs stb-env[providers]; .ci/providers runs it"
)
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "examples": ["Oslo"]}},
            "required": ["city"],
        },
    },
}
OPENING = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "What is the weather in Oslo?"},
]


def each(names: Any = NAMED, *more: str) -> list[Any]:
    """Return the providers as parameters, those that need the extra marked."""
    return [
        pytest.param(name, *more, id="-".join([name, *more]), marks=[EXTRA] if NAMED[name].by_library else [])
        for name in names
    ]


def asked(messages: list[Any]) -> ChatRequest:
    """Return a request with the usual sampling."""
    penalties = {"frequency_penalty": 0.0, "presence_penalty": 0.0}
    sampling = Sampling(temperature=0.2, max_tokens=2048, stop=("END",), **penalties)
    return ChatRequest(messages, (TOOL,), sampling=sampling)
