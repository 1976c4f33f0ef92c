"""A tokenizer made on the spot, and what a model that knows writes after a prompt of it."""

from __future__ import annotations

from typing import Any

from stb_env.bench.integrations.script import ENV_ID, Script, written
from stb_env.integrations.rows import rows

END = "<|im_end|>"


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
    texts = [str((row.messages, row.tools)) for row in rows(ENV_ID, list(script.turns))]
    made.train_from_iterator(texts, trainer)
    frames = ("tool_call", "tool_response", "think")
    made.add_tokens([mark for frame in frames for mark in (f"<{frame}>", f"</{frame}>")])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=marks[0], eos_token=END, chat_template=template
    )
