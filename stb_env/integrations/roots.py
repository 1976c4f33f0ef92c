"""One environment a process, that all episodes of an id and its settings are forked from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stb_env.core import jsontext
from stb_env.envs.tool_env import ToolEnv
from stb_env.runs.make import make_env


def forked(env_id: str, settings: Mapping[str, object]) -> ToolEnv:
    """Return an environment for one episode; the first of an id is made, later ones cost next to nothing.

    Its backend belongs to all of them, so nobody closes it.

    Args:
        env_id: An id of any suite.
        settings: Its settings, plain data.

    Raises:
        ConfigError: There is no such id or setting.
    """
    return _root(env_id, jsontext.dumps(dict(settings))).fork()


@lru_cache
def _root(env_id: str, settings: str) -> ToolEnv:
    return make_env(env_id, jsontext.loads(settings))
