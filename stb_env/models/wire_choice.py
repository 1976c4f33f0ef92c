"""Choice of the wire to an endpoint: the lean one, or the one that knows proxies and OpenAI's accounts."""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from stb_env.models.config import OPENAI_URL, ModelConfig

# Settings of an account.
_ACCOUNT = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
_AZURE = (".azure.com", ".azure-api.net")


def chosen(config: ModelConfig, env: Mapping[str, str] = os.environ) -> Literal["lean", "openai"]:
    """Return which wire a configuration means: the lean one, wherever it can do what is needed.

    The other one goes through httpx2: for Azure, for endpoints behind a proxy, and for accounts of OpenAI
    that variables such as ``OPENAI_ORG_ID`` name.

    Args:
        config: Names the endpoint, and perhaps the wire.
        env: Where an account's settings are looked up; proxies are those of the system.

    Examples:
        >>> chosen(ModelConfig("agent", "tiny", base_url="http://127.0.0.1:8000/v1", client="openai"))
        'openai'
        >>> chosen(ModelConfig("agent", "m", base_url="https://mine.openai.azure.com/openai/v1"))
        'openai'
    """
    if config.client != "auto":
        return config.client
    account = config.endpoint == OPENAI_URL and any(env.get(name) for name in _ACCOUNT)
    needs_openai = account or on_azure(config) or behind_proxy(config.endpoint)
    return "openai" if needs_openai else "lean"


def on_azure(config: ModelConfig) -> bool:
    """Return whether an endpoint is Azure's, which takes keys in a header of its own."""
    return (urlsplit(config.endpoint).hostname or "").endswith(_AZURE)


def account_headers(config: ModelConfig, key: str) -> dict[str, str]:
    """Return the headers that the openai package sends to OpenAI's own endpoint; none to any other.

    It reads the settings of an account (``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID``, ``OPENAI_CUSTOM_HEADERS``),
    and knows the headers that they become.

    Args:
        config: Names the endpoint.
        key: Opens it.

    Examples:
        >>> account_headers(ModelConfig("agent", "m", base_url="http://127.0.0.1:8000/v1"), "key")
        {}
    """
    if config.endpoint != OPENAI_URL:
        return {}
    from openai import OpenAI  # heavy, and needed only at this endpoint

    with OpenAI(api_key=key, base_url=config.endpoint) as client:
        return {name: text for name, text in client.default_headers.items() if isinstance(text, str)}


def behind_proxy(url: str) -> bool:
    """Return whether the system's settings lead to a URL by a proxy, such as ``HTTPS_PROXY``."""
    parts, proxies = urlsplit(url), urllib.request.getproxies()
    named = proxies.get(parts.scheme) or proxies.get("all")
    return bool(named) and not urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2])
