"""The scan of API status: StableToolBench's Tables 10 and 11 in kind.

A call is written for every API, and its answer is classed after Appendix D in both readings. Among the
Sandbox's APIs it is known which are broken and how, so a reading can be checked as well. Of documented APIs
only what a real API said tells their health: where a simulator answers, the result says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from stb_env import InfrastructureError, Task, Tool, ToolCall, ToolResult
from stb_env.backend.backend import Backend
from stb_env.backend.call_writer import CallWriter
from stb_env.backend.real_api.observed import Health
from stb_env.backend.taxonomy import ApiClass, Taxonomy, classify
from stb_env.backend.virtual import MODES
from stb_env.core.jsontypes import JsonArray
from stb_env.core.request import drive
from stb_env.envs.connections import connect_backend
from stb_env.experiments.lab.experiment import Experiment, LabSettings, rounded_share
from stb_env.experiments.lab.plots import grouped_bars
from stb_env.experiments.lab.sandbox_api import FlawedAPI
from stb_env.models.preflight import checking
from stb_env.runs.metrics.rates import answered_by
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.stabletoolbench.env import KEY_NAME
from stb_env.suites.stabletoolbench.queries import load
from stb_env.tools import ToolId

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SANDBOX, REAL = "the Sandbox with planted flaws", "real APIs"
RECORDED, SIMULATOR = "recordings", "a simulator"
READINGS: tuple[Taxonomy, ...] = get_args(Taxonomy)
NO_ANSWER = "no answer"

PAPER_STATUS: Mapping[str, int] = {"not available": 8095, "not authorised": 1058, "success": 7311}
PAPER_REASONS: Mapping[str, int] = {
    "not connected": 2426,
    "not found": 583,
    "parameter change": 591,
    "parsing error": 4247,
    "other error": 248,
}
"""Numbers of APIs in the paper's Tables 10 and 11, which say Not Connectable and Other."""


class Scanned(NamedTuple):
    """One API with its answer.

    Attributes:
        id: The API.
        classes: Class of the answer in each reading; `NO_ANSWER` where none came.
        planted: How it is broken, ``success`` where it is not, empty where nobody knows.
        source: Who answered, or what kind of failure kept an answer from coming.
    """

    id: ToolId
    classes: Mapping[str, str]
    planted: str = ""
    source: str = ""


def run(settings: LabSettings) -> Experiment:
    """Scan the Sandbox's APIs, or those of query files.

    Args:
        settings: ``episodes`` is the number of APIs (all). Options: ``faulty``, the share of the Sandbox's
            APIs that are broken (0.5); ``data``, query files whose documented APIs are scanned in its
            place, with ``mode``, ``cache``, ``real`` and ``health`` of the backend that answers. With a real
            API the mode is ``live`` and what it says is observed unless they are given, else ``offline``.

    Raises:
        ConfigError: A setting is unknown or out of range.
        DataError: The query files cannot be read.
        RunStopped: Nobody listens where the real API should be.
    """
    settings.expect("faulty", "data", "mode", "cache", "real", "health")
    who = _who(settings)
    scanned = list(_documented(settings) if "data" in settings.options else _sandbox(settings))
    status = [{reading: _status(word) for reading, word in one.classes.items()} for one in scanned]
    reasons = [
        {reading: word for reading, word in one.classes.items() if _status(word) == "not available"}
        for one in scanned
    ]
    planted = [one.planted for one in scanned]
    why = [word for word in planted if _status(word) == "not available"]
    return _table(
        f"Status of APIs, answered by {who} (StableToolBench, Table 10)",
        status,
        PAPER_STATUS,
        [_status(word) for word in planted],
        notes=tuple(_notes(scanned, who)),
        details={
            "apis": len(scanned),
            "answered_by": who,
            "sources": dict(sorted(Counter(one.source for one in scanned).items())),
            "answers": [
                {"api": list(one.id), **one.classes} | ({"planted": one.planted} if one.planted else {})
                for one in scanned
            ],
        },
        further=(_table("Not available because (StableToolBench, Table 11)", reasons, PAPER_REASONS, why),),
        plot=partial(_plot, status),
    )


def _who(settings: LabSettings) -> str:
    """Return in words who answers the written calls."""
    if "data" not in settings.options:
        return SANDBOX
    if settings.option("real", None) is not None:
        return REAL
    return RECORDED if settings.option("mode", "offline") == "replay" else SIMULATOR


def _sandbox(settings: LabSettings) -> Iterator[Scanned]:
    api = FlawedAPI(settings.share("faulty", 0.5), settings.seed)
    writer = CallWriter(seed=settings.seed)
    for tool in list(tools().values())[: settings.episodes]:
        flaw = api.flaw(tool.id) or ApiClass.SUCCESS
        for arguments in drive(writer.write(tool)):
            yield _scanned(tool.id, drive(api.request(tool, arguments)), _words(flaw))


