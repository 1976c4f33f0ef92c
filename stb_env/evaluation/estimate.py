"""Estimate the remaining cost of an evaluation: measured on saved episodes if there are any, else assumed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from stb_env.errors import ConfigError
from stb_env.evaluation.cells import PreparedCell, model_config
from stb_env.evaluation.ledger import read_spending
from stb_env.evaluation.plan import Assumption, Cell, EvaluationPlan, group_name
from stb_env.evaluation.prepared import Prepared, prepared
from stb_env.evaluation.run_estimate import RunEstimate
from stb_env.models import ModelConfig, available, load_models
from stb_env.models.endpoint import ModelAddress
from stb_env.runs.run import may_pass
from stb_env.saved_episodes import read_trajectories
from stb_env.usage import Price, Usage


@dataclass(frozen=True, slots=True)
class CellEstimate:
    """Remaining cost of one run, or of the comparisons with the reference.

    Attributes:
        name: Which run.
        episodes: Episodes that are not saved yet; for comparisons the comparisons.
        basis: ``no model``, ``assumed``, or on which episodes and how many it was measured.
        calls: Model calls.
        tokens: Tokens read and written.
        dollars: None where a model has no price.
        at_most: Upper end of the 95 % prediction interval of the dollars; None where they are not measured,
            or where a single episode does not tell how much they vary.
    """

    name: str
    episodes: int
    basis: str
    calls: float
    tokens: float
    dollars: float | None
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Remaining cost of an evaluation.

    Attributes:
        cells: Each run, then the comparisons.
        spent: Dollars that earlier sittings cost.
        budget: The plan's budget.
        unpriced: Roles whose model has no price.
        assumptions: What was assumed wherever nothing was measured.
        may_cost: Whether a model has a price, or is on another machine.
    """

    cells: Sequence[CellEstimate]
    spent: float
    budget: float | None
    unpriced: Sequence[str]
    assumptions: Mapping[str, Assumption]
    may_cost: bool = True

    @classmethod
    def of(cls, ready: Prepared) -> Estimate:
        """Estimate what the cells will cost that were not played yet; see `estimate`.

        Args:
            ready: The evaluation.

        Raises:
            ConfigError: A models file is wrong.
            DataError: Saved runs cannot be read.
        """
        plan, pasts = ready.plan, [_past(run) for run in ready.waiting]
        rows, unpriced, may_cost = [], [], False
        for run, past in zip(ready.waiting, pasts, strict=True):
            asked = list(_asked(run, plan.assumptions, plan.models))
            todo = sum(job.key not in past.keys for job in run.run.jobs)
            rows.append(_row(str(run.cell), todo, asked, _measured(past, pasts)))
            unpriced += [one.role for one in asked if one.price is None]
            may_cost |= any(one.may_cost for one in asked)
        if (comparing := _comparing(plan)) is not None:
            left = {_place(past.cell) for past, row in zip(pasts, rows, strict=True) if row.episodes}
            done = {one for one in _decided(ready.out) if not left & {one, (one[0], plan.reference, one[2])}}
            rivals = [
                run
                for run in ready.waiting
                if run.cell.agent.name != plan.reference and _place(run.cell) not in done
            ]
            duels = sum(_duels(run, plan.trials, plan.comparisons) for run in rivals)
            rows.append(_row("comparisons", duels, [comparing], None))
            unpriced += ["judge"] if comparing.price is None else []
            may_cost |= comparing.may_cost
        spent = read_spending(ready.out / "spending.jsonl").cost
        return cls(rows, spent, plan.budget, list(dict.fromkeys(unpriced)), plan.assumptions, may_cost)

    @property
    def calls(self) -> float:
        """Model calls of all runs."""
        return sum(cell.calls for cell in self.cells)

    @property
    def dollars(self) -> float | None:
        """Dollars of all runs, or None where those of one are unknown."""
        known = [cell.dollars for cell in self.cells if cell.dollars is not None]
        return sum(known) if len(known) == len(self.cells) else None

    def check(self) -> None:
        """Refuse a budget that could not be kept.

        Raises:
            ConfigError: There is a budget, and a model whose calls have no known price.
        """
        if self.budget is not None and self.unpriced:
            roles = " and ".join(self.unpriced)
            raise ConfigError(
                f"a budget needs the price of every model, and the {roles} model has none; add it to the "
                'models file under [prices], as in "my-model" = { prompt = 0.5, completion = 1.5 } (dollars '
                "per million tokens, 0 for a model of your own)"
            )

    def to_dict(self) -> dict[str, object]:
        """Return the estimate as plain data."""
        totals = {"calls": self.calls, "dollars": self.dollars}
        return totals | asdict(self) | {"assumptions": {r: asdict(a) for r, a in self.assumptions.items()}}


