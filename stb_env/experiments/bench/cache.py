"""The response cache, alone and below an environment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import diskcache

from stb_env import ResponseCache, Tool
from stb_env.backend.cache import CacheEntry, CallKey
from stb_env.core import jsontext
from stb_env.experiments.bench.measurement import TURNS, Measurement, cycle, episode_rate, rate
from stb_env.runs.make import make_env

_ENV = "stb/I1Instruction-v0"
_RESPONSE = {
    "results": [{"id": i, "title": f"entry {i}", "score": i / 7, "tags": ["a", "b"]} for i in range(6)],
    "total": 6,
}


def cache_measurements(folder: Path, seconds: float, entries: int) -> Iterator[Measurement]:
    """Measure the cache cold and warm, and environments on top of it.

    Args:
        folder: An empty folder.
        seconds: How long each figure is measured.
        entries: Number of entries.
    """
    env = make_env(_ENV, {"judge": "heuristic"})
    env.reset(seed=0)
    tool = env.task.tools[0]
    calls = _fill(folder, tool, entries)
    raw = diskcache.Cache(str(folder / "raw"))
    keys, order = cycle([call.canonical for call in calls]), cycle(calls)
    raw_rate = rate(lambda: raw.get(next(keys)), seconds)
    raw.close()
    yield Measurement("raw diskcache get", raw_rate, "/s")
    start = time.perf_counter()
    cold = ResponseCache(folder / "cache", lru=0, read_only=True)
    cold.get(calls[0])
    took = (time.perf_counter() - start) * 1e3
    yield Measurement("cache open, with its first look-up", took, "ms", f"{entries:,} entries")
    cold_rate = rate(lambda: cold.get(next(order)), seconds)
    yield Measurement("cache get, cold", cold_rate, "/s", f"{cold_rate / raw_rate:.2f}x raw diskcache")
    warm = ResponseCache(folder / "cache", read_only=True)
    for call in calls:
        warm.get(call)
    yield Measurement("cache get, LRU hit", rate(lambda: warm.get(next(order)), seconds), "/s")
    cold_step = _step_rate(cold, tool, seconds, entries)
    yield Measurement(
        "env.step, cold cache hit", cold_step, "/s", f"{cold_step / raw_rate:.2f}x raw diskcache"
    )
    yield Measurement("env.step, LRU hit", _step_rate(warm, tool, seconds, entries), "/s")
    yield Measurement("env.step, template-simulated miss", _step_rate(None, tool, seconds, 50_000), "/s")
    cold.close()
    warm.close()


def _fill(folder: Path, tool: Tool, entries: int) -> list[CallKey]:
    text = jsontext.dumps({"error": "", "response": _RESPONSE})
    arguments = [_arguments(tool, index) for index in range(entries)]
    calls = [CallKey(tool.id, each) for each in arguments]
    cache = ResponseCache(folder / "fill")
    entries_ = [CacheEntry.of(tool.id, each, _RESPONSE, source="real") for each in arguments]
    cache.put_many((each.key, each) for each in entries_)
    cache.snapshot(folder / "cache")
    cache.close()
    with diskcache.Cache(str(folder / "raw"), eviction_policy="none") as raw:
        for call in calls:
            raw[call.canonical] = text
    return calls


def _arguments(tool: Tool, index: int) -> dict[str, object]:
    return dict.fromkeys(tool.parameters["required"], f"value {index}")


def _step_rate(cache: ResponseCache | None, tool: Tool, seconds: float, entries: int) -> float:
    env = make_env(_ENV, {"judge": "heuristic", "cache": cache, "max_turns": TURNS + 1})
    _, info = env.reset(seed=0)
    while tool.name not in {spec["function"]["name"] for spec in info["tools"]}:
        _, info = env.reset()
    actions = cycle(
        [
            jsontext.dumps({"name": tool.name, "arguments": _arguments(tool, index)})
            for index in range(entries)
        ]
    )
    return episode_rate(env, actions, seconds)
