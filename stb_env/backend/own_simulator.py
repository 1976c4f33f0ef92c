"""Simulators of other people's: a plain function, an ``async`` one, or a class that returns its answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from stb_env.backend.backend import Example, Simulator
from stb_env.errors import ConfigError, SimulatorError, others_code
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.reference import load_made, source_of
from stb_env.request import Slow, called, is_slow
from stb_env.tools import Tool, ToolResult

SimulatorLike = Simulator | Callable[..., Any]
"""A simulator, or a function of a tool and arguments; see `as_simulator`."""

_FURTHER = ("key", "examples")
_FAILURE = partial(SimulatorError, kind="internal", retryable=False)


class OwnSimulator:
    """Asks a function or an object of somebody else's to answer in an API's place.

    Args:
        simulator: A function of tool and arguments, or an object with such a method ``simulate``. Where it
            has parameters ``key`` or ``examples``, it gets those too (see `Simulator`). It returns a
            `ToolResult`, any JSON value that is a response, or something to await for one.
        source: Name and version of its code; found out where not given.
        settings: What it was made with, for manifests.

    Examples:
        >>> from stb_env.request import drive
        >>> simulator = OwnSimulator(lambda tool, arguments: {"city": arguments["city"], "sun": True})
        >>> drive(simulator.simulate(Tool("sun", "", {}), {"city": "Oslo"}, key="")).response
        {'city': 'Oslo', 'sun': True}
    """

    def __init__(self, simulator: Any, source: str = "", settings: JsonMapping | None = None) -> None:
        self._simulator = simulator
        self._ask: Callable[..., Any] = getattr(simulator, "simulate", simulator)
        parameters = inspect.signature(self._ask).parameters
        anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        self._further = tuple(name for name in _FURTHER if anything or name in parameters)
        self._source = source or source_of(simulator)
        self._settings = dict(settings or {})

    @property
    def fingerprint(self) -> JsonObject:
        """Its own, or its settings and the version of its code."""
        own: JsonObject | None = getattr(self._simulator, "fingerprint", None)
        return {"simulator": self._source, "settings": self._settings} if own is None else own

    def simulate(
        self, tool: Tool, arguments: JsonMapping | str, *, key: str, examples: Sequence[Example] = ()
    ) -> Slow[ToolResult]:
        """Answer in an API's place.

        Raises:
            SimulatorError: It raised something, or returned what is no JSON.
        """
        offered = {"key": key, "examples": examples}
        further = {name: offered[name] for name in self._further}
        with others_code("the simulator", self._ask, _FAILURE):
            answer = yield from called(partial(self._ask, **further), tool, arguments)
            return answer if isinstance(answer, ToolResult) else ToolResult.of(answer, source="simulator")


def as_simulator(simulator: SimulatorLike) -> Simulator:
    """Return a simulator: the given one where it works as ours do, else an `OwnSimulator` around it.

    Raises:
        ConfigError: It is no function and has no method ``simulate``.
    """
    asked = getattr(simulator, "simulate", simulator)
    if isinstance(simulator, type) or not callable(asked):
        raise ConfigError(
            "a simulator is a function of tool and arguments or has such a method simulate, "
            f"got {simulator!r}"
        )
    if asked is not simulator and is_slow(asked) and hasattr(simulator, "fingerprint"):
        return simulator  # type: ignore[return-value] # it is what the protocol asks for
    return OwnSimulator(simulator)


def load_own_simulator(text: str, models: Any = None) -> Simulator:
    """Return the simulator that stands under ``path.py:Name`` or ``module:Name``, with its version.

    Args:
        text: The text; a class may be given settings, as in ``apis.py:Mine(city='Oslo')``.
        models: Models file, for classes that take a ``model`` and were not given one.

    Raises:
        ConfigError: There is no such simulator.
    """
    loaded = load_made(text, {} if models is None else {"model": models})
    simulator = as_simulator(loaded.object)
    if isinstance(simulator, OwnSimulator):
        return OwnSimulator(loaded.object, loaded.source, loaded.settings)
    return simulator
