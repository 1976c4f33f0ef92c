"""Figures of the hot paths, measured in one run so that their ratios mean something."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import diskcache
import gymnasium as gym

from stb_env import jsontext
from stb_env.backend.cache import CacheEntry, ResponseCache, call_key
from stb_env.envs.tool_env import ToolEnv
from stb_env.formats.stabletoolbench import load
from stb_env.tools import Tool

_RESPONSE = {
    "results": [{"id": i, "title": f"entry {i}", "score": i / 7, "tags": ["a", "b"]} for i in range(6)],
    "total": 6,
}
_TURNS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure.

    Attributes:
        name: What was measured.
        value: The figure.
        unit: ``/s``, ``us`` or ``s``.
        note: What it is compared with.
    """

    name: str
    value: float
    unit: str
    note: str = ""


def bench(*, seconds: float = 0.5, data: str | None = None, entries: int = 2_000) -> list[Figure]:
    """Measure the hot paths on this machine.

    Args:
        seconds: How long each figure is measured.
        data: Query files for the catalogue figure; None takes the shipped ones.
        entries: Number of cache entries.

    Returns:
        The figures, slow machines and fast ones alike: compare ratios, not machines.
    """
    with tempfile.TemporaryDirectory(prefix="stb-bench-") as folder:
        figures = list(_cache_figures(Path(folder), seconds, entries))
    figures += _episode_figures(seconds)
    figures += _start_figures(seconds, data)
    return figures


def _rate(work: Callable[[], Any], seconds: float, batch: int = 1) -> float:
    """Return calls a second: the best of five slices, each of which does ``batch`` calls a round."""
    work()
    best = 0.0
    for _ in range(5):
        rounds, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / 5:
            work()
            rounds += 1
        best = max(best, rounds * batch / spent)
    return best


def _cache_figures(folder: Path, seconds: float, entries: int) -> Iterator[Figure]:
    env = gym.make("stb/I1Instruction-v0", judge="heuristic").unwrapped
    assert isinstance(env, ToolEnv)  # noqa: S101 (narrows the type)
    env.reset(seed=0)
    tool = env.task.tools[0]
    keys = _fill(folder, tool, entries)
    raw = diskcache.Cache(str(folder / "raw"))
    order = _cycle(keys)
    raw_rate = _rate(lambda: raw.get(next(order)), seconds)
    raw.close()
    yield Figure("raw diskcache get", raw_rate, "/s")
    cold = ResponseCache(folder / "cache", lru=0, read_only=True)
    cold_rate = _rate(lambda: cold.get(next(order)), seconds)
    yield Figure("cache get, cold", cold_rate, "/s", f"{cold_rate / raw_rate:.2f}x raw diskcache")
    warm = ResponseCache(folder / "cache", read_only=True)
    for key in keys:
        warm.get(key)
    yield Figure("cache get, LRU hit", _rate(lambda: warm.get(next(order)), seconds), "/s")
    cold_step = _step_rate(cold, tool, seconds, entries)
    yield Figure("env.step, cold cache hit", cold_step, "/s", f"{cold_step / raw_rate:.2f}x raw diskcache")
    yield Figure("env.step, LRU hit", _step_rate(warm, tool, seconds, entries), "/s")
    yield Figure("env.step, template-simulated miss", _miss_rate(tool, seconds), "/s")
    cold.close()
    warm.close()


def _fill(folder: Path, tool: Tool, entries: int) -> list[str]:
    text = jsontext.dumps({"error": "", "response": _RESPONSE})
    arguments = [_arguments(tool, index) for index in range(entries)]
    keys = [call_key(tool.id, each) for each in arguments]
    cache = ResponseCache(folder / "fill")
    entries_ = [CacheEntry.of(tool.id, each, _RESPONSE, source="real") for each in arguments]
    cache.put_many(zip(keys, entries_, strict=True))
    cache.snapshot(folder / "cache")
    cache.close()
    with diskcache.Cache(str(folder / "raw"), eviction_policy="none") as raw:
        for key in keys:
            raw[key] = text
    return keys


def _arguments(tool: Tool, index: int) -> dict[str, Any]:
    return dict.fromkeys(tool.parameters["required"], f"value {index}")


def _cycle(items: list[Any]) -> Iterator[Any]:
    while True:
        yield from items


def _step_rate(cache: ResponseCache | None, tool: Tool, seconds: float, entries: int) -> float:
    env = gym.make("stb/I1Instruction-v0", judge="heuristic", cache=cache, max_turns=_TURNS + 1).unwrapped
    assert isinstance(env, ToolEnv)  # noqa: S101 (narrows the type)
    _, info = env.reset(seed=0)
    while tool.name not in {spec["function"]["name"] for spec in info["tools"]}:
        _, info = env.reset()
    actions = _cycle(
        [
            jsontext.dumps({"name": tool.name, "arguments": _arguments(tool, index)})
            for index in range(entries)
        ]
    )
    return _episode_rate(env, actions, seconds)


def _miss_rate(tool: Tool, seconds: float) -> float:
    return _step_rate(None, tool, seconds, 50_000)


def _episode_rate(env: ToolEnv, actions: Iterator[str], seconds: float) -> float:
    start = env.snapshot()

    def episode() -> None:
        env.restore(start)
        for _ in range(_TURNS):
            env.step(next(actions))

    return _rate(episode, seconds, batch=_TURNS)


def _episode_figures(seconds: float) -> Iterator[Figure]:
    env = gym.make("stb/Sandbox-v0", split="train", max_turns=_TURNS + 1).unwrapped
    assert isinstance(env, ToolEnv)  # noqa: S101 (narrows the type)
    env.reset(seed=0)
    call = env.task.gold[0]
    action = jsontext.dumps({"name": call.name, "arguments": call.arguments})
    yield Figure("env.step, Sandbox call", _episode_rate(env, _cycle([action]), seconds), "/s")
    env.step(action)

    def back_and_forth() -> None:
        env.restore(env.snapshot())

    yield Figure("snapshot + restore", 1e6 / _rate(back_and_forth, seconds), "us")
    yield Figure("fork", 1e6 / _rate(env.fork, seconds), "us")
    yield Figure("reset, new task", _rate(env.reset, seconds), "/s")


def _start_figures(seconds: float, data: str | None) -> Iterator[Figure]:
    gymnasium, ours = _import_seconds("gymnasium"), _import_seconds("stb_env")
    yield Figure("import gymnasium", gymnasium, "s")
    yield Figure("import stb_env", ours, "s", f"{ours - gymnasium:+.3f} s")
    with _query_files(data) as path:
        loaded = load(path)
        rate = _rate(lambda: load(path), seconds)
    yield Figure(
        "catalogue load", 1 / rate, "s", f"{len(loaded.tasks)} queries, {len(loaded.tasks.catalog)} APIs"
    )
    names = [tool.name for tool in loaded.tasks.catalog]
    order = _cycle(names)
    yield Figure("catalogue look-up", _rate(lambda: loaded.tasks.catalog.get(next(order)), seconds), "/s")


def _import_seconds(module: str) -> float:
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    times = []
    for _ in range(5):
        done = subprocess.run(  # noqa: S603 (our own code and a module name from this file)
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        times.append(float(done.stdout))
    return min(times)


@contextmanager
def _query_files(data: str | None) -> Iterator[Path]:
    if data is not None:
        yield Path(data)
        return
    with as_file(files("stb_env.formats") / "embedded") as folder:
        yield folder
