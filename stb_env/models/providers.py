"""Providers with a protocol of their own: their endpoints, and the variables that hold their keys."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Known(NamedTuple):
    """A provider.

    Attributes:
        key: Environment variable that holds its key by default.
        url: Its endpoint; empty where each account has one of its own.
        example: Such an endpoint.
        versioned: Whether the version at the end of an endpoint, such as ``/v1``, is added to it.
    """

    key: str
    url: str
    example: str = ""
    versioned: bool = False


_AZURE = "https://NAME.openai.azure.com"
_BEDROCK = "https://bedrock-runtime.REGION.amazonaws.com"

PROVIDERS: Mapping[str, Known] = MappingProxyType(
    {
        "anthropic": Known("ANTHROPIC_API_KEY", "https://api.anthropic.com", versioned=True),
        "azure": Known("AZURE_OPENAI_API_KEY", "", _AZURE),
        "azure-responses": Known("AZURE_OPENAI_API_KEY", "", _AZURE),
        "bedrock": Known("AWS_BEARER_TOKEN_BEDROCK", "", _BEDROCK),
        "deepseek": Known("DEEPSEEK_API_KEY", "https://api.deepseek.com"),
        "google": Known("GOOGLE_API_KEY", "https://generativelanguage.googleapis.com", versioned=True),
        "mistral": Known("MISTRAL_API_KEY", "https://api.mistral.ai", versioned=True),
        "moonshotai": Known("MOONSHOTAI_API_KEY", "https://api.moonshot.ai/v1"),
        "openai-responses": Known("OPENAI_API_KEY", "https://api.openai.com/v1"),
        "openrouter": Known("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
        "zai": Known("ZAI_API_KEY", "https://api.z.ai/api/paas/v4"),
    }
)
"""Values of the setting ``provider``."""
