"""SoPR: a score for each vote, the spread between them, groups that weigh alike, failures that score 0."""

from __future__ import annotations

import pytest

from stb_env.errors import ConfigError
from stb_env.runs.metrics.flips import flip_rate, trial_flips, vote_flips
from stb_env.runs.metrics.sopr import sopr
from tests.runs.metrics.episodes import episode

YES, HALF, NO = "solved", "unsure", "unsolved"


def test_each_vote_is_a_run_with_a_score_of_its_own():
    rate = sopr([episode("1", YES, votes=[YES, NO, YES]), episode("2", NO, votes=[NO, NO, HALF])]).overall
    assert rate.scores == (0.5, 0.0, 0.75)
    assert (rate.mean, rate.std) == (pytest.approx(5 / 12), pytest.approx(0.311805, abs=1e-6))


def test_the_average_weighs_groups_alike_and_its_spread_is_the_mean_of_theirs():
    small = [episode("1", YES, group="A", votes=[YES, NO])]
    large = [episode(str(n), NO, group="B", votes=[NO, NO]) for n in range(2, 11)]
    found = sopr([*small, *large])
    assert (found.average, found.std) == (0.25, 0.25)
    assert found.overall.mean == pytest.approx(0.05)
    assert list(found.groups) == ["A", "B"]


def test_episodes_that_are_invalid_or_were_never_played_score_0():
    found = sopr([episode("1", YES), episode("2", None)], planned=4).overall
    assert (found.mean, found.planned, found.valid, found.invalid) == (0.25, 4, 1, 3)


def test_an_agent_cannot_overtake_another_by_failing():
    steady = [episode(str(n), YES if n < 14 else NO) for n in range(20)]
    failing = [episode(str(n), None if n >= 14 else YES if n < 11 else NO) for n in range(20)]
    assert (sopr(steady).average, sopr(failing).average) == (0.7, 0.55)


def test_every_vote_of_an_invalid_episode_scores_0():
    rate = sopr([episode("1", YES, votes=[YES, NO]), episode("2", None)]).overall
    assert (rate.scores, rate.mean, rate.std) == ((0.5, 0.0), 0.25, 0.25)


def test_a_group_without_a_valid_episode_counts_as_0_in_the_average():
    assert sopr([episode("1", YES, group="A"), episode("2", None, group="B")]).average == 0.5


def test_an_episode_that_needed_no_judge_counts_the_same_in_every_vote():
    rate = sopr([episode("1", YES, votes=[YES, NO]), episode("2", NO, judge="env")]).overall
    assert rate.scores == (0.5, 0.0)


def test_a_missing_vote_counts_as_the_verdict_that_came_about_without_it():
    assert sopr([episode("1", YES, votes=[YES, None, YES])]).overall.scores == (1.0, 1.0, 1.0)


def test_episodes_with_different_numbers_of_votes_are_refused():
    with pytest.raises(ConfigError, match=r"^cases have 3 votes and 2; judge all of them"):
        sopr([episode("1", votes=[YES] * 3), episode("2", votes=[YES] * 2)])


def test_the_interval_holds_the_mean_and_shrinks_with_more_tasks():
    def width(count):
        rate = sopr([episode(str(n), YES if n % 2 else NO) for n in range(count)]).overall
        assert rate.interval[0] <= rate.mean <= rate.interval[1]
        return rate.interval[1] - rate.interval[0]

    assert width(400) < width(20)


# -- flips ---------------------------------------------------------------------------------------------


def test_a_task_flips_where_two_valid_trials_have_different_verdicts():
    trials = [("1", YES), ("1", NO), ("2", YES), ("2", YES), ("3", NO), ("4", YES), ("4", None)]
    rate = trial_flips([episode(task, status, trial=n) for n, (task, status) in enumerate(trials)])
    assert (rate.tasks, rate.flipped, rate.rate, rate.single) == (2, 1, 0.5, 2)


def test_a_trial_without_a_valid_verdict_flips_no_task():
    undecided = episode("a", "na", trial=1, valid=False)
    rate = trial_flips([episode("a"), undecided])
    assert (rate.tasks, rate.flipped, rate.single) == (0, 0, 1)


def test_an_episode_flips_where_votes_differ_and_a_missing_vote_is_no_flip():
    votes = [[YES, YES, NO], [YES, YES, None], [NO, NO, NO]]
    rate = vote_flips([episode(str(n), cast[0], votes=cast) for n, cast in enumerate(votes)])
    assert (rate.tasks, rate.flipped) == (3, 1)


def test_nothing_that_was_looked_at_twice_has_the_rate_zero():
    assert (flip_rate({}).rate, flip_rate({"a": [1]}).rate, flip_rate({"a": [1]}).single) == (0.0, 0.0, 1)


@pytest.mark.parametrize("votes", [(), (HALF,)])
def test_a_verdict_of_one_vote_counts_its_score_and_not_what_its_status_is_worth(votes):
    quarter = episode("1", HALF, votes=votes, verdict={"score": 0.25})
    found = sopr([quarter, episode("2", YES)])
    assert found.overall.mean == 0.625


def test_several_votes_count_what_their_statuses_are_worth():
    assert sopr([episode("1", HALF, votes=[HALF, YES], verdict={"score": 0.25})]).overall.mean == 0.75
