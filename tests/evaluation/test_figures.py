"""The figures of runs and agents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.evaluation.figures import RunFigures, agent_average, grouped_interval, run_figures
from stb_env.evaluation.plan import AgentPlan, EvaluationPlan
from stb_env.evaluation.results import Results, WinFigures
from tests.runs.metrics.episodes import episode

MISS = {"kind": "cache_miss", "stage": "cache", "retryable": False, "message": ""}


def figures(*episodes, group="G", planned=None) -> RunFigures:
    return run_figures("s", "a", group, episodes, len(episodes) if planned is None else planned)


def test_each_trial_is_a_run_with_mean_and_standard_deviation_over_them():
    run = figures(
        episode("1", "solved"), episode("2", "solved"), episode("1", "unsure", trial=1), episode("2", trial=1)
    )
    assert run.trials == {0: 1.0, 1: 0.75}
    assert (run.to_dict()["trial_mean"], run.to_dict()["trial_std"]) == (0.875, 0.125)


def test_votes_are_runs_of_their_own():
    run = figures(
        episode("1", "solved", votes=("solved", "unsolved")), episode("2", "solved", votes=["solved"] * 2)
    )
    assert (run.rate.scores, run.rate.mean, run.rate.std) == ((1.0, 0.5), 0.75, 0.25)


def test_a_partial_score_counts_as_it_is_in_rate_interval_and_average():
    run = figures(episode("1", "unsure", verdict={"score": 0.25}), episode("2", "unsolved"))
    assert (run.rate.mean, run.task_scores) == (0.125, [0.25, 0.0])
    assert agent_average([run]).mean == 0.125


def test_what_is_invalid_or_missing_is_counted_and_scores_0():
    run = figures(episode("1"), episode("2", None), planned=4)
    assert (run.invalid, run.solved_valid, run.solved_all, run.rate.mean) == (1, 1.0, 0.25, 0.25)
    assert (run.trials, run.task_scores) == ({0: 0.25}, [1.0, 0.0, 0.0, 0.0])
    assert agent_average([run]).unscored == 3


def test_the_average_over_groups_is_unweighted_and_so_is_that_of_the_spreads():
    first = figures(episode("1", votes=("solved", "unsolved")), group="small")
    second = figures(*(episode(str(n)) for n in range(9)), group="large")
    mine = agent_average([first, second])
    assert (mine.groups, mine.mean, mine.std) == (2, 0.75, 0.25)


def test_a_group_without_a_valid_episode_counts_as_0_in_the_average():
    mine = agent_average([figures(episode("1")), figures(episode("1", None), group="broken")])
    assert (mine.groups, mine.unscored, mine.mean, mine.trials) == (1, 1, 0.5, {0: 0.5})
    assert agent_average([figures(episode("1", None))]).groups == 0


def test_trials_are_averaged_over_groups_trial_by_trial():
    first = figures(episode("1"), episode("1", "unsolved", trial=1))
    second = figures(episode("1", "unsolved"), episode("1", trial=1), group="H")
    assert agent_average([first, second]).trials == {0: 0.5, 1: 0.5}


@pytest.mark.parametrize(
    ("sources", "misses", "share"),
    [
        (["cache", "cache", "env"], 1, 0.666667),
        (["cache", "simulator"], 0, 0.5),
        (["world"], 0, None),
        ([], 0, None),
    ],
)
def test_the_cache_share_is_of_calls_that_the_cache_was_asked_for(sources, misses, share):
    steps = [{"calls": [{"source": source} for source in sources]}]
    missed = [episode(f"m{n}", None, failure=MISS) for n in range(misses)]
    assert figures(episode("1", steps=steps), *missed).cache_share == share


def test_recorded_answers_of_a_simulator_are_hits_that_count_apart():
    calls = [{"source": "cache", "origin": origin} for origin in ("real", "simulator", "unknown")]
    run = figures(episode("1", steps=[{"calls": [*calls, {"source": "simulator"}]}]))
    assert (run.cache_share, run.simulated_hits) == (0.75, 1)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=1, max_size=4))
def test_an_interval_has_a_width_within_what_is_possible(groups):
    low, high = grouped_interval(groups)
    assert 0.0 <= low <= high <= 1.0
    if all(len(set(group)) == 1 for group in groups):
        assert low < sum(group[0] for group in groups) / len(groups) + 1e-6
        assert high - low > 0.1, "so few equal scores bound little"


def test_published_averages_come_out_of_the_same_code():
    """Three groups of Table 5's last row: so many queries won, and the unweighted mean of the shares."""
    won = {"I1-Inst": (109, 163), "I1-Cat": (113, 153), "I3-Inst": (47, 61)}
    plan = EvaluationPlan("t", ("stb/Sandbox-v1",), (AgentPlan("ref"), AgentPlan("a")), reference="ref")
    wins = []
    for group, (count, queries) in won.items():
        share = count / queries
        rate = {"queries": queries, "win": share, "tie": 0.0, "lose": 1 - share, "ties_half": share}
        wins.append(WinFigures("s", "a", group, "j", rate))
        assert sum(wins[-1].worths) == count
        assert len(wins[-1].worths) == queries
    runs = [run_figures("s", "a", group, [episode("1")], 1) for group in won]
    tables = Results("t", list(won), plan.reference, runs, [agent_average(runs)], wins).tables()
    row = next(table for table in tables if "win rate" in table.title).rows[0]
    assert row[1:5] == ("66.9", "73.9", "77.0", "72.6")


def test_a_comparison_that_could_not_be_made_is_a_dash():
    runs = [figures(episode("1"))]
    wins = [WinFigures.none("s", "a", "G")]
    tables = Results("t", ["G"], "ref", runs, [agent_average(runs)], wins).tables()
    assert tables[1].rows[0] == ("a", "-", "-", "-", "-", "-")
