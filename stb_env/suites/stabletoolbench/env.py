"""Makes the environments of the six StableToolBench groups."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from shlex import quote
from typing import Literal, NamedTuple, Unpack

from stb_env.backend.backend import Backend, RealAPI
from stb_env.backend.cache import ResponseCache
from stb_env.backend.faults import Faults
from stb_env.backend.own import SimulatorLike
from stb_env.backend.real_api.observed import Health
from stb_env.backend.virtual import Mode, VirtualBackend
from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.connections import connect_backend, connect_judge
from stb_env.envs.env_settings import OpenSettings
from stb_env.envs.rules import Compat
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.judges.own_judge import JudgeLike
from stb_env.suites.stabletoolbench.api_entry import Functions
from stb_env.suites.stabletoolbench.open_domain import Retrieval
from stb_env.suites.stabletoolbench.originals import find_originals, read_originals
from stb_env.suites.stabletoolbench.queries import load
from stb_env.suites.stabletoolbench.query_record import NO_APIS
from stb_env.suites.stabletoolbench.rapid_api import RapidAPI
from stb_env.suites.stabletoolbench.tool_files import ToolFiles
from stb_env.suites.stabletoolbench.wording import OriginalWording
from stb_env.tasks import TaskSet, TaskSource

# A wire string: what servers that speak the original's protocol call their key.
KEY_NAME = "toolbench_key"

_NO_TOOLS = "none"


@checks_settings
def make(
    group: str,
    data: str | Path | TaskSource | None = None,
    cache: str | Path | ResponseCache | None = None,
    mode: Mode = "offline",
    real: str | Path | Mapping[str, object] | RealAPI | None = None,
    simulator: str | Mapping[str, object] | SimulatorLike | None = None,
    faults: Mapping[str, object] | Faults | None = None,
    health: Health = "strict",
    judge: str | JudgeLike | None = None,
    votes: Count = 1,
    votes_cache: str | Path | None = None,
    models: str | Path | None = None,
    backend: Backend | None = None,
    ids: str | Path | Iterable[str] | None = None,
    split: Literal["train", "val", "test"] | None = None,
    strict: bool = False,
    compat: Compat | None = None,
    functions: Functions = "stabletoolbench",
    originals: str | Path | None = None,
    max_turns: Count = 24,
    tools: str | Path | None = None,
    retrieve: Count | None = None,
    retriever: str = "hybrid",
    overlay: str | None = None,
    **settings: Unpack[OpenSettings],
) -> ToolEnv:
    """Make the environment of one group.

    Args:
        group: For example ``I1-Instruction``.
        data: Official query files as they are (a file, a group folder, the repository layout), or a
            `TaskSource`; None plays the few queries that the package ships.
        cache: Folder of recorded responses, or a `ResponseCache`.
        mode: What happens on a cache miss: ``replay``, ``offline``, ``live`` or ``record``.
        real: In the live modes, who passes calls on to real APIs; see `connect_backend`. ``"rapidapi"`` calls
            each API where its tool file says that it is.
        simulator: In the live modes, who answers what they do not; see `connect_backend`.
        faults: Faults to inject, as settings of `Faults`; the share that is down is one of the tools
            that the queries name.
        health: Whether an answer in which a real API says that it does not work is refused (``strict``), or
            shown to the agent with its class (``observe``), so that broken APIs can be measured.
        judge: ``pass``, ``heuristic``, an evaluator folder, or a `Judge`; see `connect_judge`.
        votes: How often a model judges each answer.
        votes_cache: Folder of votes that are known.
        models: Models file (TOML) for the roles simulator and judge.
        backend: Answers calls in place of all of these.
        ids: Query ids to keep: a list of them or a JSON file.
        split: ``train``, ``val`` or ``test`` keeps that part of an 80/10/10 division by id; None keeps all.
        strict: Stop at the first bad record instead of leaving it out.
        compat: ``"original"`` for the original's functions, look-up, step codes and start messages.
        functions: With ``compat="original"``, whose schemas the functions have: ``stabletoolbench`` or
            ``toolllm``.
        originals: Copy of the original's repository, whose texts an agent then reads; where not given, what
            was fetched with ``data``, and our own words without any. Needs ``compat="original"``.
        max_turns: Actions after which an episode is cut off.
        tools: Folder of tool files, which say what a tool is for and where its APIs are called; None takes
            those that lie beside the data, and ``"none"`` not even those.
        retrieve: How many APIs a query that names none gets by retrieval, from the tool files and the APIs
            of the other queries; None leaves such queries out.
        retriever: How they are searched; see `stb_env.retrieval.retriever_for`.
        overlay: ``redis://HOST:PORT/DATABASE`` of what several machines add to the cache (mode ``record``).
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown.
        DataError: The data cannot be read, or ``strict`` met a bad record.
    """
    found = None if retrieve is None else Retrieval(retrieve, retriever)
    tasks = _tasks(group, data, _Reading(strict, compat, functions, _text(tools), found))
    if ids is not None:
        tasks = _as_set(tasks, "ids").filter(ids=_read_ids(ids))
    if split is not None:
        tasks = _as_set(tasks, "split").split({"train": 0.8, "val": 0.1, "test": 0.1})[split]
    if real == RapidAPI.name:
        real = RapidAPI()
    backend = backend or connect_backend(
        mode, cache, real, simulator, models, faults, KEY_NAME, health, overlay
    )
    if isinstance(backend, VirtualBackend) and isinstance(tasks, TaskSet):
        backend = backend.among(tasks.tools_used)
    verdicts = connect_judge(judge, votes, models, votes_cache)
    if compat is not None:
        settings.setdefault("wording", _wording(data, originals))
    elif originals is not None:
        raise ConfigError("originals are read with compat='original' alone; give both, or neither")
    return ToolEnv(tasks, backend, verdicts, compat=compat, max_turns=max_turns, **settings)


def _wording(data: str | Path | TaskSource | None, originals: str | Path | None) -> OriginalWording:
    if originals is None and isinstance(data, str | Path):
        originals = find_originals(data)
    return OriginalWording(None if originals is None else read_originals(originals))


class _Reading(NamedTuple):
    """Settings for reading query files; see `make`."""

    strict: bool
    compat: Compat | None
    functions: Functions
    tools: str | None
    retrieve: Retrieval | None


def _text(path: str | Path | None) -> str | None:
    return None if path is None else str(path)


def _tasks(group: str, data: str | Path | TaskSource | None, reading: _Reading) -> TaskSource:
    if data is None:
        with as_file(files("stb_env.suites.stabletoolbench") / "embedded") as folder:
            # What lies beside an installed package is nobody's tool files.
            return _load(str(folder), group, reading._replace(tools=reading.tools or _NO_TOOLS))
    if isinstance(data, str | Path):
        return _load(str(Path(data).resolve()), group, reading)
    if reading.tools is not None or reading.retrieve is not None:
        raise ConfigError(f"tools and retrieve are for query files, and data is a {type(data).__name__}")
    return data


# Vector environments make many equal ones in a process; task sets are immutable, so they share it.
@lru_cache(maxsize=16)
def _load(path: str, group: str, reading: _Reading) -> TaskSet:
    found = load(
        path,
        group,
        strict=reading.strict,
        compat=reading.compat,
        functions=reading.functions,
        tools=_tool_files(path, reading.tools),
        retrieve=reading.retrieve,
    )
    if not found.tasks:
        why = f"`stb-env data check {quote(str(path))}` lists what is wrong"
        if found.without_apis:
            why = f"{found.without_apis} name no API{NO_APIS}"
        raise DataError(f"no usable query of {group} in {path}; {why}")
    return found.tasks


def _tool_files(data: str, tools: str | None) -> ToolFiles | None:
    if tools == _NO_TOOLS:
        return None
    return ToolFiles.beside(data) if tools is None else ToolFiles.find(tools)


def _as_set(tasks: TaskSource, setting: str) -> TaskSet:
    if not isinstance(tasks, TaskSet):
        raise ConfigError(f"{setting} needs a TaskSet as data, got {type(tasks).__name__}")
    return tasks


def _read_ids(ids: str | Path | Iterable[str]) -> list[str]:
    if not isinstance(ids, str | Path):
        return [str(task_id) for task_id in ids]
    try:
        loaded = json.loads(Path(ids).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{ids}: expected a JSON file with query ids as list or keys ({error})") from error
    return [str(task_id) for task_id in loaded]
