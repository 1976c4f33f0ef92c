"""Options of a vector environment's reset, read for each environment in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stb_env.envs.reset_options import read_options, read_shard
from stb_env.errors import ConfigError


def read_seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Return the seed of each environment: counted up from a number, as Gymnasium does, or as listed.

    Raises:
        ConfigError: The list has another length.

    Examples:
        >>> read_seeds(7, 3), read_seeds(None, 2)
        ([7, 8, 9], [None, None])
    """
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + index for index in range(count)]
    if len(seed) != count:
        raise ConfigError(f"seed must be a number or a list of {count}, one for each environment, got {seed}")
    return list(seed)


def read_mask(options: Mapping[str, object], count: int) -> NDArray[np.bool_]:
    """Return which environments to reset; all of them where ``reset_mask`` is not given.

    Raises:
        ConfigError: The mask is of another shape or type, or empty.
    """
    if "reset_mask" not in options:
        return np.ones(count, np.bool_)
    mask = options["reset_mask"]
    if not (
        isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (count,) and mask.any()
    ):
        raise ConfigError(
            f"reset_mask must be a numpy array of {count} booleans with a True among them, got {mask!r}"
        )
    return mask


def read_each(options: Mapping[str, object], count: int) -> list[dict[str, object]]:
    """Return the options of each environment.

    Args:
        options: Those of `ToolEnv.reset` hold for every environment, except that a ``shard`` is dealt out
            among them; ``task_ids`` names a task for each; ``reset_mask`` is left out.
        count: Number of environments.

    Raises:
        ConfigError: ``task_ids`` is no list of that length, a task is named twice over, or an option is
            unknown.

    Examples:
        >>> read_each({"task_ids": ["a", "b"]}, 2)
        [{'task_id': 'a'}, {'task_id': 'b'}]
        >>> read_each({"order": "sequential", "shard": (0, 1)}, 2)[1]
        {'order': 'sequential', 'shard': (1, 2)}
    """
    own = ("task_ids", "reset_mask")
    options = read_options(dict(options), own)
    shared = {name: value for name, value in options.items() if name not in own}
    each = [dict(shared) for _ in range(count)]
    if "shard" in options:
        for one, shard in zip(each, dealt(options["shard"], count), strict=True):
            one["shard"] = shard
    if "task_ids" not in options:
        return each
    names: Any = options["task_ids"]
    if isinstance(names, str) or len(names) != count:
        raise ConfigError(f"task_ids must be a list of {count}, one for each environment, got {names!r}")
    if "task_id" in options:
        raise ConfigError("task_id names one task for all environments, task_ids one for each; give either")
    return [{**one, "task_id": str(name)} for one, name in zip(each, names, strict=True)]


def dealt(shard: object, count: int) -> list[tuple[int, int]]:
    """Return the part of a sequential order that each environment visits, so that no two meet.

    Examples:
        >>> dealt((1, 2), 3)
        [(1, 6), (3, 6), (5, 6)]
    """
    first, stride = read_shard(shard)
    return [(first + stride * index, stride * count) for index in range(count)]
