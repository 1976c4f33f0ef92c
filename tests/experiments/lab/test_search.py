"""Searches at equal calls: an agent with a known error rate, and what each search makes of it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.errors import ConfigError
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.grounded_value import grounded_value
from stb_env.experiments.lab.search import run, searches
from stb_env.experiments.lab.stumbling_oracle import StumblingOracle
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.runs import Job, plan, play, run_batch
from stb_env.tasks import Task
from stb_env.tools import FINISH, ToolResult
from stb_env.trajectory import CallRecord, Step, Trajectory
from stb_env.wrappers.search import DepthFirstSearch, IndependentChains, NodeView
from tests.fakes.tools import ONE_TOOL

SETTINGS = LabSettings(episodes=120, options={"budgets": [12]})


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return run(SETTINGS).to_dict()


@pytest.fixture(scope="module")
def rows(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["search"]: row for row in result["rows"]}


@pytest.fixture
def sandbox() -> Any:
    return gym.make("stb/Sandbox-v1", split="test").unwrapped


def jobs(env: Any, count: int) -> list[Job]:
    return plan(env.tasks, episodes=count, seed=3)


def actions(trajectory: Trajectory) -> list[Any]:
    nodes = trajectory.tree["nodes"][1:]
    return [[(call["name"], call["arguments"]) for call in node["step"]["calls"]] for node in nodes]


# -- the experiment ------------------------------------------------------------------------------


@pytest.mark.heavy
def test_no_search_makes_more_calls_than_allowed_and_none_is_lost(rows):
    assert rows.keys() == searches(HeuristicJudge(), HeuristicJudge()).keys()
    assert all(row["calls made"] <= row["calls allowed"] == 12 for row in rows.values())
    assert {(row["episodes"], row["invalid"]) for row in rows.values()} == {(120, 0)}


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("better", "worse"), [("DFS", "CoT"), ("UCT, grounding", "CoT"), ("UCT, grounding", "DFS")]
)
def test_searching_is_measurably_better_task_by_task(result, better, worse):
    (table,) = result["further"]
    (row,) = (row for row in table["rows"] if (row["search"], row["against"]) == (better, worse))
    assert row["95 %"][0] > 0
    assert row["reads"].startswith("rises by ")


@pytest.mark.heavy
def test_the_oracle_is_a_bound_and_is_named_so(rows, result):
    best = max(row["solved"] for name, row in rows.items() if "oracle" not in name)
    assert rows["UCT, oracle"]["solved"] > best
    assert any("is a bound and no method" in note for note in result["notes"])


@pytest.mark.heavy
def test_equal_settings_give_an_equal_result():
    first, again = (run(LabSettings(episodes=20, options={"budgets": [6]})).to_dict() for _ in range(2))
    assert first == again


@pytest.mark.heavy
def test_without_errors_every_search_solves_everything():
    settings = LabSettings(episodes=12, options={"budgets": [24], "error_rate": 0.0})
    assert {row["solved"] for row in run(settings).to_dict()["rows"]} == {1.0}


# -- the agent -----------------------------------------------------------------------------------


def test_the_agent_errs_on_the_path_and_not_on_the_search(sandbox):
    searches = (IndependentChains(sandbox.fork()), DepthFirstSearch(sandbox.fork()))
    for job in jobs(sandbox, 30):
        chain, tree = (
            play(env, StumblingOracle(0.5), task_id=job.task_id, seed=job.seed) for env in searches
        )
        assert actions(tree)[: len(actions(chain))] == actions(chain)


def test_a_second_try_at_a_node_is_drawn_anew(sandbox):
    env = IndependentChains(sandbox, tries=10, answers=10)
    for job in jobs(sandbox, 5):
        episode = play(env, StumblingOracle(0.5), task_id=job.task_id, seed=job.seed)
        starts = [node["step"]["calls"] for node in episode.tree["nodes"][1:] if node["parent"] == 0]
        assert len(starts) == 10
        assert len({str([(call["name"], call["arguments"]) for call in calls]) for calls in starts}) > 1


@pytest.mark.heavy
def test_the_share_of_wrong_first_steps_is_the_error_rate(sandbox):
    def firsts(rate: float) -> list[Any]:
        env = IndependentChains(sandbox.fork(), max_queries=1)
        return [
            actions(e)[0] for e in run_batch(lambda: env, lambda: StumblingOracle(rate), jobs(sandbox, 400))
        ]

    wrong = sum(one != other for one, other in zip(firsts(0.25), firsts(0.0), strict=True))
    assert 0.18 < wrong / 400 < 0.32


def test_after_an_error_that_nothing_foresaw_the_agent_gives_up(sandbox):
    env = IndependentChains(sandbox)
    seen = 0
    for job in jobs(sandbox, 60):
        env.reset(seed=0, options={"task_id": job.task_id})
        agent = StumblingOracle(0.0)
        agent.reset(env, 0)
        tool = env.task.tools[0].name
        observation, *_, info = env.step({"name": tool, "arguments": {"no_such_parameter": 1}})
        action = agent.act(observation, info)
        seen += action["name"] == FINISH and action["arguments"]["return_type"] == "give_up_and_restart"
    assert seen > 50


def test_the_agent_plays_searches_over_the_sandbox_alone(sandbox):
    for env in (sandbox, IndependentChains(gym.make("stb/I1Instruction-v0").unwrapped)):
        env.reset(seed=0)
        with pytest.raises(ConfigError, match=r"^the stumbling oracle plays searches over the Sandbox"):
            StumblingOracle().reset(env, 0)


# -- the value -----------------------------------------------------------------------------------


def step(arguments: dict[str, Any], response: Any) -> Step:
    result = ToolResult.of(response, source="world")
    return Step((CallRecord("c", "find", arguments, result),), "", result.text)


def test_what_is_grounded_is_worth_more_than_what_is_not():
    task = Task("1", "Weather in Oslo on day 12?", ONE_TOOL)
    right = NodeView(task, (step({"city": "Oslo", "day": 12}, {"id": 77}),), "open", "")
    wrong = NodeView(task, (step({"city": "Oslo", "day": 15}, {"id": 77}),), "open", "")
    assert grounded_value(right) > grounded_value(wrong) > 0


def test_a_value_that_was_read_before_is_grounded():
    task = Task("1", "Weather in Oslo?", ONE_TOOL)
    first = step({"city": "Oslo"}, {"id": 77})
    after = {
        number: NodeView(task, (first, step({"id": number}, {"ok": 1})), "open", "") for number in (77, 78)
    }
    assert grounded_value(after[77]) > grounded_value(after[78])


def test_the_task_s_labels_change_nothing():
    plain = Task("1", "Weather in Oslo?", ONE_TOOL)
    labelled = Task("1", "Weather in Oslo?", ONE_TOOL, goal={"facts": ["3"]})
    steps = (step({"city": "Oslo"}, {"degrees": 3}),)
    assert grounded_value(NodeView(plain, steps, "open", "")) == grounded_value(
        NodeView(labelled, steps, "open", "")
    )