def _documented(settings: LabSettings) -> Iterator[Scanned]:
    loaded = load(str(settings.options["data"])).tasks
    found = {tool.id: (task, tool) for task in loaded for tool in task.tools}
    cache, real = settings.option("cache", None), settings.option("real", None)
    with checking():
        backend = connect_backend(
            settings.one_of("mode", MODES, "offline" if real is None else "live"),
            None if cache is None else Path(str(cache)),
            real,
            key_name=KEY_NAME,
            health=settings.one_of("health", get_args(Health), "strict" if real is None else "observe"),
        )
    writer = CallWriter(seed=settings.seed)
    try:
        for task, tool in list(found.values())[: settings.episodes]:
            yield _asked(backend, task, tool, writer)
    finally:
        backend.close()


def _asked(backend: Backend, task: Task, tool: Tool, writer: CallWriter) -> Scanned:
    """Return how a written call is answered, if it is."""
    silent: dict[str, str] = dict.fromkeys(READINGS, NO_ANSWER)
    try:
        for arguments in drive(writer.write(tool)):
            call = ToolCall(tool.name, arguments)
            return _scanned(tool.id, drive(backend.answer(backend.start(task, 0), tool, call))[0])
    except InfrastructureError as error:
        return Scanned(tool.id, silent, source=f"failure: {error.kind}")
    return Scanned(tool.id, silent, source="failure: no call could be written")


def _scanned(identity: ToolId, result: ToolResult, planted: str = "") -> Scanned:
    classes: dict[str, str] = {
        reading: _words(classify(result.error, result.response, taxonomy=reading)) for reading in READINGS
    }
    return Scanned(identity, classes, planted, answered_by(result.source, result.origin))


def _words(found: ApiClass) -> str:
    return found.value.replace("_", " ")


def _status(word: str) -> str:
    return word if word in ("success", "not authorised", NO_ANSWER, "") else "not available"


def _table(
    title: str,
    readings: Sequence[Mapping[str, str]],
    paper: Mapping[str, int],
    planted: Sequence[str],
    **more: Any,
) -> Experiment:
    counts = {reading: Counter(one[reading] for one in readings if reading in one) for reading in READINGS}
    truth = Counter(word for word in planted if word)
    names = dict.fromkeys([*paper, *(word for found in counts.values() for word in found)])
    rows = []
    for name in names:
        row: JsonArray = [name, truth[name] if truth else None]
        for found in counts.values():
            row += [found[name], rounded_share(found[name], found.total())]
        rows.append((*row, rounded_share(paper.get(name, 0), sum(paper.values()))))
    columns = ["", "planted", *(text for reading in READINGS for text in (reading, f"{reading}, share"))]
    return Experiment(title, (*columns, "StableToolBench, share"), tuple(rows), **more)


def _notes(scanned: Sequence[Scanned], who: str) -> Iterator[str]:
    if who == SIMULATOR:
        yield (
            "No real API was asked: a simulator answered, which says nothing of the APIs' health; "
            "give --set real=URL."
        )
    elif who != SANDBOX:
        sources = Counter(one.source for one in scanned)
        yield f"Answers: {', '.join(f'{name} {count}' for name, count in sorted(sources.items()))}."
    yield "Columns default and paper are the two readings of Appendix D: whole phrases, and literal keywords."
    known = [one for one in scanned if one.planted]
    for reading in READINGS if known else ():
        broken = [one for one in known if one.planted != "success"]
        right = sum(one.classes[reading] == one.planted for one in broken)
        sound = [one for one in known if one.planted == "success"]
        alarms = sum(one.classes[reading] != "success" for one in sound)
        yield (
            f"Reading {reading}: names the flaw of {right} of {len(broken)} broken APIs; {alarms} of "
            f"{len(sound)} sound ones refused the written call (an id that does not exist), or seemed to."
        )
    if not known:
        differ = sum(len(set(one.classes.values())) > 1 for one in scanned)
        yield f"The readings differ on {differ} of {len(scanned)} APIs."


def _plot(status: Sequence[Mapping[str, str]], axes: Axes) -> None:
    total = sum(PAPER_STATUS.values())
    bars = {"StableToolBench": [count / total for count in PAPER_STATUS.values()]}
    for reading in READINGS:
        found = Counter(one[reading] for one in status)
        bars[f"here, {reading}"] = [rounded_share(found[name], len(status)) for name in PAPER_STATUS]
    grouped_bars(axes, list(PAPER_STATUS), bars, "share of APIs")
