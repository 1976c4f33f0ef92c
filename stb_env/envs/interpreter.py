"""Runs programs of agents in an interpreter of its own (pydantic-monty), suspended at each call of a tool."""

from __future__ import annotations

import atexit
import builtins
import os
import re
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from stb_env.core.jsontext import CUT_MARK
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow, resumed
from stb_env.envs.program_value import encodable, shown
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.seeding import derive

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

    Point = Any
    """Where a program stands: a snapshot of Monty's, or its end."""

# The clock of every program stands still here.
_NOW = datetime(2026, 1, 1)
_CHECKOUT_SECONDS = 300.0
# Of the interpreter's messages those that speak of itself, and what the author of a program can mend by.
_REWORDED = (
    (
        re.compile(r"external function '(\w+)' cannot suspend in this synchronous context"),
        r"\1() cannot be called within map, sorted and their like; call it in a loop before",
    ),
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


Play = Callable[[str, Sequence[Any], dict[str, Any]], Slow[Answer]]
"""Plays a call of a function, given its name, its positional and its named arguments."""


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
class Interpreter:
    """Runs programs, each in an isolated worker process that it shares with no other.

    The workers stay warm between programs. A process has as many as it has cores, made at the first program;
    a program that has to wait for a slow call leaves its worker meanwhile.

    Attributes:
        limits: Bounds on each program.

    Raises:
        ConfigError: The interpreter is not installed.
    """

    limits: ProgramLimits = ProgramLimits()

    def __post_init__(self) -> None:
        try:
            import pydantic_monty  # noqa: F401 (an extra, and takes a while)
        except ImportError as error:
            raise ConfigError(
                "actions='code' runs programs with pydantic-monty, which is not installed here; "
                "pip install 'stb-env[code]'"
            ) from error

    @property
    def fingerprint(self) -> JsonObject:
        """Plain data that decides what programs do."""
        return {"interpreter": f"pydantic-monty {version('pydantic-monty')}", **asdict(self.limits)}

    def run(
        self, code: str, namespace: bytes, seed: int, play: Play, functions: frozenset[str] = frozenset()
    ) -> Slow[Ran]:
        """Run a program until it ends.

        Args:
            code: The program.
            namespace: What earlier programs of the episode left; empty for its first one.
            seed: Seed of the episode, from which the first program's random numbers follow.
            play: Plays calls of functions that no program has defined.
            functions: Names of functions that are values too, for ``f = a_tool``.

        Raises:
            InfrastructureError: No worker became free.
        """
        program = _Running(self.limits, encodable(code), namespace, seed, play, functions)
        reached = yield Request(run=program.begin)
        while isinstance(reached, _Waiting):
            answer = yield from resumed(reached.slow, reached.request)
            reached = yield Request(run=partial(program.go_on, reached.paused, answer))
        ran: Ran = reached
        return ran


class _Waiting(NamedTuple):
    """A program at a call that takes a while.

    Attributes:
        paused: The program, to be loaded by any worker.
        slow: Plays the call.
        request: What that waits for.
    """

    paused: bytes
    slow: Slow[Answer]
    request: Request


@dataclass(slots=True)
class _Running:
    """One program while it runs.

    Attributes:
        answers: Of its calls so far, in order: a second run after a crash is given the same ones.
        made: How many calls this run has made.
        crashed: Whether its worker has died once already.
    """

    limits: ProgramLimits
    code: str
    namespace: bytes
    seed: int
    play: Play
    functions: frozenset[str]
    printed: list[str] = field(default_factory=list)
    room: int = 0
    answers: list[Answer] = field(default_factory=list)
    made: int = 0
    crashed: bool = False

    def begin(self) -> Ran | _Waiting:
        """Run it up to its end or the first call that takes a while."""
        self.printed, self.room, self.made = [], self.limits.printed, 0
        return self._at_work(self._started)

    def go_on(self, paused: bytes, answer: Answer) -> Ran | _Waiting:
        """Run it on from a call that took a while."""
        self.answers.append(answer)
        return self._at_work(lambda session: self._loaded(session, paused))

    def _at_work(self, enter: Callable[[MontySession], Point]) -> Ran | _Waiting:
        from pydantic_monty import MontyCrashedError, MontyError

        try:
            with ExitStack() as stack:
                session = self._checked_out(stack)
                try:
                    return self._driven(session, enter(session))
                except MontyCrashedError:
                    raise
                except MontyError as error:
                    return self._raised(session, error)
        except MontyCrashedError as error:
            if error.timed_out:
                return self._too_slow()
            if self.crashed:
                return self._stopped("the program brought the interpreter down")
            # Something else may have ended the worker: the program's own fault happens again.
            self.crashed = True
            return self.begin()

    def _checked_out(self, stack: ExitStack) -> MontySession:
        limits = self.limits
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
                "random_start": {"seed": derive("program", self.seed)},
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

    def _started(self, session: MontySession) -> Point:
        if self.namespace:
            session.load_session(self.namespace)
        return session.feed_start(self.code, print_callback=self._print)

    def _loaded(self, session: MontySession, paused: bytes) -> Point:
        point = session.load_snapshot(paused, print_callback=self._print)
        return self._resumed(point, self.answers[-1])

    def _resumed(self, point: Point, answer: Answer) -> Point:
        self.made += 1
        if answer.error is not None:
            return point.resume({"exception": answer.error})
        return point.resume({"return_value": answer.value})

    def _driven(self, session: MontySession, point: Point) -> Ran | _Waiting:
        from pydantic_monty import FunctionSnapshot, MontyComplete, NameLookupSnapshot

        while not isinstance(point, MontyComplete):
            if isinstance(point, NameLookupSnapshot):
                name = point.variable_name
                point = point.resume(value=_function(name)) if name in self.functions else point.resume()
            elif not isinstance(point, FunctionSnapshot):
                return self._stopped("the program waits for something that never comes")
            elif point.is_os_function:
                point = point.resume_not_handled()
            elif hasattr(builtins, point.function_name) and point.function_name not in self.functions:
                error = NameError(f"{point.function_name}() is not available in programs")
                point = point.resume({"exception": error})
            elif self.made == self.limits.calls:
                return self._stopped(f"the program made {self.limits.calls:,} calls, and may make no more")
            else:
                answer = self._known_answer(point)
                if isinstance(answer, _Waiting):
                    return answer
                if answer.ends:
                    return Ran("".join(self.printed), "", self.namespace)
                point = self._resumed(point, answer)
        value = point.output
        output = "".join(self.printed)
        if value is not None:
            output += f"{shown(value, self.limits.printed)}\n"
        return Ran(output, "", session.dump())

    def _known_answer(self, point: Point) -> Answer | _Waiting:
        if self.made < len(self.answers):
            return self.answers[self.made]
        slow = self.play(point.function_name, point.args, point.kwargs)
        try:
            request = next(slow)
        except StopIteration as stop:
            answer: Answer = stop.value
            self.answers.append(answer)
            return answer
        return _Waiting(point.dump(), slow, request)

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
            return self._stopped(f"the program needs more than {self.limits.memory // 2**20} MiB of memory")
        for said, words in _REWORDED:
            text = said.sub(words, text)
        try:
            namespace = session.dump()
        except MontyError:
            namespace = self.namespace
        return Ran("".join(self.printed), f"{text}{_line_of(error)}", namespace)

    def _too_slow(self) -> Ran:
        return self._stopped(
            f"the program computes for longer than {self.limits.seconds:g} s (how far it comes in that time "
            "depends on the machine)"
        )

    def _stopped(self, why: str) -> Ran:
        error = f"{why}; it was stopped, and variables are as they were before it"
        return Ran("".join(self.printed), error, self.namespace)


def _line_of(error: object) -> str:
    """Return the innermost line of the program itself that an exception passed through."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    # Functions of earlier programs are in files of their own.
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    if not own:
        return ""
    source = (own[-1].source_line or "").strip()
    return f" (line {own[-1].line}{f': {source[:200]}' if source else ''})"


def _function(name: str) -> Callable[[], None]:
    """Return a function by whose name the interpreter calls a tool; it is never called here."""

    def tool() -> None:
        raise NotImplementedError

    tool.__name__ = name
    return tool


_POOLS: dict[int, Monty] = {}
"""The workers of this process, by its id, by which a forked process knows its parent's."""
_STARTING = threading.Lock()


def _workers() -> Monty:
    from pydantic_monty import Monty

    pool = _POOLS.get(os.getpid())
    if pool is not None:
        return pool
    with _STARTING:
        if _POOLS and os.getpid() not in _POOLS:
            raise ConfigError(
                "the process that this one was forked from has run programs, and their interpreter does not "
                "survive a fork; start processes with multiprocessing's 'spawn' or 'forkserver'"
            )
        if not _POOLS:
            # Each of them is busy only while it computes, so more than cores would make none faster.
            made = Monty(max_processes=os.cpu_count() or 1, checkout_timeout=_CHECKOUT_SECONDS)
            atexit.register(made.__exit__, None, None, None)
            _POOLS[os.getpid()] = made.__enter__()
        return _POOLS[os.getpid()]
