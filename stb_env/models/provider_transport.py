"""Chat completions from providers with a protocol of their own, spoken by Pydantic AI."""

from __future__ import annotations

import asyncio
import logging
import re
import warnings
from collections.abc import Mapping
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.errors import ConfigError
from stb_env.http.credentials import Credentials
from stb_env.http.exchange import HTTPFailure, broken, late
from stb_env.http.retry import Clock, Deadline, Patience
from stb_env.models.config import ModelConfig
from stb_env.models.endpoint import Endpoint
from stb_env.models.failure import FILTERED, refuses_key, status_failure
from stb_env.models.model import ModelError

try:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic import TypeAdapter, ValidationError
    from pydantic_ai import exceptions as fault
    from pydantic_ai.direct import model_request, model_request_stream
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters, infer_model
    from pydantic_ai.profiles.anthropic import ANTHROPIC_THINKING_BUDGET_MAP
    from pydantic_ai.providers import Provider, infer_provider_class
    from pydantic_ai.settings import ModelSettings

    from stb_env.models.provider_messages import UNIFIED, completion_of, request_messages, request_settings
except ImportError as error:
    raise ConfigError(
        f"a model with a provider needs Pydantic AI and the provider's package, but {error}; "
        "pip install 'stb-env[providers]', or leave provider out for an OpenAI-compatible server"
    ) from error

# Those that speak chat completions or Responses, at any base URL.
_OPENAI = frozenset({"deepseek", "moonshotai", "openai-responses", "openrouter", "zai"})
# Else the library takes a stream that was cut for a whole answer.
_PROFILE = {"openai_chat_streaming_requires_finish_reason": True}
_CUT = "the answer ended before its end"
# What a library logs is for whoever sets up logging; without a handler it would go to the terminal.
_LIBRARIES = ("anthropic", "botocore", "google_genai", "httpx2", "mistralai", "openai", "pydantic_ai")
for _library in _LIBRARIES:
    logging.getLogger(_library).addHandler(logging.NullHandler())
# It warns of parameters that a model does not take and that it leaves out.
warnings.filterwarnings("ignore", module=r"(anthropic|google\.genai|mistralai|openai|pydantic_ai)(\.|$)")
_REGION = re.compile(r"bedrock-runtime\.([a-z0-9-]+)\.")


class ProviderWire:
    """A provider's model and the connections to it, of one event loop.

    Args:
        model: The model.
        client: The connections; None where the library keeps its own.
    """

    def __init__(self, model: Model, client: httpx2.AsyncClient | None) -> None:
        self.model = model
        self._client = client

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()