def estimate(plan: EvaluationPlan, out: str | Path) -> Estimate:
    """Estimate what an evaluation will still cost; asks no model and writes nothing.

    An episode's mean cost is taken from saved episodes of the same run, else of the same agent and
    simulator, else of the same agent; where there are none it follows from the plan's assumptions.

    Args:
        plan: The evaluation.
        out: Its folder, which may hold a part of it.

    Raises:
        ConfigError: A setting is wrong, or a model cannot be used.
        DataError: Data or saved runs cannot be read.
    """
    with prepared(plan, out) as ready:
        return Estimate.of(ready)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A model that is asked in every episode of a run."""

    role: str
    calls: float
    assumed: Assumption
    price: Price | None
    may_cost: bool

    @property
    def tokens(self) -> float:
        return self.calls * (self.assumed.prompt + self.assumed.completion)

    @property
    def dollars(self) -> float | None:
        if self.price is None:
            return None
        each = self.price.prompt * self.assumed.prompt + self.price.completion * self.assumed.completion
        return self.calls * each / 1e6


class _Past(NamedTuple):
    """The parts of saved episodes that the estimate needs; whole episodes take much more memory."""

    cell: Cell
    keys: set[tuple[str, int, int]]
    usages: list[Usage]


def _past(run: PreparedCell) -> _Past:
    saved = read_trajectories(run.folder) if (run.folder / "trajectories.jsonl").is_file() else []
    asking = [episode.usage for episode in saved if episode.usage.get("calls")]
    # Numbers, as this package saved them.
    usages = [Usage(**usage) for usage in asking]  # type: ignore[arg-type]
    return _Past(run.cell, {episode.key for episode in saved if not may_pass(episode)}, usages)


def _place(cell: Cell) -> tuple[str, str, str]:
    return cell.simulator.name, cell.agent.name, group_name(cell.group)


def _decided(out: Path) -> set[tuple[str, str, str]]:
    """Return the runs, by simulator, agent and group, whose comparisons the last evaluation all decided."""
    file = out / "results.json"
    wins = json.loads(file.read_text(encoding="utf-8")).get("wins", []) if file.is_file() else []
    return {
        (win["simulator"], win["agent"], win["group"])
        for win in wins
        if win["judge"] and win.get("failed") == 0
    }


def _duels(run: PreparedCell, trials: int, comparisons: int) -> int:
    """Return how many comparisons of a run with the reference's are still to be made."""
    return max(0, len(run.run.jobs) // trials * comparisons - _compared(run.folder))


def _compared(folder: Path) -> int:
    """Return how many comparisons of a run with the reference's are decided."""
    lines = [
        line for file in folder.glob("preferences-*.jsonl") for line in file.read_bytes().split(b"\n")[:-1]
    ]
    rounds = (json.loads(line) for line in lines)
    return len({(made["task_id"], made["turn"]) for made in rounds if made["result"] is not None})


def _row(
    name: str, todo: int, asked: Sequence[_Asked], measured: tuple[str, list[Usage]] | None
) -> CellEstimate:
    if not asked:
        return CellEstimate(name, todo, "no model", 0.0, 0.0, 0.0)
    if measured is not None:
        where, usages = measured
        found = RunEstimate.measured_on(usages, todo)
        basis = f"measured on {where}: {found.measured}"
        if found.dollars is None:
            return CellEstimate(name, todo, basis, found.calls.mean, found.tokens.mean, None)
        dollars, high = found.dollars.mean, found.dollars.high
        at_most = high if math.isfinite(high) else None
        return CellEstimate(name, todo, basis, found.calls.mean, found.tokens.mean, dollars, at_most)
    costs = [one.dollars for one in asked]
    known = [cost for cost in costs if cost is not None]
    return CellEstimate(
        name,
        todo,
        "assumed",
        todo * sum(one.calls for one in asked),
        todo * sum(one.tokens for one in asked),
        todo * sum(known) if len(known) == len(costs) else None,
    )


def _asked(run: PreparedCell, assumptions: Mapping[str, Assumption], models: str | None) -> Iterator[_Asked]:
    """Yield the models that play a part in a run's episodes."""
    connected = run.run.models
    for role, votes in run.run.asked.items():
        # What was connected knows best: an agent can name a models file in its text too.
        config = connected.get(role) or model_config(run.cell, role, models)
        calls = assumptions[role].calls * votes
        yield _Asked(role, calls, assumptions[role], config.price, _may_cost(config))


def _may_cost(config: ModelConfig) -> bool:
    return config.price is not None or not ModelAddress(config.endpoint, config.model).local


def _comparing(plan: EvaluationPlan) -> _Asked | None:
    config = load_models(plan.models)["judge"]
    if plan.reference is None or plan.judge == "heuristic" or not available(config):
        return None
    assumed = plan.assumptions["comparison"]
    return _Asked("judge", assumed.calls, assumed, config.price, _may_cost(config))


def _measured(mine: _Past, pasts: Sequence[_Past]) -> tuple[str, list[Usage]] | None:
    """Return the nearest saved episodes that say what one of a run costs, and where they are from."""
    same = [past for past in pasts if past.cell.agent == mine.cell.agent]
    alike = [past for past in same if past.cell.simulator == mine.cell.simulator]
    nearest = {
        "episodes of this run": [mine],
        "episodes of this agent and simulator": alike,
        "episodes of this agent": same,
    }
    for where, found in nearest.items():
        usages = [usage for past in found for usage in past.usages]
        if usages:
            return where, usages
    return None
