"""Manifests of runs: everything that decides their numbers, and no path."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from stb_env import __version__
from stb_env.core.jsontypes import JsonMapping
from stb_env.envs.tool_env import ToolEnv
from stb_env.tasks import TaskSet

VERSION = 1

SCORES_VERSION = 5
"""Version of what scores mean; raised whenever the same episode would be scored otherwise than before."""

# Paths may move and differ between machines; the hashes say what was played.
PATHS = frozenset({"data", "databases", "cache", "models", "originals", "overlay", "tools", "votes_cache"})


@runtime_checkable
class Fingerprinted(Protocol):
    """An agent or a judge that says as plain data what decides what it does; those that play a model do."""

    @property
    def fingerprint(self) -> dict[str, object]:
        """Settings that decide its behaviour, as plain data."""
        ...


def fingerprint_of(player: object) -> dict[str, object] | None:
    """Return what decides what an agent or a judge does, or None where its name says all.

    Examples:
        >>> from stb_env.runs.baselines import load_agent
        >>> fingerprint_of(load_agent("gold")()) is None
        True
    """
    return player.fingerprint if isinstance(player, Fingerprinted) else None


def run_manifest(env: ToolEnv, env_id: str, settings: JsonMapping, played: JsonMapping) -> dict[str, object]:
    """Return the manifest of a run.

    Args:
        env: The environment.
        env_id: Its id.
        settings: What it was made with, plain data.
        played: Who plays, and how much.
    """
    rules = env.rules
    sources = env.tasks.sources if isinstance(env.tasks, TaskSet) else {}
    return {
        "version": VERSION,
        "env": env_id,
        "package": __version__,
        "scores": SCORES_VERSION,
        **played,
        "settings": {name: value for name, value in settings.items() if name not in PATHS},
        "tasks": env.tasks.hash,
        **({"task_sources": sources} if sources else {}),
        "backend": rules.backend.fingerprint,
        "judge": rules.judge.name,
        "judge_settings": fingerprint_of(rules.judge),
        "max_turns": rules.max_turns,
        **({} if rules.programs is None else {"programs": rules.programs.fingerprint}),
        **({} if rules.user is None else {"user": rules.user.fingerprint}),
        "prompts": env.wording.fingerprint,
    }
