"""Harmony, the channels of gpt-oss: ``<|channel|>commentary to=functions.f<|message|>{...}<|call|>``."""

from __future__ import annotations

import re
from typing import NamedTuple

from stb_env.actions.action import Reading
from stb_env.actions.known import Known
from stb_env.actions.structured import make_call

MARK = re.compile(r"<\|channel\|>commentary to=")

_TOKEN = re.compile(r"<\|(start|channel|constrain|message|end|return|call)\|>")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]{1,256})")
_MESSAGE = re.compile(
    r"<\|channel\|>commentary to=([\w.-]{1,256})<\|message\|>(.*?)(?:<\|call\|>|(?=<\|channel\|>)|\Z)",
    re.DOTALL,
)
# Servers that drop special tokens leave the words between them, run together.
_BARE = re.compile(
    r"(?:\A\s*|assistant)(analysis|commentary|final)(?=\S| to=)"
    r"((?: to=functions\.[\w-]+)?)(?: ?(?:json|code)(?=\W))?"
)
_BARE_START = re.compile(r"\s*analysis\S")
_TOOL = re.compile(r"\s*(?:functions\.|tool\b)")


class _Message(NamedTuple):
    header: str
    body: str

    @property
    def is_thought(self) -> bool:
        """True if it is in the channel of thoughts, or in none at all."""
        return "analysis" in self.header or not ("final" in self.header or "commentary" in self.header)


def split(text: str) -> tuple[str, str] | None:
    """Divide channels into thoughts and what was said; None where the text has no channels.

    Calls stay as they are, for `read`. A call in the channel of thoughts is a thought.

    Examples:
        >>> split("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi.")
        ('Hm.', 'Hi.')
        >>> split("analysisHm.assistantfinalHi."), split("Hi.")
        (('Hm.', 'Hi.'), None)
    """
    if _BARE_START.match(text) and ("assistantfinal" in text or "assistantcommentary" in text):
        text = _BARE.sub(r"<|end|><|channel|>\1\2<|message|>", text)
    if "<|channel|>" not in text:
        return None
    thoughts: list[str] = []
    said: list[str] = []
    for message in _messages(text):
        if _TOOL.match(message.header):
            # The model plays the tool: nothing after that is its own turn.
            break
        recipient = _RECIPIENT.search(message.header)
        if message.is_thought:
            thoughts.append(message.body.strip())
        elif recipient:
            said.append(f"<|channel|>commentary to={recipient[1]}<|message|>{message.body}<|call|>")
        else:
            said.append(message.body.strip())
    return "\n".join(filter(None, thoughts)), "\n".join(filter(None, said))


def read(text: str, max_calls: int, _: Known = None) -> Reading | None:
    """Read the calls that `split` left.

    Examples:
        >>> read('<|channel|>commentary to=ping<|message|>{"n": 1}<|call|>', 64, None)
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
    """
    found = list(_MESSAGE.finditer(text))[:max_calls]
    calls = [make_call(message[1], message[2].strip()) for message in found]
    return Reading(calls, _MESSAGE.sub("", text).strip()) if calls else None


def _messages(text: str) -> list[_Message]:
    before, *parts = _TOKEN.split(text)
    # A prompt that ends with the start of a turn leaves the recipient to the model: " to=functions.f".
    header = before if _RECIPIENT.match(before.strip()) else ""
    messages = [_Message("", "" if header else before)]
    for token, part in zip(parts[::2], parts[1::2], strict=True):
        match token:
            case "message":
                messages.append(_Message(header, part))
                header = ""
            case "channel" | "constrain":
                header += f" {part}"
            case "start":
                header = part
            case _:
                messages.append(_Message("", part))
                header = ""
    # A header without a message may hold anything: it is not what was said.
    return [*messages, _Message("", header)]
