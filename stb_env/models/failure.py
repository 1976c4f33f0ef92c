"""Reads what a server says when it does not answer: which failure it is, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env.core import jsontext
from stb_env.http.exchange import is_retryable, status_kind
from stb_env.models.config import DROPPED
from stb_env.models.model import ModelError

MAX_QUOTE = 300

FILTERED = "a content filter"
"""Begins each failure of a filter's. None is retryable: the same words meet the same filter."""

_ADVICE = {
    400: "the server does not accept the request; check the model's settings",
    401: "the server does not accept the key; check the variable that api_key_env names",
    403: "the key may not use this model; check its rights",
    404: "the server knows no such model or path; check model and base_url",
}
# The rest is in the words of the providers, each of which `tests/models/providers` has.
# Statuses with which servers report an over-long prompt: 400 mostly, 413 and 422 some, 500 older llama.cpp.
_CONTEXT_STATUS = frozenset({400, 413, 422, 500})
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|(maximum|available|model'?s) context (length|size|window)"
    r"|context (length|size|window)( is| was)? exceeded|exceeds? (the )?context|prompt (is|was) too long"
    r"|longer than the (model|context)|`?inputs`? tokens \+|(input|request|prompt)( is)? too (long|large)"
    r"|input token count|maximum (prompt|context) length|prompt exceeds max|exceeded model token limit"
    r"|request_too_large",
    re.IGNORECASE,
)
_FILTER_STATUS = frozenset({400, 403})
_FILTER = re.compile(
    r"content.?(filter|management|exists risk)|flagged|usage (polic|guideline)|considered high risk"
    r"|unsafe or sensitive",
    re.IGNORECASE,
)
_KEY_STATUS = frozenset({400, 401, 403})
_KEY = re.compile(
    r"api.?key.{0,20}(not valid|invalid)|(incorrect|invalid).api.?key|security token|unauthorized",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"(?:unsupported (?:parameter|value): ')(\w+)'|`(\w+)` may only be set", re.IGNORECASE
)
_NO_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|credit balance is too low|insufficient (balance|credits)"
    r"|exceeded_current_quota",
    re.IGNORECASE,
)
_QUOTA_STATUS = frozenset({400, 403, 429})
# What the codes and types of errors without a status mean, in the words of OpenAI, Anthropic and vLLM.
_CROWDED = re.compile(r"rate.?limit|too.?many.?requests|slow.?down", re.IGNORECASE)
_MEANT = (
    (429, _CROWDED),
    (429, re.compile(r"insufficient_quota|billing_hard_limit|resource_?exhausted", re.IGNORECASE)),
    (401, re.compile(r"authentication|unauthorized|api_key", re.IGNORECASE)),
    (403, re.compile(r"permission|forbidden", re.IGNORECASE)),
    (404, re.compile(r"not_?found", re.IGNORECASE)),
    (504, re.compile(r"time_?d?_?out", re.IGNORECASE)),
    (400, re.compile(r"invalid_?request|bad_?request|context_length|exceed_context", re.IGNORECASE)),
)
_UNKNOWN = 500


def status_failure(status: int, body: object, retry_after: float | None = None) -> ModelError:
    """Return the failure that an HTTP status with its body means.

    Args:
        status: HTTP status.
        body: The response body as JSON value, or as text where it is none; without secrets.
        retry_after: Seconds that the server asks to wait.

    Examples:
        >>> body = {"error": {"code": "context_length_exceeded", "message": "Too long"}}
        >>> failure = status_failure(400, body)
        >>> failure.kind, failure.retryable, str(failure)
        ('context', False, 'HTTP 400: Too long')
        >>> status_failure(503, "overloaded", 2.0).retryable
        True
        >>> print(status_failure(400, "Unsupported parameter: 'stop'."))
        HTTP 400: Unsupported parameter: 'stop'; put drop = ["stop"] into the table of the model
    """
    return _failure(f"HTTP {status}", status, _details(body), retry_after, status)


