"""Several trials at each task, in one summary."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from stb_env.runs.metrics.repeats import repeats
from stb_env.show.cli.main import app
from tests.runs.metrics.episodes import episode


def test_single_trials_have_no_figures_of_repeats():
    assert repeats([episode("a", "solved"), episode("b", "unsolved")]) == {}


def test_trials_give_pass_at_k_pass_hat_k_and_flips():
    made = [episode("a", "solved" if trial == 0 else "unsolved", trial=trial) for trial in range(2)]
    made += [episode("b", "solved", trial=trial) for trial in range(2)]
    found = repeats(made)
    assert [(each["k"], each["pass_at_k"], each["pass_hat_k"]) for each in found["passes"]] == [
        (1, 0.75, 0.75),
        (2, 1.0, 0.5),
    ]
    assert found["flips"]["rate"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("trials", "ks"), [(2, [1, 2]), (5, [1, 2, 3, 4, 5]), (6, [1, 2, 3, 4, 5, 6]), (9, [1, 2, 3, 4, 5, 9])]
)
def test_the_figures_are_of_every_k_up_to_five_and_of_all_trials(trials, ks):
    found = repeats([episode("a", trial=trial) for trial in range(trials)])
    assert [each["k"] for each in found["passes"]] == ks


def test_a_run_of_several_trials_prints_them():
    done = CliRunner().invoke(
        app, ["run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "2", "--trials", "2", "--json"]
    )
    assert [each["pass_hat_k"] for each in json.loads(done.stdout)["passes"]] == [1.0, 1.0]
