"""Errors that stop a program, which the paper calls crashes."""

from __future__ import annotations


class CrashError(Exception):
    """A program or a call cannot go on.

    Args:
        message: What is wrong; in the original's words where its own API says something.
        advice: The same for whoever has to mend it; the message by default.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice or message


class UnsupportedError(CrashError):
    """The program uses something that the original has and that is deliberately left out here."""
