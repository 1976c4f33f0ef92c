"""Expert iteration: sample episodes, keep the solved ones, imitate them, and again.

The model is the small transformer of `examples.grpo`, warm-started alike: it is what is trained.

Usage: python -m examples.expert_iteration [--seed N] [--out FILE] [--short]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch

from examples.grpo import held_out_tasks, imitate, training_tasks, warm_player
from examples.token_episodes import Player, TokenEpisode
from stb_env.rollout import Curve


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Attributes:
        shown: Tasks that are demonstrated first.
        warm: Updates on them.
        rounds: How often episodes are sampled and imitated.
        tasks: New tasks a round.
        samples: Episodes of each.
        updates: Updates a round.
        held_out: Tasks that measure it.
    """

    shown: int = 1200
    warm: int = 600
    rounds: int = 4
    tasks: int = 48
    samples: int = 4
    updates: int = 60
    held_out: int = 60


LONG = Plan()
SHORT = Plan(shown=8, warm=4, rounds=2, tasks=2, samples=2, updates=2, held_out=4)


def solved(player: Player, task_ids: list[str], samples: int) -> list[TokenEpisode]:
    """Return the solved ones of several episodes of each task, no two of the same tokens."""
    kept = [episode for _ in range(samples) for episode in player.play(task_ids) if episode.solved]
    return list({tuple(episode.ids): episode for episode in kept}.values())


def main(out: str = "expert_iteration.jsonl", seed: int = 0, plan: Plan = LONG) -> Curve:
    """Train, record the learning curve and return it; step 0 is after the warm start."""
    began = time.perf_counter(), time.process_time()
    Path(out).unlink(missing_ok=True)
    held_out = held_out_tasks(plan.held_out)
    fresh = iter(training_tasks(Player(None, None), seed, plan.shown + plan.rounds * plan.tasks, held_out))
    player = warm_player(list(islice(fresh, plan.shown)), plan.warm, seed)
    known: list[TokenEpisode] = []
    with Curve(out) as curve:
        curve.add(0, kept=0, **player.success(held_out))
        for number in range(plan.rounds):
            known += (kept := solved(player, list(islice(fresh, plan.tasks)), plan.samples))
            if known:
                imitate(player, known, plan.updates, seed + number, rate=2e-3)
            curve.add(number + 1, kept=len(kept), **player.success(held_out))
    for point in curve.points:
        print(
            f"round {point['step']:.0f}: {point['kept']:.0f} kept, {point['success']:.3f} of held-out tasks "
            f"solved, {point['sampled']:.3f} when sampled"
        )
    print(f"{time.perf_counter() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} s of CPU")
    print(f"saved in {out}")
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="expert_iteration.jsonl")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    main(given.out, given.seed, SHORT if given.short else LONG)
