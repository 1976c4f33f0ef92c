"""Reads what a server says when it does not answer: which failure it is, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env import jsontext
from stb_env.errors import FailureKind
from stb_env.llm.model import ModelError

MAX_QUOTE = 300

_RETRIED = frozenset({408, 409, 425, 429})
_ADVICE = {
    400: "the server does not accept the request; check the model's settings",
    401: "the server does not accept the key; check the variable that api_key_env names",
    403: "the key may not use this model; check its rights",
    404: "the server knows no such model or path; check model and base_url",
}
# Statuses with which servers report an over-long prompt: 400 mostly, 413 and 422 some, 500 older llama.cpp.
_CONTEXT_STATUS = frozenset({400, 413, 422, 500})
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|(maximum|available|model'?s) context (length|size|window)"
    r"|context (length|size|window)( is| was)? exceeded|exceeds? (the )?context|prompt (is|was) too long"
    r"|longer than the (model|context)|`?inputs`? tokens \+",
    re.IGNORECASE,
)
_NO_QUOTA = re.compile(r"insufficient_quota|billing_hard_limit")


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
    """
    details = _details(body)
    said = _quote(details)
    if status in _CONTEXT_STATUS and any(_CONTEXT.search(text) for text in details):
        return ModelError(f"HTTP {status}{said}", kind="context", status=status)
    if status == 429 and any(_NO_QUOTA.search(text) for text in details):
        message = f"HTTP {status}{said}; the account has no quota left"
        return ModelError(message, kind="rate_limit", status=status)
    if status in _RETRIED or status >= 500:
        return ModelError(
            f"HTTP {status}{said}",
            kind=_kind(status),
            retryable=True,
            retry_after=retry_after,
            status=status,
        )
    advice = _ADVICE.get(status, _ADVICE[400])
    return ModelError(f"HTTP {status}{said}; {advice}", status=status)


def _kind(status: int) -> FailureKind:
    if status == 429:
        return "rate_limit"
    return "timeout" if status in (408, 504) else "transport"


def _details(body: object) -> list[str]:
    """Return message, code and type of an error body, in whichever of the usual shapes it has."""
    error = body.get("error", body.get("detail", body)) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        return [error if isinstance(error, str) else jsontext.dumps(error)]
    named = [_text(error.get(name)) for name in ("message", "code", "type")]
    return named if any(named) else [jsontext.dumps(error)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _quote(details: list[str]) -> str:
    words = " ".join(next((text for text in details if text), "").split())
    if not words:
        return ""
    return f": {words[:MAX_QUOTE]}..." if len(words) > MAX_QUOTE else f": {words}"
