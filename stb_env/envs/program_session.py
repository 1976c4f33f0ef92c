"""One program in a session of the interpreter (pydantic-monty), suspended at each call of a tool.

All of this runs in a child process: what a program made reaches ours as JSON data and as text alone.
"""

from __future__ import annotations

import builtins
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from stb_env.core.children import Ask
from stb_env.core.jsontext import CUT_MARK
from stb_env.envs.program_value import Given, given, shown
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.seeding import derive

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

    Point = Any
    """Where a program stands: a snapshot of Monty's, or its end."""

# The clock of every program stands still here.
_NOW = datetime(2026, 1, 1)
_CHECKOUT_SECONDS = 300.0
LEFT_ALONE = "; it was stopped, and variables are as they were before it"
"""What is said of a program that a limit stops."""

MODULES = (
    *("base64", "bisect", "collections", "copy", "csv", "dataclasses", "datetime", "decimal", "functools"),
    *("hashlib", "itertools", "json", "math", "random", "re", "time", "typing", "unicodedata"),
)
"""Modules that programs can import."""

# Of the interpreter's messages those that speak of itself, and what the author of a program can mend by.
_REWORDED = (
    (
        re.compile(r"external function '(\w+)' cannot suspend in this synchronous context"),
        r"\1() cannot be called within map, sorted and their like; call it in a loop before",
    ),
    (
        re.compile(r"TypeError: 'list' object is not an iterator"),
        "TypeError: next() takes an iterator; write next(iter(...)): map, zip, filter, enumerate and "
        "reversed make lists here",
    ),
    (
        re.compile(r"RuntimeError: Internal error in monty: exceptions can only be called with .+"),
        "NotImplementedError: an exception takes one text here, as in ValueError('too late')",
    ),
    (re.compile(r"(No module named '[\w.]+')\Z"), rf"\1; there are {', '.join(MODULES)}"),
    (re.compile(r"The monty syntax parser does not yet support (.+)"), r"not available in programs: \1"),
)


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """Bounds on one program; all but ``seconds`` cut every run of it at the same place.

    Attributes:
        seconds: Time that it may compute, without what it waits for tools.
        memory: Bytes that its values may take.
        depth: Calls of functions inside one another.
        calls: Calls of tools.
        lookups: Names that it may ask for and that no program has set, calls of tools included.
        printed: Characters of what it prints, and of its value, that are kept.
    """

    seconds: float = 5.0
    memory: int = 64 * 2**20
    depth: int = 200
    calls: int = 1_000
    lookups: int = 10_000
    printed: int = 65_536


class Call(NamedTuple):
    """A program's call of a function that it has not defined.

    Attributes:
        name: The function.
        args: The positional arguments.
        kwargs: The named ones.
    """

    name: str
    args: Sequence[Given]
    kwargs: Mapping[str, Given]


class Answer(NamedTuple):
    """Answer to a program's call of a function.

    Attributes:
        value: What the function returns, as plain data.
        error: What it raises instead, where it does.
        ends: Whether the program ends here.
    """

    value: Any = None
    error: Exception | None = None
    ends: bool = False


class Ran(NamedTuple):
    """Outcome of a program.

    Attributes:
        output: What it printed, and its last value as Python shows it.
        error: Why it did not reach its end, with the line; empty where it did, or where a call ended it.
        namespace: Its variables and functions, for the next program.
    """

    output: str
    error: str
    namespace: bytes


@dataclass(frozen=True, slots=True)
class Execution:
    """A program that is to be run, or run on.

    Attributes:
        limits: Bounds on it.
        written: Its text, as errors show it.
        code: What is run for it, line by line.
        namespace: What earlier programs of the episode left; empty for its first one.
        seed: Seed of the episode.
        functions: Names of functions that are values too, for ``f = a_tool``.
        paused: Where it stands, at a call; empty where it has not begun.
        answer: The answer to that call.
        made: How many calls it has made before.
        printed: What it has printed before.
        room: How many characters more it may print.
    """

    limits: ProgramLimits
    written: str
    code: str
    namespace: bytes
    seed: int
    functions: frozenset[str]
    paused: bytes = b""
    answer: Answer | None = None
    made: int = 0
    printed: str = ""
    room: int = 0


def run_program(ask: Ask, execution: Execution) -> Ran | Execution | None:
    """Run a program up to its end, or up to a call that is not answered at once.

    Args:
        ask: Is given each `Call`, and returns its `Answer`, or None for a call that takes a while.
        execution: The program.

    Returns:
        What became of it; the program as it stands at a call that takes a while; None where its worker died.

    Raises:
        InfrastructureError: No worker became free.
    """
    return _Session(ask, execution, [execution.printed], execution.room, execution.made).result()


