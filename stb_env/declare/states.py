"""The state of an episode, as whoever declares an environment gives it: an object, or what makes one."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from datetime import date
from typing import Any

from stb_env.errors import BackendError

_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Clock:
    """The time in an episode: its day does not pass, and calls are counted.

    Attributes:
        today: The day.
        calls: Calls of tools so far, the running one included.
    """

    today: date | None = None
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Timed:
    """State of an episode in which more counts than the state that functions see.

    Attributes:
        own: The state that functions see.
        task_id: The task.
        calls: Calls of tools so far.
    """

    own: Any
    task_id: str
    calls: int = 0


def started(state: object) -> object:
    """Return the state that an episode starts with: what a class or function makes, or a copy of an object.

    Examples:
        >>> started(dict), started({"milk": 1}), started(None)
        ({}, {'milk': 1}, None)
    """
    return state() if callable(state) else own(state)


def own(state: object) -> Any:
    """Return a copy that may be changed; of a state that nothing changes, that state.

    Examples:
        >>> todo = {"milk": {"done": False}}
        >>> own(todo)["milk"] is todo["milk"]
        False
    """
    return state if is_frozen(state) else copy.deepcopy(state)


def handed(state: object) -> Any:
    """Return a copy of an episode's state, as `own` does, for a function that is called with it.

    Raises:
        BackendError: Some tool has put into it what cannot be copied.

    Examples:
        >>> handed({"hits": [1, (one for one in "x")]})
        Traceback (most recent call last):
        ...
        stb_env.errors.BackendError: the state cannot be copied: a tool has put a generator at ...
    """
    try:
        return own(state)
    except Exception as error:
        place, kind = _uncopied(state)
        raise BackendError(
            f"the state cannot be copied: a tool has put a {kind} at {place}, and a state holds data alone",
            stage="world",
        ) from error


def _uncopied(value: Any) -> tuple[str, str]:
    """Return where a state holds what cannot be copied, and its type."""
    place = "state"
    for _ in range(_DEEPEST):
        if isinstance(value, Mapping):
            members = {f"{place}[{key!r:.40}]": one for key, one in value.items()}
        elif isinstance(value, list | tuple):
            members = {f"{place}[{number}]": one for number, one in enumerate(value)}
        else:
            members = {f"{place}.{name}": one for name, one in getattr(value, "__dict__", {}).items()}
        found = next((name for name, one in members.items() if not _is_copied(one)), None)
        if found is None:
            break
        place, value = found, members[found]
    return place, type(value).__name__


def _is_copied(value: object) -> bool:
    try:
        copy.deepcopy(value)
    except Exception:  # noqa: BLE001 (whatever it is, it says that the copy failed)
        return False
    return True


def is_frozen(state: object) -> bool:
    """Return whether nothing can change a state: a frozen dataclass, as `Tables` is one, or None.

    Examples:
        >>> from stb_env.backend.world import Tables
        >>> is_frozen(Tables()), is_frozen({})
        (True, False)
    """
    if state is None:
        return True
    return is_dataclass(state) and bool(getattr(state, "__dataclass_params__").frozen)  # noqa: B009