class ProviderTransport:
    """Sends chat completions to a provider in its own protocol, and returns them in OpenAI's form.

    The counterpart of `Transport`, with the same failures; they quote the provider, and never a secret.

    Args:
        config: Names provider, endpoint and model.
        credentials: Opens it.
        clock: Tells the time.
        endpoint: Who else sends there.
    """

    def __init__(
        self, config: ModelConfig, credentials: Credentials, clock: Clock, endpoint: Endpoint
    ) -> None:
        self._config = config
        self._credentials = credentials
        self._clock = clock
        self._endpoint = endpoint
        kinds = get_type_hints(ModelSettings)
        for name in UNIFIED.intersection(config.extra):
            try:
                TypeAdapter(kinds[name]).validate_python(config.extra[name], strict=True)
            except ValidationError as error:
                wanted = "; ".join(wrong["msg"].lower() for wrong in error.errors())
                raise ConfigError(
                    f"extra of the {config.role} model has {name} = {config.extra[name]!r}: {wanted}"
                ) from error
        self.thinking, setting = _thinking_budget(config)
        if config.max_tokens is not None and config.max_tokens <= self.thinking:
            raise ConfigError(
                f"max_tokens = {config.max_tokens} of the {config.role} model has to hold what it thinks as "
                f"well, which is up to {self.thinking} tokens by {setting} in extra; set max_tokens above "
                f"{self.thinking}, or let it think less"
            )

    def connect(self) -> ProviderWire:
        """Return the model for the running event loop.

        Raises:
            ConfigError: The provider needs another setting.
        """
        config = self._config
        try:
            if config.provider == "bedrock":
                return ProviderWire(self._model(self._bedrock()), None)
            query = {name: text for name, text in config.query.items() if name != "api-version"}
            client = httpx2.AsyncClient(headers=dict(config.headers), params=query, timeout=None)
            return ProviderWire(self._model(self._provider(client)), client)
        except (fault.UserError, ImportError) as error:
            raise ConfigError(f"the {config.role} model of {config.provider}: {error}") from error

    def _model(self, provider: Provider[object]) -> Model:
        inferred = infer_model(f"{self._config.provider}:{self._config.model}", lambda _name: provider)
        kind: Any = type(inferred)
        model: Model = kind(self._config.model, provider=provider, profile=_PROFILE)
        return model

    def _provider(self, client: httpx2.AsyncClient) -> Provider[Any]:
        config, key = self._config, self._credentials.key or "EMPTY"
        kind: Any = infer_provider_class(config.provider)
        if config.provider in _OPENAI:
            known = AsyncOpenAI(api_key=key, base_url=config.endpoint, http_client=client, max_retries=0)
            provider: Provider[Any] = kind(openai_client=known)
        elif config.provider.startswith("azure"):
            version = config.query.get("api-version")
            provider = kind(
                azure_endpoint=config.endpoint, api_version=version, api_key=key, http_client=client
            )
        else:
            provider = kind(api_key=key, base_url=config.endpoint, http_client=client)
        return provider

    def _bedrock(self) -> Provider[Any]:
        config = self._config
        if config.headers or config.query:
            raise ConfigError(f"the {config.role} model of bedrock takes neither headers nor query")
        found = _REGION.search(urlsplit(config.endpoint).netloc)
        region = found.group(1) if found else "us-east-1"
        kind: Any = infer_provider_class("bedrock")
        # Without a key the usual settings of an AWS account hold.
        provider: Provider[Any] = kind(
            base_url=config.endpoint, region_name=region, api_key=self._credentials.key or None
        )
        return provider

    async def send(self, wire: ProviderWire, body: Mapping[str, object], deadline: Deadline) -> Json:
        """Send a request and return the completion, without secrets; see `Transport.send`.

        Raises:
            ModelError: No completion came in time, or the provider refused.
        """
        config = self._config
        patience = Patience(deadline, config.timeout, config.chunk_timeout)
        extra = {name: value for name, value in config.extra.items() if name not in config.drop}
        settings, parameters = request_settings(body, extra, config.provider)
        if config.provider != "bedrock":
            settings |= {"max_retries": 0, "timeout": max(1.0, patience.whole())}
        asked = request_messages(body["messages"], config.provider)  # type: ignore[arg-type]  # a list of them
        # A failure is raised after its except block, so that it carries no other exception along.
        try:
            response = await self._response(wire.model, asked, settings, parameters, patience)
        except TimeoutError:
            told = late(patience.clock)
            failure = ModelError(str(told), kind=told.kind, retryable=True)
        except Exception as error:  # noqa: BLE001 -- five packages of providers, each with errors of its own
            failure = self._failure(error)
        else:
            return self._credentials.scrub(completion_of(response, config.provider))
        raise failure

    async def _response(
        self,
        model: Model,
        asked: list[ModelMessage],
        settings: ModelSettings,
        parameters: ModelRequestParameters,
        patience: Patience,
    ) -> ModelResponse:
        given: dict[str, Any] = {"model_settings": settings, "model_request_parameters": parameters}
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(patience.left()) as alarm:
            if self._config.stream:
                async with model_request_stream(model, asked, **given) as stream:
                    async for _ in stream:
                        patience.go_on()
                        alarm.reschedule(loop.time() + patience.left())
                    response = stream.get()
            else:
                response = await model_request(model, asked, **given)
        told = response.finish_reason or (response.provider_details or {}).get("finish_reason")
        if self._config.stream and told is None:
            raise broken(_CUT)
        return response

    def _failure(self, error: Exception) -> ModelError:
        said = str(self._credentials.scrub(" ".join(str(error).split())))
        if isinstance(error, fault.ModelHTTPError):
            body = self._credentials.scrub(_value(error.body))
            if error.retry_after and error.status_code == 429:
                self._endpoint.limiter.hold(self._clock.monotonic() + error.retry_after)
            failure = status_failure(error.status_code, body, error.retry_after)
            if isinstance(error, fault.ModelContextWindowExceededError) and failure.kind != "context":
                return ModelError(str(failure), kind="context", status=error.status_code)
            return failure
        if isinstance(error, HTTPFailure):
            return ModelError(said, kind=error.kind, retryable=error.retryable)
        if isinstance(error, fault.ContentFilterError):
            return ModelError(f"{FILTERED} stopped the answer: {said}")
        if isinstance(error, fault.ModelTimeoutError | fault.ModelRequestTimeout):
            return ModelError(said, kind="timeout", retryable=True)
        if isinstance(error, fault.ModelAPIError) and "finish_reason" in said:
            return ModelError(str(broken(_CUT)), kind="transport", retryable=True)
        if isinstance(error, fault.UserError | TypeError | NotImplementedError):
            return ModelError(f"{self._config.provider} cannot be asked this: {said}")
        return ModelError(f"{type(error).__name__}: {said}", kind="transport", retryable=True)

    async def window(self, wire: ProviderWire) -> int | None:
        """Return None: a provider bounds answers by itself, and its windows are longer than any of them."""
        del wire
        return None

    async def find(self, wire: ProviderWire, deadline: Deadline) -> bool:
        """Ask the shortest question; say whether the provider took the key.

        Raises:
            ModelError: Nobody answers in time.
        """
        most = self.thinking + 16
        question: JsonObject = {"messages": [{"role": "user", "content": "Hello."}], "max_tokens": most}
        try:
            await self.send(wire, question, deadline)
        except ModelError as error:
            if error.status is None and error.retryable:
                raise
            return not refuses_key(error)
        return True

    async def context(self, wire: ProviderWire) -> int | None:
        """Return how many tokens the model reads, as far as the library knows."""
        window: int | None = wire.model.profile.get("context_window")
        return window


def _thinking_budget(config: ModelConfig) -> tuple[int, str]:
    """Return how many tokens of each answer a Claude model may think, and the setting that says so."""
    if config.provider == "bedrock":
        own = "bedrock_additional_model_requests_fields"
        given = (config.extra.get(own) or {}).get("thinking") or {}
    else:
        own = f"{config.provider}_thinking"
        given = config.extra.get(own) or {}
    if budget := given.get("budget_tokens"):
        return budget, own
    level = config.extra.get("thinking", False)
    kind: Any = infer_provider_class(config.provider)
    profile = kind.model_profile(config.model) or {}
    adaptive = profile.get(f"{config.provider}_supports_adaptive_thinking")
    if level is False or adaptive is not False or given:
        return 0, ""
    return ANTHROPIC_THINKING_BUDGET_MAP[level], f"thinking = {level!r}"


def _value(body: object) -> object:
    """Return what a body says: as JSON where its text is that."""
    try:
        return jsontext.loads(body) if isinstance(body, str) else body
    except ValueError:
        return body
