"""Validation of the tables of settings that users write, with one form of error message for all."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, NotRequired, Required, TypeVar, Union, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict, is_typeddict

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, did_you_mean

T = TypeVar("T")
Path = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NOUNS: Mapping[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def checked(form: type[T], data: Any, where: str) -> T:
    """Return a table as it is, once it is known to have the form of a TypedDict.

    Nothing is converted: text that looks like a number is no number, and a whole number stays one. Of what
    was got only single values are shown, and none in place of a table: they may be keys.

    Args:
        form: The TypedDict, of typing_extensions, since pydantic needs more than Python 3.11's own tells. It
            may hold lists and dictionaries, and others.
        data: The table, as a TOML or JSON file has it.
        where: What errors call the whole.

    Raises:
        ConfigError: A setting is unknown, missing or of another kind.

    Examples:
        >>> from typing_extensions import TypedDict
        >>> class Limits(TypedDict, total=False):
        ...     steps: int
        >>> checked(Limits, {"steps": 3}, "mine.toml")
        {'steps': 3}
        >>> checked(Limits, {"stesp": 3}, "mine.toml")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: mine.toml has no setting 'stesp'; it takes steps. Did you mean 'steps'?
        >>> checked(Limits, {"steps": "3"}, "mine.toml")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: steps of mine.toml must be a whole number, got '3'
    """
    import pydantic  # heavy, and needed only where a user wrote a table

    # In a list, since pydantic hands its settings down to a TypedDict and takes none for one alone.
    adapter = pydantic.TypeAdapter(list[form], config={"extra": "forbid", "strict": True})  # type: ignore[valid-type] # given when called
    try:
        adapter.validate_python([data])
    except pydantic.ValidationError as error:
        # A misspelt setting may be missing as well: what is there says more.
        found = min(
            error.errors(include_url=False),
            key=lambda one: (one["type"] != "extra_forbidden", _vagueness(form, one["loc"][1:])),
        )
    else:
        return data  # type: ignore[no-any-return]
    # Raised out here, because pydantic's error holds all that was got.
    raise _explained(found, form, where, data)


def table_form(record: type, *, without: Collection[str] = (), needs: Collection[str] = ()) -> Any:
    """Return the form of a TOML table from which a record is made, for `checked`.

    Args:
        record: A dataclass.
        without: Fields that the table does not have.
        needs: Fields that it must have.

    Examples:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Limits:
        ...     steps: int | None = None
        >>> checked(table_form(Limits), {"steps": 3}, "mine.toml")
        {'steps': 3}
    """
    hints = get_type_hints(record)
    names = [field.name for field in fields(record) if field.name not in without]
    entries = {name: (Required if name in needs else NotRequired)[_toml_kind(hints[name])] for name in names}
    return TypedDict(record.__name__, entries)  # type: ignore[operator] # mypy knows no table whose types are made


def _toml_kind(hint: Any) -> Any:
    """Return what stands in a file for a field: TOML has no null, no tuples, and one kind of table."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (hint,) = (kind for kind in args if kind is not type(None))
        return _toml_kind(hint)
    if origin is tuple:
        return list[args[0]]  # type: ignore[valid-type] # given when called
    return dict if origin is Mapping else hint


def check_names(where: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse settings that are not known.

    Raises:
        ConfigError: One is unknown; the message has the nearest that is known.
    """
    known = list(known)
    for name in names:
        if name not in known:
            raise _unknown(where, name, known)


def key_hint(name: str) -> str:
    """Return what to do with an API key that was written where settings are, or nothing.

    Examples:
        >>> key_hint("STB_AGENT_API_KEY"), key_hint("model")
        ('; a key belongs in the environment, and api_key_env names its variable', '')
    """
    is_key = name.lower().endswith("api_key")
    return "; a key belongs in the environment, and api_key_env names its variable" if is_key else ""


def _explained(error: JsonMapping, form: type, where: str, data: Any) -> ConfigError:
    path, is_none_of_several = _path(form, error["loc"][1:])
    place, name, got = _place(path[:-1], where), path[-1] if path else "", error["input"]
    if is_none_of_several:
        got = data
        for step in path:
            got = got[step]
    elif error["type"] == "extra_forbidden":
        return _unknown(place, str(name), list(get_type_hints(_holder(_form_at(form, path[:-1])))))
    elif error["type"] == "missing":
        return ConfigError(f"{place} needs a setting {name!r}; it has {', '.join(got) or 'none'}")
    elif error["type"] == "dict_type":
        return ConfigError(f"{_place(path, where)} must be a table, got {_noun(type(got))}")
    if isinstance(name, int):
        place, name = _place(path[:-2], where), f"entry {name + 1} of {path[-2]}"
    shown = _noun(type(got)) if isinstance(got, dict | list) else f"{got!r:.200}"
    return ConfigError(f"{name} of {place} must be {_noun(_form_at(form, path))}, got {shown}")


def _unknown(place: str, name: str, known: list[str]) -> ConfigError:
    near = did_you_mean(name, known)
    takes = ", ".join(known) or "none"
    return ConfigError(f"{place} has no setting {name!r}{key_hint(name)}; it takes {takes}.{near}")


def _path(form: Any, path: Path) -> tuple[Path, bool]:
    """Return where an error is, without the kinds among which a value may choose.

    True beside it where the value there is of none of these kinds.
    """
    found: list[str | int] = []
    for number, step in enumerate(path, 1):
        kinds = _kinds(form)
        if len(kinds) > 1:
            if number == len(path):
                return tuple(found), True
            form = next((kind for kind in kinds if step in (str(kind), kind.__name__)), None)
            continue
        form = _member(form, step)
        found.append(step)
    return tuple(found), False


def _vagueness(form: Any, path: Path) -> int:
    """Return 0, but more for a value of none of several kinds, the less the deeper it lies."""
    found, is_none_of_several = _path(form, path)
    return 1_000 - len(found) if is_none_of_several else 0


def _kinds(form: Any) -> list[Any]:
    """Return the kinds that a value may be of, besides null."""
    if get_origin(form) in (Union, UnionType):
        return [kind for kind in get_args(form) if kind is not type(None)]
    return [form]


def _holder(form: Any) -> Any:
    """Return the kind that has members, of those that a value may be of."""
    kinds = _kinds(form)
    return next((kind for kind in kinds if is_typeddict(kind) or get_args(kind)), kinds[0])


def _member(form: Any, step: str | int) -> Any:
    form = _holder(form)
    return get_type_hints(form).get(str(step)) if is_typeddict(form) else (get_args(form) or (None,))[-1]


def _form_at(form: Any, path: Path) -> Any:
    for step in path:
        form = _member(form, step)
    return form


def _place(path: Path, where: str) -> str:
    """Return the heading that a table has in TOML, and which of several of that heading it is."""
    if not path:
        return where
    names = [step if _BARE.fullmatch(step) else json.dumps(step) for step in path if isinstance(step, str)]
    heading = f"[{'.'.join(names)}]"
    return (
        f"[{heading}] number {path[-1] + 1} in {where}"
        if isinstance(path[-1], int)
        else f"{heading} in {where}"
    )


def _noun(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(repr, get_args(kind)))}"
    if len(_kinds(kind)) > 1:
        return " or ".join(dict.fromkeys(map(_noun, _kinds(kind))))
    if is_typeddict(kind):
        return "a table"
    return _NOUNS.get(get_origin(kind) or kind, str(kind))
