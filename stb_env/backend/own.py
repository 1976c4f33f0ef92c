"""Adapters for other people's backends, simulators and users: functions, ``async`` or not, or classes."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from stb_env.backend.backend import Backend, Example, Simulator
from stb_env.backend.user import Said, User
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.reference import load_made, source_of
from stb_env.core.request import Slow, called, is_slow
from stb_env.core.signatures import function_of
from stb_env.errors import BackendError, ConfigError, InfrastructureError, SimulatorError, others_code
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

Answered = tuple[ToolResult, Any]


class Answering(Protocol):
    """The least that a backend of your own has."""

    def answer(
        self, state: Any, tool: Tool, call: ToolCall
    ) -> tuple[Any, Any] | Awaitable[tuple[Any, Any]] | Slow[Answered]:
        """Return what a call is answered, and the new state."""
        ...


BackendLike = Backend | Answering
"""A backend, or an object with a method that answers; see `as_backend`."""

SimulatorLike = Simulator | Callable[..., Any]
"""A simulator, or a function of a tool and arguments; see `as_simulator`."""

UserLike = User | Callable[[Task, Any, str], Any]
"""A user, or a function of task, state and what the agent wrote; see `as_user`."""

_FURTHER = ("key", "examples")
_SIMULATOR_FAILURE = partial(SimulatorError, kind="internal", retryable=False)


class _Stateful:
    """An object whose methods ``start`` and ``fingerprint`` may be missing."""

    def __init__(self, own: Any, role: str) -> None:
        self._own = own
        self._role = role

    @property
    def fingerprint(self) -> dict[str, object]:
        """Its own, or the version of its code."""
        own: JsonObject | None = getattr(self._own, "fingerprint", None)
        return {self._role: source_of(self._own)} if own is None else own

    def start(self, task: Task, seed: int) -> Any:
        """Return its state at the start of an episode; None where it has no such method."""
        begin = getattr(self._own, "start", None)
        return None if begin is None else begin(task, seed)


class OwnBackend(_Stateful):
    """A backend around an object that answers calls.

    Args:
        backend: Has a method ``answer(state, tool, call)``. It returns the answer and the new state,
            something to await for the two, or a generator as our own backends do. The answer is a
            `ToolResult`, or any JSON value that is a response. The other methods of a `Backend` may be
            missing: the state is then None at first, nothing was recorded and nothing is to be closed.

    Examples:
        >>> from stb_env.core.request import drive
        >>> class Echo:
        ...     async def answer(self, state, tool, call):
        ...         return call.arguments, state
        >>> backend = OwnBackend(Echo())
        >>> result, state = drive(backend.answer(None, Tool("echo", "", {}), ToolCall("echo", {"n": 1})))
        >>> result.response, state
        ({'n': 1}, None)
    """

    def __init__(self, backend: Any) -> None:
        super().__init__(backend, "backend")

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[Answered]:
        """Answer one call.

        Raises:
            BackendError: It raised something, or returned what is no answer.
        """
        who = f"backend {type(self._own).__name__!r}"
        with others_code(who, self._own.answer, partial(BackendError, stage="world")):
            return as_answer((yield from called(self._own.answer, state, tool, call)), who)

    def recorded(self, state: Any, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return what it recorded for exactly this call; None where it has no such method."""
        recorded = getattr(self._own, "recorded", None)
        return None if recorded is None else recorded(state, tool, call)

    def close(self) -> None:
        """Release its handles, where it has any."""
        close = getattr(self._own, "close", None)
        if close is not None:
            close()

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._own, name)


class OwnUser(_Stateful):
    """A user around a function or an object that replies.

    Args:
        user: A function of task, state and what the agent wrote, or an object with such a method ``reply``.
            It returns a `Said`; the text alone, where there is nothing new to remember; None, where the user
            has nothing more to say; or something to await for one of these.

    Examples:
        >>> from stb_env.core.request import drive
        >>> user = OwnUser(lambda task, state, text: "The blue one." if "?" in text else None)
        >>> task = Task("1", "Buy a cup.", (Tool("buy", "Buys a thing.", {}),))
        >>> drive(user.reply(task, None, "Which one?")).text
        'The blue one.'
    """

    def __init__(self, user: Any) -> None:
        super().__init__(user, "user")
        self._ask: Callable[[Task, Any, str], Any] = getattr(user, "reply", user)

    def reply(self, task: Task, state: object, text: str) -> Slow[Said]:
        """Answer what the agent wrote.

        Raises:
            InfrastructureError: It raised something, or returned what nobody says.
        """
        with others_code("the user", self._ask, partial(InfrastructureError, stage="user")):
            said = yield from called(self._ask, task, state, text)
        if isinstance(said, Said):
            return said
        if said is not None and not isinstance(said, str):
            raise InfrastructureError(
                f"the user returned a {type(said).__name__}; expected text, None or a Said", stage="user"
            )
        return Said(said, state)