def told_failure(body: object, retry_after: float | None = None) -> ModelError | None:
    """Return the failure that an answer with a good status tells in the place of a completion, if it does.

    It is the failure that the same error would be with the HTTP status that its code or type means.

    Args:
        body: The answer as JSON value; without secrets.
        retry_after: Seconds that the server asks to wait.

    Examples:
        >>> failure = told_failure({"error": {"message": "slow down", "code": 429}})
        >>> failure.kind, failure.retryable, str(failure)
        ('rate_limit', True, 'the answer is an error: slow down')
        >>> told_failure({"error": {"message": "Too long", "type": "exceed_context_size_error"}}).kind
        'context'
        >>> told_failure({"choices": [{"message": {"content": "yes"}}]}) is None
        True
    """
    if not isinstance(body, dict) or body.get("choices"):
        return None
    if not body.get("error") and body.get("object") != "error":
        return None
    details = _details(body)
    return _failure("the answer is an error", _status_meant(body, details), details, retry_after)


def _failure(
    what: str, meant: int, details: list[str], retry_after: float | None, status: int | None = None
) -> ModelError:
    said = _quote(details)
    if meant in _CONTEXT_STATUS and any(_CONTEXT.search(text) for text in details):
        return ModelError(f"{what}{said}", kind="context", status=status)
    if meant == 402 or (meant in _QUOTA_STATUS and any(map(_NO_QUOTA.search, details))):
        message = f"{what}{said}; the account has no {'quota' if meant == 429 else 'credit'} left"
        return ModelError(message, kind="rate_limit", status=status)
    if is_retryable(meant):
        return ModelError(
            f"{what}{said}",
            kind=status_kind(meant),
            retryable=True,
            retry_after=retry_after,
            status=status,
        )
    if meant in _FILTER_STATUS and any(map(_FILTER.search, details)):
        return ModelError(f"{FILTERED} refused the request: {what}{said}", status=status)
    if meant == 400 and (found := _UNSUPPORTED.search(said)) and found[found.lastindex or 0] in DROPPED:
        name = found[found.lastindex or 0]
        message = f'{what}{said.rstrip(".")}; put drop = ["{name}"] into the table of the model'
        return ModelError(message, status=status)
    known = 401 if meant in _KEY_STATUS and any(map(_KEY.search, details)) else meant
    return ModelError(f"{what}{said}; {_ADVICE.get(known, _ADVICE[400])}", status=status)


def refuses_key(failure: ModelError) -> bool:
    """Return whether an endpoint does not take the key; some say so with HTTP 400.

    Examples:
        >>> refuses_key(status_failure(400, {"error": "Incorrect API key provided"}))
        True
    """
    return failure.status in (401, 403) or _ADVICE[401] in str(failure)


def _status_meant(body: Mapping[str, object], details: list[str]) -> int:
    error = body.get("error") or body
    if isinstance(error, Mapping):
        for code in (error.get("code"), error.get("status"), error.get("status_code")):
            if re.fullmatch("[45][0-9][0-9]", str(code)):
                return int(str(code))
    message, *named = details
    found = (status for status, words in _MEANT if any(map(words.search, named)))
    # Messages are prose, in which most words mean little.
    return next(found, 429 if _CROWDED.search(message) else _UNKNOWN)


def _details(body: object) -> list[str]:
    """Return message, code and type of an error body, in whichever of the usual shapes it has."""
    error = body
    if isinstance(body, Mapping):
        # The words of OpenAI and most, of Amazon, of FastAPI.
        error = next((body[name] for name in ("error", "Error", "detail") if name in body), body)
    if not isinstance(error, Mapping):
        return [error if isinstance(error, str) else jsontext.dumps(error)]
    named = [_text(error.get(name)) or _text(error.get(name.title())) for name in ("message", "code", "type")]
    return named if any(named) else [jsontext.dumps(error)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _quote(details: list[str]) -> str:
    words = " ".join(next((text for text in details if text), "").split())
    if not words:
        return ""
    return f": {words[:MAX_QUOTE]}..." if len(words) > MAX_QUOTE else f": {words}"
