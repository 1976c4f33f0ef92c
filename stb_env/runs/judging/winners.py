"""Winners of pairwise comparisons, read from those that are kept beside a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.runs.judging.ordered_work import read_lines
from stb_env.runs.judging.rounds import Round, by_task, duels_of, rounds_file
from stb_env.runs.metrics.sowr import Result, most_frequent
from stb_env.runs.saved_player import player_of
from stb_env.runs.verdict_file import slug
from stb_env.trajectory import Trajectory

Meeting = tuple[Trajectory, Trajectory]


def winners(
    folder: str | Path, reference: str | Path, judge: str | None = None
) -> Iterator[tuple[Trajectory, Trajectory]]:
    """Yield each preferred episode with the one that it was preferred to.

    Where two episodes were compared several times, most comparisons decide; a tie is no preference.

    Args:
        folder: The run that was rated.
        reference: The run that it was compared with.
        judge: Name of the judge that preferred; needed where several did.

    Raises:
        ConfigError: The two were not compared, or by several judges.
        DataError: A run or its comparisons cannot be read.
    """
    folder, reference = Path(folder), Path(reference)
    summary = _summary(folder, reference, judge)
    made = {each.key: each for each in read_lines(rounds_file(folder, summary["judge"]), Round.from_json)}
    met: dict[str, tuple[Meeting, list[Result]]] = {}
    mine, theirs = (by_task(run, summary["verdicts"]) for run in (folder, reference))
    for duel in duels_of(mine, theirs, summary["settings"], summary["comparisons"]):
        result = made[duel.key].result if duel.key in made else None
        if result is None or duel.reference is None or duel.candidate is None:
            continue
        # Trials that are alike are told apart here, although the judge need not compare them twice.
        key = f"{duel.task_id}:{duel.reference.key}:{duel.candidate.key}"
        met.setdefault(key, ((duel.candidate, duel.reference), []))[1].append(result)
    for (candidate, rival), results in met.values():
        result = most_frequent(results)
        if result != "tie":
            yield (candidate, rival) if result == "win" else (rival, candidate)


def _summary(folder: Path, reference: Path, judge: str | None) -> JsonObject:
    against = player_of(reference).name
    files = sorted(folder.glob(f"summary-*-against-{slug(against)}.json"))
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    chosen = [summary for summary in found if judge in (None, summary["judge"])]
    if len(chosen) == 1:
        return dict(chosen[0])
    if chosen:
        names = ", ".join(summary["judge"] for summary in chosen)
        raise ConfigError(f"{folder} was compared with {against} by {names}; name one with --judge")
    by = f" by {judge}" if judge else ""
    raise ConfigError(
        f"{folder} was not compared with {against}{by}; do so with "
        f"`stb-env judge {quote(str(folder))} --against {quote(str(reference))}`"
    )
