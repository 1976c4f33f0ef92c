"""ToolLLM's pass rate and the counts that StableToolBench's Table 1 shows beside it."""

from __future__ import annotations

import pytest

from stb_env.runs.metrics.original_rates import bookkeeping
from tests.runs.metrics.episodes import episode


def judged(task, status, answer, of_task):
    names = [f"answer_{name}" for name in ("solved", "unsolved", "unsure")]
    names += [f"task_{name}" for name in ("solvable", "unsolvable", "unsure")]
    metrics = {name: float(name in (f"answer_{answer}", f"task_{of_task}")) for name in names}
    return episode(task, status, verdict={"metrics": metrics})


def test_statuses_are_counted_and_a_pass_needs_no_solved_answer():
    kept = bookkeeping(
        [
            judged("1", "solved", "solved", "solvable"),
            judged("2", "solved", "unsolved", "unsolvable"),
            judged("3", "unsolved", "unsolved", "solvable"),
            judged("4", "unsolved", "unsure", "unsure"),
            episode("5", None),
        ]
    )
    assert (kept.episodes, kept.invalid, kept.passed, kept.pass_rate) == (4, 1, 2, 0.5)
    assert kept.tasks == {"solvable": 2.0, "unsolvable": 1.0, "unsure": 1.0}
    assert kept.answers == {"solved": 1.0, "unsolved": 2.0, "unsure": 1.0}
    assert kept.interval[0] <= kept.pass_rate <= kept.interval[1]


def test_an_episode_that_does_not_count_is_invalid_whatever_its_verdict_says():
    metrics = judged("1", "solved", "solved", "solvable").verdict["metrics"]
    kept = bookkeeping([episode("1", verdict={"metrics": metrics}, valid=False)])
    assert (kept.episodes, kept.invalid, kept.passed) == (0, 1, 0)


@pytest.mark.parametrize("judge", ["env", "pass:m:v3"])
def test_verdicts_of_other_judges_do_not_count(judge):
    assert bookkeeping([episode("1", judge=judge)]).episodes == 0
