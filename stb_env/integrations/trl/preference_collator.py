"""Batches for ``DPOTrainer`` whose loss counts what the model wrote, and none of the environment's words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError
from stb_env.integrations.extra import missing


class PreferenceCollator:
    """Data collator for ``DPOTrainer`` on pairs of ``stb-env export --format preferences``.

    TRL counts everything after the prompt, and of a conversation with tools that is in large part what the
    environment said. This one counts the model's turns alone, as the chat template marks them. Train with
    ``DPOConfig(remove_unused_columns=False)``, since it reads the messages of a pair.

    Args:
        tokenizer: The tokenizer that the trainer has; where its template does not mark the model's turns,
            TRL's form of that template for training does.
        max_length: Tokens of a sequence; later ones are cut.

    Raises:
        ConfigError: TRL is not installed, or has no form of the template that marks the model's turns.
    """

    def __init__(self, tokenizer: Any, max_length: int | None = None) -> None:
        try:
            from trl.chat_template_utils import get_training_chat_template
            from trl.trainer.dpo_trainer import DataCollatorForPreference
        except ImportError as error:
            raise missing("TRL", "trl") from error
        self._tokenizer, self._max_length = tokenizer, max_length
        self._batch = DataCollatorForPreference(tokenizer.pad_token_id, max_length)
        # None where the template marks them itself.
        self._template = None
        if "{% generation" not in tokenizer.chat_template:
            try:
                self._template = get_training_chat_template(tokenizer)
            except ValueError as error:
                raise ConfigError(f"the chat template does not mark the model's turns ({error})") from error

    def __call__(self, examples: Sequence[JsonMapping]) -> dict[str, Any]:
        """Return a batch as TRL's own collator does, its ``completion_mask`` zero on the environment's words.

        Raises:
            ConfigError: The examples have no messages, or their tokens are not those of the template.
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
        rendered = self._tokenizer.apply_chat_template(
            [*example["prompt"], *example[way]],
            tools=json.loads(tools) if isinstance(tools, str) else tools,
            chat_template=self._template,
            tokenize=True,
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        if rendered["input_ids"] != [*example["prompt_ids"], *example[f"{way}_ids"]]:
            raise ConfigError(
                "the trainer tokenised a pair in another way than the chat template for training does; give "
                "the trainer's processing_class that template, or a template whose prompt ends where a turn "
                "begins (those that begin to think in the prompt do not)"
            )
        own: list[int] = rendered["assistant_masks"][: self._max_length]
        return own
