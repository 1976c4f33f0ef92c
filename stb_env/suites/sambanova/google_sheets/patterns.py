"""Regular expressions that programs give: only those that are matched quickly."""

from __future__ import annotations

import re

from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Host, Module, Native

MAX_PATTERN = 100
"""Characters of a pattern."""

_REPEATED = re.compile(r"(?<!\\)[*+{]")
_NESTED = re.compile(r"[*+}]\??\)[*+{?]")
_MOST_REPEATED = 3


def check_pattern(pattern: object) -> re.Pattern[str]:
    """Return a compiled pattern.

    Raises:
        CrashError: It is no pattern, or one that could take long to match.

    Examples:
        >>> check_pattern("a+b").search("xaab") is not None
        True
        >>> check_pattern("(a+)+b")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.UnsupportedError: patterns with many repeats are not read here
    """  # noqa: E501 # the line is what Python prints
    if isinstance(pattern, Pattern):
        return pattern.compiled
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN:
        raise CrashError(f"a pattern is a text of at most {MAX_PATTERN} characters")
    if _NESTED.search(pattern) or len(_REPEATED.findall(pattern)) > _MOST_REPEATED or "(?" in pattern:
        raise UnsupportedError("patterns with many repeats are not read here")
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise CrashError(f"{pattern[:40]!r} is no pattern: {error}") from error


class Pattern(Host):
    """A compiled pattern.

    Args:
        pattern: The pattern.
    """

    kind = "a pattern"

    def __init__(self, pattern: object) -> None:
        self.compiled = check_pattern(pattern)

    def attribute(self, name: str) -> object:
        """Return how the pattern is asked: each answers whether it matches."""
        ways = {
            "search": self.compiled.search,
            "match": self.compiled.match,
            "fullmatch": self.compiled.fullmatch,
        }
        if name in ways:
            return Native(name, lambda text: ways[name](text) is not None)
        if name == "pattern":
            return self.compiled.pattern
        return super().attribute(name)


RE = Module(
    "re",
    {
        "compile": Native("compile", Pattern),
        "search": Native("search", lambda pattern, text: check_pattern(pattern).search(text) is not None),
        "match": Native("match", lambda pattern, text: check_pattern(pattern).match(text) is not None),
        "sub": Native("sub", lambda pattern, new, text: check_pattern(pattern).sub(str(new), text)),
    },
)
"""The library of the same name."""
