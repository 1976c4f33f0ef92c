"""What a model that knows would write, turn by turn, and how an environment is made to fail."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from stb_env import Case, ResponseCache, load_agent, play
from stb_env.backend.cache import CacheEntry
from stb_env.core.request import Slow
from stb_env.errors import JudgeError
from stb_env.runs.make import make_env
from stb_env.tools import FINISH, ToolId
from stb_env.verdict import Verdict
from tests.conftest import ROOT
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion

SETTINGS: dict[str, dict[str, Any]] = {
    "stb/Sandbox-v1": {},
    "stb/APIBankCall-v1": {},
    "stb/OpenWeather-v1": {},
    "stb/I1Instruction-v0": {"judge": "heuristic"},
}
"""One environment of each suite, played without data, key or network."""


NOTES = "stb_env.testing.notes:test/Notes-v0"
"""An environment whose answers are text."""

WRONG: dict[str, Any] = {"cannot": {"reason": "missing_detail", "what": ["account"]}}
"""Arguments of Finish that the first task of the Sandbox takes, and that do not solve it."""


def failing(env_id: str, folder: Path) -> dict[str, Any]:
    """Return settings that fail an episode: nothing recorded to replay, or a judge that is down.

    Args:
        env_id: A key of `SETTINGS`.
        folder: Where a cache is made that no task asks for anything.
    """
    if env_id == "stb/I1Instruction-v0":
        cache = ResponseCache(folder)
        entry = CacheEntry.of(ToolId("Nobody", "asks", "this"), {}, "ever", source="real")
        cache.put(entry.key, entry)
        cache.close()
        return {"mode": "replay", "cache": str(folder), "judge": "heuristic"}
    return {"judge": "tests.integrations.scripted:Failing"}


class Failing:
    """A judge that gives no verdict."""

    name = "failing"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        raise JudgeError("the judge is down", retryable=False)


def gold_turns(env_id: str, task_id: str, *, fitting: bool = False, **settings: Any) -> list[dict[str, Any]]:
    """Return the assistant's messages of an episode that solves a task; fitting, as Finish is offered."""
    env = make_env(env_id, settings)
    episode = play(env, load_agent("gold")(), task_id=task_id, seed=0)
    env.close()
    takes = next(tool["function"] for tool in episode.tools if tool["function"]["name"] == FINISH)
    turns = [copy.deepcopy(dict(message)) for message in episode.messages if message["role"] == "assistant"]
    for call in (call for turn in turns for call in turn.get("tool_calls") or ()):
        # Frameworks refuse the original's return_type where the schema does not have it.
        if (
            fitting
            and call["function"]["name"] == FINISH
            and "return_type" not in takes["parameters"]["properties"]
        ):
            given = json.loads(call["function"]["arguments"])
            given.pop("return_type", None)
            call["function"]["arguments"] = json.dumps(given)
    return turns


def gold_of(env_id: str, query: str, **settings: Any) -> list[dict[str, Any]]:
    """Return the same, of the first task with a query."""
    env = make_env(env_id, settings)
    ids = (env.tasks.at(index) for index in range(env.tasks.size or 0))
    return gold_turns(env_id, next(task.id for task in ids if task.query == query), fitting=True, **settings)


def first_tasks(env_id: str, count: int, **settings: Any) -> list[str]:
    """Return the ids of the first tasks."""
    env = make_env(env_id, settings)
    return [env.tasks.at(index).id for index in range(min(count, env.tasks.size or count))]


def calls_of(turn: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return names and arguments of a turn's calls."""
    functions = [call["function"] for call in turn.get("tool_calls") or ()]
    return [(function["name"], json.loads(function["arguments"])) for function in functions]


def gold_answer(env_id: str, messages: Sequence[Mapping[str, Any]], **settings: Any) -> dict[str, Any]:
    """Return what a model that knows says next in a conversation about a task of an environment."""
    query = next(message["content"] for message in messages if message["role"] == "user")
    turn = sum(message["role"] == "assistant" for message in messages)
    return _gold(env_id, query, json.dumps(settings))[turn]


@lru_cache
def _gold(env_id: str, query: str, settings: str) -> list[dict[str, Any]]:
    return gold_of(env_id, query, **json.loads(settings))


@contextmanager
def gold_server(env_id: str, **settings: Any) -> Iterator[str]:
    """Serve such a model by chat completions, and give the URL."""

    def answer(request: Received) -> Answer:
        message = {"role": "assistant", **gold_answer(env_id, request.body["messages"], **settings)}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        return Answer(completion(None, message=message, finish_reason=reason))

    with OpenAIServer().running() as server:
        server.script(*[answer] * 200)
        yield server.url()


def page_script(name: str, page: str = "integrations.md") -> str:
    """Return the script that follows ``<!-- NAME -->`` in a page of ours; it has under 20 lines."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    code = text.partition(f"<!-- {name} -->")[2].partition("```python\n")[2].partition("```")[0]
    assert 0 < len(code.splitlines()) < 20, f"docs/{page} has no short script {name}"
    return code
