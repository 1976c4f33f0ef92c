"""GRPO with TRL on the Sandbox: a small warm start from known solutions, then reward alone on other tasks.

Without ``--model`` the model is a transformer of about 200,000 parameters made on the spot, for a CPU. With
it, any chat model of transformers whose template has turns of tools, which needs a GPU and no warm start.

Usage: python -m examples.grpo [--seed N] [--out FILE] [--short] [--model NAME]
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# TRL warns at every start that environments are a young part of it.
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from examples.tiny_transformer import tiny_model, tiny_tokenizer
from examples.token_episodes import Player, TokenEpisode
from stb_env.integrations.trl import reward, token_columns
from stb_env.rollout import Curve

TEMPLATES = ("account_balance", "delete_contact", "open_ticket")
GROUP = 8
HELD_OUT = 1_000_000  # far beyond any task that is trained on


@dataclass(frozen=True)
class Plan:
    """How much is done: numbers of tasks are for each template.

    Attributes:
        gold: Tasks whose solutions are shown.
        warm: Updates on them.
        updates: Updates by reward.
        tasks: Tasks an update.
        held_out: Tasks that measure it.
        checks: Measurements while it learns.
    """

    gold: int = 200
    warm: int = 450
    updates: int = 40
    tasks: int = 2
    held_out: int = 20
    checks: int = 5


LONG = Plan()
SHORT = Plan(gold=8, warm=4, updates=2, tasks=1, held_out=2, checks=1)


def tasks(first: int, count: int) -> list[str]:
    """Return so many task ids of each template."""
    return [f"train-{template}-{index}" for index in range(first, first + count) for template in TEMPLATES]


def tiny_player(gold_tasks: Sequence[str], seed: int) -> Player:
    """Make a tokenizer from how the solutions of some tasks read, and a model for it."""
    # Any tokenizer will do to read an episode as text.
    reader = Player(None, tiny_tokenizer([]))
    texts = [reader.tokenizer.decode(reader.gold(task_id).ids) for task_id in gold_tasks]
    tokenizer = tiny_tokenizer(texts)
    return Player(tiny_model(tokenizer, seed), tokenizer)


def imitate(player: Player, episodes: Sequence[TokenEpisode], updates: int, seed: int, folder: str) -> None:
    """Fit the model to episodes, of which only the model's own tokens count."""
    rows = [lesson(episode) for episode in episodes]
    settings = SFTConfig(
        output_dir=folder,
        max_steps=updates,
        per_device_train_batch_size=16,
        learning_rate=6e-3,
        lr_scheduler_type="linear",
        warmup_steps=updates // 8,
        adam_beta2=0.98,
        max_length=None,
        **common(seed),
    )
    SFTTrainer(
        player.model, settings, train_dataset=Dataset.from_list(rows), processing_class=player.tokenizer
    ).train()


def lesson(episode: TokenEpisode) -> dict[str, list[int]]:
    """Return an episode as TRL's supervised training reads it."""
    own = [0] * len(episode.prompt) + episode.mask
    labels = [token if mine else -100 for token, mine in zip(episode.ids, own, strict=True)]
    return {"input_ids": episode.ids, "labels": labels}


def reinforce(
    player: Player,
    task_ids: Sequence[str],
    curve: Curve,
    held_out: list[str],
    plan: Plan,
    seed: int,
    folder: str,
) -> None:
    """Improve the model by the rewards of its own episodes, `GROUP` of each task."""

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
        player.model = trainer.accelerator.unwrap_model(trainer.model)
        return token_columns(player.play([prompt[0]["task_id"] for prompt in prompts]))

    settings = GRPOConfig(
        output_dir=folder,
        max_steps=plan.updates,
        per_device_train_batch_size=GROUP * plan.tasks * len(TEMPLATES),
        num_generations=GROUP,
        learning_rate=2e-4 if player.model.num_parameters() < 10**7 else 1e-6,
        lr_scheduler_type="constant",
        beta=0.0,
        **common(seed),
    )
    trainer = GRPOTrainer(
        player.model,
        reward,
        settings,
        train_dataset=Dataset.from_list(
            [{"prompt": [{"role": "user", "content": "", "task_id": task_id}]} for task_id in task_ids]
        ),
        processing_class=player.tokenizer,
        rollout_func=rollout,
        callbacks=[Record(player, curve, held_out, max(1, plan.updates // plan.checks))],
    )
    trainer.train()


def common(seed: int) -> dict[str, Any]:
    """Return settings of both trainers."""
    gpu = torch.cuda.is_available()
    return {
        "seed": seed,
        "use_cpu": not gpu,
        "gradient_checkpointing": False,
        "bf16": gpu,
        "report_to": "none",
        "save_strategy": "no",
        "logging_strategy": "no",
        "disable_tqdm": True,
    }


class Record(TrainerCallback):
    """Measures the model on held-out tasks every so many updates."""

    def __init__(self, player: Player, curve: Curve, held_out: list[str], every: int) -> None:
        self._player, self._curve, self._held_out, self._every = player, curve, held_out, every

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Measure after an update."""
        del args, control
        if state.global_step % self._every == 0:
            self._curve.add(state.global_step, success=self._player.success(self._held_out))


def main(out: str = "grpo.jsonl", seed: int = 0, plan: Plan = LONG, model: str | None = None) -> Curve:
    """Train, record the learning curve and return it; step 0 is after the warm start."""
    began = time.perf_counter()
    random.seed(seed)
    gold_tasks, held_out = tasks(seed * 10_000, plan.gold), tasks(HELD_OUT, plan.held_out)
    unseen = tasks(seed * 10_000 + plan.gold, plan.tasks * plan.updates)
    Path(out).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder, Curve(out) as curve:
        if model is None:
            player = tiny_player(gold_tasks, seed)
            imitate(player, [player.gold(task_id) for task_id in gold_tasks], plan.warm, seed, folder)
        else:
            player = Player(AutoModelForCausalLM.from_pretrained(model), AutoTokenizer.from_pretrained(model))
        warmed = time.perf_counter()
        curve.add(0, success=player.success(held_out))
        reinforce(player, unseen, curve, held_out, plan, seed, folder)
    for point in curve.points:
        print(f"{point['step']:4.0f} updates: {point['success']:.3f} of held-out tasks solved")
    print(f"{player.model.num_parameters()} parameters, warm start {warmed - began:.0f} s")
    print(f"{time.perf_counter() - began:.0f} s in all, saved in {out}")
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="grpo.jsonl")
    parser.add_argument("--model")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    main(given.out, given.seed, SHORT if given.short else LONG, given.model)
