"""Walks the statements of a program."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stb_env.actions.python_text import NotDataError
from stb_env.suites.sambanova.common.interpreter.budget import MAX_STEPS, MAX_TEXT, Budget
from stb_env.suites.sambanova.common.interpreter.builtins import builtins_for
from stb_env.suites.sambanova.common.interpreter.costs import place
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.expressions import Expressions
from stb_env.suites.sambanova.common.interpreter.kinds import Kind, Module
from stb_env.suites.sambanova.common.interpreter.parsed import parsed
from stb_env.suites.sambanova.common.interpreter.scope import Scope
from stb_env.suites.sambanova.common.interpreter.values import PYTHON_ERRORS, said

MAX_CALLS = 40
"""Depth to which functions of a program may call each other."""


class Outcome(NamedTuple):
    """The outcome of a program.

    Attributes:
        value: Value of its last statement, where that is an expression.
        printed: What it printed, line by line.
        names: What it gave names to.
    """

    value: Any
    printed: tuple[str, ...]
    names: Mapping[str, object]


class _LoopEnd(Exception):
    """Leaves a round of a loop; ``over`` leaves the loop."""

    def __init__(self, *, over: bool) -> None:
        super().__init__("outside of a loop")
        self.over = over


class _Return(Exception):
    def __init__(self, value: object) -> None:
        super().__init__("outside of a function")
        self.value = value


class Function:
    """A function that a program defines."""

    def __init__(self, machine: Machine, name: str, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> None:
        self.name = name
        self.node = node
        self.scope = scope
        self._machine = machine
        arguments = node.args
        pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        self._named_only = [(argument.arg, default) for argument, default in pairs]
        self._parameters = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        self._only_placed = len(arguments.posonlyargs)
        self._more_placed = arguments.vararg.arg if arguments.vararg else ""
        self._more_named = arguments.kwarg.arg if arguments.kwarg else ""
        self._defaults = [machine.expressions.value(default, scope) for default in arguments.defaults]

    def __repr__(self) -> str:
        return f"<function {self.name}>"

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Run the function."""
        return self._machine.entered(self, self._bound(args, kwargs))

    def _bound(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        names = self._parameters
        if len(args) > len(names) and not self._more_placed:
            raise CrashError(f"{self.name} takes {len(names)} arguments, got {len(args)}")
        bound: dict[str, object] = dict(zip(names, args, strict=False))
        named_only, more = dict(self._named_only), dict[object, object]()
        for name, value in kwargs.items():
            if name in (*names[self._only_placed :], *named_only) and name not in bound:
                bound[name] = value
            elif self._more_named and name not in bound:
                more[name] = value
            else:
                raise CrashError(f"{self.name} has no place for the argument {name!r}")
        defaults = dict(zip(names[len(names) - len(self._defaults) :], self._defaults, strict=True))
        for name, node in self._named_only:
            if node is not None and name not in bound:
                defaults[name] = self._machine.expressions.value(node, self.scope)
        for name in (*names, *named_only):
            if name not in bound and name not in defaults:
                raise CrashError(f"{self.name} needs the argument {name!r}")
        rest: dict[str, object] = {self._more_placed: args[len(names) :], self._more_named: more}
        return defaults | bound | {name: value for name, value in rest.items() if name}


class Machine:
    r"""Runs programs on the names that it is given.

    Args:
        names: Names with values.
        modules: Libraries that programs may import.
        kinds: How values that are none of Python's plain ones are used.
        max_steps: Bound on the steps of all programs together.
        budget: What else takes steps off, shared with it; a new one if None.

    Examples:
        >>> from stb_env.suites.sambanova.common.interpreter.costs import FLAT
        >>> from stb_env.suites.sambanova.common.interpreter.kinds import Native
        >>> machine = Machine({"double": Native("double", lambda n: 2 * n, FLAT)})
        >>> machine.run("for n in [1, 2]:\n    print(double(n))").printed
        ('2', '4')
        >>> machine.run("open('file')")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.UnsupportedError: line 1: open of Python is not read here.
    """  # noqa: E501 # the line is what Python prints

    def __init__(
        self,
        names: Mapping[str, object],
        modules: Mapping[str, Module] | None = None,
        kinds: Sequence[Kind] = (),
        max_steps: int = MAX_STEPS,
        budget: Budget | None = None,
    ) -> None:
        self._printed: list[str] = []
        self._modules = modules or {}
        self._room = MAX_TEXT
        self._depth = 0
        self.expressions = Expressions(
            kinds,
            Budget(max_steps) if budget is None else budget,
            lambda node, scope: Function(self, "lambda", node, scope),
        )
        self._globals = Scope({}, Scope({**builtins_for(self._print), **names}))
        self._walkers = {
            ast.Expr: lambda node, scope: self.expressions.value(node.value, scope),
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.If: self._if,
            ast.For: self._for,
            ast.While: self._while,
            ast.FunctionDef: self._define,
            ast.Return: self._return,
            ast.Break: self._break,
            ast.Continue: self._continue,
            ast.Pass: lambda _node, _scope: None,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Delete: self._delete,
            ast.Assert: self._assert,
        }

    def run(self, text: str) -> Outcome:
        """Run a program.

        Raises:
            CrashError: It does not run through.
        """
        try:
            body = parsed(text)
        except NotDataError as error:
            raise CrashError(f"not a program: {error}") from error
        value = None
        for node in body:
            try:
                value = self._walk(node, self._globals)
            except (_LoopEnd, _Return) as signal:
                raise CrashError(f"line {node.lineno}: {signal}") from signal
            except RecursionError as error:
                raise UnsupportedError(f"line {node.lineno}: the program nests too deep") from error
        return Outcome(value, tuple(self._printed), self._globals.names)

    def entered(self, function: Function, names: dict[str, object]) -> object:
        """Run a function of the program.

        Raises:
            CrashError: It fails, or functions call each other too deep.
        """
        scope = Scope(names, function.scope)
        self._depth += 1
        try:
            if self._depth > MAX_CALLS:
                raise CrashError(f"functions call each other more than {MAX_CALLS} deep")
            if isinstance(function.node, ast.Lambda):
                return self.expressions.value(function.node.body, scope)
            self._block(function.node.body, scope)
        except _Return as returned:
            return returned.value
        finally:
            self._depth -= 1
        return None

    def _print(self, line: str) -> None:
        self._room -= len(line) + 1
        if self._room < 0:
            raise CrashError(f"the program prints more than {MAX_TEXT} characters")
        self._printed.append(line)

    def _walk(self, node: ast.stmt, scope: Scope) -> object:
        walk = self._walkers.get(type(node))
        if walk is None:
            raise UnsupportedError(f"line {node.lineno}: {type(node).__name__} is not read here")
        self.expressions.budget.spend()
        try:
            return walk(node, scope)  # type: ignore[operator] # each walker takes its own kind of node
        except CrashError as error:
            if str(error).startswith("line "):
                raise
            raise type(error)(f"line {node.lineno}: {error}") from error

    def _block(self, body: list[ast.stmt], scope: Scope) -> None:
        for node in body:
            self._walk(node, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.expressions.value(node.value, scope)
        for target in node.targets:
            self.expressions.assign(target, value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.expressions.assign(node.target, self.expressions.value(node.value, scope), scope)

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        walk = self.expressions
        match node.target:
            case ast.Name(name):
                scope.set(name, walk.computed(type(node.op), scope.get(name), walk.value(node.value, scope)))
            case ast.Subscript(of, index):
                holder, at = walk.value(of, scope), walk.value(index, scope)
                new = walk.computed(type(node.op), walk.item(holder, at), walk.value(node.value, scope))
                walk.set_item(holder, at, new)
            case ast.Attribute(of, name):
                holder = walk.value(of, scope)
                new = walk.computed(
                    type(node.op), walk.attribute(holder, name), walk.value(node.value, scope)
                )
                walk.set_attribute(holder, name, new)

    def _if(self, node: ast.If, scope: Scope) -> None:
        walk = self.expressions
        self._block(node.body if walk.truth(walk.value(node.test, scope)) else node.orelse, scope)

    def _for(self, node: ast.For, scope: Scope) -> None:
        for item in self.expressions.through(self.expressions.value(node.iter, scope)):
            self.expressions.assign(node.target, item, scope)
            if self._round(node.body, scope):
                return
        self._block(node.orelse, scope)

    def _while(self, node: ast.While, scope: Scope) -> None:
        walk = self.expressions
        while walk.truth(walk.value(node.test, scope)):
            if self._round(node.body, scope):
                return
        self._block(node.orelse, scope)

    def _round(self, body: list[ast.stmt], scope: Scope) -> bool:
        """Run one round of a loop and return whether the loop is left."""
        try:
            self._block(body, scope)
        except _LoopEnd as end:
            return end.over
        return False

    def _define(self, node: ast.FunctionDef, scope: Scope) -> None:
        if node.decorator_list:
            raise UnsupportedError("decorators are not read here")
        scope.set(node.name, Function(self, node.name, node, scope))

    def _return(self, node: ast.Return, scope: Scope) -> None:
        raise _Return(None if node.value is None else self.expressions.value(node.value, scope))

    def _break(self, node: ast.Break, scope: Scope) -> None:  # noqa: ARG002
        raise _LoopEnd(over=True)

    def _continue(self, node: ast.Continue, scope: Scope) -> None:  # noqa: ARG002
        raise _LoopEnd(over=False)

    def _import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            scope.set(alias.asname or alias.name, self._module(alias.name))

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = self._module(node.module or "")
        for alias in node.names:
            scope.set(alias.asname or alias.name, module.attribute(alias.name))

    def _module(self, name: str) -> Module:
        if name not in self._modules:
            known = ", ".join(self._modules) or "none"
            kind = UnsupportedError if name.split(".")[0] in sys.stdlib_module_names else CrashError
            raise kind(f"no library {name!r} can be imported here; there are: {known}")
        return self._modules[name]

    def _delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            match target:
                case ast.Name(name):
                    scope.drop(name)
                case ast.Subscript(of, index):
                    holder = self.expressions.value(of, scope)
                    at: Any = self.expressions.value(index, scope)
                    try:
                        if isinstance(holder, list | dict):
                            self.expressions.budget.spend(place(holder, at))
                            del holder[at]
                        else:
                            self.expressions.kind_of(holder).delete(holder, at)
                    except PYTHON_ERRORS as error:
                        raise CrashError(said(error)) from error
                case _:
                    raise UnsupportedError(f"{type(target).__name__} cannot be deleted here")

    def _assert(self, node: ast.Assert, scope: Scope) -> None:
        if not self.expressions.truth(self.expressions.value(node.test, scope)):
            raise CrashError("an assertion does not hold")
