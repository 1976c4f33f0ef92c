"""Environments of a server, and the settings that a client may choose."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from gymnasium.envs.registration import registry

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.kinds import Count
from stb_env.core.settings import accepts, check_settings
from stb_env.envs.observation import Limits, observation_space
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import did_you_mean
from stb_env.runs.make import env_ids, make_env, maker_of
from stb_env.serve.sessions.off_loop import stepping_off_loop
from stb_env.serve.sessions.refusals import NotAllowed, NotServed
from stb_env.suite import find_env, suite_of

CHOICES = ("split", "compat", "program", "reward")
"""Settings of every environment that a client may choose, beside the choices of its suite.

Other settings would name files or models."""

BOUNDS = ("max_turns", "limits")
"""What a client may bound, up to what the operator allows."""

_PROTOTYPES = 256
"""Environments that are kept for further sessions; those of open sessions live on with them."""


def chosen_by_clients(env_id: str) -> tuple[str, ...]:
    """Return the settings of an environment that a client may choose.

    Examples:
        >>> chosen_by_clients("stb/Sandbox-v1")[4:8]
        ('group', 'level', 'template', 'distractors')
    """
    suite, takes = suite_of(env_id), maker_of(env_id)
    own = suite.choices if suite is not None else ()
    return (*CHOICES, *(name for name in own if accepts(takes, name)), *BOUNDS)


class Served:
    """The environments of a server: one prototype for all sessions of an id and a choice.

    What comes over the network names ids that the operator registered, never a module or a file, and sets
    only what costs the server nothing and shows nothing of it.

    Args:
        ids: Ids that are served; None for all that are registered.
        settings: The operator's settings (data, cache, mode, models ...), given to every environment that
            takes them.
        turns: The most turns that a client may ask for.
        limits: The longest texts that a client may ask for.

    Raises:
        ConfigError: One of ``ids`` is unknown.
    """

    def __init__(
        self,
        ids: Collection[str] | None = None,
        settings: Mapping[str, object] | None = None,
        *,
        turns: int = 1_000,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
    ) -> None:
        self._ids = tuple(env_ids() if ids is None else map(find_env, ids))
        self._settings = dict(settings or {})
        self._turns, self._limits = turns, limits
        self._made: OrderedDict[str, asyncio.Task[ToolEnv]] = OrderedDict()

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids that are served."""
        return self._ids

    def named(self, env_id: str) -> str:
        """Return an id that is served.

        Raises:
            NotServed: It is not; the message names the nearest.
        """
        if env_id in self._ids:
            return env_id
        raise NotServed(
            f"{env_id!r:.100} is not served here; GET /environments lists what is."
            f"{did_you_mean(env_id, self._ids)}"
        )

    async def prototype(self, env_id: str, settings: Mapping[str, object] | None = None) -> ToolEnv:
        """Return the environment of which sessions are forks.

        It is made once, in a thread, since it may read files.

        Args:
            env_id: An id that is served.
            settings: What the client chooses; bounds are no part of the prototype.

        Raises:
            NotServed: The id is not.
            NotAllowed: A setting is the operator's alone, or beyond what they allow.
            ConfigError: A value is none of the setting's.
        """
        given = self._checked(self.named(env_id), settings or {})
        chosen = {name: value for name, value in given.items() if name not in BOUNDS}
        key = jsontext.dumps([env_id, dict(sorted(chosen.items()))])
        making = self._made.get(key)
        if making is None or (making.done() and (making.cancelled() or making.exception() is not None)):
            making = self._made[key] = asyncio.create_task(asyncio.to_thread(self._make, env_id, chosen))
            while len(self._made) > _PROTOTYPES:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        # A client that leaves must not take along what others wait for.
        return await asyncio.shield(making)

    async def fork(self, env_id: str, settings: Mapping[str, object] | None = None) -> ToolEnv:
        """Return an environment for one session, with the client's choices and bounds; see `prototype`."""
        env = (await self.prototype(env_id, settings)).fork()
        return _bounded(env, settings or {})

    def close(self) -> None:
        """Release what the prototypes hold; their forks share it."""
        for making in self._made.values():
            if making.done() and not making.cancelled() and making.exception() is None:
                making.result().close()
        self._made.clear()

    def _make(self, env_id: str, chosen: Mapping[str, object]) -> ToolEnv:
        maker = maker_of(env_id)
        own = {name: value for name, value in self._settings.items() if accepts(maker, name)}
        return stepping_off_loop(make_env(env_id, {**own, **chosen}))

    def _checked(self, env_id: str, settings: Mapping[str, object]) -> Mapping[str, object]:
        suite, allowed = suite_of(env_id), chosen_by_clients(env_id)
        for name in settings:
            if name not in allowed:
                raise NotAllowed(
                    f"a client may set {', '.join(allowed)}, got {name!r:.100}; the rest is the operator's"
                )
        given = {name: value for name, value in settings.items() if value is not None}
        check_settings(maker_of(env_id), {**registry[env_id].kwargs, **given}, env_id)
        split = given.get("split")
        if split is not None and suite is not None and split not in suite.splits:
            raise NotAllowed(f"the splits of {env_id} are {', '.join(suite.splits)}, got {split!r:.100}")
        self._check_bounds(given)
        return given

    def _check_bounds(self, given: JsonMapping) -> None:
        bounds = {name: given[name] for name in BOUNDS if name in given}
        check_settings(_bounds, bounds, "a session")
        if given.get("max_turns", 1) > self._turns:
            raise NotAllowed(f"max_turns may be at most {self._turns} here, got {given['max_turns']}")
        limits = given.get("limits", {})
        check_settings(Limits, limits, "limits")
        for name, value in limits.items():
            most = getattr(self._limits, name)
            if not 256 <= value <= most:
                raise NotAllowed(f"limits.{name} must be from 256 to {most} here, got {value}")


def _bounds(max_turns: Count = 1, limits: dict[str, int] | None = None) -> None:
    """Say what kinds of value bounds are."""


def _bounded(env: ToolEnv, settings: Mapping[str, Any]) -> ToolEnv:
    """Set the bounds of a fork; making another environment for each would read its files anew."""
    turns = settings.get("max_turns") or env.rules.max_turns
    limits = replace(env.rules.limits, **(settings.get("limits") or {}))
    if (turns, limits) == (env.rules.max_turns, env.rules.limits):
        return env
    env.rules = replace(env.rules, max_turns=turns, limits=limits)
    env.observation_space = observation_space(turns, limits)
    return env
