"""Runs programs of agents in an interpreter of its own, in children of this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import NamedTuple

from stb_env.core.children import ChildEndedError, Children, StoppedError
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow, resumed
from stb_env.envs.program_session import (
    LEFT_ALONE,
    Answer,
    Call,
    Execution,
    ProgramLimits,
    Ran,
    run_program,
)
from stb_env.errors import ConfigError

# A child computes nothing but what a program's values are as text and as JSON data.
_CHILDREN = Children(seconds=2.0)
_READ_TOO_LONG = "a value of the program takes too long, or too much memory, to read"

Play = Callable[[Call], Slow[Answer]]
"""Plays a call of a function."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Runs programs, each in an isolated worker process that it shares with no other.

    The workers stay warm between programs. A process has as many as it has cores, made at the first program,
    each behind a child of this process that alone sees a program's values; a program that has to wait for a
    slow call leaves its worker meanwhile.

    Attributes:
        limits: Bounds on each program.

    Raises:
        ConfigError: The interpreter is not installed.
    """

    limits: ProgramLimits = field(default_factory=ProgramLimits)

    def __post_init__(self) -> None:
        if find_spec("pydantic_monty") is None:
            raise ConfigError(
                "actions='code' runs programs with pydantic-monty, which is not installed here; "
                "pip install 'stb-env[code]'"
            )

    @property
    def fingerprint(self) -> JsonObject:
        """Plain data that decides what programs do."""
        return {"interpreter": f"pydantic-monty {version('pydantic-monty')}", **asdict(self.limits)}

    def run(
        self,
        written: str,
        code: str,
        namespace: bytes,
        seed: int,
        play: Play,
        functions: frozenset[str],
    ) -> Slow[Ran]:
        """Run a program until it ends.

        Args:
            written: The program, as errors show it.
            code: What is run for it, line by line.
            namespace: What earlier programs of the episode left; empty for its first one.
            seed: Seed of the episode, from which the first program's random numbers follow.
            play: Plays calls of functions that no program has defined.
            functions: Names of functions that are values too, for ``f = a_tool``.
        """
        limits = self.limits
        execution = Execution(limits, written, code, namespace, seed, functions, room=limits.printed)
        running = _Running(execution, play)
        reached = yield Request(run=running.begin)
        while isinstance(reached, _Waiting):
            answer = yield from resumed(reached.slow, reached.request)
            reached = yield Request(run=partial(running.go_on, reached.execution, answer))
        ran: Ran = reached
        return ran


class _Waiting(NamedTuple):
    """A program at a call that takes a while.

    Attributes:
        execution: The program, to be run on by any worker.
        slow: Plays the call.
        request: What that waits for.
    """

    execution: Execution
    slow: Slow[Answer]
    request: Request


@dataclass(slots=True)
class _Running:
    """One program while it runs.

    Attributes:
        execution: The program as it begins.
        play: Plays its calls.
        answers: To its calls so far, in order: a second run after a crash is given the same ones.
        made: How many calls this run has made.
        crashed: Whether its worker has died once already.
        waits: The call that takes a while, and what for.
    """

    execution: Execution
    play: Play
    answers: list[Answer] = field(default_factory=list)
    made: int = 0
    crashed: bool = False
    waits: tuple[Slow[Answer], Request] | None = None

    def begin(self) -> Ran | _Waiting:
        """Run it up to its end or the first call that takes a while."""
        self.made = 0
        return self._run(self.execution)

    def go_on(self, execution: Execution, answer: Answer) -> Ran | _Waiting:
        """Run it on from a call that took a while."""
        self.answers.append(answer)
        self.made += 1
        return self._run(replace(execution, answer=answer))

    def _run(self, execution: Execution) -> Ran | _Waiting:
        reached: Ran | Execution | None = None
        try:
            with suppress(ChildEndedError):
                reached = _CHILDREN.converse(self._answer_to, run_program, execution)
        except StoppedError:
            return Ran("", _READ_TOO_LONG + LEFT_ALONE, execution.namespace)
        if isinstance(reached, Ran):
            return reached
        waits, self.waits = self.waits, None
        if reached is not None and waits is not None:
            return _Waiting(reached, *waits)
        if self.crashed:
            return Ran("", f"the program brought the interpreter down{LEFT_ALONE}", execution.namespace)
        # Something else may have ended the worker: the program's own fault happens again.
        self.crashed = True
        return self.begin()

    def _answer_to(self, call: Call) -> Answer | None:
        if self.made == len(self.answers):
            slow = self.play(call)
            try:
                request = next(slow)
            except StopIteration as stop:
                self.answers.append(stop.value)
            else:
                self.waits = slow, request
                return None
        self.made += 1
        return self.answers[self.made - 1]
