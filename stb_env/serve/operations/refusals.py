"""Typed errors as clients see them: ``{"error": {"kind", "message"}}`` with an apt status."""

from __future__ import annotations

from http import HTTPStatus
from typing import Protocol, runtime_checkable

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, DataError, FailureKind, InfrastructureError, STBError

STATUS: dict[FailureKind, int] = {
    "cache_miss": 404,
    "rate_limit": 429,
    "timeout": 504,
    "budget": 402,
    "context": 413,
    "transport": 502,
    "simulator": 502,
    "judge": 502,
    "internal": 502,
}
"""Status of a failure of the infrastructure; none of them is this server's own fault."""


# Python's own name for it changed.
_KINDS = {413: "too_large"}


class Refusal(STBError):
    """A request that is not answered as asked; the base of every error that a client may see.

    Args:
        message: What was got, what was expected and what to do.
        kind: Class of the error, for programs.
        status: HTTP status.
        headers: Further headers of the answer.

    Examples:
        >>> Refusal("no session 'x'", kind="unknown_session", status=404).body()
        {'error': {'kind': 'unknown_session', 'message': "no session 'x'"}}
    """

    def __init__(
        self, message: str, *, kind: str, status: int = 400, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.kind, self.status, self.headers = kind, status, headers

    def body(self) -> JsonObject:
        """Return the body of the answer."""
        return {"error": {"kind": self.kind, "message": str(self)}}


@runtime_checkable
class Typed(Protocol):
    """An error of another part that says itself what it means over HTTP."""

    kind: str
    status: int
    retry_after: int


def refusal(error: Exception) -> Refusal:
    """Return the refusal that an error of this package, or of the framework, means.

    Examples:
        >>> found = refusal(InfrastructureError("no answer", kind="timeout"))
        >>> found.status, found.kind
        (504, 'timeout')
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, Typed):
        again = {"retry-after": str(error.retry_after)} if error.retry_after else None
        return Refusal(str(error), kind=error.kind, status=error.status, headers=again)
    if isinstance(error, InfrastructureError):
        return Refusal(str(error), kind=error.kind, status=STATUS[error.kind])
    if isinstance(error, ConfigError | DataError):
        return Refusal(str(error), kind="bad_request", status=400)
    if isinstance(error, RequestValidationError):
        return Refusal(_invalid(error), kind="invalid", status=422)
    if isinstance(error, HTTPException):
        kind = _KINDS.get(error.status_code) or HTTPStatus(error.status_code).name.lower()
        return Refusal(
            str(error.detail), kind=kind, status=error.status_code, headers=dict(error.headers or {})
        )
    return Refusal("the server failed; its log says why", kind="internal", status=500)


def install(app: FastAPI) -> None:
    """Have every error of an application answered in the one form."""
    for kind in (STBError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer)


async def _answer(_: Request, error: Exception) -> JSONResponse:
    found = refusal(error)
    return JSONResponse(found.body(), found.status, found.headers)


def _invalid(error: RequestValidationError) -> str:
    # What was got stays unsaid: it may be a key.
    said = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
    return "; ".join(said)[:1_000]
