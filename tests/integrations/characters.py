"""A tokenizer of characters and special tokens, with a chat template: enough of transformers' to play."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

jinja2 = pytest.importorskip("jinja2", reason="chat templates need jinja2")
from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: E402 (what comes first may skip)


class Characters:
    """Turns each character, and each special token, into one id.

    Args:
        template: A chat template.
        special: Special tokens; the first ends a turn.
    """

    def __init__(self, template: str, special: Sequence[str] = ("<|end|>",), bos: str = "<bos>") -> None:
        self.chat_template = template
        self.all_special_tokens = [*special, bos]
        self.eos_token, self.bos_token = special[0], bos
        self.eos_token_id = self.pad_token_id = self._id(special[0])
        self._pieces = re.compile("|".join([*map(re.escape, self.all_special_tokens), "."]), re.DOTALL)

    def _id(self, piece: str) -> int:
        special = self.all_special_tokens
        return 0x110000 + special.index(piece) if piece in special else ord(piece)

    def __call__(self, text: str, *, add_special_tokens: bool = True) -> dict[str, list[int]]:
        assert not add_special_tokens
        return {"input_ids": [self._id(piece) for piece in self._pieces.findall(text)]}

    def decode(self, ids: Iterable[int], *, skip_special_tokens: bool = False) -> str:
        texts = [chr(i) if i < 0x110000 else self.all_special_tokens[i - 0x110000] for i in ids]
        return "".join(
            text for text in texts if not (skip_special_tokens and text in self.all_special_tokens)
        )

    def apply_chat_template(
        self, messages: Sequence[Any], *, tools: Any = None, tokenize: bool = False, **how: Any
    ) -> str:
        """Render as transformers does."""
        assert not tokenize
        return rendered(
            self.chat_template,
            messages,
            tools=tools,
            bos_token=self.bos_token,
            eos_token=self.eos_token,
            **how,
        )


def rendered(template: str, messages: Sequence[Any], **names: Any) -> str:
    """Render a chat template in the environment that transformers gives it."""

    def refuse(message: str) -> None:
        raise jinja2.exceptions.TemplateError(message)

    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    made.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    made.globals["raise_exception"] = refuse
    return made.from_string(template).render(messages=messages, **names)


TOJSON = """\
{% for tool in tools or [] %}{{ tool | tojson }}
{% endfor %}
{%- for message in messages %}<|{{ message.role }}|>{{ message.content }}
{%- for call in message.tool_calls or [] %}{% set made = call.function %}
<tool_call>{"name": "{{ made.name }}", "arguments": {{ made.arguments | tojson }}}</tool_call>
{%- endfor %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""
"""Writes arguments as JSON, whatever they are: a text it escapes."""

ITEMS = """\
{% for tool in tools or [] %}{{ tool | tojson }}
{% endfor %}
{%- for message in messages %}
{%- if message.role == 'tool' %}{% if not loop.previtem.tool_calls and loop.previtem.role != 'tool' %}
{{- raise_exception('a result needs its call') }}{% endif %}<|observation|>{{ message.content }}
{%- else %}<|{{ message.role }}|>{{ message.content }}
{%- for call in message.tool_calls or [] %}<tool_call><function={{ call.function.name }}>
{%- for name, value in call.function.arguments.items() %}<parameter={{ name }}>
{{- value if value is string else value | tojson }}</parameter>
{%- endfor %}</function></tool_call>{% endfor %}
{%- endif %}
{%- endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""
"""Goes through arguments by name, fails on a result without its call, and ends no turn by its own token."""

IDS = TOJSON.replace(
    "{% set made = call.function %}",
    "{% set made = call.function %}{% if call.id | length != 9 %}"
    "{{ raise_exception('ids of calls have 9 letters or digits') }}{% endif %}",
)
"""Takes ids of nine characters alone."""

STRICT = """\
{% for tool in tools or [] %}{{ tool | tojson }}{% endfor %}
{%- for message in messages %}
{%- if message.role == 'tool' %}{{ raise_exception('only system, user and assistant roles') }}{% endif %}
<|{{ message.role }}|>{{ message.content }}<|end|>
{%- endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"""
"""Fails on results of tools."""

DROPS = STRICT.replace(
    "{{ raise_exception('only system, user and assistant roles') }}{% endif %}", "{% else %}"
).replace("<|end|>\n", "<|end|>{% endif %}\n")
"""Leaves results of tools out."""