@dataclass(slots=True)
class _Session:
    ask: Ask
    execution: Execution
    printed: list[str]
    room: int
    made: int

    def result(self) -> Ran | Execution | None:
        from pydantic_monty import MontyCrashedError, MontyError

        try:
            with ExitStack() as stack:
                session = self._checked_out(stack)
                try:
                    return self._driven(session, self._entered(session))
                except MontyCrashedError:
                    raise
                except MontyError as error:
                    return self._raised(session, error)
        except MontyCrashedError as error:
            return self._too_slow() if error.timed_out else None

    def _checked_out(self, stack: ExitStack) -> MontySession:
        limits = self.execution.limits
        checkout = _workers().checkout(
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory,
                "max_recursion_depth": limits.depth,
                "max_suspensions": limits.lookups,
            },
            os_policy={
                "datetime": _NOW,
                "sleep": "zero",
                "random_start": {"seed": derive("program", self.execution.seed)},
            },
        )
        try:
            return stack.enter_context(checkout)
        except TimeoutError as error:
            raise InfrastructureError(
                f"no worker for a program became free in {_CHECKOUT_SECONDS:g} s",
                kind="timeout",
                stage="program",
                retryable=True,
            ) from error

    def _entered(self, session: MontySession) -> Point:
        execution = self.execution
        if execution.answer is not None:
            point = session.load_snapshot(execution.paused, print_callback=self._print)
            return self._resumed(point, execution.answer)
        if execution.namespace:
            session.load_session(execution.namespace)
        return session.feed_start(execution.code, print_callback=self._print)

    def _resumed(self, point: Point, answer: Answer) -> Point:
        self.made += 1
        if answer.error is not None:
            return point.resume({"exception": answer.error})
        return point.resume({"return_value": answer.value})

    def _driven(self, session: MontySession, point: Point) -> Ran | Execution:
        from pydantic_monty import FunctionSnapshot, MontyComplete, NameLookupSnapshot

        functions, calls = self.execution.functions, self.execution.limits.calls
        while not isinstance(point, MontyComplete):
            if isinstance(point, NameLookupSnapshot):
                name = point.variable_name
                point = point.resume(value=_function(name)) if name in functions else point.resume()
            elif not isinstance(point, FunctionSnapshot):
                return self._stopped("the program waits for something that never comes")
            elif point.is_os_function:
                point = point.resume_not_handled()
            elif hasattr(builtins, point.function_name) and point.function_name not in functions:
                error = NameError(f"{point.function_name}() is not available in programs")
                point = point.resume({"exception": error})
            elif self.made == calls:
                return self._stopped(f"the program made {calls:,} calls, and may make no more")
            else:
                answer = self._answer_to(point)
                if answer is None:
                    printed = "".join(self.printed)
                    return replace(
                        self.execution, paused=point.dump(), made=self.made, printed=printed, room=self.room
                    )
                if answer.ends:
                    return Ran("".join(self.printed), "", self.execution.namespace)
                point = self._resumed(point, answer)
        value = point.output
        output = "".join(self.printed)
        if value is not None:
            output += f"{shown(value, self.execution.limits.printed)}\n"
        return Ran(output, "", session.dump())

    def _answer_to(self, point: Point) -> Answer | None:
        name = point.function_name
        data = name in self.execution.functions
        args = [given(value, data=data) for value in point.args]
        kwargs = {key: given(value, data=data) for key, value in point.kwargs.items()}
        answer = self.ask(Call(name, args, kwargs))
        return answer if isinstance(answer, Answer) else None

    def _print(self, stream: str, text: str) -> None:
        del stream
        if self.room < 0:
            return
        self.printed.append(text if len(text) <= self.room else f"{text[: self.room]}{CUT_MARK}\n")
        # Where the limit cuts does not depend on how the text was divided on its way.
        self.room -= len(text)

    def _raised(self, session: MontySession, error: object) -> Ran:
        """Return what became of a program that ended with an exception."""
        from pydantic_monty import MontyError

        text = str(error) if not hasattr(error, "display") else error.display("type-msg")
        if text.startswith("TimeoutError: feed time limit exceeded"):
            return self._too_slow()
        if text.startswith(("MemoryError: memory limit exceeded", "MemoryError: the worker exceeded")):
            most = self.execution.limits.memory // 2**20
            return self._stopped(f"the program needs more than {most} MiB of memory")
        for said, words in _REWORDED:
            text = said.sub(words, text)
        try:
            namespace = session.dump()
        except MontyError:
            namespace = self.execution.namespace
        return Ran("".join(self.printed), f"{text}{_line_of(error, self.execution.written)}", namespace)

    def _too_slow(self) -> Ran:
        return self._stopped(
            f"the program computes for longer than {self.execution.limits.seconds:g} s (how far it comes in "
            "that time depends on the machine)"
        )

    def _stopped(self, why: str) -> Ran:
        return Ran("".join(self.printed), why + LEFT_ALONE, self.execution.namespace)


def _line_of(error: object, written: str) -> str:
    """Return the innermost line of the program itself that an exception passed through."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    # Functions of earlier programs are in files of their own.
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    if not own:
        return ""
    number = own[-1].line
    lines = re.split(r"\r\n|\r|\n", written)
    source = lines[number - 1].strip() if number <= len(lines) else ""
    return f" (line {number}{f': {source[:200]}' if source else ''})"


def _function(name: str) -> Callable[[], None]:
    """Return a function by whose name the interpreter calls a tool; it is never called here."""

    def tool() -> None:
        raise NotImplementedError

    tool.__name__ = name
    return tool


def _workers() -> Monty:
    """Return the workers of this process.

    Raises:
        ConfigError: The process that this one was forked from has some, which do not survive a fork.
    """
    pool = _POOLS.get(os.getpid())
    if pool is not None:
        return pool
    if _POOLS:
        raise ConfigError(
            "the process that this one was forked from has run programs itself, and their interpreter does "
            "not survive a fork; unset STB_PROGRAMS, or start processes with 'spawn' or 'forkserver'"
        )
    from pydantic_monty import Monty

    with _STARTING:
        if not _POOLS:
            made = Monty(max_processes=os.cpu_count() or 1, checkout_timeout=_CHECKOUT_SECONDS)
            _POOLS[os.getpid()] = made.__enter__()
        return _POOLS[os.getpid()]


_POOLS: dict[int, Monty] = {}
"""The workers of this process, by its id, by which a forked process knows its parent's."""
_STARTING = threading.Lock()
