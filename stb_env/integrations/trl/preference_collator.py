"""Batches for ``DPOTrainer`` whose loss counts what the model wrote, and none of the environment's words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.integrations.extra import missing
from stb_env.integrations.trl.chat_tokens import own_turns


class PreferenceCollator:
    """Data collator for ``DPOTrainer`` on pairs of ``stb-env export --format preferences``.

    TRL counts everything after the prompt, and of a conversation with tools that is in large part what the
    environment said. This one counts the model's turns alone, each with the token that ends it, as the
    tokenizer's own chat template renders them for the trainer. Train with
    ``DPOConfig(remove_unused_columns=False)``, since it reads the messages of a pair.

    Args:
        tokenizer: The tokenizer that the trainer has; a fast one.
        max_length: Tokens of a sequence; later ones are cut.

    Raises:
        ConfigError: TRL is not installed.
    """

    def __init__(self, tokenizer: Any, max_length: int | None = None) -> None:
        try:
            from trl.trainer.dpo_trainer import DataCollatorForPreference
        except ImportError as error:
            raise missing("TRL", "trl") from error
        self._tokenizer, self._max_length = tokenizer, max_length
        self._batch = DataCollatorForPreference(tokenizer.pad_token_id, max_length)

    def __call__(self, examples: Sequence[JsonMapping]) -> dict[str, Any]:
        """Return a batch as TRL's own collator does, its ``completion_mask`` zero on the environment's words.

        Raises:
            ConfigError: The examples have no messages, their tokens are not those of the template, or the
                template renders a turn in another way once others follow it.
        """
        batch: dict[str, Any] = self._batch(list(examples))
        rows = [self._own(example, way) for way in ("chosen", "rejected") for example in examples]
        for mask, own in zip(batch["completion_mask"], rows, strict=True):
            mask[: len(own)] *= mask.new_tensor(own)
        return batch

    def _own(self, example: Mapping[str, Any], way: str) -> list[int]:
        """Return 1 for each token of a prompt and a way on from it that the model wrote."""
        if way not in example:
            raise ConfigError("pairs have lost their messages; set remove_unused_columns=False in DPOConfig")
        tools = example.get("tools")
        how = {
            "tools": json.loads(tools) if isinstance(tools, str) else tools,
            **(example.get("chat_template_kwargs") or {}),
        }
        text, turns = own_turns(self._tokenizer, [*example["prompt"], *example[way]], how)
        tokens = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        if tokens["input_ids"] != [*example["prompt_ids"], *example[f"{way}_ids"]]:
            raise ConfigError(
                "the trainer tokenised a pair in another way than this tokenizer does; give "
                "PreferenceCollator the tokenizer that is the trainer's processing_class"
            )
        # A token on the border is the model's, as for TRL: there prompt and conversation part.
        own = [
            int(any(start < last and first < end for start, end in turns))
            for first, last in tokens["offset_mapping"]
        ]
        return own[: self._max_length]
