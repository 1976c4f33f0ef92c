"""One tree of errors, split by the boundary that was crossed.

Whose fault decides the branch: what the *agent* does wrong is an observation and never raises; what
the *caller* does wrong is a `ConfigError` or a `DataError`; what the *infrastructure* does wrong is an
`InfrastructureError`, which ends the episode as invalid and is never a reward.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Literal

from stb_env.usage import NO_USAGE

FailureKind = Literal[
    "cache_miss",
    "transport",
    "timeout",
    "rate_limit",
    "simulator",
    "judge",
    "context",
    "budget",
    "internal",
]


class STBError(Exception):
    """Base of everything that this package raises on purpose."""


class ActionError(STBError):
    """An action could not be written or read in the strict form that was asked for."""


class NoActionError(ActionError):
    """An agent's ``act`` returned no action; the message names the type of the value."""


class ConfigError(STBError):
    """A setting is wrong or incomplete; the message says what was got, expected and what to do.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> notes(order="sorted")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: order must be 'random' or 'sequential', got 'sorted'
    """


class DataError(STBError):
    """A file or record is not what its format promises."""


class RunStopped(STBError):
    """A run ended before its last episode, for a reason that would have spoiled the others too.

    What is saved stays, and the same command goes on. Not an `InfrastructureError` on purpose: that ends one
    episode.
    """


class StorageError(RunStopped):
    """A file could not be written: the disk is full, the folder is missing or access is denied."""


class InfrastructureError(STBError):
    """No usable answer came: ends the episode with ``valid=False``, never with an earned 0.

    Args:
        message: What happened, without keys or secrets.
        kind: Class of the failure, for retries and reports.
        stage: Which layer failed: ``cache``, ``real``, ``simulator``, ``judge``, ``agent`` ...
        retryable: Whether the same request may succeed later.

    Attributes:
        usage: What the failed attempts cost all the same.

    Examples:
        >>> InfrastructureError("no answer in 5 s", kind="timeout", stage="real", retryable=True).failure()
        {'kind': 'timeout', 'stage': 'real', 'retryable': True, 'message': 'no answer in 5 s'}
    """

    def __init__(
        self, message: str, *, kind: FailureKind = "internal", stage: str = "backend", retryable: bool = False
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.stage = stage
        self.retryable = retryable
        self.usage = NO_USAGE

    def failure(self) -> dict[str, object]:
        """Return the failure as the plain data that ``info["failure"]`` and trajectories carry."""
        return {"kind": self.kind, "stage": self.stage, "retryable": self.retryable, "message": str(self)}


class BackendError(InfrastructureError):
    """The virtual API backend could not answer a call.

    Args:
        message: What happened, without keys or secrets.
        kind: Class of the failure.
        stage: Which layer failed.
        retryable: Whether the same request may succeed later.
        status_code: HTTP status, where one came; 200 with a body that is no JSON counts too.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind = "internal",
        stage: str = "backend",
        retryable: bool = False,
        status_code: int | None = None,
    ) -> None:
        super().__init__(message, kind=kind, stage=stage, retryable=retryable)
        self.status_code = status_code


class CacheMiss(BackendError):
    """A call is not in the cache and the mode forbids every other source."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="cache_miss", stage="cache")


class SimulatorError(BackendError):
    """The simulator gave no usable answer."""

    def __init__(self, message: str, *, kind: FailureKind = "simulator", retryable: bool = True) -> None:
        super().__init__(message, kind=kind, stage="simulator", retryable=retryable)


class JudgeError(InfrastructureError):
    """The judge gave no usable verdict."""

    def __init__(self, message: str, *, kind: FailureKind = "judge", retryable: bool = True) -> None:
        super().__init__(message, kind=kind, stage="judge", retryable=retryable)


def did_you_mean(got: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest known name, or nothing.

    Examples:
        >>> did_you_mean("Nots", ["Notes", "Mails"])
        " Did you mean 'Notes'?"
        >>> did_you_mean("zzz", ["Notes"])
        ''
    """
    near = difflib.get_close_matches(got[:200], list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


@contextmanager
def others_code(what: str, function: object, failure: Callable[[str], InfrastructureError]) -> Iterator[None]:
    """Turn what somebody else's code raises into a typed failure; failures that are typed already pass.

    Args:
        what: Whose code, as the subject of a sentence.
        function: Their function.
        failure: Makes the failure of its message.

    Examples:
        >>> with others_code("judge 'strict'", None, JudgeError):
        ...     [][0]
        Traceback (most recent call last):
        ...
        stb_env.errors.JudgeError: judge 'strict' raised IndexError (..., line 2), which is a bug in it
    """
    try:
        yield
    except InfrastructureError:
        raise
    except (Exception, SystemExit) as error:
        raise failure(bug_in(what, error, function)) from error


def bug_in(what: str, error: BaseException, function: object = None) -> str:
    """Say that somebody's code failed and where, without what the exception says: that may hold secrets.

    Args:
        what: Whose code, as the subject of the sentence.
        error: What it raised.
        function: Their function; the innermost line in its file is named, or the innermost of all.

    Examples:
        >>> try:
        ...     {}["my password"]
        ... except KeyError as error:
        ...     print(bug_in("tool 'find'", error))
        tool 'find' raised KeyError (<doctest stb_env.errors.bug_in[0]>, line 2), which is a bug in it
    """
    file = getattr(getattr(function, "__code__", None), "co_filename", "")
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    place = next((at for at in reversed(lines) if at[0] == file), lines[-1] if lines else ("?", 0))
    name = PurePath(place[0]).name
    return f"{what} raised {type(error).__name__} ({name}, line {place[1]}), which is a bug in it"
