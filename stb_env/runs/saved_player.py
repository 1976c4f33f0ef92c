"""The player of a saved run, and the planned number of episodes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stb_env.core import checksums
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.run_identity import saved_identity
from stb_env.errors import DataError
from stb_env.models.chat import digest
from stb_env.runs.verdict_file import manifest_of

# What grows with a run, or follows from the rest.
_UNSTEADY = frozenset({"episodes", "trials", "answer_bounds", "protocol", "package"})
# An evaluation keeps its runs in OUT/SIMULATOR/AGENT/GROUP.
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Player:
    """Name of the player of a saved run.

    Attributes:
        name: Name of the agent: the evaluation's name of it where an evaluation played the run, else agent
            and model as the manifest has them. The folder's name stands in only where no manifest says
            anything.
        identity: Digest of everything that decided the run; runs of different identity are never one row.
        planned: Episodes that there should be; None where that is not known, since the run has not ended.
    """

    name: str
    identity: str
    planned: int | None


def player_of(folder: Path) -> Player:
    """Return who played a run.

    Raises:
        DataError: A manifest or a summary is broken, or the run is not the one that its evaluation planned.

    Examples:
        >>> player_of(Path("runs/nothing")).name
        'nothing'
    """
    manifest = manifest_of(folder)
    cell, run = _cell(folder.resolve()), saved_identity(folder)
    if run and cell.get("run", run) != run:
        raise DataError(
            f"{folder} holds another run than the one that its evaluation planned there; if folders were "
            "renamed, give them back their names, or copy the run out of the evaluation to read it alone"
        )
    decides = {name: value for name, value in manifest.items() if name not in _UNSTEADY}
    name = str(cell.get("player") or _agent(manifest) or folder.resolve().name)
    return Player(name, digest([name, decides]) if decides else "", planned_episodes(folder))


def planned_episodes(folder: Path) -> int | None:
    """Return how many episodes a run should have; None where nothing says so yet.

    Raises:
        DataError: A file is broken.
    """
    cell = _cell(folder.resolve())
    for known in (cell.get("episodes"), _summary(folder).get("planned")):
        if isinstance(known, int):
            return known
    manifest = manifest_of(folder)
    only, trials = manifest.get("only"), manifest.get("trials") or 1
    episodes = len(only) if isinstance(only, list) else manifest.get("episodes")
    return episodes * trials if isinstance(episodes, int) else None


def _agent(manifest: JsonMapping) -> str:
    agent = str(manifest.get("agent") or "")
    model = (manifest.get("agent_settings") or {}).get("model")
    model = model.get("model") if isinstance(model, dict) else model
    return f"{agent} {model}" if agent and model else agent


def _cell(folder: Path) -> Mapping[str, object]:
    """Return what the manifest of an evaluation says of one of its runs; nothing of any other."""
    if len(folder.parents) < _DEPTH:
        return {}
    above = folder.parents[_DEPTH - 1]
    cells = manifest_of(above).get("cells")
    cell = cells.get(folder.relative_to(above).as_posix()) if isinstance(cells, dict) else None
    return cell if isinstance(cell, dict) else {}


def _summary(folder: Path) -> Mapping[str, object]:
    file = folder / "summary.json"
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{file} is no JSON object ({error}); the run's command writes it again") from error
    checksums.check(file)
    return found if isinstance(found, dict) else {}
