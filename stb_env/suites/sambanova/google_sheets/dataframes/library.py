"""pandas, where a program needs it: it is large, most episodes never do, and it is an extra."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from types import ModuleType

from stb_env.suites.sambanova.common.interpreter.crash import CrashError


class NoFramesError(CrashError):
    """A program uses data frames, and pandas is not installed."""


@cache
def pandas() -> ModuleType:
    """Return pandas.

    Raises:
        NoFramesError: It is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise NoFramesError(
            "data frames need pandas, which is not installed here; pip install 'stb-env[sheets]'"
        ) from error
    library: ModuleType = pd
    return library


def is_installed() -> bool:
    """Return whether programs can use pandas; it is not imported for that."""
    return find_spec("pandas") is not None


def is_used() -> bool:
    """Return whether a program has asked for pandas yet; until then, no value can be a data frame."""
    return pandas.cache_info().currsize > 0


def own_errors() -> tuple[type[Exception], ...]:
    """Return what pandas raises, besides Python's usual errors, for what it cannot do."""
    if not is_used():
        return ()
    errors = vars(pandas().errors).values()
    own = (each for each in errors if isinstance(each, type) and issubclass(each, Exception))
    return (AssertionError, RuntimeError, *(each for each in own if not issubclass(each, Warning)))
