"""Plays an evaluation cell by cell and computes its figures; stopped at any time, it goes on later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from stb_env.core.checksums import write_noted
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import RunStopped
from stb_env.evaluation.cells import Progress
from stb_env.evaluation.figures import run_figures
from stb_env.evaluation.ledger import BudgetExceeded
from stb_env.evaluation.plan import Cell, EvaluationPlan, group_name
from stb_env.evaluation.prepared import PlannedRun, Prepared, prepared
from stb_env.evaluation.results import Results, WinFigures, protocol_remarks
from stb_env.runs.batch import Cluster
from stb_env.runs.play_options import PlayOptions, TimeOptions
from stb_env.runs.verdict_file import iter_judged, manifest_of
from stb_env.usage import Usage

# Under a budget, into how many parts runs are cut at most.
_ROUNDS = 16

Prefer = Callable[[Path, Path], JsonMapping]
"""Compares a run with a reference run, and returns its summary; see `stb_env.runs.judging.prefer`."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Result of an evaluation.

    Attributes:
        results: The figures of what is saved.
        stopped: Why it stopped before its end; empty where it did not.
        spent: What all models together cost, over all sittings.
    """

    results: Results
    stopped: str
    spent: Usage


def evaluate(
    plan: EvaluationPlan,
    out: str | Path,
    *,
    prefer: Prefer | None = None,
    progress: Progress | None = None,
    cluster: Cluster | None = None,
) -> Evaluated:
    """Play every cell of a plan that is not played yet, and write the figures.

    Each cell is an ordinary run folder, ``OUT/SIMULATOR/AGENT/GROUP``. Beside them stand ``results.json``,
    ``results.md``, ``manifest.json`` and ``spending.jsonl``. Nothing in the results depends on how often the
    evaluation was stopped.

    Args:
        plan: The evaluation.
        out: Its folder; one that holds a part of it is completed.
        prefer: Compares a run with the reference's; None leaves the comparisons out.
        progress: Told how far each run is.
        cluster: Machines that play, one cell after the other; None plays here.

    Raises:
        ConfigError: A setting is wrong, or the folder holds another evaluation's runs.
        DataError: Data or saved runs cannot be read.

    Examples:
        >>> import tempfile
        >>> from stb_env.evaluation.plan import AgentPlan
        >>> plan = EvaluationPlan("tiny", ("stb/Sandbox-v1",), (AgentPlan("gold"),), episodes=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     done = evaluate(plan, folder)
        >>> done.results.averages[0].mean
        1.0
    """
    with prepared(plan, out) as ready:
        return play(ready, prefer=prefer, progress=progress, cluster=cluster)


def play(
    ready: Prepared,
    times: TimeOptions = TimeOptions(),  # noqa: B008 (frozen)
    *,
    prefer: Prefer | None = None,
    progress: Progress | None = None,
    cluster: Cluster | None = None,
) -> Evaluated:
    """Play the cells of an evaluation that was prepared, and write the figures; see `evaluate`.

    Args:
        ready: The evaluation.
        times: How long calls, steps and episodes may take.
        prefer: Compares a run with the reference's; None leaves the comparisons out.
        progress: Told how far each run is.
        cluster: Machines that play; None plays here.

    Raises:
        ConfigError: The folder holds another evaluation's runs, or another process plays this one.
        DataError: Saved runs cannot be read.
    """
    plan, out = ready.plan, ready.out
    options = PlayOptions(concurrency=plan.concurrency, **asdict(times))
    ready.ledger.open()
    write_noted(out / "manifest.json", ready.manifest, sort_keys=False)
    stopped: list[str] = []
    wins = []
    try:
        for first in _rounds(ready):
            for _ in range(len(ready.waiting)):
                cell = ready.waiting[0]
                why = _stopped(cell.cell, partial(cell.play, options, progress, cluster, first))
                stopped += why
                if why or first >= len(cell.run.jobs):
                    ready.waiting.popleft().close()
                else:
                    ready.waiting.rotate(-1)
        if prefer is not None and plan.reference is not None and not stopped:
            wins = list(_wins(plan.cells, plan.reference, out, prefer))
    except BudgetExceeded as error:
        stopped.append(str(error))
    results = read_results(plan, out, wins)
    results.write(out)
    return Evaluated(results, "; ".join(stopped), ready.ledger.total)


def _rounds(ready: Prepared) -> Iterator[int]:
    """Yield how many of each cell's first episodes are played before the next round.

    Without a budget a cell is played to its end. Under one, all cells are played a part at a time, so that a
    budget which does not suffice has every agent play as many of the same episodes.
    """
    most = max([1, *(len(cell.run.jobs) for cell in ready.waiting)])
    size = most if ready.plan.budget is None else max(ready.plan.concurrency, -(-most // _ROUNDS))
    yield from (min(most, end) for end in range(size, most + size, size))


def _stopped(cell: Cell, playing: Callable[[], None]) -> list[str]:
    """Play a cell; say why where it stopped before its end, which keeps no other cell from being played."""
    try:
        playing()
    except RunStopped as error:
        return [f"{cell}: {error}"]
    return []


def read_results(plan: EvaluationPlan, out: Path, wins: list[WinFigures] | None = None) -> Results:
    """Compute the figures of what is saved of an evaluation; plays nothing.

    Args:
        plan: The evaluation.
        out: Its folder, with the manifest that `evaluate` writes first.
        wins: Comparisons with the reference.

    Raises:
        DataError: A run or the manifest cannot be read.
    """
    planned: Mapping[str, PlannedRun] = manifest_of(out).get("cells", {})
    runs = []
    followed: dict[str, None] = {}
    for cell in plan.cells:
        folder = out / cell.folder
        played = (folder / "trajectories.jsonl").is_file()
        episodes = [episode.outline for episode in iter_judged(folder)] if played else []
        if played:
            followed |= dict.fromkeys(protocol_remarks(manifest_of(folder).get("protocol")))
        known = planned.get(cell.folder.as_posix())
        size = len(episodes) if known is None else known["episodes"]
        names = (cell.simulator.name, cell.agent.name, group_name(cell.group))
        runs.append(run_figures(*names, episodes, size, plan.trials))
    groups = [group_name(group) for group in plan.groups]
    return Results.of(plan.name, groups, plan.reference, runs, wins or [], tuple(followed))


def _wins(cells: Iterable[Cell], reference: str, out: Path, prefer: Prefer) -> Iterator[WinFigures]:
    """Compare every run with the reference's on the same group under the same simulator."""
    by_place = {(cell.simulator.name, cell.agent.name, cell.group): cell for cell in cells}
    for cell in by_place.values():
        if cell.agent.name == reference:
            continue
        against = out / by_place[cell.simulator.name, reference, cell.group].folder
        place = (cell.simulator.name, cell.agent.name, group_name(cell.group))
        if all(any(episode.valid for episode in iter_judged(run)) for run in (out / cell.folder, against)):
            yield WinFigures.of(*place, prefer(out / cell.folder, against))
        else:
            yield WinFigures.none(*place)
