"""What an evaluation spends, against models over HTTP where every call costs a dollar."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.evaluation.estimate import estimate
from stb_env.evaluation.ledger import BudgetExceeded, Ledger, read_spending
from stb_env.evaluation.plan import AgentPlan, EvaluationPlan, SimulatorPlan
from stb_env.evaluation.play_plan import Evaluated, evaluate
from stb_env.evaluation.run_estimate import RunEstimate
from stb_env.models import Usage
from stb_env.runs.verdict_file import manifest_of
from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli.eval import preferring
from tests.models.end_to_end.services import Services
from tests.saved import unsum


@pytest.fixture
def plan(models: Path) -> EvaluationPlan:
    """Three embedded queries, four calls each: two of the agent, one of the simulator, one of the judge."""
    return EvaluationPlan(
        "paid",
        ("stb/I1Instruction-v0",),
        (AgentPlan("chat"),),
        judge="pass",
        models=str(models),
        mode="live",
        episodes=3,
    )


def played(plan: EvaluationPlan, out: Path) -> Evaluated:
    return evaluate(plan, out, prefer=preferring(plan, out))


def test_the_budget_ends_an_evaluation_before_the_call_that_would_exceed_it(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    done = played(replace(plan, budget=6.0), tmp_path / "out")
    assert sum(services.count().values()) == 6
    assert (done.spent.calls, done.spent.cost) == (6, 6.0)
    assert "the budget of $6 is used up ($6.0000 used); raise budget to go on" in done.stopped
    assert done.results.missing == 2


def test_an_episode_that_the_budget_cut_short_is_not_saved(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    played(replace(plan, budget=6.0), tmp_path / "out")
    (episode,) = read_trajectories(tmp_path / "out" / plan.cells[0].folder)
    assert episode.valid
    assert episode.usage["calls"] == 4


def test_a_higher_budget_goes_on_and_ends_in_the_numbers_of_an_uninterrupted_evaluation(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    for budget in (6.0, 6.0, 100.0):
        done = played(replace(plan, budget=budget), tmp_path / "out")
    assert done.stopped == ""
    # Two calls of the second episode were made twice; the second sitting made none.
    assert done.spent.cost == sum(services.count().values()) == 14.0
    played(replace(plan, budget=None), tmp_path / "whole")
    for name in ("results.json", "results.md"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_episodes_played_at_the_same_time_share_one_budget(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    played(replace(plan, budget=5.0, concurrency=3), tmp_path / "out")
    assert sum(services.count().values()) == 5
    episodes = read_trajectories(tmp_path / "out" / plan.cells[0].folder)
    assert all(episode.valid for episode in episodes)


@pytest.mark.heavy
@pytest.mark.parametrize("budget", [12.0, 18.0])
def test_a_budget_that_does_not_suffice_has_every_agent_play_as_many_episodes(
    plan: EvaluationPlan, services: Services, tmp_path: Path, budget: float
):
    plan = replace(plan, agents=tuple(AgentPlan(name, "chat") for name in ("one", "two", "three")))
    done = played(replace(plan, budget=budget), tmp_path / "out")
    assert "is used up" in done.stopped
    saved = [len(read_trajectories(tmp_path / "out" / cell.folder)) for cell in plan.cells]
    assert max(saved) - min(saved) <= 1 <= min(saved)
    assert not list((tmp_path / "out").rglob("summary.json"))
    # With more it goes on to what an evaluation without a budget comes to.
    assert played(replace(plan, budget=100.0), tmp_path / "out").stopped == ""
    played(plan, tmp_path / "whole")
    for cell in plan.cells:
        for name in ("trajectories.jsonl", "summary.json", "manifest.json"):
            out, whole = (tmp_path / place / cell.folder / name for place in ("out", "whole"))
            assert out.read_bytes() == whole.read_bytes()


def test_comparisons_are_paid_from_the_same_budget(plan: EvaluationPlan, services: Services, tmp_path: Path):
    agents = (AgentPlan("chat"), AgentPlan("gold"))
    plan = replace(plan, agents=agents, reference="chat", comparisons=1)
    total = played(plan, tmp_path / "whole").spent.cost
    before = sum(services.count().values())
    done = played(replace(plan, budget=total - 1), tmp_path / "out")
    assert sum(services.count().values()) - before == total - 1
    assert done.stopped
    assert done.results.missing == 0
    left = {row.name: row.episodes for row in estimate(plan, tmp_path / "out").cells}
    assert left == {"live · chat · I1Instruction": 0, "live · gold · I1Instruction": 0, "comparisons": 1}
    done = played(replace(plan, budget=total), tmp_path / "out")
    assert (done.stopped, done.spent.cost) == ("", total)
    # A judge that prefers whichever stands first says nothing: a tie each time.
    assert [win.rate["ties_half"] for win in done.results.wins] == [0.5]
    whole, out = (tmp_path / name / "results.json" for name in ("whole", "out"))
    assert whole.read_bytes() == out.read_bytes()


def test_votes_that_are_known_cost_nothing_again(plan: EvaluationPlan, services: Services, tmp_path: Path):
    played(plan, tmp_path / "out")
    before = services.count()["judge"]
    (tmp_path / "out" / plan.cells[0].folder / "trajectories.jsonl").unlink()
    done = played(plan, tmp_path / "out")
    assert services.count()["judge"] == before
    assert done.spent.calls == sum(services.count().values())


def test_simulators_of_other_models_and_temperatures_answer_in_runs_of_their_own(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    cold = SimulatorPlan("0125 T=0.1", model="sim-0125", temperature=0.1)
    plan = replace(plan, episodes=1, simulators=(SimulatorPlan("usual"), cold))
    played(plan, tmp_path / "out")
    asked = [
        (request.body["model"], request.body.get("temperature")) for request in services.simulator.requests
    ]
    assert asked == [("simulator-model", 0.0), ("sim-0125", 0.1)]
    manifests = [manifest_of(tmp_path / "out" / cell.folder) for cell in plan.cells]
    assert manifests[1]["settings"]["simulator"] == {"model": "sim-0125", "temperature": 0.1}
    assert manifests[0]["backend"]["simulator"] != manifests[1]["backend"]["simulator"]
    assert "## Simulators" in (tmp_path / "out" / "results.md").read_text(encoding="utf-8")


def test_an_estimate_before_the_first_episode_is_assumed(plan: EvaluationPlan, tmp_path: Path):
    expected = estimate(plan, tmp_path / "out")
    (cell,) = expected.cells
    assumed = plan.assumptions
    assert (cell.episodes, cell.basis) == (3, "assumed")
    assert cell.calls == 3 * sum(assumed[role].calls for role in ("agent", "simulator", "judge"))
    dollars = sum(
        assumed[role].calls * assumed[role].completion / 5 for role in ("agent", "simulator", "judge")
    )
    assert expected.dollars == pytest.approx(3 * dollars)


def test_an_estimate_after_episodes_is_measured_on_them(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    played(replace(plan, budget=6.0), tmp_path / "out")
    expected = estimate(replace(plan, budget=30.0), tmp_path / "out")
    (cell,) = expected.cells
    assert (cell.episodes, cell.basis) == (2, "measured on episodes of this run: 1")
    assert (cell.calls, expected.dollars, expected.spent) == (8.0, 8.0, 6.0)
    assert cell.at_most is None


def test_an_evaluation_is_estimated_as_a_run_is(plan: EvaluationPlan, services: Services, tmp_path: Path):
    played(replace(plan, episodes=2), tmp_path / "out")
    (cell,) = estimate(plan, tmp_path / "out").cells
    found = RunEstimate.of(read_trajectories(tmp_path / "out" / plan.cells[0].folder), cell.episodes)
    assert found.dollars is not None
    assert (cell.episodes, found.measured) == (1, 2)
    assert (cell.calls, cell.dollars, cell.at_most) == (
        found.calls.mean,
        found.dollars.mean,
        found.dollars.high,
    )


def test_an_estimate_asks_no_model_and_writes_nothing(
    plan: EvaluationPlan, services: Services, tmp_path: Path
):
    estimate(plan, tmp_path / "out")
    assert sum(services.count().values()) == 0
    assert not (tmp_path / "out").exists()


@pytest.mark.heavy
def test_agents_and_judges_without_a_model_cost_nothing(tmp_path: Path):
    plan = EvaluationPlan(
        "free", ("stb/Sandbox-v1", "stb/I1Instruction-v0"), (AgentPlan("gold"),), episodes=2
    )
    expected = estimate(replace(plan, judge="heuristic"), tmp_path)
    assert [cell.basis for cell in expected.cells] == ["no model", "no model"]
    assert (expected.calls, expected.dollars) == (0.0, 0.0)


def test_a_budget_is_refused_where_a_price_is_unknown(
    plan: EvaluationPlan, services: Services, models: Path, tmp_path: Path
):
    models.write_text(models.read_text().replace('"simulator-model" = {', '"another" = {'))
    expected = estimate(replace(plan, budget=1.0), tmp_path)
    assert (expected.dollars, expected.unpriced) == (None, ["simulator"])
    with pytest.raises(
        ConfigError, match=r"needs the price of every model, and the simulator model has none"
    ):
        expected.check()


def test_a_ledger_goes_on_where_it_was_and_leaves_out_a_torn_line(tmp_path: Path):
    file = tmp_path / "spending.jsonl"
    ledger = Ledger(file, budget=1.0)
    ledger.add(Usage(calls=1, cost=0.75))
    ledger.close()
    unsum(tmp_path)
    file.write_bytes(file.read_bytes() + b'{"calls": 1, "co')
    assert read_spending(file).cost == 0.75
    ledger = Ledger(file, budget=1.0)
    ledger.reserve("agent").result()
    ledger.add(Usage(calls=1, cost=0.25))
    with pytest.raises(
        BudgetExceeded, match=r"next call of the agent model was not made: the budget of \$1 is"
    ):
        ledger.reserve("agent").result()
    ledger.close()
    assert [json.loads(line)["cost"] for line in file.read_text().splitlines()] == [0.75, 0.25]
