"""Makes the environment of a catalogue and queries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Unpack

from stb_env.backend.backend import Backend, RealAPI
from stb_env.backend.cache import ResponseCache, call_key
from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.epochs import may_write
from stb_env.backend.faults import Faults
from stb_env.backend.own import SimulatorLike
from stb_env.backend.real_api.catalog_api import CatalogAPI
from stb_env.backend.real_api.http_api import HTTPAPI
from stb_env.backend.virtual import Mode
from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.connections import connect_backend, connect_judge, say_once
from stb_env.envs.env_settings import OpenSettings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.formats.catalog_file import CatalogFile, source_of
from stb_env.judges.own_judge import JudgeLike
from stb_env.judges.task_judge import TaskJudge
from stb_env.models.preflight import note
from stb_env.retrieval import ToolIndex
from stb_env.suites.own_tools.queries import SUITE, read_queries
from stb_env.tasks import TaskSet
from stb_env.tools import Tool

_NO_RESET = (
    "what an episode writes stays in the service for the next one, because the catalogue names no reset; "
    "play one episode at a time, or import with --reset"
)
_EMBEDDED = "stb_env.suites.own_tools"


@checks_settings
def make(
    tools: str | Path | CatalogFile | None = None,
    data: str | Path | TaskSet | None = None,
    cache: str | Path | ResponseCache | None = None,
    mode: Mode = "offline",
    real: str | Path | Mapping[str, object] | RealAPI | None = None,
    start: bool = False,
    simulator: str | Mapping[str, object] | SimulatorLike | None = None,
    faults: Mapping[str, object] | Faults | None = None,
    judge: str | JudgeLike | None = None,
    votes: Count = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    backend: Backend | None = None,
    retrieve: Count | None = None,
    retriever: str = "hybrid",
    max_turns: Count = 24,
    **settings: Unpack[OpenSettings],
) -> ToolEnv:
    """Make an environment of somebody's own tools.

    Args:
        tools: Catalogue, as ``stb-env tools import`` writes it; None plays a small one of this package.
        data: Queries, see `read_queries`, or tasks that are made already.
        cache: Folder of recorded responses, or a `ResponseCache`.
        mode: What happens on a cache miss: ``replay``, ``offline``, ``live`` or ``record``.
        real: In the live modes, who passes calls on in place of the services that the catalogue names; see
            `connect_backend`.
        start: Whether programs that the catalogue names may be started.
        simulator: In the live modes, who answers what they do not; see `connect_backend`.
        faults: Faults to inject, as settings of `Faults`.
        judge: Decides on queries without a check: ``pass``, ``heuristic``, an evaluator folder, or a `Judge`;
            see `connect_judge`.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the roles simulator and judge.
        backend: Answers calls in place of all of these.
        retrieve: How many tools a query that names none gets by retrieval; all of them where not given.
        retriever: How they are searched; see `stb_env.retrieval.retriever_for`.
        max_turns: Actions after which an episode is cut off.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is wrong, or catalogue and queries do not come together.
        DataError: A file cannot be read.
    """
    if (tools is None) != (data is None):
        given, lacking = ("data", "tools") if tools is None else ("tools", "data")
        raise ConfigError(
            f"{given} goes with {lacking}: a catalogue (--tools FILE) and queries (--data FILE)"
        )
    file = _file(tools)
    tasks = data if isinstance(data, TaskSet) else _tasks(file, data, retrieve, retriever)
    if backend is None:
        if cache is None and tools is None:
            cache = _embedded_answers()
        asked = _services(file, real, start, mode, simulator, models)
        # The tools of this package only read.
        writes = may_write if tools is not None and any(map(may_write, file.tools)) else None
        connected = connect_backend(
            mode, cache, asked, simulator, models, faults, writes=writes, catalog=file
        )
        if connected.asks_stateful_service and not connected.resets_service:
            say_once(_NO_RESET)
        backend = connected.among(tasks.tools_used)
    open_judge = None
    if not all(task.goal for task in tasks):
        open_judge = connect_judge(judge, votes, models, votes_cache)
    known = {tool.name: tool for tool in file.tools}
    decides = TaskJudge.of(tasks, open_judge, known, _writes)
    return ToolEnv(tasks, backend, decides, max_turns=max_turns, **settings)


def _writes(tool: Tool) -> bool:
    """Return whether a tool is known to write; of a function of a list nobody knows."""
    return bool(source_of(tool)) and may_write(tool)


def _file(tools: str | Path | CatalogFile | None) -> CatalogFile:
    if isinstance(tools, CatalogFile):
        return tools
    if tools is None:
        return CatalogFile.of(json.loads(_embedded("catalog.json")))
    path = Path(tools).resolve()
    return _loaded(str(path), _version(path))


def _tasks(file: CatalogFile, data: str | Path | None, retrieve: int | None, retriever: str) -> TaskSet:
    offer = partial(ToolIndex(file.tools, retriever).search, k=retrieve) if retrieve else None
    path = Path(str(files(_EMBEDDED) / "embedded" / "queries.jsonl")) if data is None else Path(data)
    found = read_queries(path, file.catalog, offer or (lambda _query: file.tools))
    return TaskSet(found, SUITE, {"catalog": file.hash, "retrieve": retrieve, "retriever": retriever})


def _services(
    file: CatalogFile,
    real: str | Path | Mapping[str, object] | RealAPI | None,
    start: bool,
    mode: Mode,
    simulator: str | Mapping[str, object] | SimulatorLike | None,
    models: str | Path | None,
) -> str | Path | Mapping[str, object] | RealAPI | None:
    """Return who is asked: the given one, or in the live modes the services of the catalogue."""
    if real is not None or mode not in ("live", "record"):
        return real
    if not file.sources and (simulator not in (None, "none") or models is not None):
        return None
    api = CatalogAPI(file, start=start)
    for service in api.services.values():
        if isinstance(service, HTTPAPI):
            note(service)
    return api


# Vector environments make many equal ones in a process; a catalogue is immutable, so they share it.
@lru_cache(maxsize=16)
def _loaded(path: str, _version: int) -> CatalogFile:
    return CatalogFile.load(path)


def _version(path: Path) -> int:
    return path.stat().st_mtime_ns if path.is_file() else 0


def _embedded(name: str) -> str:
    return (files(_EMBEDDED) / "embedded" / name).read_text(encoding="utf-8")


def _embedded_answers() -> ResponseCache:
    """Return the recorded answers of the catalogue that comes with the package."""
    cache, catalog = ResponseCache(), _file(None).catalog
    for line in _embedded("answers.jsonl").splitlines():
        answer = json.loads(line)
        tool = catalog.get(answer["tool"])
        if tool is not None:
            entry = CacheEntry.of(tool.id, answer["arguments"], answer["response"], source="real")
            cache.put(call_key(tool.id, answer["arguments"]), entry)
    return cache
