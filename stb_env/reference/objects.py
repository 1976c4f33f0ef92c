"""Objects by text, and instances of classes by text with settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stb_env.errors import ConfigError, STBError, did_you_mean
from stb_env.jsontypes import JsonMapping
from stb_env.reference.modules import load_module
from stb_env.reference.source import source_of
from stb_env.reference.text import read_settings
from stb_env.settings import check_settings, takes


def load_object(text: str) -> object:
    """Return the object that a text names.

    Args:
        text: ``package.module:Name`` or ``path/to/file.py:Name``. A file may import its neighbours
            (``from .common import``).

    Raises:
        ConfigError: The text has no colon, or there is no such module, file or name; the message names the
            nearest.

    Examples:
        >>> load_object("stb_env.usage:NO_USAGE").calls
        0
        >>> load_object("stb_env.usage:NO_USAG")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: stb_env.usage defines no 'NO_USAG'. Did you mean 'NO_USAGE'?
    """
    where, colon, name = text.rpartition(":")
    if not colon or not name:
        raise ConfigError(f"expected path.py:Name or module:Name, got {text!r}")
    module = load_module(where)
    found: object = getattr(module, name, None)
    if found is None:
        raise ConfigError(f"{where} defines no {name!r}.{did_you_mean(name, dir(module))}")
    return found


@dataclass(frozen=True, slots=True)
class Loaded:
    """Object that a text with settings names.

    Attributes:
        object: The object; of a class, an instance.
        source: Its name and a hash of the file that defines it.
        settings: What a class was made with.
    """

    object: Any
    source: str
    settings: JsonMapping


def is_reference(text: str) -> bool:
    r"""Return whether a text has the form ``path.py:Name`` or ``module:Name``, with settings or without.

    Examples:
        >>> is_reference("my/judges.py:Strict(level=2)"), is_reference("my.judges:Strict")
        (True, True)
        >>> is_reference("heuristic"), is_reference("http://host:8080"), is_reference("C:\\judges")
        (False, False, False)
    """
    where, _, name = text.partition("(")[0].rpartition(":")
    module = where.endswith(".py") or all(part.isidentifier() for part in where.split("."))
    return module and name.isidentifier()


def load_made(text: str, offered: JsonMapping | None = None) -> Loaded:
    """Return the object that a text names; of a class, an instance with the settings in parentheses.

    Args:
        text: ``path.py:Name``, ``module:Name``, or for a class ``path.py:Name(width=3)``.
        offered: Further settings, for a class that has them and was not given them.

    Raises:
        ConfigError: There is no such object, or it has no such setting.

    Examples:
        >>> load_made("stb_env.usage:Usage(calls=2)").object.calls
        2
    """
    name, settings = read_settings(text)
    found = load_object(name)
    if isinstance(found, type):
        settings = {key: value for key, value in (offered or {}).items() if takes(found, key)} | settings
        check_settings(found, settings, name)
        return Loaded(_made(found, settings, name), source_of(found), settings)
    if settings:
        raise ConfigError(f"only classes take settings, and {name} is a {type(found).__name__}")
    return Loaded(found, source_of(found), {})


def _made(kind: type, settings: JsonMapping, name: str) -> object:
    try:
        return kind(**settings)
    except STBError:
        raise
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ConfigError(f"cannot make {name}: {problem}; write settings as {name}(name=value)") from error
