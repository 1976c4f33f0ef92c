"""A model in this process: no server, no key, no money."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow
from stb_env.models.chat import ChatReply, ChatRequest, digest
from stb_env.models.completion import read_reply
from stb_env.models.config import ModelConfig
from stb_env.models.engine import load_engine
from stb_env.models.model import ConfiguredModel, ModelError
from stb_env.models.request_body import request_body, sendable

LONGEST = 1024
"""Tokens of a reply where nobody says how long it may be: small models seldom end one by themselves."""

# llama.cpp takes the one beyond for "any".
_SEEDS = 2**32 - 1

_log = logging.getLogger("stb_env")


class LocalModel(ConfiguredModel):
    """A GGUF file's model, run by llama.cpp in this process; needs the extra ``stb-env[local]``.

    Deterministic: without a seed it takes 0, shifted by the request's index as any seed is, and no request
    reads what an earlier one left behind (``extra = { cache_prompt = true }`` is faster, but then what comes
    back depends on what was asked before). A response format and a forced tool hold by grammar. Requests
    wait for each other, without limit: time-outs, retries and concurrency are those of endpoints. Picklable.

    Args:
        config: The file as ``local``, context and sampling.

    Raises:
        ConfigError: The file cannot be used, or the extra is missing.

    Examples:
        >>> LocalModel(ModelConfig("agent", "", local="absent.gguf"))
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: cannot read the weights absent.gguf: No such file or directory
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self._engine = load_engine(config.local, config.context, config.threads)
        self._warned = False

    def __reduce__(self) -> tuple[type[LocalModel], tuple[ModelConfig]]:
        return LocalModel, (self.config,)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers: the file by name, size and content, and the sampling."""
        size = self._engine.file.stat().st_size
        return {**self.config.to_dict(), "size": size, "sha256": self._engine.sha256}

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Yield the one piece of work that an answer takes, and return the answer."""
        reply: ChatReply = yield Request(run=partial(self._answer, request))
        return reply

    def _answer(self, request: ChatRequest) -> ChatReply:
        body = self._body(request)
        wanted = _forced(request)
        try:
            if request.tools:
                self._look_at_template()
            if wanted:
                body = _without_choice(body) | {"response_format": _call_format(wanted)}
            answer = self._engine.complete(body)
            reply = read_reply(_as_call(answer) if wanted else answer, self.config.price)
        except ModelError as error:
            failure = ModelError(
                f"{self.role} model {self.name!r}: {error}",
                kind=error.kind,
                stage=self.role,
                retryable=error.retryable,
                usage=error.usage,
            )
        else:
            return _with_ids(reply, request)
        raise failure

    def _body(self, request: ChatRequest) -> dict[str, object]:
        asked = sendable(request_body(self.config, request))
        seed = asked.get("seed", request.index) % _SEEDS
        defaults = {"max_tokens": LONGEST, "cache_prompt": False}
        return {**defaults, **asked, "seed": seed, **self.config.extra}

    def _look_at_template(self) -> None:
        if not self._warned and not self._engine.reads_tools:
            _log.warning(
                "the chat template of %s does not show the model its tools: it only knows of them what the "
                "messages say",
                self.name,
            )
        self._warned = True


def _forced(request: ChatRequest) -> Sequence[Mapping[str, object]]:
    """Return the functions one of which must be called; none where the model may do as it likes."""
    functions = [tool["function"] for tool in request.tools]
    if isinstance(request.tool_choice, str | None):
        return functions if request.tool_choice == "required" else ()
    name = request.tool_choice.get("function", {}).get("name")
    return [function for function in functions if function["name"] == name]


def _without_choice(body: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if name != "tool_choice"}


def _call_format(functions: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the response format of a call; a choice of tools binds only with few of the templates."""
    calls = [
        {
            "type": "object",
            "properties": {
                "name": {"const": function["name"]},
                "arguments": function.get("parameters") or {"type": "object"},
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for function in functions
    ]
    schema = calls[0] if len(calls) == 1 else {"anyOf": calls}
    return {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}}


def _as_call(answer: JsonObject) -> dict[str, object]:
    """Return the chat completion with the call that its text is; one that was cut stays text."""
    choice = answer["choices"][0]
    try:
        call = jsontext.loads(choice["message"]["content"])
    except ValueError:
        return answer
    function = {"name": call["name"], "arguments": jsontext.dumps(call["arguments"])}
    message = {"content": None, "tool_calls": [{"type": "function", "function": function}]}
    return {**answer, "choices": [{**choice, "message": message, "finish_reason": "tool_calls"}]}


def _with_ids(reply: ChatReply, request: ChatRequest) -> ChatReply:
    """Return the reply with ids that a second run has as well; Mistral's templates want nine letters."""
    calls = [{**call, "id": digest([request.key, n])[:9]} for n, call in enumerate(reply.tool_calls)]
    if not calls:
        return reply
    return ChatReply(
        {**reply.message, "tool_calls": calls}, reply.finish_reason, reply.usage, reply.model, reply.extra
    )
