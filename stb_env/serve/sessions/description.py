"""A server's description of an environment, from which a client builds its stand-in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from stb_env.core.jsontypes import JsonObject
from stb_env.envs.tool_env import ToolEnv
from stb_env.evaluation.manifest import fingerprint_of
from stb_env.judges.judge import Judge
from stb_env.serve.sessions.served_environments import chosen_by_clients
from stb_env.suite import suite_of
from stb_env.tasks import TaskSet


@runtime_checkable
class _Lucky(Protocol):
    floors: Mapping[str, float]


def summary(env_id: str) -> JsonObject:
    """Return what an environment is, in short."""
    suite = suite_of(env_id)
    return {
        "id": env_id,
        "suite": suite.name if suite else "",
        "description": suite.description if suite else "",
        "splits": list(suite.splits) if suite else [],
        "exact": suite is None or suite.exact,
    }


def description(env: ToolEnv, *, env_id: str, answers: bool, hashed: bool) -> JsonObject:
    """Return spaces and limits of an environment, and what decides its results.

    Args:
        env: The environment.
        env_id: Its id.
        answers: Whether the server gives solutions away.
        hashed: Whether the hash of the tasks is wanted, for which all of them are read.
    """
    rules, limits, finish = env.rules, env.rules.limits, env.wording.finish
    return {
        "settings": list(chosen_by_clients(env_id)),
        "max_turns": rules.max_turns,
        "limits": {"query": limits.query, "tools": limits.tools, "result": limits.result},
        "compat": rules.compat,
        "reward": rules.reward,
        "tasks": {
            "name": env.tasks.name,
            "size": env.tasks.size,
            **({"hash": env.tasks.hash} if hashed else {}),
            "sources": env.tasks.sources if isinstance(env.tasks, TaskSet) else {},
        },
        "backend": rules.backend.fingerprint,
        "judge": _judge(rules.judge),
        "user": None if rules.user is None else rules.user.fingerprint,
        "wording": env.wording.fingerprint,
        "finish": finish
        and {
            "name": finish.name,
            "description": finish.description,
            "parameters": dict(finish.parameters),
        },
        "answers": answers,
        "oracle": env.oracle is not None,
    }


def _judge(judge: Judge) -> dict[str, object]:
    floors = dict(judge.floors) if isinstance(judge, _Lucky) else None
    return {"name": judge.name, "fingerprint": fingerprint_of(judge), "floors": floors}