class OwnSimulator:
    """A simulator around a function or an object that answers in an API's place.

    Args:
        simulator: A function of tool and arguments, or an object with such a method ``simulate``. Where it
            has parameters ``key`` or ``examples``, it gets those too (see `Simulator`). It returns a
            `ToolResult`, any JSON value that is a response, or something to await for one.
        source: Name and version of its code; found out where not given.
        settings: What it was made with, for manifests.

    Examples:
        >>> from stb_env.core.request import drive
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
    def fingerprint(self) -> dict[str, object]:
        """Its own, or its settings and the version of its code."""
        own: JsonObject | None = getattr(self._simulator, "fingerprint", None)
        return {"simulator": self._source, "settings": self._settings} if own is None else own

    def simulate(
        self, tool: Tool, arguments: Mapping[str, object] | str, *, key: str, examples: Sequence[Example] = ()
    ) -> Slow[ToolResult]:
        """Answer in an API's place.

        Raises:
            SimulatorError: It raised something, or returned what is no JSON.
        """
        offered = {"key": key, "examples": examples}
        further = {name: offered[name] for name in self._further}
        with others_code("the simulator", self._ask, _SIMULATOR_FAILURE):
            answer = yield from called(partial(self._ask, **further), tool, arguments)
            return answer if isinstance(answer, ToolResult) else ToolResult.of(answer, source="simulator")


def as_answer(answered: object, who: str) -> Answered:
    """Return a result and a state.

    Raises:
        BackendError: It is something else.

    Examples:
        >>> as_answer(({"n": 1}, "state"), "backend 'Mine'")[0].text
        '{"error": "", "response": {"n": 1}}'
    """
    if not isinstance(answered, tuple) or len(answered) != 2:
        raise BackendError(
            f"{who} returned a {type(answered).__name__}; expected the answer and the new state, as in "
            "return {'found': 3}, state",
            stage="world",
        )
    result, state = answered
    return (result if isinstance(result, ToolResult) else ToolResult.of(result, source="world")), state


def as_backend(backend: BackendLike) -> Backend:
    """Return a backend: the given one where it works as ours do, else an `OwnBackend` around it.

    Raises:
        ConfigError: It has no method ``answer``.

    Examples:
        >>> as_backend("https://api.example")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a backend has a method answer(state, tool, call), got 'https://...
    """
    expected = "a backend has a method answer(state, tool, call)"
    if not hasattr(backend, "answer"):
        raise ConfigError(f"{expected}, got {backend!r:.80}")
    function_of(backend, ["state", "tool", "call"], expected, method="answer")
    rest = ("fingerprint", "start", "recorded", "close")
    if is_slow(backend.answer) and all(hasattr(backend, name) for name in rest):
        return backend  # type: ignore[return-value] # it is what the protocol asks for
    return OwnBackend(backend)


def as_user(user: UserLike) -> User:
    """Return a user: the given one where it works as ours do, else an `OwnUser` around it.

    Raises:
        ConfigError: It is no function and has no method ``reply``.
    """
    expected = "a user is a function of task, state and text or has such a method reply"
    asked = function_of(user, ["task", "state", "text"], expected, method="reply")
    if asked is not user and is_slow(asked) and hasattr(user, "start") and hasattr(user, "fingerprint"):
        return user  # type: ignore[return-value] # it is what the protocol asks for
    return OwnUser(user)


def as_simulator(simulator: SimulatorLike) -> Simulator:
    """Return a simulator: the given one where it works as ours do, else an `OwnSimulator` around it.

    Raises:
        ConfigError: It is no function and has no method ``simulate``.
    """
    expected = "a simulator is a function of tool and arguments or has such a method simulate"
    asked = function_of(simulator, ["tool", "arguments"], expected, method="simulate", further=_FURTHER)
    if asked is not simulator and is_slow(asked) and hasattr(simulator, "fingerprint"):
        return simulator  # type: ignore[return-value] # it is what the protocol asks for
    return OwnSimulator(simulator)


def load_own_simulator(text: str, models: object = None) -> Simulator:
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
