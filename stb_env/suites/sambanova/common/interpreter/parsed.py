"""Program text as statements."""

from __future__ import annotations

import ast
from functools import lru_cache

from stb_env.actions.python_text import statements


# Whoever takes a text for a program has parsed it, and then it runs; a few threads may be between the two.
@lru_cache(maxsize=4)
def parsed(text: str) -> tuple[ast.stmt, ...]:
    r"""Parse a program; nobody may change what is returned.

    Raises:
        NotDataError: It is too long, too deep or no Python.

    Examples:
        >>> [type(statement).__name__ for statement in parsed("a = 1\nprint(a)")]
        ['Assign', 'Expr']
    """
    return tuple(statements(text))
