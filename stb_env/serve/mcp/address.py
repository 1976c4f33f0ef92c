"""The episode that a request names in its URL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError

MAX_KEY = 128


@dataclass(frozen=True, slots=True)
class Address:
    """An episode's handle, and what it is of where it has to be started.

    Attributes:
        key: The handle: ``episode`` of the URL, else the session id of the protocol; empty for neither.
        named: Whether the URL gave the handle.
        env_id: Id of the environment; empty where the URL names none.
        task_id: Task to start with; one that the seed draws where None.
        seed: Seed to start with.
        settings: Further settings of the environment.

    Examples:
        >>> address = Address.read({"id": "stb/Sandbox-v1", "episode": "mine", "max_turns": "5"}, None)
        >>> address.key, address.env_id, address.settings
        ('mine', 'stb/Sandbox-v1', {'max_turns': 5})
        >>> Address.read({"seed": "one"}, None)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: seed must be a whole number from 0, got 'one'
    """

    key: str
    named: bool = False
    env_id: str = ""
    task_id: str | None = None
    seed: int | None = None
    settings: JsonObject = field(default_factory=dict)

    @classmethod
    def read(cls, query: Mapping[str, str], session_id: str | None) -> Address:
        """Read the query of a URL, and the session id that older versions of the protocol send.

        Raises:
            ConfigError: A value is none of its kind.
        """
        rest = dict(query)
        episode, seed = rest.pop("episode", ""), rest.pop("seed", None)
        if len(episode) > MAX_KEY:
            raise ConfigError(f"episode must have at most {MAX_KEY} characters, got {len(episode)}")
        return cls(
            key=episode or session_id or "",
            named=bool(episode),
            env_id=rest.pop("id", ""),
            task_id=rest.pop("task_id", None),
            seed=None if seed is None else _whole(seed),
            settings={name: _value(text) for name, text in rest.items()},
        )


def _whole(text: str) -> int:
    # More digits than these are no seed, and cost time.
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ConfigError(f"seed must be a whole number from 0, got {text!r:.60}")
    return int(text)


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
