"""Functions of other people, compared with how they are called when they are given and not when they fail."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from stb_env.errors import ConfigError


def function_of(
    owner: object, given: Sequence[str], expected: str, *, method: str = "", further: Sequence[str] = ()
) -> Callable[..., Any]:
    """Return a function that can be called with so many arguments.

    Args:
        owner: The function, or an object with a method that is it. A class is none: somebody forgot to make
            an instance.
        given: What the arguments are.
        expected: What errors say of what is wanted.
        method: Name of the method.
        further: Arguments that it gets by name where it has parameters of these names.

    Raises:
        ConfigError: There is no such function, or it takes others.

    Examples:
        >>> expected = "a check is a function of answer and state"
        >>> function_of(max, ["answer", "state"], expected) is max
        True
        >>> function_of(lambda x: True, ["answer", "state"], expected)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a check is a function of answer and state, got <lambda>(x): too many ...
        >>> function_of(dict, ["answer", "state"], expected)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a check is a function of answer and state, got <class 'dict'>
    """
    is_class = isinstance(owner, type)
    function = getattr(owner, method, owner) if method and not is_class else owner
    if is_class or not callable(function):
        raise ConfigError(f"{expected}, got {owner!r:.80}")
    try:
        signature = inspect.signature(function)
    except ValueError:
        # Some functions that are written in C do not tell.
        return function
    try:
        signature.bind(*given, **{name: None for name in further if name in signature.parameters})
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise ConfigError(f"{expected}, got {name}{signature}: {error}") from error
    return function
