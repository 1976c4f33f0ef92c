"""MaskablePPO learns on the Sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="training needs the extra stb-env[train]")

import numpy as np
import torch

from examples.maskable_ppo import CandidatePolicy, Episodes, held_out_tasks, main
from examples.policy_gradient import TEMPLATES
from stb_env.runs import read_curve


def test_training_solves_held_out_tasks_that_an_untrained_policy_does_not(tmp_path: Path):
    points = main(steps=4096, out=str(tmp_path / "curve.jsonl"), seed=0)
    assert points == read_curve(tmp_path / "curve.jsonl")
    assert points[0]["success"] < 0.1
    assert points[-1]["success"] > points[0]["success"] + 0.1


def test_a_curve_of_an_earlier_training_is_left_alone(tmp_path: Path):
    (file := tmp_path / "curve.jsonl").write_text("earlier", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"is of an earlier training: move it, or give another FILE$"):
        main(steps=512, out=str(file))
    assert file.read_text("utf-8") == "earlier"


def test_no_training_task_is_held_out():
    env = Episodes(seed=2)
    trained = {env.reset()[1]["task_id"] for _ in range(5 * len(TEMPLATES))}
    assert len(trained) == 5 * len(TEMPLATES)
    assert trained.isdisjoint(held_out_tasks())


def test_the_order_of_the_candidates_means_nothing_to_the_policy():
    env = Episodes()
    policy = CandidatePolicy(env.observation_space, env.action_space, lambda _: 1e-3)
    features = torch.as_tensor(env.reset()[0]["features"])[None]
    order = torch.as_tensor(np.random.default_rng(0).permutation(features.shape[1]))
    scores, value = policy.mlp_extractor(features.flatten(1))
    moved, same = policy.mlp_extractor(features[:, order].flatten(1))
    torch.testing.assert_close(moved, scores[:, order])
    torch.testing.assert_close(same, value)
