"""Train MaskablePPO of sb3-contrib on the Sandbox, and measure it on tasks that it never trained on.

The policy scores each candidate of `DiscreteActions` with one small network, so what it learns of one tool
holds for any other, and the order of the candidates means nothing. Tasks that take one call come first:
chance solves some of those, and hardly any other.

Usage: python -m examples.maskable_ppo [STEPS] [FILE] [SEED]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from examples.policy_gradient import TEMPLATES, TURNS, tasks_of
from stb_env import DiscreteActions
from stb_env.runs import Curve

ONE_CALL = ("account_balance", "add_contact", "convert_amount", "create_event", "sun_times")
ALONE = 4096  # steps on tasks of one call, before all others come
CHECKS = 8
WIDTH = 32
HELD_OUT = (1_000_000, 1_000_006)  # beyond any training task of split train, six of each template


class Episodes(gym.Wrapper[Any, Any, Any, Any]):
    """Gives training tasks in turn, each once: those of `templates`, which may be set between episodes."""

    templates: tuple[str, ...] = TEMPLATES

    def __init__(self, seed: int = 0) -> None:
        self.choices = DiscreteActions(gym.make("stb/Sandbox-v1", split="train", max_turns=TURNS))
        super().__init__(self.choices)
        self._first, self._begun = seed * 10_000, Counter[str]()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next task, or the one that is asked for."""
        if options is None:
            template = self.templates[self._begun.total() % len(self.templates)]
            options = {"task_id": f"train-{template}-{self._first + self._begun[template]}"}
            self._begun[template] += 1
        return self.env.reset(seed=0 if seed is None else seed, options=options)

    def action_masks(self) -> Any:
        """Return which actions there are."""
        return self.choices.action_masks()


class Candidates(BaseFeaturesExtractor):
    """Reads the candidates alone: what else is observed says nothing of which one to take."""

    def __init__(self, observation_space: gym.spaces.Dict) -> None:
        super().__init__(observation_space, gym.spaces.flatdim(observation_space["features"]))

    def forward(self, observation: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the features of all candidates, one after the other."""
        return observation["features"].flatten(1)


class Scores(nn.Module):
    """Scores every candidate by itself, and values the best it sees."""

    def __init__(self, features: int, size: int) -> None:
        super().__init__()
        self.features = features
        self.latent_dim_pi, self.latent_dim_vf = size, WIDTH
        self.actor = nn.Sequential(nn.Linear(features, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 1))
        self.critic = nn.Sequential(nn.Linear(features, WIDTH), nn.Tanh())

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what the policy and the value are made from."""
        return self.forward_actor(observation), self.forward_critic(observation)

    def forward_actor(self, observation: torch.Tensor) -> torch.Tensor:
        """Return a score for each candidate."""
        scores: torch.Tensor = self.actor(observation.unflatten(-1, (-1, self.features))).squeeze(-1)
        return scores

    def forward_critic(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the strongest signs among the candidates."""
        signs: torch.Tensor = self.critic(observation.unflatten(-1, (-1, self.features))).amax(-2)
        return signs


class CandidatePolicy(MaskableMultiInputActorCriticPolicy):
    """A policy whose scores are those of `Scores` as they are."""

    def _build_mlp_extractor(self) -> None:
        size, features = self.observation_space["features"].shape
        self.mlp_extractor = Scores(features, size)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def success(model: Any, task_ids: list[str]) -> float:
    """Return the share of tasks that the model's best choices solve."""
    env = Episodes()
    solved = 0
    for task_id in task_ids:
        observation, _ = env.reset(options={"task_id": task_id})
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
            observation, _, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
        solved += (info.get("verdict") or {}).get("status") == "solved"
    env.close()
    return solved / len(task_ids)


class Record(BaseCallback):
    """Measures the model on held-out tasks every so many steps."""

    def __init__(self, curve: Curve, held_out: list[str], every: int) -> None:
        super().__init__()
        self._curve, self._held_out, self._every = curve, held_out, every

    def _on_step(self) -> bool:
        if self.num_timesteps % self._every == 0:
            self._curve.add(self.num_timesteps, success=success(self.model, self._held_out))
        return True


def held_out_tasks() -> list[str]:
    """Return the tasks of splits val and test, and some of split train that no seed reaches."""
    beyond = [f"train-{template}-{index}" for template in TEMPLATES for index in range(*HELD_OUT)]
    return tasks_of(TEMPLATES, "val", "test") + beyond


def main(steps: int = 16_384, out: str = "maskable_ppo.jsonl", seed: int = 0) -> list[dict[str, float]]:
    """Train, record the learning curve and return it."""
    began = time.perf_counter()
    if Path(out).exists():
        sys.exit(f"{out} is of an earlier training: move it, or give another FILE")
    env, held_out = Episodes(seed), held_out_tasks()
    model = MaskablePPO(
        CandidatePolicy,
        env,
        learning_rate=3e-3,
        n_steps=512,
        batch_size=128,
        n_epochs=6,
        gamma=1.0,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
        policy_kwargs={"features_extractor_class": Candidates},
    )
    with Curve(out) as curve:
        curve.add(0, success=success(model, held_out))
        record = Record(curve, held_out, max(512, steps // CHECKS))
        env.templates = ONE_CALL
        model.learn(min(steps, ALONE), callback=record)
        env.templates = TEMPLATES
        if steps > ALONE:
            model.learn(steps - ALONE, callback=record, reset_num_timesteps=False)
    env.close()
    for point in curve.points:
        print(f"{point['step']:6.0f} steps: {point['success']:.3f} of held-out tasks solved")
    print(f"{time.perf_counter() - began:.0f} s, saved in {out}")
    return curve.points


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("steps", metavar="STEPS", nargs="?", type=int, default=16_384)
    parser.add_argument("file", metavar="FILE", nargs="?", default="maskable_ppo.jsonl")
    parser.add_argument("seed", metavar="SEED", nargs="?", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    main(given.steps, given.file, given.seed)
