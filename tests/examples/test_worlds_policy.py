"""The policy of generated worlds learns, and plays worlds of kits that training never shows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from examples.worlds_features import Episode, kind_of, words
from examples.worlds_policy import (
    FEATURES,
    TURNS,
    Policy,
    Trained,
    environment,
    imitate,
    main,
    measure,
    train,
)
from stb_env import DiscreteActions, load_agent, make
from stb_env.errors import ConfigError
from stb_env.runs import Curve, play, read_curve
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def held_out() -> dict[str, DiscreteActions]:
    groups = ("I1-Tool", "I1-Category")
    return {group: environment("stb/Worlds-v0", split="test", level=1, group=group) for group in groups}


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    env, policy = environment("stb/Worlds-v0", split="train", level=1), Policy()
    imitate(policy, env, count=30, seed=0)
    with Curve(tmp_path_factory.mktemp("run") / "curve.jsonl") as curve:
        train(env, policy, 48, 0, curve)
    return policy


@pytest.mark.heavy
def test_the_untrained_policy_is_worse_on_worlds_and_kits_that_training_never_shows(
    policy: Policy, held_out: dict[str, DiscreteActions]
):
    before, after = measure(held_out, Policy(), 25), measure(held_out, policy, 25)
    for group in held_out:
        assert before[group]["reward"] < 0.1
        assert after[group]["reward"] > before[group]["reward"] + 0.1


@pytest.mark.heavy
def test_the_saved_policy_is_an_agent(policy: Policy, tmp_path: Path):
    policy.save(file := tmp_path / "policy.npz")
    agent = load_agent(f"{ROOT / 'examples' / 'worlds_policy.py'}:Trained(policy={str(file)!r})")()
    env = agent.wrap(make("stb/Worlds-v0", split="test", group="I1-Category", level=1, max_turns=TURNS))
    task_ids = [env.tasks.at(index).id for index in range(25)]
    assert sum(play(env, agent, task_id=task_id, seed=0).solved for task_id in task_ids) > 2


@pytest.mark.heavy
def test_report_and_curve_are_saved_and_never_written_over(tmp_path: Path):
    report = main(episodes=24, out=str(file := tmp_path / "short.json"), tasks=1, shown=2)
    assert json.loads(file.read_text("utf-8")) == report
    assert [point["step"] for point in read_curve(file.with_suffix(".jsonl"))] == [24]
    with pytest.raises(SystemExit, match=r"short\.jsonl is of an earlier training: move it, or give another"):
        main(episodes=24, out=str(file))


def test_what_is_no_policy_of_these_features_is_refused(tmp_path: Path):
    (text := tmp_path / "policy.npz").write_text("weights")
    with pytest.raises(
        ConfigError, match=r"policy\.npz holds no policy; `python -m examples\.worlds_policy` "
    ):
        Trained(str(text))
    np.savez(other := tmp_path / "other.npz", features=["height"], weights=[0.0], pair_weights=[0.0])
    with pytest.raises(ConfigError, match=r"other\.npz has other features than this version; train it again"):
        Trained(str(other))


def test_names_tell_what_kind_of_tool_it_is():
    names = [
        "fleet-rental-cars-list",
        "fetchBakeryShop",
        "lookupServiceJobByJobNumber",
        "search_donors",
        "drop",
    ]
    assert [kind_of(name) for name in names] == ["list", "get", "look up", "search", "change"]
    assert words("jobNumber of-two_visits") == {"job", "number", "of", "two", "visit"}


def test_every_candidate_has_a_row_of_features():
    observation, info = environment("stb/Worlds-v0", split="train", level=1).reset(seed=0)
    table, pairs = Episode().read(observation, info)
    assert table.shape == (len(info["candidates"]), len(FEATURES))
    assert len(pairs) == len(table)
