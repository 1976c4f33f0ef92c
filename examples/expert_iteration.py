"""Expert iteration: sample episodes, keep the solved ones, imitate them, and again.

The model is the small transformer of `examples.grpo`, warm-started alike: it is what is trained.

Usage: python -m examples.expert_iteration [--seed N] [--out FILE] [--short]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from examples.grpo import HELD_OUT, imitate, tasks, tiny_player
from examples.token_episodes import Player, TokenEpisode
from stb_env.rollout import Curve


@dataclass(frozen=True)
class Plan:
    """How much is done: numbers of tasks are for each template.

    Attributes:
        gold: Tasks whose solutions are shown first.
        warm: Updates on them.
        rounds: How often episodes are sampled and imitated.
        tasks: New tasks a round.
        samples: Episodes of each.
        updates: Updates a round.
        held_out: Tasks that measure it.
    """

    gold: int = 200
    warm: int = 200
    rounds: int = 4
    tasks: int = 16
    samples: int = 4
    updates: int = 40
    held_out: int = 20


LONG = Plan()
SHORT = Plan(gold=8, warm=4, rounds=2, tasks=1, samples=2, updates=2, held_out=2)


def solved(player: Player, task_ids: list[str], samples: int) -> list[TokenEpisode]:
    """Return the solved ones of several episodes of each task, no two of the same tokens."""
    kept = [episode for _ in range(samples) for episode in player.play(task_ids) if episode.solved]
    return list({tuple(episode.ids): episode for episode in kept}.values())


def main(out: str = "expert_iteration.jsonl", seed: int = 0, plan: Plan = LONG) -> Curve:
    """Train, record the learning curve and return it; step 0 is after the warm start."""
    began = time.perf_counter()
    first = seed * 10_000
    gold_tasks, held_out = tasks(first, plan.gold), tasks(HELD_OUT, plan.held_out)
    Path(out).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder, Curve(out) as curve:
        player = tiny_player(gold_tasks, seed)
        known = [player.gold(task_id) for task_id in gold_tasks]
        imitate(player, known, plan.warm, seed, folder)
        curve.add(0, success=player.success(held_out), kept=0)
        for number in range(plan.rounds):
            fresh = tasks(first + plan.gold + number * plan.tasks, plan.tasks)
            # The known solutions stay among them, or what is seldom solved would be forgotten.
            known += (kept := solved(player, fresh, plan.samples))
            imitate(player, known, plan.updates, seed + number, folder)
            curve.add(number + 1, success=player.success(held_out), kept=len(kept))
    for point in curve.points:
        print(
            f"round {point['step']:.0f}: {point['kept']:.0f} kept, {point['success']:.3f} of held-out solved"
        )
    print(f"{time.perf_counter() - began:.0f} s, saved in {out}")
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="expert_iteration.jsonl")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    main(given.out, given.seed, SHORT if given.short else LONG)
