"""Chat requests and replies, as immutable values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.errors import ConfigError, DataError
from stb_env.models.contract import Contract
from stb_env.usage import Usage

MALFORMED = "malformed_call"
"""Why a server stopped where it could not take the model's call; ``stop_reason`` has its words for it."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling settings of a model; None leaves a value to the model's configuration.

    Attributes:
        temperature: 0 for the most likely text.
        top_p: Share of the probability mass that is sampled from.
        max_tokens: Bound on what is written, in tokens.
        seed: Seed of the server's sampler, where it has one.
        frequency_penalty: Penalty on tokens by how often they stand there already.
        presence_penalty: Penalty on tokens that stand there already.
        stop: Texts that end the answer.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    stop: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, object]:
        """Return what is set, as plain data.

        Examples:
            >>> Sampling(temperature=0.0, stop=("Observation",)).to_dict()
            {'temperature': 0.0, 'stop': ['Observation']}
        """
        data = {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}
        if self.stop is not None:
            data["stop"] = list(self.stop)
        return data


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a chat model.

    Attributes:
        messages: OpenAI chat messages.
        tools: OpenAI function specs; none where the model shall only write text.
        tool_choice: ``auto``, ``none``, ``required`` or OpenAI's choice of one function.
        sampling: How to sample.
        response_format: OpenAI response format, for example ``{"type": "json_object"}``.
        index: Which of several equal questions this is, for example the number of a vote. It is part of
            the key of caches and recordings, and shifts a configured seed.
        contract: Form of the reply, for models that can be held to one. How that is done is the endpoint's
            matter, so it is neither compared nor part of the key.

    Examples:
        >>> ChatRequest.of("hello").to_dict()
        {'messages': [{'role': 'user', 'content': 'hello'}]}
        >>> ChatRequest.of("hello").key == ChatRequest.of("hello", index=1).key
        False
    """

    messages: Sequence[JsonMapping]
    tools: Sequence[JsonMapping] = ()
    tool_choice: str | JsonMapping | None = None
    sampling: Sampling = field(default_factory=Sampling)
    response_format: JsonMapping | None = None
    index: int = 0
    contract: Contract | None = field(default=None, compare=False)

    @classmethod
    def of(cls, text: str, *, sampling: Sampling | None = None, index: int = 0) -> ChatRequest:
        """Ask with one user message."""
        return cls(({"role": "user", "content": text},), sampling=sampling or Sampling(), index=index)

    def to_dict(self) -> dict[str, object]:
        """Return the request as plain data; what is unset or empty is left out."""
        data: JsonObject = {
            "messages": [dict(message) for message in self.messages],
            "tools": [dict(tool) for tool in self.tools],
            "tool_choice": self.tool_choice,
            "sampling": self.sampling.to_dict(),
            "response_format": self.response_format,
            "index": self.index,
        }
        return {name: value for name, value in data.items() if value or name == "messages"}

    @property
    def key(self) -> str:
        """SHA-256 hex digest of the content; the order of members inside objects does not matter."""
        return digest(self.to_dict())


def digest(value: object) -> str:
    """Return the SHA-256 hex digest of a JSON value, whatever the order of its objects' members.

    Raises:
        ConfigError: The value cannot be written as JSON.

    Examples:
        >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}), digest([1]) == digest(["1"])
        (True, False)
    """
    try:
        text = json.dumps(value, sort_keys=True)
    except TypeError as error:
        raise not_json(error) from error
    return hashlib.sha256(text.encode()).hexdigest()


def not_json(error: TypeError) -> ConfigError:
    """Return the error of a request that cannot be written as JSON; ``error`` says what cannot."""
    return ConfigError(f"a model request must be plain JSON data, but {error}; convert it first")


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One answer of a chat model.

    Attributes:
        message: The assistant's chat message: ``role``, ``content`` and ``tool_calls`` where there are any.
        finish_reason: Why the server stopped: ``stop``, ``tool_calls``, ``length``, ``malformed_call`` ...
        usage: What the answer cost when it was made; the same when it comes from a cache or recording.
        model: Model name as the server reports it.
        extra: What the engine gave besides (token ids, logprobs), as it came.
        tries: Failures of the attempts before, as plain data, for recordings; no part of the answer.

    Examples:
        >>> reply = ChatReply({"role": "assistant", "content": "yes"})
        >>> reply.text, reply.tool_calls
        ('yes', [])
    """

    message: JsonMapping
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    extra: JsonMapping = field(default_factory=dict)
    tries: tuple[JsonMapping, ...] = field(default=(), compare=False)

    @property
    def text(self) -> str:
        """Text besides calls; empty where there is none."""
        return str(self.message.get("content") or "")

    @property
    def tool_calls(self) -> list[JsonObject]:
        """The calls in OpenAI's form, a new list each time."""
        return [dict(call) for call in self.message.get("tool_calls") or ()]

    def to_dict(self) -> dict[str, object]:
        """Return the reply as plain data; ``extra`` only where there is any."""
        data: JsonObject = {
            "message": dict(self.message),
            "finish_reason": self.finish_reason,
            "usage": self.usage.to_dict(),
            "model": self.model,
        }
        return data | ({"extra": dict(self.extra)} if self.extra else {})

    @classmethod
    def from_dict(cls, data: Json) -> ChatReply:
        """Read the form that `to_dict` writes.

        Raises:
            DataError: It is not that form.
        """
        try:
            usage = Usage(**data["usage"])
            return cls(
                dict(data["message"]), data["finish_reason"], usage, data["model"], data.get("extra", {})
            )
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise DataError(
                f"expected a saved model reply, got {type(data).__name__} with {error!r}"
            ) from error
