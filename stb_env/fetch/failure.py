"""A fetch that did not bring what was asked for."""

from __future__ import annotations

from stb_env.errors import FailureKind, InfrastructureError


class FetchError(InfrastructureError):
    """A file could not be fetched, or is not what it should be; what was there before is kept.

    Args:
        message: What was expected, what came, and what to do.
        kind: Class of the failure.
        retryable: Whether the same fetch may succeed later.
    """

    def __init__(self, message: str, *, kind: FailureKind = "internal", retryable: bool = False) -> None:
        super().__init__(message, kind=kind, stage="fetch", retryable=retryable)
