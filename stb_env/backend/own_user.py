"""Users of other people's: a plain function, an ``async`` one, or a class that returns what it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from stb_env.backend.user import Said, User
from stb_env.errors import ConfigError, InfrastructureError, others_code
from stb_env.jsontypes import JsonObject
from stb_env.reference import source_of
from stb_env.request import Slow, called, is_slow
from stb_env.tasks import Task

UserLike = User | Callable[[Task, Any, str], Any]
"""A user, or a function of task, state and what the agent wrote; see `as_user`."""


class OwnUser:
    """Asks a function or an object of somebody else's what the user says.

    Args:
        user: A function of task, state and what the agent wrote, or an object with such a method ``reply``.
            It returns a `Said`; the text alone, where there is nothing new to remember; None, where the user
            has nothing more to say; or something to await for one of these.

    Examples:
        >>> from stb_env import Task, Tool
        >>> from stb_env.request import drive
        >>> user = OwnUser(lambda task, state, text: "The blue one." if "?" in text else None)
        >>> task = Task("1", "Buy a cup.", (Tool("buy", "Buys a thing.", {}),))
        >>> drive(user.reply(task, None, "Which one?")).text
        'The blue one.'
    """

    def __init__(self, user: Any) -> None:
        self._user = user
        self._ask: Callable[[Task, Any, str], Any] = getattr(user, "reply", user)

    @property
    def fingerprint(self) -> JsonObject:
        """Its own, or the version of its code."""
        own: JsonObject | None = getattr(self._user, "fingerprint", None)
        return {"user": source_of(self._user)} if own is None else own

    def start(self, task: Task, seed: int) -> Any:
        """Return what the user remembers at first; None where there is no such method."""
        begin = getattr(self._user, "start", None)
        return None if begin is None else begin(task, seed)

    def reply(self, task: Task, state: Any, text: str) -> Slow[Said]:
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


def as_user(user: UserLike) -> User:
    """Return a user: the given one where it works as ours do, else an `OwnUser` around it.

    Raises:
        ConfigError: It is no function and has no method ``reply``.
    """
    asked = getattr(user, "reply", user)
    if isinstance(user, type) or not callable(asked):
        raise ConfigError(
            f"a user is a function of task, state and text or has such a method reply, got {user!r}"
        )
    if asked is not user and is_slow(asked) and hasattr(user, "start") and hasattr(user, "fingerprint"):
        return user  # type: ignore[return-value] # it is what the protocol asks for
    return OwnUser(user)
