"""GRPO with TRL on tasks with typed answers and partial rewards, and a table of before and after.

Without ``--model`` the model is a transformer of about 166,000 parameters made on the spot, for a CPU, with
a warm start from demonstrations. Most of those on the Sandbox look something up and say that it is done,
without doing it; reward is for what was done. With ``--on worlds`` the tasks are look-ups in one generated
world whose answers are copied from a result, and reward is for each right field of an answer.

With ``--model``, any chat model of transformers whose template has turns of tools learns without a warm
start, on a GPU; vLLM writes its turns where it is installed.

Usage: python -m examples.grpo [--on sandbox|worlds] [--seed N] [--out FILE] [--short] [--model NAME]
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

# TRL warns at every start that environments are a young part of it.
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    TrainerCallback,
    get_linear_schedule_with_warmup,
)
from trl import GRPOConfig, GRPOTrainer

from examples.tiny_transformer import tiny_model, tiny_tokenizer
from examples.token_episodes import Player, TokenEpisode
from stb_env.integrations.trl import Environments, reward, token_columns
from stb_env.runs import Curve

TEMPLATES = ("open_ticket", "delete_contact")
GROUP = 8
IDLE = 0.6  # share of the demonstrations that say it is done, and did not do it
HELD_OUT = 1_000_000  # far beyond any task that is trained on


@dataclass(frozen=True)
class Plan:
    """Amounts of work, for the full and the short form.

    Attributes:
        shown: Tasks that are demonstrated.
        warm: Updates on them.
        updates: Updates by reward.
        tasks: Tasks an update.
        held_out: Tasks that measure it.
        checks: Measurements while it learns.
    """

    shown: int = 1200
    warm: int = 600
    updates: int = 40
    tasks: int = 12
    held_out: int = 60
    checks: int = 5


LONG = Plan()
SHORT = Plan(shown=8, warm=4, updates=2, tasks=2, held_out=4, checks=1)
WORLDS = Plan(shown=600, warm=1200, updates=16, tasks=8, held_out=40, checks=2)

SANDBOX_TASKS: dict[str, Any] = {"reward": "partial"}
WORLDS_TASKS: dict[str, Any] = {
    "env_id": "stb/Worlds-v0",
    "kit": "vet_clinic",
    "level": 1,
    "reward": "partial",
}
WORLDS_TASKS |= {"longest": 512, "turn": 64}
WORLD = "vet_clinic-10002.1"  # one world of that kit; the tiny model is shown no tools, and learns these


def tasks(numbers: Iterable[int], templates: Sequence[str] = TEMPLATES) -> Iterator[str]:
    """Return the ids of tasks of each template."""
    return (f"train-{template}-{number}" for number in numbers for template in templates)


def held_out_tasks(count: int, templates: Sequence[str] = TEMPLATES) -> list[str]:
    """Return the ids of tasks that measure."""
    return list(islice(tasks(range(HELD_OUT, 2 * HELD_OUT), templates), count))


def training_tasks(
    player: Player, seed: int, count: int, held_out: Sequence[str], templates: Sequence[str] = TEMPLATES
) -> list[str]:
    """Return the ids of tasks to learn from, none of which asks what a held-out task asks."""
    asked = {player.query(task_id) for task_id in held_out}
    drawn = tasks(range(seed * 10_000, HELD_OUT), templates)
    return list(islice((task_id for task_id in drawn if player.query(task_id) not in asked), count))


def world_tasks(first: int, count: int) -> list[str]:
    """Return the ids of tasks, from a number on, in one world that one call and copying its result solve."""
    # A tokenizer that knows no words takes a token a character.
    player = Player(None, tiny_tokenizer([]), **{**WORLDS_TASKS, "longest": 900})
    numbered = (f"{WORLD}.{number}" for number in itertools.count(first))
    return list(islice((task_id for task_id in numbered if copies(player, task_id)), count))


def copies(player: Player, task_id: str) -> bool:
    """Tell whether the known solution is one call, and an answer whose values its result has as they are."""
    _, *after = player.solution(task_id)
    answer = after[0]["arguments"].get("answer") if len(after) == 1 else None
    if not answer:
        return False
    episode = player.gold(task_id)
    if episode is None or not episode.solved:
        return False
    told = [token for token, own in zip(episode.completion, episode.mask, strict=True) if not own]
    result = player.tokenizer.decode(told)
    return all(json.dumps(value) in result for value in answer.values())


def demonstrate(player: Player, task_id: str, draw: random.Random) -> TokenEpisode:
    """Play the known solution of a task, or look up what it is about and say that it is done."""
    look, *_, answer = actions = player.solution(task_id)
    return player.replay(task_id, [look, answer] if draw.random() < IDLE else actions)


def warm_player(task_ids: Sequence[str], updates: int, seed: int, **settings: Any) -> Player:
    """Make a tokenizer and a model, and fit the model to demonstrations of some tasks."""
    draw = random.Random(seed)
    # Any tokenizer will do to read an episode as text.
    reader = Player(None, tiny_tokenizer([]), **{**settings, "longest": 10_000})
    texts = [reader.tokenizer.decode(demonstrate(reader, task_id, draw).ids) for task_id in task_ids]
    tokenizer = tiny_tokenizer(texts)
    player = Player(tiny_model(tokenizer, seed), tokenizer, **settings)
    imitate(player, [lesson(demonstrate(player, task_id, draw)) for task_id in task_ids], updates, seed)
    return player


def imitate(
    player: Player,
    rows: Sequence[dict[str, list[int]]],
    updates: int,
    seed: int,
    rate: float = 6e-3,
    batch_size: int = 16,
) -> None:
    """Fit the model to rows as `lesson` returns them, of which only the model's own tokens count."""
    model = player.model
    draw, batch_of = random.Random(seed), DataCollatorForSeq2Seq(player.tokenizer)
    weights = list(model.parameters())
    # In half precision steps this small would be rounded away; weights in full precision are their own copy.
    exact = [each.detach().float() for each in weights]
    optimizer = torch.optim.AdamW(exact, lr=rate, betas=(0.9, 0.98))
    schedule = get_linear_schedule_with_warmup(optimizer, updates // 8, updates)
    for _ in range(updates):
        batch = batch_of(draw.choices(rows, k=batch_size)).to(model.device)
        told, labels = batch["input_ids"][:, :-1], batch["labels"][:, 1:]
        hidden = model.base_model(told, attention_mask=batch["attention_mask"][:, :-1]).last_hidden_state
        # Logits of the other tokens would be most of the work, and count for nothing.
        own = labels != -100
        loss = cross_entropy(model.get_output_embeddings()(hidden[own]), labels[own])
        model.zero_grad()
        loss.backward()
        clip_grad_norm_(weights, 1.0)
        for copy, each in zip(exact, weights, strict=True):
            copy.grad = each.grad.float()
        optimizer.step()
        schedule.step()
        for copy, each in zip(exact, weights, strict=True):
            each.data.copy_(copy)


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
    environments: Environments | None = None,
) -> None:
    """Improve the model by the rewards of its own episodes, `GROUP` of each task.

    Args:
        player: Plays with the model.
        task_ids: The tasks, each once.
        curve: Where measurements are recorded.
        held_out: The tasks that measure.
        plan: How much is done.
        seed: Seed of the training.
        folder: Where the trainer writes.
        environments: What TRL's own loop plays the tasks in; where not given, the player does.
    """

    def rollout(prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
        player.model = trainer.accelerator.unwrap_model(trainer.model)
        return token_columns(player.play([prompt[0]["task_id"] for prompt in prompts]))

    if environments is None:
        rows = [{"prompt": [{"role": "user", "content": "", "task_id": task_id}]} for task_id in task_ids]
        plays: dict[str, Any] = {"rollout_func": rollout}
    else:
        rows, plays = environments.rows, {"environment_factory": environments}
    gpu = torch.cuda.is_available()
    settings = GRPOConfig(
        output_dir=folder,
        # vLLM shares the trainer's GPU. It writes the turns of TRL's own loop alone.
        use_vllm=gpu and environments is not None and importlib.util.find_spec("vllm") is not None,
        vllm_mode="colocate",
        max_completion_length=4096,
        max_steps=plan.updates,
        per_device_train_batch_size=GROUP * plan.tasks,
        num_generations=GROUP,
        learning_rate=1e-3 if player.model.num_parameters() < 10**7 else 1e-6,
        lr_scheduler_type="linear",
        beta=0.0,
        # The mean of each episode: one that went wrong is longer, and counts no more for that.
        loss_type="grpo",
        seed=seed,
        use_cpu=not gpu,
        bf16=gpu,
        gradient_checkpointing=False,
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        player.model,
        reward,
        settings,
        train_dataset=Dataset.from_list(rows),
        processing_class=player.tokenizer,
        **plays,
        callbacks=[Record(player, curve, held_out, max(1, plan.updates // plan.checks))],
    )
    trainer.train()


class Record(TrainerCallback):
    """Measures the model on held-out tasks every so many updates."""

    def __init__(self, player: Player, curve: Curve, held_out: list[str], every: int) -> None:
        self._player, self._curve, self._held_out, self._every = player, curve, held_out, every

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Measure after an update."""
        del args, control
        if state.global_step % self._every == 0:
            self._curve.add(state.global_step, **self._player.success(self._held_out))


def main(
    out: str = "grpo.jsonl", seed: int = 0, plan: Plan = LONG, model: str | None = None, on: str = "sandbox"
) -> Curve:
    """Train, record the learning curve and return it; step 0 is after the warm start."""
    began = time.perf_counter(), time.process_time()
    if Path(out).exists():
        sys.exit(f"{out} is of an earlier training: move it, or give another --out")
    count = plan.shown + plan.tasks * plan.updates
    if on == "worlds":
        what, held_out = WORLDS_TASKS, world_tasks(HELD_OUT, plan.held_out)
        fresh = world_tasks(seed * 10_000, count)
    else:
        what, held_out = SANDBOX_TASKS, held_out_tasks(plan.held_out)
        fresh = training_tasks(Player(None, None), seed, count, held_out)
    environments = None
    with tempfile.TemporaryDirectory() as folder, Curve(out) as curve:
        if model is None:
            player = warm_player(fresh[: plan.shown], plan.warm, seed, **what)
        else:
            settings = {**what, "max_turns": 6}
            real, tokenizer = (
                AutoModelForCausalLM.from_pretrained(model),
                AutoTokenizer.from_pretrained(model),
            )
            player = Player(real, tokenizer, **{**settings, "longest": 8192, "turn": 512})
            settings = {
                name: settings[name] for name in settings if name not in ("env_id", "longest", "turn")
            }
            env_id = what.get("env_id", "stb/Sandbox-v1")
            environments = Environments(env_id, fresh[plan.shown :], seed=seed, **settings)
        warmed = time.perf_counter(), time.process_time()
        curve.add(0, **player.success(held_out))
        reinforce(player, fresh[plan.shown :], curve, held_out, plan, seed, folder, environments)
    print(table(curve))
    print(f"{len(held_out)} held-out tasks of {on}, {player.model.num_parameters()} parameters")
    print(f"warm start {warmed[0] - began[0]:.0f} s, {warmed[1] - began[1]:.0f} s of CPU")
    print(f"in all {time.perf_counter() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} s of CPU")
    print(f"saved in {out}")
    return curve


def table(curve: Curve) -> str:
    """Return a curve as a table of Markdown; see `Player.success` for what it has."""
    names = ("solved", "solved, sampled", "mean reward", "invalid turns", "tokens an episode")
    lines = [f"| updates | {' | '.join(names)} |", f"| ---: |{' ---: |' * len(names)}"]
    for point in curve.points:
        figures = (f"{point[name]:.3f}" for name in ("success", "sampled", "reward", "invalid"))
        lines.append(f"| {point['step']:.0f} | {' | '.join(figures)} | {point['tokens']:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--on", choices=("sandbox", "worlds"), default="sandbox")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="grpo.jsonl")
    parser.add_argument("--model")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    full = WORLDS if given.on == "worlds" else LONG
    main(given.out, given.seed, SHORT if given.short else full, given.model, given.on)
