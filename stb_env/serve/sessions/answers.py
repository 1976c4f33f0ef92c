"""Errors of the sessions as clients see them."""

from __future__ import annotations

from stb_env.serve.operations.refusals import Refusal, refusal
from stb_env.serve.sessions.refusals import SessionRefusal


def refused(error: Exception) -> Refusal:
    """Return the refusal that an error means, those of sessions included.

    Examples:
        >>> from stb_env.serve.sessions.refusals import UnknownSession
        >>> found = refused(UnknownSession("no session 'x' is open"))
        >>> found.status, found.body()
        (404, {'error': {'kind': 'unknown_session', 'message': "no session 'x' is open"}})
    """
    if not isinstance(error, SessionRefusal):
        return refusal(error)
    headers = {"retry-after": str(error.retry_after)} if error.retry_after else None
    return Refusal(str(error), kind=error.kind, status=error.status, headers=headers)
