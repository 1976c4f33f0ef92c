"""What stops a program: the paper calls a program that does not run through a crash."""

from __future__ import annotations


class CrashError(Exception):
    """A program or a call cannot go on.

    Args:
        message: What the original's own API says, where it says something.
        advice: The same for whoever has to mend it; the message by default.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice or message
