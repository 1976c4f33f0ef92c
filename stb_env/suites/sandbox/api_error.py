"""Errors with which an API refuses a call."""

from __future__ import annotations

from stb_env.errors import STBError


class ApiError(STBError):
    """The API refuses: an application error, which the agent reads."""


class ArgumentsError(ApiError):
    """The arguments do not fit the documented parameters."""
