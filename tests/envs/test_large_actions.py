"""An action that is too large is told so before it is read; the next one is played."""

from __future__ import annotations

import json
import tracemalloc
from time import process_time
from typing import Any

import pytest

from stb_env.actions import MAX_TEXT, MAX_VALUES
from stb_env.testing.notes import notes

SHARED: list[Any] = [1]
for _ in range(60):
    SHARED = [SHARED, SHARED]


def call(word: object, **more: object) -> dict[str, Any]:
    return {"name": "find_notes", "arguments": {"word": word, **more}}


@pytest.mark.parametrize(
    "action",
    [
        call("a" * 10_000_000),
        call(SHARED),
        call("a", **{f"x{n}": n for n in range(100_000)}),
        [call([1] * (MAX_VALUES // 60))] * 64,
        {
            "tool_calls": [
                {
                    "id": "a",
                    "function": {"name": "find_notes", "arguments": json.dumps({"word": [1] * 50_000})},
                }
            ]
        },
        json.dumps(call([1] * 50_000)),
        "a" * (MAX_TEXT + 1),
    ],
    ids=["text", "shared", "arguments", "calls", "message", "JSON", "prose"],
)
def test_an_action_that_is_too_large_is_told_so_at_once(action: object) -> None:
    env = notes()
    env.reset(seed=0)
    tracemalloc.start()
    began = process_time()
    observation = env.step(action)[0]
    assert process_time() - began < 0.5
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    assert "too large" in observation["result"]
    assert int(observation["status"]) == 4
    assert json.loads(env.step(call("dentist"))[0]["result"])["error"] == ""


def test_an_action_of_the_largest_size_is_read() -> None:
    env = notes()
    env.reset(seed=0)
    for word in ("a" * (MAX_TEXT - 100), [1] * (MAX_VALUES - 10)):
        assert "too large" not in env.step(call(word))[0]["result"]
