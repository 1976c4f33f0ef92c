"""Walks expressions: every node that is not named here is refused."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from stb_env.suites.sambanova.common.interpreter.budget import SHARE, Budget, bounded, joined
from stb_env.suites.sambanova.common.interpreter.costs import write
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Kind
from stb_env.suites.sambanova.common.interpreter.methods import written
from stb_env.suites.sambanova.common.interpreter.operators import UNARY
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet
from stb_env.suites.sambanova.common.interpreter.scope import Scope
from stb_env.suites.sambanova.common.interpreter.stream import Stream
from stb_env.suites.sambanova.common.interpreter.values import PYTHON_ERRORS, Values, said

Define = Callable[[ast.Lambda, Scope], object]

_LITERALS = (bool, int, float, str, type(None))


class Expressions(Values):
    """Evaluates expressions within a budget.

    Args:
        kinds: How values that are none of Python's plain ones are used.
        budget: The steps left.
        define: Makes a function of a lambda.
    """

    def __init__(self, kinds: Sequence[Kind], budget: Budget, define: Define) -> None:
        super().__init__(kinds, budget)
        self._define = define
        self._walkers: Mapping[type[ast.expr], Callable[[Any, Scope], object]] = {
            ast.Constant: self._constant,
            ast.Name: lambda node, scope: scope.get(node.id),
            ast.Attribute: lambda node, scope: self.attribute(self.value(node.value, scope), node.attr),
            ast.Subscript: lambda node, scope: self.item(
                self.value(node.value, scope), self.value(node.slice, scope)
            ),
            ast.Slice: self._slice,
            ast.Call: self._call,
            ast.BinOp: lambda node, scope: self.computed(
                type(node.op), self.value(node.left, scope), self.value(node.right, scope)
            ),
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._boolean,
            ast.Compare: self._comparison,
            ast.IfExp: self._choice,
            ast.List: lambda node, scope: bounded(self._members(node.elts, scope)),
            ast.Tuple: lambda node, scope: bounded(tuple(self._members(node.elts, scope))),
            ast.Set: lambda node, scope: OrderedSet(self.hashable(self._members(node.elts, scope))),
            ast.Dict: self._dictionary,
            ast.ListComp: lambda node, scope: self._comprehension(node, scope),
            ast.GeneratorExp: lambda node, scope: Stream(self._comprehension(node, scope)),
            ast.SetComp: lambda node, scope: OrderedSet(self.hashable(self._comprehension(node, scope))),
            ast.DictComp: self._dict_comprehension,
            ast.Lambda: lambda node, scope: self._define(node, scope),
            ast.NamedExpr: self._named,
            ast.JoinedStr: self._joined,
        }

    def value(self, node: ast.expr, scope: Scope) -> object:
        """Return the value of an expression.

        Raises:
            CrashError: It has none, is too large, or takes too long.
        """
        self.budget.spend()
        walk = self._walkers.get(type(node))
        if walk is None:
            raise UnsupportedError(f"{type(node).__name__} is not read here")
        return walk(node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> object:  # noqa: ARG002
        if isinstance(node.value, _LITERALS):
            return bounded(node.value)
        raise UnsupportedError(f"{type(node.value).__name__} is no value here")

    def _slice(self, node: ast.Slice, scope: Scope) -> slice:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.value(part, scope) for part in parts))

    def _call(self, node: ast.Call, scope: Scope) -> object:
        function = self.value(node.func, scope)
        args = self._members(node.args, scope)
        kwargs: dict[str, object] = {}
        for keyword in node.keywords:
            given = self.value(keyword.value, scope)
            more = self._mapping(given) if keyword.arg is None else {keyword.arg: given}
            for name, value in more.items():
                if not isinstance(name, str) or name in kwargs:
                    raise CrashError(f"a call has no place for the argument {name!r}")
                kwargs[name] = value
        return self.called(function, args, kwargs)

    def _mapping(self, value: object) -> dict[object, object]:
        if isinstance(value, dict):
            return value
        raise CrashError(f"{type(value).__name__} cannot follow **")

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> object:
        operand = self.value(node.operand, scope)
        try:
            return self.made(UNARY[type(node.op)](operand))
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def _boolean(self, node: ast.BoolOp, scope: Scope) -> object:
        value = None
        for part in node.values:
            value = self.value(part, scope)
            if self.truth(value) == isinstance(node.op, ast.Or):
                break
        return value

    def _comparison(self, node: ast.Compare, scope: Scope) -> object:
        left = self.value(node.left, scope)
        result: object = True
        for number, (kind, part) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            right = self.value(part, scope)
            result = self.compared(type(kind), left, right)
            # Arrays have no truth, and the last result needs none.
            if number == len(node.ops) or not self.truth(result):
                break
            left = right
        return result

    def _choice(self, node: ast.IfExp, scope: Scope) -> object:
        chosen = node.body if self.truth(self.value(node.test, scope)) else node.orelse
        return self.value(chosen, scope)

    def _members(self, nodes: Iterable[ast.expr], scope: Scope) -> list[object]:
        members: list[object] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                members.extend(self.through(self.value(node.value, scope)))
            else:
                members.append(self.value(node, scope))
        return members

    def _dictionary(self, node: ast.Dict, scope: Scope) -> dict[object, object]:
        made: dict[object, object] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self._mapping(self.value(value, scope)))
            else:
                self.put(made, self.value(key, scope), self.value(value, scope))
        return made

    def _dict_comprehension(self, node: ast.DictComp, scope: Scope) -> dict[object, object]:
        made: dict[object, object] = {}
        for inner in self._rounds(node.generators, Scope({}, scope)):
            self.put(made, self.value(node.key, inner), self.value(node.value, inner))
        return made

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope
    ) -> list[object]:
        rounds = self._rounds(node.generators, Scope({}, scope))
        return bounded([self.value(node.elt, inner) for inner in rounds])

    def _rounds(self, generators: list[ast.comprehension], scope: Scope) -> Iterable[Scope]:
        if not generators:
            yield scope
            return
        first, *rest = generators
        for item in self.through(self.value(first.iter, scope)):
            self.assign(first.target, item, scope)
            if all(self.truth(self.value(test, scope)) for test in first.ifs):
                yield from self._rounds(rest, scope)

    def _named(self, node: ast.NamedExpr, scope: Scope) -> object:
        value = self.value(node.value, scope)
        scope.set(node.target.id, value)
        return value

    def _joined(self, node: ast.JoinedStr, scope: Scope) -> str:
        parts: list[Any] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                spec: Any = "" if part.format_spec is None else self.value(part.format_spec, scope)
                value, conversion = self.value(part.value, scope), {114: "r", 115: "s"}.get(part.conversion)
                self.budget.spend(write([value], {}))
                try:
                    parts.append(written(value, spec, conversion))
                except PYTHON_ERRORS as error:
                    raise CrashError(said(error)) from error
            else:
                parts.append(self.value(part, scope))
        text = joined(parts)
        self.budget.spend(len(text) // SHARE)
        return text

    def assign(self, target: ast.expr, value: object, scope: Scope) -> None:
        """Give a target a value.

        Raises:
            CrashError: It takes none.
        """
        match target:
            case ast.Name(name):
                scope.set(name, value)
            case ast.Tuple(targets) | ast.List(targets):
                self._unpack(targets, self.through(value), scope)
            case ast.Subscript(of, index):
                self.set_item(self.value(of, scope), self.value(index, scope), value)
            case ast.Attribute(of, name):
                self.set_attribute(self.value(of, scope), name, value)
            case _:
                raise UnsupportedError(f"{type(target).__name__} cannot be assigned to here")

    def _unpack(self, targets: list[ast.expr], items: list[object], scope: Scope) -> None:
        starred = [at for at, target in enumerate(targets) if isinstance(target, ast.Starred)]
        if len(starred) > 1:
            raise CrashError("a star stands at one name of an assignment at most")
        if starred:
            (at,), after = starred, len(targets) - starred[0] - 1
            end = len(items) - after
            if end < at:
                raise CrashError(f"{len(items)} values for at least {len(targets) - 1} names")
            items = [*items[:at], items[at:end], *items[end:]]
        if len(items) != len(targets):
            raise CrashError(f"{len(items)} values for {len(targets)} names")
        for target, item in zip(targets, items, strict=True):
            self.assign(target.value if isinstance(target, ast.Starred) else target, item, scope)
