"""Pieces of a conversation as tokens, so that it is tokenised once and only ever added to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonMapping

_CALL = "<what the model wrote>"


def ids_of(tokenizer: Any, text: str) -> list[int]:
    """Tokenise a piece of a conversation as it is."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def prompt_ids(
    tokenizer: Any, messages: Sequence[JsonMapping], tools: Sequence[JsonMapping] | None
) -> list[int]:
    """Tokenise a conversation up to the model's next turn."""
    return ids_of(
        tokenizer,
        tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=True, tokenize=False),
    )


def told_ids(tokenizer: Any, messages: Sequence[Mapping[str, object]]) -> list[int]:
    """Return what the chat template puts between the end of a turn and the model's next."""
    turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": _CALL}, *messages]
    text: str = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    return ids_of(tokenizer, text.split(_CALL, 1)[1].removeprefix(tokenizer.eos_token))
