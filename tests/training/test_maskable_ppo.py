"""MaskablePPO learns on the Sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib", reason="training needs the extra stb-env[train]")

import numpy as np
import torch

from examples.maskable_ppo import ONE_CALL, TEMPLATES, CandidatePolicy, Episodes, held_out_tasks, main
from stb_env.runs import read_curve

STEPS = 4096
LEARNED = 0.15  # share of the held-out tasks; those of `ONE_CALL` are 0.4 of them


class Chance(Episodes):
    """Rewards episodes as often as a policy that learns, whatever they did."""

    draw = np.random.default_rng(0)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, _, terminated, truncated, info = super().step(action)
        lucky = (terminated or truncated) and self.draw.random() < 0.3
        return observation, float(lucky), terminated, truncated, info


def learned(file: Path) -> bool:
    """Train, and tell whether what was recorded is that it learned."""
    points = main(steps=STEPS, out=str(file), seed=0)
    assert points == read_curve(file)
    return points[-1]["success"] > LEARNED > 0.1 > points[0]["success"]


def test_training_solves_held_out_tasks_that_an_untrained_policy_does_not(tmp_path: Path):
    assert learned(tmp_path / "curve.jsonl")


def test_rewards_that_have_nothing_to_do_with_the_actions_teach_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("examples.maskable_ppo.Episodes", Chance)
    assert not learned(tmp_path / "curve.jsonl")


def test_a_curve_of_an_earlier_training_is_left_alone(tmp_path: Path):
    (file := tmp_path / "curve.jsonl").write_text("earlier", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"is of an earlier training: move it, or give another FILE$"):
        main(steps=512, out=str(file))
    assert file.read_text("utf-8") == "earlier"


def test_no_training_task_is_held_out_and_each_comes_once():
    env = Episodes(seed=2)
    env.templates = ONE_CALL
    trained = [env.reset()[1]["task_id"] for _ in range(4 * len(ONE_CALL))]
    env.templates = TEMPLATES
    trained += [env.reset()[1]["task_id"] for _ in range(5 * len(TEMPLATES))]
    assert len(set(trained)) == len(trained)
    assert {task_id.split("-")[1] for task_id in trained} == {*TEMPLATES}
    assert set(trained).isdisjoint(held_out_tasks())


def test_the_order_of_the_candidates_means_nothing_to_the_policy():
    env = Episodes()
    policy = CandidatePolicy(env.observation_space, env.action_space, lambda _: 1e-3)
    features = torch.as_tensor(env.reset()[0]["features"])[None]
    order = torch.as_tensor(np.random.default_rng(0).permutation(features.shape[1]))
    scores, value = policy.mlp_extractor(features.flatten(1))
    moved, same = policy.mlp_extractor(features[:, order].flatten(1))
    torch.testing.assert_close(moved, scores[:, order])
    torch.testing.assert_close(same, value)
