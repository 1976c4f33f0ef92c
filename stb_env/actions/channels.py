"""Harmony's channels, as gpt-oss writes them: ``<|channel|>analysis<|message|>...<|end|>``."""

from __future__ import annotations

import re
from typing import NamedTuple

from stb_env.actions.braces import end_of

# A token in a line's code between backticks is quoted.
_UNQUOTED = r"(?:(?<![^`]`)|(?<=[^`]`)(?![^`\n]*`(?!`)))"
_CHANNEL = re.compile(rf"{_UNQUOTED}<\|channel\|>")
_TOKEN = re.compile(rf"{_UNQUOTED}<\|(start|channel|constrain|message|end|return|call)\|>")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]{1,256})")
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

    What has a recipient is a call, in any channel. Calls stay, in one form, for the table of markup.

    Examples:
        >>> split("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi.")
        ('Hm.', 'Hi.')
        >>> split("analysisHm.assistantfinalHi."), split("Hi.")
        (('Hm.', 'Hi.'), None)
    """
    if _BARE_START.match(text) and ("assistantfinal" in text or "assistantcommentary" in text):
        text = _BARE.sub(r"<|end|><|channel|>\1\2<|message|>", text)
    if not _CHANNEL.search(text):
        return None
    thoughts: list[str] = []
    said: list[str] = []
    for message in _messages(text):
        if _TOOL.match(message.header):
            # The model plays the tool: nothing after that is its own turn.
            break
        recipient = _RECIPIENT.search(message.header)
        if recipient:
            said.append(f"<|channel|>commentary to={recipient[1]}<|message|>{message.body}<|call|>")
        elif message.is_thought:
            thoughts.append(message.body.strip())
        else:
            said.append(message.body.strip())
    return "\n".join(filter(None, thoughts)), "\n".join(filter(None, said))


def _messages(text: str) -> list[_Message]:
    first = _TOKEN.search(text)
    before = text[: first.start()] if first else text
    # A prompt that ends with the start of a turn leaves the recipient to the model: " to=functions.f".
    header = before if _RECIPIENT.match(before.strip()) else ""
    messages = [_Message("", "" if header else before)]
    token = first
    while token:
        end = _part_end(text, token, header)
        following = _TOKEN.search(text, end)
        part = text[token.end() : following.start() if following else None]
        match token[1]:
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
        token = following
    # A header without a message may hold anything: it is not what was said.
    return [*messages, _Message("", header)]


def _part_end(text: str, token: re.Match[str], header: str) -> int:
    """Return from where the next token is looked for; in the strings of a call's arguments there is none."""
    if token[1] == "message" and text.startswith("{", token.end()) and _RECIPIENT.search(header):
        return end_of(text, token.end()) or token.end()
    return token.end()
