"""What the summary of a run says of its episodes."""

from __future__ import annotations

import pytest

from stb_env.runs.metrics.rates import summarize
from tests.runs.metrics.episodes import episode


def test_the_deviation_is_that_of_the_means_of_trials():
    alike = [episode("1"), episode("2", "unsolved"), episode("1", "unsolved", trial=1), episode("2", trial=1)]
    apart = [episode("1"), episode("2"), episode("1", trial=1), episode("2", "unsolved", trial=1)]
    assert (summarize(alike)["mean"], summarize(alike)["std"]) == (0.5, 0.0)
    assert (summarize(apart)["mean"], summarize(apart)["std"]) == (0.75, 0.25)


def test_invalid_episodes_are_in_no_mean_and_no_deviation():
    summary = summarize([episode("1"), episode("1", None, trial=1), episode("1", "unsolved", trial=2)])
    assert (summary["mean"], summary["std"], summary["invalid_share"]) == (0.5, 0.5, 0.333333)


def test_the_interval_is_over_tasks_however_often_each_was_tried():
    tried_often = [episode("1", trial=trial) for trial in range(50)]
    once = summarize([episode("1"), episode("2", "unsolved")])
    assert summarize([*tried_often, episode("2", "unsolved")])["interval"] == once["interval"] == [0.0, 1.0]


@pytest.mark.parametrize(("planned", "solved_all"), [(None, 0.5), (2, 0.5), (4, 0.25)])
def test_episodes_that_were_never_played_solve_nothing(planned, solved_all):
    assert summarize([episode("1"), episode("2", None)], planned)["solved_all"] == solved_all
