"""Parses and validates the body of a chat completion."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.models.chat import MALFORMED, ChatReply
from stb_env.models.failure import FILTERED, MAX_QUOTE
from stb_env.models.model import ModelError
from stb_env.models.opaque import OPAQUE
from stb_env.usage import Price, Served, Usage

# What engines such as vLLM give besides, for training: from the choice, and from the body.
_CHOICE_EXTRA = ("logprobs", "token_ids", "stop_reason", "seed")
_BODY_EXTRA = ("prompt_token_ids", "prompt_logprobs", "system_fingerprint")
_MESSAGE_EXTRA = ("reasoning_content", "reasoning", OPAQUE)
# The server gave up on an answer, whole as its form is: vLLM and others, DeepSeek.
_BROKEN_OFF = frozenset({"error", "insufficient_system_resource"})
# A plain type stands first: a check against an abstract class costs several times as much.
_MAPPING = (dict, Mapping)


def parse(body: bytes) -> object:
    """Parse a response body.

    Raises:
        ModelError: It is not JSON, as when it was cut off; worth another attempt.

    Examples:
        >>> parse(b'{"choices": [')
        Traceback (most recent call last):
        ...
        stb_env.models.model.ModelError: the answer is no complete JSON text (13 bytes)
    """
    try:
        return jsontext.loads_utf8(body)
    except ValueError:
        failure = f"the answer is no complete JSON text ({len(body)} bytes)"
    raise ModelError(failure, kind="transport", retryable=True)


def wrong_call(body: object) -> dict[str, object] | None:
    """Return the completion that Groq means with the error that a model's call cannot be taken.

    Args:
        body: The answer as JSON value.

    Examples:
        >>> wrong_call({"error": {"code": "tool_use_failed"}})["choices"][0]["finish_reason"]
        'malformed_call'
        >>> wrong_call({"error": {"code": "rate_limit_exceeded"}}) is None
        True
    """
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping) or error.get("code") != "tool_use_failed":
        return None
    return {"choices": [{"message": {}, "finish_reason": MALFORMED, "stop_reason": error["code"]}]}


def read_reply(body: object, price: Price | None = None, role: str = "agent") -> ChatReply:
    """Read a parsed chat completion.

    Args:
        body: The JSON value that the server sent.
        price: Price of the model's tokens, where it is known.
        role: Who asks. What an agent refuses is its reply; nobody else plays on with a refusal.

    Raises:
        ModelError: It has not the form of a chat completion or was broken off (worth another attempt), a
            filter stopped it, or the model refused. Its usage is what the server counted of it.

    Examples:
        >>> read_reply({"choices": [{"message": {"content": "yes", "tool_calls": None}}]}).message
        {'role': 'assistant', 'content': 'yes'}
        >>> refusal = {"choices": [{"message": {"refusal": "I cannot help with that."}}]}
        >>> read_reply(refusal).text
        'I cannot help with that.'
        >>> read_reply(refusal, role="judge")
        Traceback (most recent call last):
        ...
        stb_env.models.model.ModelError: the model refused: I cannot help with that.
    """
    body = _object(body, "the answer")
    try:
        return _reply(body, price, role)
    except ModelError as error:
        # What was counted is paid for, of whatever use it is.
        if body.get("usage") and not error.usage.calls:
            error.usage = _usage(body["usage"], price, body.get("service_tier"))
        raise


def _reply(body: Mapping[str, object], price: Price | None, role: str) -> ChatReply:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise _malformed(f"it has no choices: {jsontext.dumps(body)[:MAX_QUOTE]}")
    choice = _object(choices[0], "its choice")
    given = _object(choice.get("message"), "its message")
    usage = _usage(body.get("usage"), price, body.get("service_tier"))
    _check(given, choice, usage, role)
    extra: JsonObject = {}
    for part, names in ((given, _MESSAGE_EXTRA), (choice, _CHOICE_EXTRA), (body, _BODY_EXTRA)):
        # Most answers have none.
        if not part.keys().isdisjoint(names):
            extra |= {name: part[name] for name in names if part.get(name) is not None}
    reason, model = choice.get("finish_reason"), body.get("model")
    return ChatReply(
        _message(given),
        reason if isinstance(reason, str) else "stop",
        usage,
        model if isinstance(model, str) else "",
        extra,
    )


def _object(value: object, what: str) -> Mapping[str, object]:
    if isinstance(value, _MAPPING):
        return value
    raise _malformed(f"{what} is {type(value).__name__} instead of an object")


def _malformed(what: str) -> ModelError:
    return ModelError(f"the answer is no chat completion: {what}", kind="transport", retryable=True)


def _check(message: Mapping[str, object], choice: Mapping[str, object], usage: Usage, role: str) -> None:
    reason = choice.get("finish_reason")
    if reason == "content_filter":
        raise ModelError(f"{FILTERED} stopped the answer", usage=usage)
    if reason in _BROKEN_OFF:
        said = f"the provider broke the answer off: {choice.get('stop_reason') or reason}"
        raise ModelError(said, kind="transport", retryable=True)
    refusal = message.get("refusal")
    if refusal and role != "agent":
        said = " ".join(str(refusal).split())[:MAX_QUOTE]
        # Left to the caller to ask again: the same seed would only buy the same refusal.
        raise ModelError(f"the model refused: {said}", retryable=True, usage=usage)


def _message(given: Mapping[str, object]) -> dict[str, object]:
    content, calls = given.get("content"), given.get("tool_calls")
    message: JsonObject = {"role": "assistant"}
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    if refusal := given.get("refusal"):
        content = f"{content or ''}{refusal}"
    if content is not None or not calls:
        message["content"] = content if isinstance(content, str) else ""
    if calls:
        message["tool_calls"] = [_call(call, index) for index, call in enumerate(_list(calls))]
    if OPAQUE in given:
        message[OPAQUE] = given[OPAQUE]
    return message


def _list(calls: object) -> list[object]:
    if isinstance(calls, list):
        return calls
    raise _malformed(f"tool_calls is {type(calls).__name__} instead of a list")


def _call(call: object, index: int) -> dict[str, object]:
    call = _object(call, "a tool call")
    function = _object(call.get("function"), "a tool call's function")
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(name, str):
        raise _malformed("a tool call has no name")
    # Some local servers send the arguments as an object or leave them out.
    text = arguments if isinstance(arguments, str) else jsontext.dumps({} if arguments is None else arguments)
    return {
        "id": str(call.get("id") or f"call_{index}"),
        "type": "function",
        "function": {"name": name, "arguments": text},
    }


def _usage(given: object, price: Price | None, tier: object) -> Usage:
    counts = given if isinstance(given, _MAPPING) else {}
    said = [_count(counts.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens")]
    prompt, completion = said[0] or 0, said[1] or 0
    total = said[2] or prompt + completion
    if price is not None and price.free:
        return Usage(prompt, completion, total, calls=1)
    served = _served(counts, tier)
    # Whoever reads nothing answers nothing: a server that says so does not count. Nor does one that says that
    # it read more from its cache than it read.
    if price is None or not said[0] or said[1] is None or served.cached + served.stored > prompt:
        return Usage(prompt, completion, total, calls=1, unpriced=1)
    # Some count what was thought in the total alone.
    written = max(completion, total - prompt)
    cost = price.cost(prompt, written, served)
    return Usage(prompt, completion, total, calls=1, cost=cost)


def _served(counts: Mapping[str, object], tier: object) -> Served:
    details = counts.get("prompt_tokens_details")
    known = details if isinstance(details, _MAPPING) else {}
    # The words of OpenAI and most, of Moonshot, of DeepSeek.
    said = (known.get("cached_tokens"), counts.get("cached_tokens"), counts.get("prompt_cache_hit_tokens"))
    cached = next(filter(None, map(_count, said)), 0)
    stored = _count(known.get("cache_write_tokens")) or 0
    for_an_hour = min(stored, _count(known.get("cache_write_1h_tokens")) or 0)
    return Served(cached, stored, tier if isinstance(tier, str) else "", for_an_hour)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
