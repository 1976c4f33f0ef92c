"""The user whom an agent talks to, in tasks that are conversations."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from stb_env.backend.backend import S
from stb_env.core.request import Slow
from stb_env.tasks import Task
from stb_env.usage import Usage

ASK_USER = "ask_user"
"""Name of the tool with which an agent asks the user, in suites whose tasks have one."""


class Said(NamedTuple):
    """A reply of the user.

    Attributes:
        text: Their next utterance, or None where they have nothing more to say and the episode ends.
        state: What the user remembers now: an immutable, picklable value.
        usage: What the user's model cost, where there is one.
        done: Whether the user wants nothing more: a Finish then ends the episode, whatever they say.
    """

    text: str | None
    state: Any = None
    usage: Usage | None = None
    done: bool = False


class User(Protocol[S]):
    """Hears what an agent writes without a call, and answers. Holds no episode, as a `Backend` does."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides what the user says, for the run's manifest."""
        ...

    def start(self, task: Task, seed: int) -> S:
        """Return what the user remembers at the start of an episode; the query is their first utterance."""
        ...

    def reply(self, task: Task, state: S, text: str) -> Slow[Said]:
        """Answer what the agent wrote.

        Raises:
            InfrastructureError: The user's model gave no usable answer; its stage is ``user``.
        """
        ...
