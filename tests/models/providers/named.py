"""Providers by name: dialect, deviations, and the settings they need."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.models.providers.dialects import Anthropic, Bedrock, Dialect, Gemini, Mistral, Responses

FAILURES: Mapping[str, Mapping[str, tuple[int, Any]]] = json.loads(
    Path(__file__).with_name("failures.json").read_text()
)
"""By provider: status and body of ``key``, ``rate``, ``overflow`` and ``filter``."""

_VERSION = {"api-version": "2026-08-01"}
_AZURE = r"^/openai/deployments/[^/]+/chat/completions\?api-version=2026-08-01$"
_CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@dataclass(frozen=True)
class Named:
    """A provider.

    Attributes:
        dialect: What it speaks.
        base: Path of its base URL.
        settings: What a models file says of it besides address, key and model.
    """

    dialect: Dialect
    base: str = "/v1"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_library(self) -> bool:
        return "provider" in self.settings

    @property
    def signs(self) -> bool:
        """True if an answer holds what has to come back."""
        return self.by_library and (
            type(self.dialect) not in (Dialect, Mistral) or bool(self.dialect.thought)
        )


def _thinking(provider: str, model: str, base: str = "", **deviations: Any) -> Named:
    dialect = Dialect(**{"thought": "reasoning_content", **deviations}, model=model)
    return Named(dialect, base, {"provider": provider})


NAMED: Mapping[str, Named] = {
    "anthropic": Named(
        Anthropic(r"^/v1/messages$", model="claude-sonnet-4-5"), "", {"provider": "anthropic"}
    ),
    "google": Named(
        Gemini(r":(g|streamG)enerateContent", ("x-goog-api-key", ""), model="gemini-3-pro-preview"),
        "",
        # The answer of its filter is one object.
        {"provider": "google", "stream": False},
    ),
    "mistral": Named(Mistral(model="mistral-large-latest"), "", {"provider": "mistral"}),
    "bedrock": Named(
        Bedrock(r"/converse(-stream)?$", ("authorization", "AWS4-HMAC"), model=_CLAUDE),
        "",
        {"provider": "bedrock", "stream": False},
    ),
    "azure": Named(
        Dialect(_AZURE, ("api-key", ""), model="gpt-4o"), "", {"provider": "azure", "query": _VERSION}
    ),
    "deepseek": _thinking("deepseek", "deepseek-reasoner"),
    "moonshotai": _thinking("moonshotai", "kimi-k2-thinking", "/v1"),
    "zai": _thinking("zai", "glm-4.6", known="thinking"),
    "openrouter": _thinking(
        "openrouter", "openai/gpt-5", "/v1", known="usage", thought="reasoning_details", spoken="reasoning"
    ),
    "openai-responses": Named(
        Responses(r"/responses$", model="gpt-5"),
        settings={"provider": "openai-responses", "drop": ["temperature"]},
    ),
    "openai": Named(Dialect(model="gpt-4o")),
    "openai-reasoning": Named(
        Dialect(refused="temperature top_p max_tokens stop", model="o4-mini"),
        settings={"drop": ["temperature", "max_tokens", "stop"], "extra": {"max_completion_tokens": 4096}},
    ),
    "azure-lean": Named(Dialect(_AZURE), "/openai/deployments/d", {"query": _VERSION}),
    "groq": Named(Dialect(model="llama-3.3-70b-versatile"), "/openai/v1"),
    "together": Named(Dialect()),
    "fireworks": Named(Dialect(), "/inference/v1"),
    "xai": Named(
        Dialect(model="grok-4", refused="presence_penalty frequency_penalty stop"),
        settings={"drop": ["frequency_penalty", "presence_penalty", "stop"]},
    ),
    "vllm": Named(Dialect()),
    "sglang": Named(Dialect()),
    "llama.cpp": Named(Dialect()),
}
