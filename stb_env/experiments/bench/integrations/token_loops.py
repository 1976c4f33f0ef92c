"""Loops of trainers that read and write tokens: TRL and verl, with a tokenizer made on the spot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from stb_env.experiments.bench.integrations.loop import ENV_ID, Play, Script, mean, written
from stb_env.integrations.rows import rows as training_rows

END = "<|im_end|>"
_TEMPLATE = (
    "{% for tool in tools or [] %}{{ tool | tojson }}\n{% endfor %}"
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['role'] == 'tool' %}<tool_response>{% endif %}{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def next_text(script: Script, text: str) -> str:
    """Return the next turn of a conversation whose template marks what tools said as Qwen's does."""
    turns = script.turns[next(task for query, task in script.queries.items() if query in text)]
    place = text.count("<tool_response>")
    # TRL asks for one turn more after the last call.
    return written(turns[place]) if place < len(turns) else "Done."


def trained_tokenizer(script: Script, template: str) -> Any:
    """Make a tokenizer of bytes and what little training adds, with a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    marks = ["<|endoftext|>", "<|im_start|>", END]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=4000,
        special_tokens=marks,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [str((row.messages, row.tools)) for row in training_rows(ENV_ID, list(script.turns))]
    made.train_from_iterator(texts, trainer)
    frames = ("tool_call", "tool_response", "think")
    made.add_tokens([mark for frame in frames for mark in (f"<{frame}>", f"</{frame}>")])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=marks[0], eos_token=END, chat_template=template
    )


@contextmanager
def environments(script: Script) -> Iterator[Play]:
    """Play as a trainer does that was given an ``environment_factory``."""
    from trl import GRPOTrainer
    from trl.chat_template_utils import qwen3_chat_template

    from stb_env.integrations.trl import Environments

    tokenizer = trained_tokenizer(script, qwen3_chat_template)

    class Knowing(GRPOTrainer):
        """Writes the known solutions instead of what a model would."""

        def _generate_single_turn(
            self, prompt_ids: Any, *_: object, **__: object
        ) -> tuple[list[list[int]], None]:
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
def _playing(
    kind: Any, tokenizer: Any, rows: Mapping[str, Mapping[str, object]], **how: Any
) -> Iterator[Play]:
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


@contextmanager
def verl(script: Script) -> Iterator[Play]:
    """Play as a worker of verl's does."""
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap
    from verl.utils.dataset.rl_dataset import RLHFDataset
    from verl.workers.rollout.replica import TokenOutput

    from stb_env.integrations.verl import EpisodeLoop, dataset

    tokenizer = trained_tokenizer(script, _TEMPLATE)
    rollout = {"prompt_length": 65_536, "response_length": 65_536}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})

    class Server:
        """Writes the known solutions."""

        async def generate(
            self, request_id: str, *, prompt_ids: list[int], sampling_params: object
        ) -> TokenOutput:
            del request_id, sampling_params
            with script.model():
                text = next_text(script, tokenizer.decode(prompt_ids)) + END
                ids = tokenizer(text, add_special_tokens=False)["input_ids"]
                return TokenOutput(token_ids=ids, log_probs=[0.0] * len(ids))

    async def one(row: Any) -> float:
        loop = EpisodeLoop(
            trainer_config=DictConfigWrap(config),
            server_manager=Server(),
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
        )
        played = await loop.run({}, raw_prompt=row["prompt"], extra_info=row["extra_info"])
        return float(played.reward_score)

    rows = {row["extra_info"]["task_id"]: row for row in dataset(ENV_ID, list(script.turns))}

    async def play(ids: Sequence[str]) -> float:
        return mean([await one(rows[task]) for task in ids])

    with asyncio.Runner() as runner:
        yield Play(lambda ids: runner.run(play(ids)))
