"""Which tools a task offers: the grid of pool sizes of the paper (Li et al., 2023, table 1 and section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from stb_env.errors import ConfigError, did_you_mean
from stb_env.seeding import rng
from stb_env.suites.api_bank.api_set import ApiSet
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.tools import Tool

Pool = Literal["own", "all"] | int
"""The APIs that the dialogue calls, the whole set, or the own ones and so many others."""


def checked_pool(pool: Pool, apis: ApiSet) -> Pool:
    """Return the pool.

    Raises:
        ConfigError: It is no pool.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_3
        >>> checked_pool(5, LEVEL_3)
        5
        >>> checked_pool(50, LEVEL_3)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: pool must be 'own', 'all' or a number from 0 to 21, got 50.
    """
    most = len(apis.apis) - 1
    if pool in ("own", "all") or (type(pool) is int and 0 <= pool <= most):
        return pool
    near = did_you_mean(pool, ("own", "all")) if isinstance(pool, str) else ""
    raise ConfigError(f"pool must be 'own', 'all' or a number from 0 to {most}, got {pool!r}.{near}")


def pool_tools(own: Iterable[str], apis: ApiSet, pool: Pool, *, searched: bool, key: str) -> tuple[Tool, ...]:
    """Return the tools of a pool, in the order of the set, so that the order gives nothing away.

    Args:
        own: Names of the APIs that the dialogue calls.
        apis: The whole set.
        pool: Which pool.
        searched: Whether tools have to be found, so that the search is always there.
        key: Decides which distractors are drawn, for example the task's id.

    Examples:
        >>> from stb_env.suites.api_bank.api_set import LEVEL_12
        >>> [tool.name for tool in pool_tools(["QueryStock"], LEVEL_12, 2, searched=False, key="a")]
        ['ModifyAlarm', 'QueryStock', 'QueryScene']
    """
    needed = {*own, SEARCHER} if searched else set(own)
    others = [name for name in apis.apis if name not in needed and name != SEARCHER]
    if pool == "all":
        needed.update(others)
    elif pool != "own":
        needed.update(rng("api_bank pool", key).sample(others, min(pool, len(others))))
    return tuple(tool for name, tool in apis.tools.items() if name in needed)
