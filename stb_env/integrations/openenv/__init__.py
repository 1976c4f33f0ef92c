"""OpenEnv: a typed client of what ``stb-env serve`` speaks at ``/openenv/ID``, and sessions for harnesses.

TRL's asynchronous trainer takes a `SessionFactory`, plays each rollout over a connection of its own, and
leaves those out that have no reward.
"""

from __future__ import annotations

from stb_env.integrations.extra import missing

try:
    import openenv.core  # noqa: F401 (what follows needs it)
except ImportError as error:
    raise missing("OpenEnv", "openenv") from error

from stb_env.integrations.openenv.client import EpisodeClient, EpisodeState, TaskGiven
from stb_env.integrations.openenv.session import EpisodeSession, SessionFactory, dataset

__all__ = ["EpisodeClient", "EpisodeSession", "EpisodeState", "SessionFactory", "TaskGiven", "dataset"]
