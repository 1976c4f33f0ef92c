"""The scan of API status: StableToolBench's Tables 10 and 11 in kind.

A call is written for every API, and its answer is classed after Appendix D in both readings. Among the
Sandbox's APIs it is known which are broken and how, so a reading can be checked as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from stb_env.backend.backend import Backend
from stb_env.backend.call_writer import CallWriter
from stb_env.backend.virtual import MODES, Mode
from stb_env.envs.connections import connect_backend
from stb_env.errors import ConfigError, InfrastructureError, did_you_mean
from stb_env.jsontypes import JsonArray, JsonObject
from stb_env.lab.experiment import Experiment, LabSettings
from stb_env.lab.flawed_api import FlawedAPI
from stb_env.metrics.taxonomy import ApiClass, Taxonomy, classify
from stb_env.request import drive
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.stabletoolbench.env import KEY_NAME
from stb_env.suites.stabletoolbench.queries import load
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    """

    id: ToolId
    classes: Mapping[str, str]
    planted: str = ""


def run(settings: LabSettings) -> Experiment:
    """Scan the Sandbox's APIs, or those of query files.

    Args:
        settings: ``episodes`` is the number of APIs (all). Options: ``faulty``, the share of the Sandbox's
            APIs that are broken (0.5); ``data``, query files whose documented APIs are scanned in its
            place, with ``mode`` (offline), ``cache`` and ``real`` of the backend that answers.

    Raises:
        ConfigError: A setting is unknown or out of range.
        DataError: The query files cannot be read.
    """
    settings.expect("faulty", "data", "mode", "cache", "real")
    scanned = list(_documented(settings) if "data" in settings.options else _sandbox(settings))
    status = [{reading: _status(word) for reading, word in one.classes.items()} for one in scanned]
    reasons = [
        {reading: word for reading, word in one.classes.items() if _status(word) == "not available"}
        for one in scanned
    ]
    planted = [one.planted for one in scanned]
    why = [word for word in planted if _status(word) == "not available"]
    return _table(
        "Status of APIs (StableToolBench, Table 10)",
        status,
        PAPER_STATUS,
        [_status(word) for word in planted],
        notes=tuple(_notes(scanned)),
        details={"apis": len(scanned), "answers": [_plain(one) for one in scanned]},
        further=(_table("Not available because (StableToolBench, Table 11)", reasons, PAPER_REASONS, why),),
        plot=partial(_plot, status),
    )


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
    cache = settings.option("cache", None)
    backend = connect_backend(
        _mode(settings.option("mode", "offline")),
        None if cache is None else Path(str(cache)),
        settings.option("real", None),
        key_name=KEY_NAME,
    )
    writer = CallWriter(seed=settings.seed)
    try:
        for task, tool in list(found.values())[: settings.episodes]:
            yield _scanned(tool.id, _asked(backend, task, tool, writer))
    finally:
        backend.close()


def _mode(name: object) -> Mode:
    for mode in MODES:
        if mode == name:
            return mode
    raise ConfigError(f"mode must be one of {MODES}, got {name!r}.{did_you_mean(str(name), MODES)}")


def _asked(backend: Backend, task: Task, tool: Tool, writer: CallWriter) -> ToolResult | None:
    """Return what a written call is answered; None where no call or no answer could be had."""
    try:
        for arguments in drive(writer.write(tool)):
            call = ToolCall(tool.name, arguments)
            return drive(backend.answer(backend.start(task, 0), tool, call))[0]
    except InfrastructureError:
        pass
    return None


def _scanned(identity: ToolId, result: ToolResult | None, planted: str = "") -> Scanned:
    if result is None:
        return Scanned(identity, dict.fromkeys(READINGS, NO_ANSWER), planted)
    classes: dict[str, str] = {
        reading: _words(classify(result.error, result.response, taxonomy=reading)) for reading in READINGS
    }
    return Scanned(identity, classes, planted)


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
            row += [found[name], _share(found[name], found.total())]
        rows.append((*row, _share(paper.get(name, 0), sum(paper.values()))))
    columns = ["", "planted", *(text for reading in READINGS for text in (reading, f"{reading}, share"))]
    return Experiment(title, (*columns, "StableToolBench, share"), tuple(rows), **more)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0


def _notes(scanned: Sequence[Scanned]) -> Iterator[str]:
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


def _plain(one: Scanned) -> JsonObject:
    return {"api": list(one.id), **one.classes} | ({"planted": one.planted} if one.planted else {})


def _plot(status: Sequence[Mapping[str, str]], axes: Axes) -> None:
    names = list(PAPER_STATUS)
    total = sum(PAPER_STATUS.values())
    bars = {"StableToolBench": [PAPER_STATUS[name] / total for name in names]}
    for reading in READINGS:
        found = Counter(one[reading] for one in status)
        bars[f"here, {reading}"] = [_share(found[name], len(status)) for name in names]
    for position, (label, shares) in enumerate(bars.items()):
        axes.bar([place + 0.25 * (position - 1) for place in range(len(names))], shares, 0.25, label=label)
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel="share of APIs", ylim=(0, 1))
    axes.legend()
