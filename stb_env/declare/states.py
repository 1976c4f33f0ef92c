"""The state of an episode, as whoever declares an environment gives it: an object, or what makes one."""

from __future__ import annotations

import copy
from dataclasses import dataclass, is_dataclass
from datetime import date
from typing import Any


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
