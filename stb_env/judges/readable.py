"""A model that is asked again until its answer can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from stb_env.errors import ConfigError, InfrastructureError
from stb_env.jsontypes import JsonObject
from stb_env.llm import ChatModel, ChatReply, ChatRequest, ModelError, Usage, ask, fingerprint
from stb_env.llm.model import DrivenModel
from stb_env.request import Slow

# Far above any number of votes, so that an attempt never meets another vote's index.
_STRIDE = 10_000


class ReadableModel(DrivenModel):
    """Asks a model again where its answer cannot be read or it failed in a way that may pass.

    Each attempt has an index of its own, because the same seed would only buy the same answer. Put it
    inside a `CachedModel`: what is stored then can always be read.

    Args:
        model: Answers.
        readable: Whether an answer can be used.
        attempts: How often a question is put at most.

    Raises:
        ConfigError: ``attempts`` is below 1.

    Examples:
        >>> from stb_env.llm import ScriptedModel
        >>> model = ReadableModel(ScriptedModel(["hm", "yes"]), lambda reply: reply.text == "yes", attempts=2)
        >>> reply = model.complete(ChatRequest.of("Is it?"))
        >>> reply.text, reply.usage.calls
        ('yes', 2)
    """

    def __init__(self, model: ChatModel, readable: Callable[[ChatReply], bool], attempts: int) -> None:
        if attempts < 1:
            raise ConfigError(f"attempts must be at least 1, got {attempts}")
        self.model = model
        self.attempts = attempts
        self._readable = readable

    @property
    def name(self) -> str:
        """Name of the model inside."""
        return self.model.name

    @property
    def fingerprint(self) -> JsonObject:
        """What decides the answers of the model inside."""
        return fingerprint(self.model)

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Return the first answer that can be read; its usage covers every attempt."""
        spent = Usage()
        for attempt in range(self.attempts):
            numbered = replace(request, index=request.index + attempt * _STRIDE)
            try:
                reply: ChatReply = yield ask(self.model, numbered)
            except InfrastructureError as error:
                failure = error
                spent += error.usage if isinstance(error, ModelError) else Usage()
                # A question that brought no answer has had its retries and its deadline in the client.
                if not (error.retryable and error.usage.calls):
                    break
                continue
            spent += reply.usage
            if self._readable(reply):
                return replace(reply, usage=spent)
            failure = _unreadable(self.name, reply)
        tried = f" (asked {attempt + 1} times)" if attempt else ""
        raise ModelError(
            f"{failure}{tried}",
            kind=failure.kind,
            stage=failure.stage,
            retryable=failure.retryable,
            usage=spent,
        )


def _unreadable(name: str, reply: ChatReply) -> ModelError:
    calls = reply.tool_calls
    said = str(calls[0]["function"]["arguments"]) if calls else reply.text
    message = f"model {name!r} wrote nothing that can be read as an answer: {' '.join(said.split())[:120]!r}"
    return ModelError(message, kind="judge", stage="judge", retryable=True)
