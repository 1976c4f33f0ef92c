"""TRL's GRPO trainer, from rows to rewards: with environments, and with a rollout function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from stb_env.bench.integrations.loop import Play, mean
from stb_env.bench.integrations.script import ENV_ID, Script
from stb_env.bench.integrations.tokenizer import END, next_text, trained_tokenizer
from stb_env.jsontypes import JsonObject


@contextmanager
def environments(script: Script) -> Iterator[Play]:
    """Play as a trainer does that was given an ``environment_factory``."""
    from trl import GRPOTrainer
    from trl.chat_template_utils import qwen3_chat_template

    from stb_env.integrations.trl import Environments

    tokenizer = trained_tokenizer(script, qwen3_chat_template)

    class Knowing(GRPOTrainer):
        """Writes the known solutions instead of what a model would."""

        def _generate_single_turn(self, prompt_ids: Any, *_: Any, **__: Any) -> tuple[list[list[int]], None]:
            return _turns(script, tokenizer, prompt_ids), None

    made = Environments(ENV_ID, list(script.turns))
    rows = {row["task_id"]: row for row in made.rows}
    with _playing(Knowing, tokenizer, rows, environment_factory=made) as play:
        yield play


@contextmanager
def rollouts(script: Script) -> Iterator[Play]:
    """Play as a trainer does that was given a ``rollout_func``."""
    from trl import GRPOTrainer
    from trl.chat_template_utils import qwen3_chat_template

    from stb_env.integrations.trl import Rollouts

    tokenizer = trained_tokenizer(script, qwen3_chat_template)

    def write(prompts: Sequence[list[int]]) -> list[tuple[list[int], list[float]]]:
        return [(ids, [0.0] * len(ids)) for ids in _turns(script, tokenizer, prompts)]

    made = Rollouts(ENV_ID, list(script.turns), write=write, longest=65_536)
    rows = {row["prompt"][0]["task_id"]: row for row in made.rows}
    with _playing(GRPOTrainer, tokenizer, rows, rollout_func=made) as play:
        yield play


@contextmanager
def _playing(kind: Any, tokenizer: Any, rows: Mapping[str, JsonObject], **how: Any) -> Iterator[Play]:
    """Play the rows of tasks by a trainer that never comes to train: its model has no say."""
    import torch
    from datasets import Dataset
    from trl import GRPOConfig

    from stb_env.integrations.trl import reward

    earned: list[float | None] = []

    def noted(**told: Any) -> list[float | None]:
        earned[:] = reward(**told)
        return earned

    def play(ids: Sequence[str]) -> float:
        with torch.no_grad():
            trainer._generate_and_score_completions([rows[task] for task in ids])
        return mean(earned)

    with TemporaryDirectory() as folder:
        settings = GRPOConfig(
            folder,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=65_536,
            max_tool_calling_iterations=24,
            use_cpu=True,
            bf16=False,
            report_to="none",
        )
        data = Dataset.from_list(list(rows.values()))
        model = _model(tokenizer)
        trainer = kind(model, noted, settings, train_dataset=data, processing_class=tokenizer, **how)
        yield Play(play)


def _turns(script: Script, tokenizer: Any, prompts: Sequence[list[int]]) -> list[list[int]]:
    """Return the tokens of the next turn after each prompt."""
    with script.model():
        texts = [next_text(script, tokenizer.decode(ids)) + END for ids in prompts]
        return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]


def _model(tokenizer: Any) -> Any:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=8,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=1,
            num_key_value_heads=1,
            head_dim=8,
            max_position_embeddings=65_536,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
