"""Settings in the text that names an agent: ``agents/dfs.py:DFSAgent(width=3)``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from stb_env.errors import ConfigError, did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject

_FORM = "write settings as keyword arguments with plain values, like NAME(width=3, judge='heuristic')"


def read_settings(spec: str) -> tuple[str, JsonObject]:
    """Split the text that names an agent into the name and its settings.

    Values are Python literals; nothing is evaluated.

    Raises:
        ConfigError: What stands in the parentheses is something else.

    Examples:
        >>> read_settings("agents/dfs.py:DFSAgent(width=3, judge='pass')")
        ('agents/dfs.py:DFSAgent', {'width': 3, 'judge': 'pass'})
        >>> read_settings("gold"), read_settings("gold()")
        (('gold', {}), ('gold', {}))
        >>> read_settings("dfs.py:DFSAgent(3)")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: cannot read the settings in 'dfs.py:DFSAgent(3)'; write settings as ...
    """
    name, opened, rest = spec.partition("(")
    if not opened or not rest.endswith(")"):
        return spec, {}
    try:
        call = ast.parse(f"agent({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError(spec)
        settings = {_named(keyword): ast.literal_eval(keyword.value) for keyword in call.keywords}
        if len(settings) < len(call.keywords):
            raise ValueError("a setting is given twice")
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ConfigError(f"cannot read the settings in {spec!r}; {_FORM}") from error
    return name, settings


def _named(keyword: ast.keyword) -> str:
    if keyword.arg is None:
        raise ValueError("** is no setting")
    return keyword.arg


def takes(made: Callable[..., Any], name: str) -> bool:
    """Say whether a callable has a parameter of this name.

    Examples:
        >>> takes(lambda model: None, "model"), takes(lambda **settings: None, "model")
        (True, False)
    """
    return name in inspect.signature(made).parameters


def check_settings(made: Callable[..., Any], settings: JsonMapping, spec: str) -> None:
    """Check that a callable has a parameter for each setting.

    Raises:
        ConfigError: It has not; the message names the nearest.
    """
    parameters = inspect.signature(made).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for name in settings:
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            raise ConfigError(
                f"{spec} has no setting {name!r}; it has {known}.{did_you_mean(name, parameters)}"
            )
