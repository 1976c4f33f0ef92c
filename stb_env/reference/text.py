"""Settings in the text that names an agent or an object: ``dfs(width=3)``."""

from __future__ import annotations

import ast

from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonObject

_FORM = "write settings as keyword arguments with plain values, like NAME(width=3, judge='heuristic')"


def read_settings(spec: str) -> tuple[str, JsonObject]:
    """Split a text into a name and the settings in the parentheses behind it.

    Values are Python literals; nothing is evaluated.

    Raises:
        ConfigError: What stands in the parentheses is something else.

    Examples:
        >>> read_settings("best_of_n(n=3, judge='heuristic')")
        ('best_of_n', {'n': 3, 'judge': 'heuristic'})
        >>> read_settings("gold"), read_settings("gold()")
        (('gold', {}), ('gold', {}))
        >>> read_settings("mine.py:Mine(3)")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: cannot read the settings in 'mine.py:Mine(3)'; write settings as ...
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
