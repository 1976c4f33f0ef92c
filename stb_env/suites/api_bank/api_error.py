"""Errors with which an API of API-Bank refuses a call."""

from __future__ import annotations

from stb_env.errors import STBError


class ApiError(STBError):
    """The API refuses: an application error, whose text is the envelope's ``exception``."""


class ArgumentsError(ApiError):
    """The call never reached the API: an unknown or missing parameter, or a value of a wrong type."""
