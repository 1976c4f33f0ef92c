"""From a cell of the plan to a run that is ready to be played."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from stb_env.evaluate.plan import Cell, EvaluationPlan, is_remote
from stb_env.evaluate.session import Session
from stb_env.jsontypes import JsonObject
from stb_env.llm import ModelConfig, connect, load_models


def open_cell(plan: EvaluationPlan, cell: Cell, out: Path) -> Session:
    """Return the run of a cell.

    Args:
        plan: The evaluation.
        cell: One of its cells.
        out: Its folder, where the votes of all cells are shared.

    Raises:
        ConfigError: A setting is wrong, or a model cannot be used.
        DataError: The data cannot be read.
    """
    return Session(
        cell.group,
        cell.agent.spec or cell.agent.name,
        plan.env_settings(cell),
        seed=plan.seed,
        episodes=plan.episodes,
        trials=plan.trials,
        connected=_connected(plan, cell, out),
        models=cell.agent.models or plan.models,
    )


def _connected(plan: EvaluationPlan, cell: Cell, out: Path) -> JsonObject:
    if not is_remote(cell.group):
        return {}
    connected: JsonObject = {"votes_cache": str(out / "votes")}
    if cell.simulator.settings:
        model = connect(simulator_config(plan, cell))
        profile = {"profile": cell.simulator.profile} if cell.simulator.profile is not None else {}
        connected["simulator"] = {"model": model, **profile}
    return connected


def simulator_config(plan: EvaluationPlan, cell: Cell, env: Mapping[str, str] = os.environ) -> ModelConfig:
    """Return the configuration of a cell's simulator: the usual one with the cell's model and temperature.

    The price of another model is looked up under ``[prices]``.
    """
    chosen = {
        "STB_SIMULATOR_MODEL": cell.simulator.model,
        "STB_SIMULATOR_TEMPERATURE": cell.simulator.temperature,
    }
    given = {name: str(value) for name, value in chosen.items() if value is not None}
    return load_models(plan.models, {**env, **given})["simulator"]
