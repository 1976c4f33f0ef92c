"""Rows of a run's list of episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.run_identity import foreign
from stb_env.runs.verdict_file import Judgement
from stb_env.tools import FINISH
from stb_env.trajectory import Key
from stb_env.trajectory_line import TYPED, answer_text, earned_reward, was_changed, wrong_reward

_SHOWN = 200
_STATUSES = ("solved", "unsure", "unsolved")

DAMAGED = "damaged"
"""Status of a line that is no episode."""


def read_line(line: bytes) -> dict[str, object]:
    """Read a saved line as plain data; what JSON of other languages cannot say becomes text.

    Raises:
        ValueError: It is no JSON object.

    Examples:
        >>> read_line(b'{"a": NaN}')
        {'a': 'NaN'}
    """
    data: Any
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError:
        # Lone surrogates and NaN, which older writers have let through.
        data = jsontext.loads(line.decode("utf-8"))
    if not isinstance(data, dict):
        raise ValueError(f"a JSON object is expected, got {type(data).__name__}")
    return data


def key_of(data: JsonMapping) -> Key:
    """Return whose line it is."""
    return str(data["task_id"]), int(data["trial"]), int(data["seed"])


def wrong_line(line: bytes, data: JsonMapping, run: str = "") -> str:
    """Return how a line differs from what was written, or nothing.

    Args:
        line: The line.
        data: What it says, as `read_line` reads it.
        run: Identity of the run in whose folder it stands; empty where that is not known.
    """
    if wrong := foreign(str(data.get("run", "")), run):
        return wrong
    if was_changed(line.decode("utf-8", "surrogatepass"), data):
        return "changed since it was written (its sha256 differs)"
    return wrong_reward(data) if data["version"] >= TYPED else ""


def row_of(
    number: int, line: bytes, run: str, seconds: Mapping[Key, float], judgements: Mapping[Key, Judgement]
) -> dict[str, object]:
    """Return the row of one saved line; a damaged line has one too, which says so.

    Args:
        number: The line's place, from 0.
        line: The line.
        run: Identity of the run in whose folder it stands.
        seconds: How long episodes took.
        judgements: Verdicts that were given later, which count.

    Examples:
        >>> row_of(3, b"{", "", {}, {})["status"]
        'damaged'
    """
    try:
        data = read_line(line)
        if wrong := wrong_line(line, data, run):
            raise ValueError(wrong)
        return _row(number, data, seconds, judgements)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        text = line[:_SHOWN].decode("utf-8", "replace")
        return {"n": number, "task": "", "status": DAMAGED, "query": text, "failure": repr(error)[:_SHOWN]}


def status_of(data: JsonMapping, judgement: Judgement | None) -> tuple[str, str, float]:
    """Return an episode's status, the kind of its failure and its reward, the later verdict counted."""
    verdict, failure, valid, reward = data["verdict"], data["failure"], data["valid"], data["reward"]
    if judgement is not None:
        verdict, failure = judgement.verdict, judgement.failure
        valid = verdict is not None and verdict["status"] != "na"
        mode = data.get("reward_mode", "sparse")
        given = earned_reward(verdict, "sparse" if mode == "own" else mode, valid=valid)
        reward = given or 0.0
    status = "" if verdict is None else str(verdict["status"])
    kind = "" if failure is None else str(failure.get("kind", ""))
    # Without a verdict nothing was judged, which is no unsolved task.
    return (status if valid and status in _STATUSES else "invalid"), kind, float(reward)


def _row(
    number: int, data: JsonMapping, seconds: Mapping[Key, float], judgements: Mapping[Key, Judgement]
) -> dict[str, object]:
    key = key_of(data)
    status, failure, reward = status_of(data, judgements.get(key))
    calls = [call for step in data["steps"] for call in step["calls"]]
    usage = data["usage"]
    row: JsonObject = {
        "n": number,
        "task": key[0],
        "trial": key[1],
        "group": data["group"],
        "status": status,
        "reward": reward,
        "steps": len(data["steps"]),
        "calls": len(calls),
        "tools": list(dict.fromkeys(str(call["name"]) for call in calls if call["name"] != FINISH)),
        "query": str(data["query"])[:_SHOWN],
        "answer": answer_text(data)[:_SHOWN],
    }
    tokens = int(usage.get("prompt_tokens", 0)) + int(usage.get("completion_tokens", 0))
    optional = {"failure": failure, "tokens": tokens, "seconds": seconds.get(key, 0.0)}
    row |= {name: value for name, value in optional.items() if value}
    return row | ({"tree": True} if data.get("tree") else {})
