"""What a run's manifest says: everything that decides its numbers, and no path."""

from __future__ import annotations

from stb_env import __version__
from stb_env.envs.tool_env import ToolEnv
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.prompting import prompt

VERSION = 1

SCORES_VERSION = 1
"""Version of what scores mean; raised whenever the same episode would be scored otherwise than before."""

# Paths may move and differ between machines; the hashes say what was played.
PATHS = frozenset({"data", "databases", "cache", "models", "votes_cache"})


def run_manifest(env: ToolEnv, env_id: str, settings: JsonMapping, played: JsonMapping) -> JsonObject:
    """Return the manifest of a run.

    Args:
        env: The environment.
        env_id: Its id.
        settings: What it was made with, plain data.
        played: Who plays, and how much.
    """
    rules = env.rules
    return {
        "version": VERSION,
        "env": env_id,
        "package": __version__,
        "scores": SCORES_VERSION,
        **played,
        "settings": {name: value for name, value in settings.items() if name not in PATHS},
        "tasks": env.tasks.hash,
        "backend": rules.backend.fingerprint,
        "judge": rules.judge.name,
        "judge_settings": getattr(rules.judge, "fingerprint", None),
        "max_turns": rules.max_turns,
        **({} if rules.user is None else {"user": rules.user.fingerprint}),
        "prompts": {"agent": prompt("agent", "v1").hash},
    }
