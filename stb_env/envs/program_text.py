"""The text of a program before it runs: what it may not do, and how the interpreter is given it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from symtable import SymbolTable, symtable

_NOTHING_RUN = "nothing was run"
_FOR = re.compile(r"\bfor\b")
_LOOP = re.compile(r"^[ \t]*for\b.*:[ \t]*(?:#.*)?$", re.MULTILINE)
# No Python, or a depth that ends its parser: the interpreter refuses it, and says why.
_UNREADABLE = (SyntaxError, ValueError, MemoryError, RecursionError)


class RefusedError(ValueError):
    """A program that is not run.

    Args:
        message: What is wrong with it, and what to do.
    """


def prepared(code: str, functions: Collection[str]) -> str:
    r"""Return the text that runs a program.

    The interpreter makes a list where Python makes a generator, so that ``next`` refuses it: it is given
    an iterator. All of it runs at once nevertheless, so that tools cannot be called in one.

    Args:
        code: The program.
        functions: Names of the tools.

    Raises:
        RefusedError: It gives a tool's name to something else, or calls a tool in a generator expression.

    Examples:
        >>> prepared("next((n for n in [1, 2] if n > 1), None)", ["ping"])
        'next((iter([n for n in [1, 2] if n > 1])), None)'
        >>> prepared("any(ping(n) for n in [1])", ["ping"])
        Traceback (most recent call last):
        ...
        stb_env.envs.program_text.RefusedError: SyntaxError: ping() cannot be called in a generator...
    """
    if taken := taken_names(code, functions):
        raise RefusedError(
            f"SyntaxError: {taken[0]!r} is a tool, and a program gives its name to nothing else; take "
            f"another name; {_NOTHING_RUN}"
        )
    if len(_FOR.findall(code)) == len(_LOOP.findall(code)):
        # Most programs have no more than loops.
        return code
    marks: dict[int, list[tuple[int, bytes]]] = {}
    for generator in _generators(code):
        if called := _called(generator, functions):
            raise RefusedError(
                f"SyntaxError: {called}() cannot be called in a generator expression, all of which runs at "
                f"once; call it in a loop (line {generator.lineno}); {_NOTHING_RUN}"
            )
        # Within its parentheses.
        marks.setdefault(generator.lineno, []).append((generator.col_offset + 1, b"iter(["))
        marks.setdefault(generator.end_lineno or 0, []).append(((generator.end_col_offset or 0) - 1, b"])"))
    lines = code.encode().splitlines(keepends=True)
    for number, found in marks.items():
        lines[number - 1] = _marked(lines[number - 1], sorted(found))
    return b"".join(lines).decode()


def _marked(line: bytes, marks: Iterable[tuple[int, bytes]]) -> bytes:
    parts, last = [], 0
    for column, text in marks:
        parts += [line[last:column], text]
        last = column
    return b"".join([*parts, line[last:]])


def _generators(code: str) -> Iterator[ast.GeneratorExp]:
    """Yield the generator expressions of a program, but for those in f-strings, whose place is not told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            waiting: list[ast.AST] = [ast.parse(code)]
        except _UNREADABLE:
            return
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.GeneratorExp):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def _called(generator: ast.GeneratorExp, functions: Collection[str]) -> str:
    """Return the first tool that a generator expression calls, apart from what it goes through."""
    once = generator.generators[0].iter
    waiting: list[ast.AST] = [generator]
    while waiting:
        node = waiting.pop()
        if node is once:
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            return node.func.id
        waiting.extend(ast.iter_child_nodes(node))
    return ""


def taken_names(code: str, functions: Collection[str]) -> list[str]:
    r"""Return the names of functions that a program gives something else, for the rest of the episode.

    A function of the program may have a variable of that name.

    Examples:
        >>> taken_names("def f(ping):\n    return ping\npong = pong()", ["ping", "pong"])
        ['pong']
    """
    # Most programs only call them.
    if not _other_use(frozenset(functions)).search(code):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = symtable(code, "program", "exec")
    except _UNREADABLE:
        return []
    return [name for name in functions if _is_bound(table, name)]


@lru_cache(maxsize=256)
def _other_use(names: frozenset[str]) -> re.Pattern[str]:
    any_name = "|".join(sorted(names))
    return re.compile(rf"\b(?:{any_name})\b(?!\s*\()|\b(?:def|class)\s+(?:{any_name})\b")


def _is_bound(table: SymbolTable, name: str) -> bool:
    if name in table.get_identifiers():
        symbol = table.lookup(name)
        if symbol.is_global() and (symbol.is_assigned() or symbol.is_imported()):
            return True
    return any(_is_bound(inner, name) for inner in table.get_children())
