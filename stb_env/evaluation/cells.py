"""From a cell of the plan to a run that is ready to be played."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Required, TypedDict

from stb_env.backend.cache import ResponseCache
from stb_env.core.jsontypes import JsonMapping
from stb_env.evaluation.plan import Cell, EvaluationPlan, is_remote
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import Resolved, resolve
from stb_env.models import ModelConfig, load_models
from stb_env.runs.batch import Cluster
from stb_env.runs.play_options import PlayOptions

Progress = Callable[[str, int, int], None]
"""Told the name of a run and how many of how many of its episodes are saved."""


class _Connected(TypedDict, total=False):
    """Objects that stand for settings when a cell's environment is made."""

    votes_cache: Required[str]
    cache: ResponseCache


@dataclass(frozen=True, slots=True)
class PreparedCell:
    """A cell whose run is open: it is estimated, listed in the manifest and played without another.

    Attributes:
        cell: Its place in the plan.
        folder: Where its run is saved.
        run: Its run.
    """

    cell: Cell
    folder: Path
    run: Resolved

    def play(
        self,
        options: PlayOptions = PlayOptions(),  # noqa: B008 (frozen)
        progress: Progress | None = None,
        cluster: Cluster | None = None,
        first: int | None = None,
    ) -> None:
        """Play what is not saved yet.

        Args:
            options: How many episodes are played at the same time, and how long they may take.
            progress: Told how far the run is.
            cluster: Machines that play; None plays here.
            first: Play only so many of the first episodes now.

        Raises:
            ConfigError: The folder holds a run with another configuration; the message shows the difference.
            RunStopped: The run could not begin or go on.
        """

        def advance(done: int, total: int) -> None:
            if progress is not None:
                progress(str(self.cell), done, total)

        play_run(self.run, self.folder, options, progress=advance, cluster=cluster, first=first)

    def close(self) -> None:
        """Close what the run holds open."""
        self.run.close()


class CellOpener:
    """Opens the cells of an evaluation.

    Cells of one folder of recorded responses share it. So it is hashed once, and what one cell records is
    known to the next although that was opened before.

    Args:
        plan: The evaluation.
        out: Its folder, where the votes of all cells are shared too.
    """

    def __init__(self, plan: EvaluationPlan, out: Path) -> None:
        self._plan = plan
        self._out = out
        self._caches: dict[tuple[str, bool], ResponseCache] = {}

    def open(self, cell: Cell) -> PreparedCell:
        """Return the run of a cell.

        Raises:
            ConfigError: A setting is wrong, or a model cannot be used.
            DataError: The data cannot be read.
        """
        spec = self._plan.spec(cell)
        connected = self._connected(spec.settings) if is_remote(cell.group) else None
        return PreparedCell(cell, self._out / cell.folder, resolve(spec, connected))

    def _connected(self, settings: JsonMapping) -> _Connected:
        connected: _Connected = {"votes_cache": str(self._out / "votes")}
        if isinstance(settings.get("cache"), str) and settings.get("overlay") is None:
            connected["cache"] = self._cache(settings["cache"], read_only=settings.get("mode") != "record")
        return connected

    def _cache(self, folder: str, *, read_only: bool) -> ResponseCache:
        key = os.path.abspath(folder), read_only
        if key not in self._caches:
            self._caches[key] = ResponseCache(folder, read_only=read_only)
        return self._caches[key]


def model_config(
    cell: Cell, role: str, models: str | None, env: Mapping[str, str] = os.environ
) -> ModelConfig:
    """Return the configuration of the model that has a role in a cell's episodes.

    An agent may have a models file of its own, a simulator a model and a temperature. The price of another
    model is looked up under ``[prices]``.

    Args:
        cell: The cell.
        role: ``agent``, ``simulator`` or ``judge``.
        models: Models file of the evaluation.
        env: Where keys and settings are looked up.

    Raises:
        ConfigError: The models file is wrong.
    """
    chosen = {
        "STB_SIMULATOR_MODEL": cell.simulator.model,
        "STB_SIMULATOR_TEMPERATURE": cell.simulator.temperature,
    }
    given = {name: str(value) for name, value in chosen.items() if value is not None}
    own = cell.agent.models if role == "agent" else None
    return load_models(own or models, {**env, **given})[role]
