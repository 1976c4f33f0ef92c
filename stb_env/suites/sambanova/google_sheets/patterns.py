"""Regular expressions of programs, matched in linear time.

RE2 matches them. It has no back-references and no look-around, which take exponential time elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

from stb_env.suites.sambanova.common.interpreter.budget import MAX_TEXT, Budget
from stb_env.suites.sambanova.common.interpreter.costs import Args, Options, at_least, read
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Host, Module, Native

MAX_PATTERN = 100
"""Characters of a pattern."""

_MEMORY = 2**20
_PAIRS = 3_000
"""Characters by parts of a pattern that one step compares."""

_MOST_NEW = 1_000
_UNKNOWN = (
    ("(?=", "no look-ahead; search for the whole and look at the text after it in Python"),
    ("(?!", "no look-ahead; search for the whole and look at the text after it in Python"),
    ("(?<=", "no look-behind; search for the whole and look at the text before it in Python"),
    ("(?<!", "no look-behind; search for the whole and look at the text before it in Python"),
    ("(?P=", "no back-references; compare the two parts in Python"),
    ("(?>", "no atomic groups; write (?:...)"),
    ("\\Z", r"no \Z; write \z"),
    *((f"\\{digit}", "no back-references; compare the two parts in Python") for digit in range(1, 10)),
)


def _library() -> ModuleType:
    # Imported late: few programs have a pattern.
    try:
        import re2
    except ImportError as error:
        raise CrashError(
            "patterns need google-re2, which is not installed here; pip install google-re2"
        ) from error
    library: ModuleType = re2
    return library


@lru_cache(maxsize=256)
def compiled(pattern: str, *, fold: bool = False) -> Any:
    r"""Return a compiled pattern of RE2.

    Args:
        pattern: The pattern.
        fold: Whether upper and lower case are the same.

    Examples:
        >>> compiled("(a|aa)+$").search("a" * 9_000 + "b") is None
        True
        >>> compiled(r"(a)\1")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.UnsupportedError: got '(a)\\1': patterns here run in linear time and know no back-references; compare the two parts in Python
    """  # noqa: E501 # the line is what Python prints
    if len(pattern) > MAX_PATTERN:
        raise CrashError(
            f"a pattern has at most {MAX_PATTERN} characters, got {len(pattern)}; write a shorter one"
        )
    library = _library()
    options = library.Options()
    options.log_errors, options.max_mem, options.case_sensitive = False, _MEMORY, not fold
    try:
        return library.compile(pattern, options)
    except (library.error, UnicodeEncodeError) as error:
        for mark, what in _UNKNOWN:
            if mark in pattern:
                raise UnsupportedError(
                    f"got {pattern[:40]!r}: patterns here run in linear time and know {what}"
                ) from error
        said = error.args[0].decode(errors="replace") if isinstance(error, library.error) else error
        raise CrashError(f"{pattern[:40]!r} is no pattern: {said}") from error


class Pattern(Host):
    """A pattern with the steps that are left for matching it.

    Args:
        pattern: The pattern, as a text or compiled.
        budget: The steps.
        fold: Whether upper and lower case are the same.

    Examples:
        >>> Pattern("b+", Budget()).sub("x", "abba")
        'axa'
    """

    kind = "a pattern"

    def __init__(self, pattern: object, budget: Budget, *, fold: bool = False) -> None:
        if not isinstance(pattern, str | Pattern):
            raise CrashError(f"a pattern is a text, got {type(pattern).__name__}")
        self.text: str = pattern if isinstance(pattern, str) else pattern.text
        self._compiled = compiled(self.text, fold=fold)
        self._budget = budget

    def attribute(self, name: str) -> object:
        """Return the pattern's text, or one of its methods."""
        methods: dict[str, Callable[..., object]] = {
            "search": self.search,
            "match": self.match,
            "fullmatch": self.fullmatch,
            "sub": self.sub,
        }
        if name in methods:
            return Native(name, methods[name], _COST)
        return self.text if name == "pattern" else super().attribute(name)

    def search(self, text: object) -> bool:
        """Return whether it matches anywhere."""
        return self._compiled.search(self._read(text)) is not None

    def match(self, text: object) -> bool:
        """Return whether it matches at the beginning."""
        return self._compiled.match(self._read(text)) is not None

    def fullmatch(self, text: object) -> bool:
        """Return whether it matches the whole."""
        return self._compiled.fullmatch(self._read(text)) is not None

    def count(self, text: object) -> int:
        """Return how often it matches."""
        return sum(1 for _ in self._compiled.finditer(self._read_again(text)))

    def split(self, text: object, most: int = 0) -> list[str]:
        """Return what stands between its matches."""
        return list(self._compiled.split(self._read_again(text), most))

    def sub(self, new: object, text: object) -> str:
        """Return a text with every match replaced."""
        if not isinstance(new, str) or len(new) > _MOST_NEW:
            raise CrashError(f"what a match is replaced with is a text of at most {_MOST_NEW} characters")
        room = MAX_TEXT

        def replaced(match: Any) -> str:
            nonlocal room
            made: str = match.expand(new)
            room -= len(made)
            if room < 0:
                raise CrashError(f"a text has more than {MAX_TEXT} characters")
            return made

        try:
            made: str = self._compiled.sub(replaced, self._read_again(text))
        except _library().error as error:
            raise CrashError(f"{new[:40]!r} names a group that the pattern has not") from error
        return made

    def _read(self, text: object) -> str:
        if not isinstance(text, str):
            raise CrashError(f"a pattern is matched with a text, got {type(text).__name__}")
        self._budget.spend(len(text) * self._compiled.programsize // _PAIRS)
        return text

    def _read_again(self, text: object) -> str:
        """Return a text that may be read again from every match on."""
        read = self._read(text)
        self._budget.spend(len(read) * (1 + len(read) * self._compiled.programsize // _PAIRS))
        return read


def library_of(budget: Budget) -> Module:
    """Return the library ``re`` of a program.

    Args:
        budget: The steps that are left to the program.
    """

    def of(pattern: object) -> Pattern:
        return Pattern(pattern, budget)

    functions: dict[str, Callable[..., object]] = {
        "search": lambda pattern, text: of(pattern).search(text),
        "match": lambda pattern, text: of(pattern).match(text),
        "fullmatch": lambda pattern, text: of(pattern).fullmatch(text),
        "sub": lambda pattern, new, text: of(pattern).sub(new, text),
    }
    names = {name: Native(name, function, _COST) for name, function in functions.items()}
    return Module("re", {"compile": Native("compile", of, at_least(20, read)), **names})


def _length(args: Args, options: Options) -> int:
    # Each character is looked at once, for each part of a short pattern.
    return sum(len(value) for value in (*args, *options.values()) if isinstance(value, str)) // 20


_COST = at_least(20, _length)
