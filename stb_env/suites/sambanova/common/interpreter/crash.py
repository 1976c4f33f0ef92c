"""What stops a program: the paper calls a program that does not run through a crash."""

from __future__ import annotations


class CrashError(Exception):
    """A program or a call cannot go on; the message is for whoever has to mend it."""


class UnsupportedError(CrashError):
    """What is asked for exists where the original runs, and is deliberately left out here."""
