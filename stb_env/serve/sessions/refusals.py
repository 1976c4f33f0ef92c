"""Reasons to refuse a session: an invalid request, or no room."""

from __future__ import annotations

from stb_env.errors import STBError


class SessionRefusal(STBError):
    """A request about sessions that is not answered as asked.

    Attributes:
        kind: Class of the error, for programs.
        status: HTTP status.
        retry_after: Seconds after which the same request may succeed; 0 where it never will.
    """

    kind = "session"
    status = 400
    retry_after = 0


class UnknownSession(SessionRefusal):
    """No open session has this key: it never was, it was closed, or it was idle for too long."""

    kind, status = "unknown_session", 404


class SessionExists(SessionRefusal):
    """A session has this key already."""

    kind, status = "session_exists", 409


class NoRoom(SessionRefusal):
    """As many sessions are open, or as much memory is held, as the operator allows."""

    kind, status, retry_after = "no_room", 503, 5


class NotServed(SessionRefusal):
    """An environment that this server does not have."""

    kind, status = "unknown_environment", 404


class NotAllowed(SessionRefusal):
    """A setting that is the operator's alone, or a value beyond what they allow."""

    kind, status = "not_allowed", 403


class OutOfStep(SessionRefusal):
    """A step has another number than the next, or the session is a snapshot, which plays nothing."""

    kind, status = "out_of_step", 409


class NotStarted(SessionRefusal):
    """No episode is running in the session; it waits for a reset."""

    kind, status = "reset_needed", 409
