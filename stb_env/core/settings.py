"""Settings, checked by name, type and bound where they are given.

What a callable takes is what its signature says: nothing is declared twice.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar, Unpack, get_args, get_origin, get_type_hints

from stb_env.core.jsontypes import JsonMapping
from stb_env.core.kinds import Kind, either, kinds_of
from stb_env.core.user_tables import check_names
from stb_env.errors import ConfigError, did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

_MISSING = inspect.Parameter.empty
_SHOWN = 80


class _Taken(NamedTuple):
    """Parameters of a callable.

    Attributes:
        kinds: Kinds of value, by setting; none where its annotation says nothing.
        defaults: Default values, and what stands for none.
        rest: Whether it takes settings of any other name.
    """

    kinds: Mapping[str, tuple[Kind, ...]]
    defaults: JsonMapping
    rest: bool


def checks_settings(function: Callable[P, T]) -> Callable[P, T]:
    """Check the settings of a function at every call, so that a wrong one is a `ConfigError`.

    ``**settings: Unpack[...]`` of a TypedDict counts as its members, ``**settings: Any`` as any name.

    Examples:
        >>> from typing import Literal
        >>> from stb_env.core.kinds import Count
        >>> @checks_settings
        ... def make(split: Literal["train", "test"] = "test", votes: Count = 1) -> str:
        ...     return split
        >>> make("train", votes=3)
        'train'
        >>> make(split="tset")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: split must be 'train' or 'test', got 'tset'. Did you mean 'test'?
        >>> make(vote=3)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the environment has no setting 'vote'; it takes split, votes. Did ...
    """
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    made, _, last = function.__qualname__.rpartition(".")
    what = made if last == "__init__" else "the environment" if last.startswith("make") else last

    @functools.wraps(function)
    def checking(*args: P.args, **settings: P.kwargs) -> T:
        named = {**dict(zip(positional, args, strict=False)), **settings}
        check_settings(function, named, what)
        return function(*args, **settings)

    return checking


def check_settings(made: Callable[..., Any], settings: JsonMapping, what: str) -> None:
    """Check that a callable can be called with these settings.

    Args:
        made: A function or a class.
        settings: What it will be given, by name.
        what: What errors call it.

    Raises:
        ConfigError: A setting is unknown, missing, of another type or below its bound; the message says what
            is taken, and the nearest name.

    Examples:
        >>> def dfs(width: int = 2, judge: str | None = None): ...
        >>> check_settings(dfs, {"width": 3}, "dfs")
        >>> check_settings(dfs, {"widht": 3}, "dfs")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: dfs has no setting 'widht'; it takes width, judge. Did you mean ...
    """
    taken = _taken(made)
    for name, value in settings.items():
        if name in taken.kinds:
            if value is not taken.defaults.get(name, _MISSING):
                _check(name, value, taken.kinds[name])
        elif not taken.rest:
            check_names(what, [name], [known for known in taken.kinds if known != "self"])
    for name, default in taken.defaults.items():
        if default is _MISSING and name not in settings:
            raise ConfigError(f"{what} needs the setting {name!r}")


def takes(made: Callable[..., Any], name: str) -> bool:
    """Say whether a callable has a parameter of this name.

    Examples:
        >>> takes(lambda model: None, "model"), takes(lambda **settings: None, "model")
        (True, False)
    """
    return name in _taken(made).kinds


def accepts(made: Callable[..., Any], name: str) -> bool:
    """Say whether a callable can be given a setting of this name, be it as one of any others.

    Examples:
        >>> accepts(lambda **settings: None, "model"), accepts(lambda model: None, "models")
        (True, False)
    """
    taken = _taken(made)
    return taken.rest or name in taken.kinds


def _check(name: str, value: Any, kinds: tuple[Kind, ...]) -> None:
    kind = next((kind for kind in kinds if kind.accepts(value)), None)
    if kind is not None:
        if kind.least is not None and value < kind.least:
            raise ConfigError(f"{name} must be at least {kind.least}, got {_shown(value)}")
    elif kinds:
        near = did_you_mean(value, [kind.text for kind in kinds]) if isinstance(value, str) else ""
        raise ConfigError(f"{name} must be {either(kinds)}, got {_shown(value)}{near and f'.{near}'}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# Reading annotations takes longer than making an environment.
@functools.lru_cache(maxsize=256)
def _taken(made: Callable[..., Any]) -> _Taken:
    hints = _hints(made)
    kinds: dict[str, tuple[Kind, ...]] = {}
    defaults: dict[str, Any] = {}
    rest = False
    for name, parameter in inspect.signature(made).parameters.items():
        hint: Any = hints.get(name, Any)
        if parameter.kind is parameter.VAR_KEYWORD:
            members = _members(hint)
            rest = members is None
            kinds |= {member: kinds_of(each) for member, each in (members or {}).items()}
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            kinds[name], defaults[name] = kinds_of(hint), parameter.default
    return _Taken(kinds, defaults, rest)


def _members(hint: Any) -> JsonMapping | None:
    """Return the types of a TypedDict's members, which is unpacked; None where any name is taken."""
    origin: Any = get_origin(hint)
    return get_type_hints(get_args(hint)[0], include_extras=True) if origin is Unpack else None


def _hints(made: Callable[..., Any]) -> JsonMapping:
    try:
        return get_type_hints(
            inspect.getattr_static(made, "__init__") if isinstance(made, type) else made, include_extras=True
        )
    except (NameError, TypeError, AttributeError):
        # Annotations of other people's code may name what is there for type checkers alone.
        return {}
