"""From plain settings to what stands behind an environment: cache, real APIs, models, judge."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from stb_env.backend.backend import RealAPI
from stb_env.backend.cache import ResponseCache
from stb_env.backend.epochs import may_write
from stb_env.backend.faults import Faults
from stb_env.backend.own import SimulatorLike, load_own_simulator
from stb_env.backend.real_api import HTTPTemplate, RemoteServer, VirtualServer
from stb_env.backend.real_api.catalog_api import CatalogAPI
from stb_env.backend.real_api.http_api import HTTPAPI
from stb_env.backend.real_api.observed import Health
from stb_env.backend.real_api.virtual_server import ENDPOINT
from stb_env.backend.simulator.llm_simulator import LLMSimulator
from stb_env.backend.simulator.schema_simulator import SchemaSimulator
from stb_env.backend.virtual import Mode, VirtualBackend, known_mode
from stb_env.core.reference import is_reference
from stb_env.core.settings import check_settings
from stb_env.errors import ConfigError
from stb_env.formats.catalog_file import CatalogFile, source_of
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.judge import Judge
from stb_env.judges.own_judge import JudgeLike, as_judge
from stb_env.judges.registry import load_judge
from stb_env.models import available, connect, load_models
from stb_env.models.preflight import note
from stb_env.tools import Tool

T = TypeVar("T")

_NAMED = ("model", "temperature")
_LIVE: tuple[Mode, ...] = ("live", "record")


def connect_backend(
    mode: Mode,
    cache: str | Path | ResponseCache | None = None,
    real: str | Path | Mapping[str, object] | RealAPI | None = None,
    simulator: str | Mapping[str, object] | SimulatorLike | None = None,
    models: str | Path | None = None,
    faults: Mapping[str, object] | Faults | None = None,
    key_name: str = "",
    health: Health = "strict",
    overlay: str | None = None,
    writes: Callable[[Tool], bool] | None = None,
    catalog: CatalogFile | None = None,
) -> VirtualBackend:
    """Build the virtual API backend of an environment.

    Args:
        mode: What happens on a cache miss.
        cache: Folder of recorded responses, or a `ResponseCache`. Only ``record`` opens it for writing.
        real: In the live modes, who passes calls on: the URL of a `RemoteServer` (of a `VirtualServer` where
            it ends in ``/virtual``), the file or table of an `HTTPTemplate`, or a `RealAPI`.
        simulator: In the live modes, settings of `LLMSimulator` (or its profile alone), with ``model`` and
            ``temperature`` where they are to be others than the models file's, ``"none"`` for none,
            ``path.py:Name`` or ``module:Name`` for your own, a `Simulator`, or a function of tool and
            arguments; None takes one wherever its model can be used.
        models: Models file; its ``simulator`` role is used.
        faults: Settings of `Faults`, or faults.
        key_name: Name under which a `RemoteServer` is sent its key. No simulator is shown an argument of
            that name.
        health: Whether an answer in which a real API says that it does not work is refused (``strict``) or
            an observation (``observe``); see `VirtualBackend`.
        overlay: ``redis://HOST:PORT/DATABASE`` of what several machines add to the cache.
        writes: For tools of a service with state, says which of them may write; see `VirtualBackend`.
        catalog: Says what its tools answer in the offline mode, where it has schemas of that.

    Raises:
        ConfigError: A setting is unknown, or the mode lacks what it needs.
    """
    if isinstance(cache, ResponseCache):
        if overlay is not None:
            raise ConfigError("cache is a ResponseCache, which takes the overlay itself; leave overlay out")
    elif cache is not None or overlay is not None:
        cache = ResponseCache(cache, read_only=mode != "record", overlay=overlay)
    live = mode in _LIVE
    if not live and (real is not None or simulator is not None):
        raise ConfigError(
            f"real and simulator are asked in the modes live and record alone, and mode is {mode!r}"
        )
    asked = _real(real, key_name)
    if isinstance(asked, HTTPAPI):
        note(asked)
    return VirtualBackend(
        cache,
        offline_simulator(catalog),
        mode,
        real=asked,
        live_simulator=_simulator(simulator, models, key_name) if live else None,
        faults=_made(Faults, faults, "faults") if isinstance(faults, Mapping) else faults,
        health=health,
        writes=writes,
    )


def connect_catalog(file: CatalogFile, mode: str, cache: str | None, *, start: bool) -> VirtualBackend:
    """Build the backend of a catalogue's tools; in the live modes their services answer, and no simulator.

    Args:
        file: The catalogue.
        mode: What happens on a cache miss.
        cache: Folder of recorded responses.
        start: Whether the program that the catalogue names may be started.

    Raises:
        ConfigError: There is no such mode, or it lacks what it needs.
    """
    chosen = known_mode(mode)
    real = CatalogAPI(file, start=start) if chosen in _LIVE else None
    writes = may_write if any(map(may_write, file.tools)) else None
    asked = None if real is None else "none"
    return connect_backend(chosen, cache, real, asked, writes=writes, catalog=file)


def offline_simulator(catalog: CatalogFile | None) -> SchemaSimulator | None:
    """Return the simulator of a catalogue that says what its tools answer; None for any other."""
    if catalog is None or not any("answer" in source_of(tool) for tool in catalog.tools):
        return None
    return SchemaSimulator(catalog)


def connect_judge(
    judge: str | JudgeLike | None = None,
    votes: int = 1,
    models: str | Path | None = None,
    votes_cache: str | Path | None = None,
) -> Judge:
    """Build the judge of open queries.

    Args:
        judge: ``pass``, ``heuristic``, an official evaluator folder, ``path.py:Name`` or ``module:Name`` for
            your own, a `Judge`, or a function of a `Case`. None takes the pass judge where its model can be
            used, else the heuristic: the log says so once, and a `UnnamedJudgeWarning` at the first verdict.
        votes: How often a model judges each answer.
        models: Models file; its ``judge`` role is used.
        votes_cache: Folder of votes that are known, so that judging again costs nothing.

    Raises:
        ConfigError: There is no such judge, or its model cannot be used.
    """
    if judge is not None and not isinstance(judge, str):
        return as_judge(judge)
    chosen = load_judge(judge, votes=votes, models=models, cache=votes_cache, remark=say_once)
    if judge is None and isinstance(chosen, HeuristicJudge):
        return HeuristicJudge(unnamed=True)
    return chosen


@lru_cache(maxsize=16)
def say_once(remark: str) -> None:
    """Write a remark to the log, if it is new."""
    logging.getLogger("stb_env").warning(remark)


def _real(real: str | Path | Mapping[str, object] | RealAPI | None, key_name: str) -> RealAPI | None:
    if isinstance(real, str) and real.startswith(("http://", "https://")):
        kind = VirtualServer if urlsplit(real).path.rstrip("/").endswith(ENDPOINT) else RemoteServer
        return kind(real, key_name)
    if isinstance(real, str | Path):
        return HTTPTemplate.load(real)
    return HTTPTemplate(real) if isinstance(real, Mapping) else real


def _simulator(
    simulator: str | Mapping[str, object] | SimulatorLike | None, models: str | Path | None, key_name: str
) -> SimulatorLike | None:
    if simulator == "none":
        return None
    if not (simulator is None or isinstance(simulator, str | Mapping)):
        return simulator
    if isinstance(simulator, str) and is_reference(simulator):
        return load_own_simulator(simulator, models)
    settings = {"profile": simulator} if isinstance(simulator, str) else dict(simulator or {})
    named = {name: settings.pop(name) for name in _NAMED if isinstance(settings.get(name), str | int | float)}
    # As by its variables, so that the price of that model is looked up.
    variables = {f"STB_SIMULATOR_{name.upper()}": str(value) for name, value in named.items()}
    config = load_models(models, {**os.environ, **variables})["simulator"]
    if not available(config):
        if simulator is None:
            return None
        raise ConfigError(
            f"the simulator has no model: set {config.key_variable}, or STB_SIMULATOR_BASE_URL and "
            "STB_SIMULATOR_MODEL for a server of your own, or name a models file"
        )
    hidden = (key_name,) if key_name else ()
    return _made(LLMSimulator, {"model": connect(config), "hidden": hidden, **settings}, "simulator")


def _made(kind: Callable[..., T], settings: Mapping[str, object], name: str) -> T:
    check_settings(kind, settings, name)
    return kind(**settings)
