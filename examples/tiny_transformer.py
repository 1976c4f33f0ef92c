"""A transformer of some hundred thousand parameters with its tokenizer, made on the spot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

PAD, START, END = "<pad>", "<|im_start|>", "<|im_end|>"
FRAMES = ("<tool_call>\n", "\n</tool_call>")
VOCABULARY = 1200

# Neither the system's words nor the descriptions of the tools: they would be nine tenths of an episode. What
# the tools are called is learned from the warm start.
TEMPLATE = (
    "{% for message in messages %}{% if message['role'] != 'system' %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)

# Words without the space before them, so that a name is one token wherever it stands; numbers in groups of up
# to three digits, since a group, unlike a digit, is found again by itself; and what is between them.
PIECES = Regex(r"[A-Za-z_]+|\d{1,3}|[^A-Za-z_\d]+")


def tiny_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """Train a byte-level tokenizer on some texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(PIECES, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[PAD, START, END],
        min_frequency=1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([*FRAMES])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, chat_template=TEMPLATE, padding_side="left"
    )


def tiny_model(tokenizer: Any, seed: int) -> Any:
    """Make a transformer with random weights."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=192,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=1024,
            # Larger than usual: from the start a token differs from all others, which is what copying needs.
            initializer_range=0.1,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
