"""What an evaluation will still cost: measured on saved episodes where there are any, else assumed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from stb_env.errors import ConfigError
from stb_env.evaluate.cells import open_cell, simulator_config
from stb_env.evaluate.ledger import read_spending
from stb_env.evaluate.plan import Assumption, Cell, EvaluationPlan, is_remote
from stb_env.evaluate.session import Session
from stb_env.jsontypes import JsonObject
from stb_env.judges.model_judge import VotingJudge
from stb_env.judges.original_pass import OriginalPassJudge
from stb_env.llm import available, load_models
from stb_env.trajectory import Trajectory, read_trajectories
from stb_env.usage import Price, Usage


@dataclass(frozen=True, slots=True)
class CellEstimate:
    """What one run, or the comparisons with the reference, will still cost.

    Attributes:
        name: Which run.
        episodes: Episodes that are not saved yet; for comparisons the comparisons.
        basis: ``no model``, ``assumed``, or on which episodes and how many it was measured.
        calls: Model calls.
        tokens: Tokens read and written.
        dollars: None where a model has no price.
    """

    name: str
    episodes: int
    basis: str
    calls: float
    tokens: float
    dollars: float | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an evaluation will still cost.

    Attributes:
        cells: Each run, then the comparisons.
        spent: Dollars that earlier sittings cost.
        budget: The plan's budget.
        unpriced: Roles whose model has no price.
        assumptions: What was assumed wherever nothing was measured.
    """

    cells: Sequence[CellEstimate]
    spent: float
    budget: float | None
    unpriced: Sequence[str]
    assumptions: Mapping[str, Assumption]

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

    def to_dict(self) -> JsonObject:
        """Return the estimate as plain data."""
        totals = {"calls": self.calls, "dollars": self.dollars}
        return totals | asdict(self) | {"assumptions": {r: asdict(a) for r, a in self.assumptions.items()}}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A model that is asked in every episode of a run."""

    role: str
    calls: float
    assumed: Assumption
    price: Price | None

    @property
    def tokens(self) -> float:
        return self.calls * (self.assumed.prompt + self.assumed.completion)

    @property
    def dollars(self) -> float | None:
        if self.price is None:
            return None
        each = self.price.prompt * self.assumed.prompt + self.price.completion * self.assumed.completion
        return self.calls * each / 1e6


def estimate(plan: EvaluationPlan, out: Path) -> Estimate:
    """Estimate what an evaluation will still cost; asks no model.

    An episode's mean cost is taken from saved episodes of the same run, else of the same agent and
    simulator, else of the same agent; where there are none it follows from the plan's assumptions.

    Args:
        plan: The evaluation.
        out: Its folder, which may hold a part of it.

    Raises:
        ConfigError: A setting is wrong, or a model cannot be used.
        DataError: Data or saved runs cannot be read.
    """
    saved = {cell.folder: _saved(out / cell.folder) for cell in plan.cells}
    unpriced: dict[str, None] = {}
    rows, duels = [], 0
    for cell in plan.cells:
        with closing(open_cell(plan, cell, out)) as session:
            asked = list(_asked(plan, cell, session))
            known = {episode.key for episode in saved[cell.folder]}
            todo = sum(job.key not in known for job in session.jobs)
            tasks = len(session.jobs) // plan.trials
        if cell.agent.name != plan.reference:
            duels += max(0, tasks * plan.comparisons - _compared(out / cell.folder))
        unpriced |= dict.fromkeys(one.role for one in asked if one.price is None)
        rows.append(_row(str(cell), todo, asked, _measured(plan, cell, saved)))
    if (comparing := _comparing(plan)) is not None:
        rows.append(_row("comparisons", duels, [comparing], None))
        unpriced |= dict.fromkeys(["judge"] if comparing.price is None else [])
    spent = read_spending(out / "spending.jsonl").cost
    return Estimate(rows, spent, plan.budget, list(unpriced), plan.assumptions)


def _saved(folder: Path) -> list[Trajectory]:
    return read_trajectories(folder) if (folder / "trajectories.jsonl").is_file() else []


def _compared(folder: Path) -> int:
    """Return how many comparisons of a run with the reference's are decided."""
    lines = [
        line for file in folder.glob("preferences-*.jsonl") for line in file.read_bytes().split(b"\n")[:-1]
    ]
    rounds = (json.loads(line) for line in lines)
    return len({(made["task_id"], made["turn"]) for made in rounds if made["result"] is not None})


def _row(
    name: str, todo: int, asked: Sequence[_Asked], measured: tuple[str, list[Trajectory]] | None
) -> CellEstimate:
    if not asked:
        return CellEstimate(name, todo, "no model", 0.0, 0.0, 0.0)
    if measured is not None:
        where, episodes = measured
        total = sum((_usage(episode) for episode in episodes), Usage())
        share = todo / len(episodes)
        dollars = None if total.unpriced else share * total.cost
        basis = f"measured on {where}: {len(episodes)}"
        return CellEstimate(name, todo, basis, share * total.calls, share * total.total_tokens, dollars)
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


def _asked(plan: EvaluationPlan, cell: Cell, session: Session) -> Iterator[_Asked]:
    """Yield the models that play a part in a cell's episodes; an agent has one if it has a fingerprint."""
    assumed, rules = plan.assumptions, session.env.rules
    configs = load_models(plan.models)
    if session.agent_settings is not None:
        price = load_models(cell.agent.models or plan.models)["agent"].price
        yield _Asked("agent", assumed["agent"].calls, assumed["agent"], price)
    if getattr(rules.backend, "live_simulator", None) is not None:
        price = simulator_config(plan, cell).price
        yield _Asked("simulator", assumed["simulator"].calls, assumed["simulator"], price)
    if isinstance(rules.judge, VotingJudge | OriginalPassJudge):
        votes = plan.votes if is_remote(cell.group) else 1
        yield _Asked("judge", assumed["judge"].calls * votes, assumed["judge"], configs["judge"].price)


def _comparing(plan: EvaluationPlan) -> _Asked | None:
    config = load_models(plan.models)["judge"]
    if plan.reference is None or plan.judge == "heuristic" or not available(config):
        return None
    assumed = plan.assumptions["comparison"]
    return _Asked("judge", assumed.calls, assumed, config.price)


def _measured(
    plan: EvaluationPlan, cell: Cell, saved: Mapping[Path, list[Trajectory]]
) -> tuple[str, list[Trajectory]] | None:
    """Return the nearest saved episodes that say what one of this cell costs, and where they are from."""
    same = [other for other in plan.cells if other.agent == cell.agent]
    nearest: list[tuple[str, Iterable[Cell]]] = [
        ("episodes of this run", [cell]),
        (
            "episodes of this agent and simulator",
            [other for other in same if other.simulator == cell.simulator],
        ),
        ("episodes of this agent", same),
    ]
    for where, cells in nearest:
        episodes = [episode for one in cells for episode in saved[one.folder] if episode.usage.get("calls")]
        if episodes:
            return where, episodes
    return None


def _usage(episode: Trajectory) -> Usage:
    return Usage(**episode.usage)  # type: ignore[arg-type] # numbers, as this package saved them
