"""Expert iteration: sample episodes, keep the solved ones, imitate them, and again.

What is imitated is the file that ``stb-env export`` makes of the episodes, by the tokens that were sampled.

Without ``--model`` it trains the small transformer of `examples.grpo`, warm-started alike. With it, any
causal language model of transformers with a chat template, by name, folder or GGUF file, on tasks of one
call, warm-started by a handful of known solutions.

Usage: python -m examples.expert_iteration [--seed N] [--out FILE] [--short] [--model NAME [--brief]]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples.grpo import TEMPLATES, held_out_tasks, imitate, training_tasks, warm_player
from examples.tiny_transformer import TEMPLATE
from examples.token_episodes import Player
from stb_env import Trajectory, read_trajectories
from stb_env.runs import Curve, Run


@dataclass(frozen=True)
class Plan:
    """Amounts of work, for the full and the short form.

    Attributes:
        shown: Tasks that are demonstrated first.
        warm: Updates on them.
        rounds: How often episodes are sampled and imitated.
        tasks: New tasks a round.
        samples: Episodes of each.
        updates: Updates a round.
        held_out: Tasks that measure it.
        rate: Learning rate of a round; of a real model's warm start, too.
        batch: Episodes an update.
        turn: Most tokens of a real model's turn.
        templates: Templates of the tasks.
    """

    shown: int = 1200
    warm: int = 600
    rounds: int = 4
    tasks: int = 48
    samples: int = 4
    updates: int = 60
    held_out: int = 60
    rate: float = 2e-3
    batch: int = 16
    turn: int = 72
    templates: Sequence[str] = TEMPLATES


LONG = Plan()
SHORT = Plan(shown=8, warm=4, rounds=2, tasks=2, samples=2, updates=2, held_out=4)
REAL = Plan(
    shown=16,
    warm=10,
    rounds=3,
    tasks=20,
    samples=2,
    updates=8,
    held_out=40,
    rate=2e-4,
    batch=4,
    templates=("convert_amount", "rail_party_fare"),
)
REAL_SHORT = replace(REAL, shown=2, warm=1, rounds=1, tasks=2, samples=1, updates=1, held_out=2, turn=16)


def real_player(name: str, brief: bool, turn: int) -> Player:
    """Load a chat model.

    Args:
        name: Name of the model, its folder, or its GGUF file.
        brief: Whether to leave out the system's words and the tools, as for the small transformer.
        turn: Most tokens of a turn.
    """
    path = Path(name)
    weights = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
    folder = path.parent if weights else name
    tokenizer = AutoTokenizer.from_pretrained(folder, **weights)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, **weights)
    if brief:
        tokenizer.chat_template = TEMPLATE
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    return Player(model, tokenizer, longest=2048, turn=turn, distractors=0)


def warmed(player: Player, task_ids: Sequence[str], plan: Plan, seed: int, folder: Path) -> Player:
    """Fit a player's model to the known solutions of some tasks."""
    save(folder, (player.gold(task_id).trajectory() for task_id in task_ids))
    imitate(player, lessons([folder]), plan.warm, seed, plan.rate, plan.batch)
    return player


def save(folder: Path, trajectories: Iterable[Trajectory]) -> int:
    """Save episodes as a run, and return how many of them are solved."""
    run = Run(folder, {"env": "stb/Sandbox-v1", "agent": "causal language model", "judge": "exact"})
    for trajectory in trajectories:
        run.add(trajectory, seconds=0.0)
    run.close()
    return sum((each.verdict or {}).get("status") == "solved" for each in run.trajectories)


def sampled(player: Player, task_ids: Sequence[str], samples: int) -> Iterator[Trajectory]:
    """Play several episodes of each task, and yield them."""
    for trial in range(samples):
        yield from [episode.trajectory(trial) for episode in player.play(task_ids)]


def lessons(runs: Sequence[Path]) -> list[dict[str, list[int]]]:
    """Export the solved episodes of runs, no two alike, and return them as `imitate` reads them."""
    if not any(episode.solved for run in runs for episode in read_trajectories(run)):
        return []
    out = runs[-1] / "sft.jsonl"
    command = [sys.executable, "-m", "stb_env", "export", *map(str, runs), "--format", "sft"]
    subprocess.run(  # noqa: S603 (this package's own command)
        [*command, "--only", "solved", "--dedupe", "exact", "--out", str(out), "--json"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return [
        {
            "input_ids": sample["input_ids"],
            "labels": [
                token if own else -100
                for token, own in zip(sample["input_ids"], sample["loss_mask"], strict=True)
            ],
        }
        for line in out.read_text().splitlines()
        for sample in json.loads(line)["tokens"]
    ]


def main(
    out: str = "expert_iteration.jsonl",
    seed: int = 0,
    plan: Plan = LONG,
    model: str | None = None,
    brief: bool = False,
) -> Curve:
    """Train, record the learning curve and return it; step 0 is after the warm start."""
    began = time.perf_counter(), time.process_time()
    runs = Path(out).with_suffix(".runs")
    if runs.exists():
        sys.exit(f"{runs} holds the episodes of an earlier training: move it, or give another --out")
    if Path(out).exists():
        sys.exit(f"{out} is of an earlier training: move it, or give another --out")
    torch.manual_seed(seed)
    held_out = held_out_tasks(plan.held_out, plan.templates)
    count = plan.shown + plan.rounds * plan.tasks
    fresh = iter(training_tasks(Player(None, None), seed, count, held_out, plan.templates))
    shown = list(islice(fresh, plan.shown))
    with Curve(out) as curve:
        if model is None:
            player = warm_player(shown, plan.warm, seed)
        else:
            player = real_player(model, brief, plan.turn)
            warmed(player, shown, plan, seed, runs / "shown")
        note(curve, 0, 0, player, held_out)
        for number in range(1, plan.rounds + 1):
            kept = save(runs / str(number), sampled(player, list(islice(fresh, plan.tasks)), plan.samples))
            if rows := lessons([runs / str(each + 1) for each in range(number)]):
                imitate(player, rows, plan.updates, seed + number - 1, plan.rate, plan.batch)
            note(curve, number, kept, player, held_out)
    print(f"{time.perf_counter() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} s of CPU")
    print(f"saved in {out}, the episodes in {runs}")
    return curve


def note(curve: Curve, number: int, kept: int, player: Player, held_out: Sequence[str]) -> None:
    """Measure a model on held-out tasks, and say and record it."""
    found = player.success(held_out)
    curve.add(number, kept=kept, **found)
    print(
        f"round {number}: {kept} solved, {found['success']:.3f} of held-out tasks solved, "
        f"{found['sampled']:.3f} when sampled",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="expert_iteration.jsonl")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--model")
    parser.add_argument("--brief", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    long, short = (LONG, SHORT) if given.model is None else (REAL, REAL_SHORT)
    main(given.out, given.seed, short if given.short else long, given.model, given.brief)
