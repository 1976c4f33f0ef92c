"""Programs on the object ``API``: interpreted within bounds, never executed as Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from stb_env.actions.finish_arguments import PARAMETERS as FINISH_PARAMETERS
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.form.api import FormApi, Made, Signatures
from stb_env.suites.sambanova.common.interpreter.budget import weigh
from stb_env.suites.sambanova.common.interpreter.builtins import MATH
from stb_env.suites.sambanova.common.interpreter.child import watched
from stb_env.suites.sambanova.common.interpreter.costs import read
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Module, Native
from stb_env.suites.sambanova.common.interpreter.machine import Machine
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet
from stb_env.tools import FINISH

OBJECT = "API"

_CALL_STEPS = 25
"""Steps that a call takes: a loop makes as many calls as the longest text could spell out."""


class Call(NamedTuple):
    """A call of a method, or of Finish; arguments by parameter."""

    name: str
    arguments: JsonObject


def calls_of(text: str, api: FormApi, *, trusted: bool = False) -> Iterator[Call]:
    r"""Yield the calls of a program up to where it ends or crashes.

    Programs are as in `Machine`: variables, unpacking, conditions, loops, comprehensions, functions of their
    own, formatted texts. No method returns anything, so what was called before a crash is known without
    making the calls.

    Args:
        text: The program.
        api: The form.
        trusted: Whether it is none of an agent's, and needs no child process.

    Raises:
        CrashError: Python would stop here, or the program takes too long.
        UnsupportedError: Python would go on, but the machine does not.

    Examples:
        >>> from stb_env.suites.sambanova.trip_booking.env import API
        >>> list(calls_of('start, _ = Loc("Omaha"), Loc("Boise")\nAPI.set_origin(start)', API))
        [Call(name='set_origin', arguments={'value': Made(name='Loc', arguments={'location': 'Omaha'})})]
        >>> list(calls_of("API.set_origin(home)", API))
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: line 1: name 'home' is not defined.
    """
    if trusted:
        calls, crash = _recorded(text, api.methods, api.classes)
    else:
        calls, crash = watched(_recorded, text, api.methods, api.classes)
    yield from calls
    if crash is not None:
        raise crash


def _recorded(text: str, methods: Signatures, classes: Signatures) -> tuple[list[Call], CrashError | None]:
    """Return the calls of a program, and why it went no further."""
    recorder = _Recorder(methods, classes)
    try:
        recorder.run(text)
    except CrashError as error:
        return recorder.calls, error
    return recorder.calls, None


class _Recorder:
    """Runs a program on an object that only writes down what is called."""

    def __init__(self, signatures: Signatures, constructors: Signatures) -> None:
        self.calls: list[Call] = []
        methods = {
            name: Native(name, partial(self._call, name, parameters), read)
            for name, parameters in signatures.items()
        }
        classes = {
            name: Native(name, partial(_made, name, parameters), read)
            for name, parameters in constructors.items()
        }
        finish = Native(FINISH, self._finish, read)
        self._machine = Machine({OBJECT: Module(OBJECT, methods), FINISH: finish, **classes}, {"math": MATH})

    def run(self, text: str) -> None:
        last = self._machine.run(text.strip()).value
        # A line of JSON after a program is a dictionary to Python.
        if isinstance(last, dict) and last.get("name") == FINISH and isinstance(last.get("arguments"), dict):
            self._finish(**{str(name): value for name, value in last["arguments"].items()})

    def _call(self, name: str, parameters: tuple[str, ...], /, *args: object, **kwargs: object) -> None:
        self._machine.expressions.budget.spend(_CALL_STEPS)
        self.calls.append(Call(name, _bound(name, parameters, args, kwargs)))

    def _finish(self, /, *args: object, **kwargs: object) -> None:
        self.calls.append(Call(FINISH, _bound(FINISH, FINISH_PARAMETERS, args, kwargs, required=False)))


def _made(name: str, parameters: tuple[str, ...], /, *args: object, **kwargs: object) -> Made:
    return Made(name, _bound(name, parameters, args, kwargs))


def _bound(
    name: str,
    parameters: tuple[str, ...],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    *,
    required: bool = True,
) -> dict[str, object]:
    if len(args) > len(parameters):
        raise CrashError(f"{name} takes {len(parameters)} arguments, got {len(args)}")
    arguments = dict(zip(parameters, args, strict=False))
    for keyword, value in kwargs.items():
        if keyword not in parameters or keyword in arguments:
            raise CrashError(f"{name} has no place for the argument {keyword!r}")
        arguments[keyword] = value
    missing = [parameter for parameter in parameters if parameter not in arguments]
    if required and missing:
        raise CrashError(f"{name} needs the argument {missing[0]!r}")
    weigh(list(arguments.values()))
    return {parameter: _data(value) for parameter, value in arguments.items()}


def _data(value: object) -> object:
    """Return a copy of a value, which a program may go on to change, in lists and dictionaries alone."""
    match value:
        case bool() | int() | float() | str() | None | Made():
            return value
        case list() | tuple() | OrderedSet() | range():
            return [_data(item) for item in value]
        case dict():
            return {_data(key): _data(item) for key, item in value.items()}
    raise UnsupportedError(f"{value!r} is no plain value")
