"""Thoughts: what a model wrote to itself, which is neither a call nor a part of its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stb_env.actions import channels
from stb_env.actions.families import MARKS
from stb_env.actions.plain import MAX_TEXT, clean
from stb_env.tools import FINISH, ToolCall

_TAGS = "think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection|inner_monologue"
_PAIRS = {
    "tag": (
        rf"<(?:\w{{1,20}}:)?(?P<tag>{_TAGS})(?:[ \t][^<>\n]{{0,200}})?>",
        rf"</(?:\w{{1,20}}:)?({_TAGS})[ \t]{{0,9}}>",
    ),
    "mistral": (r"\[THINK\]", r"\[/THINK\]"),
    "kimi": ("◁think▷", "◁/think▷"),
    "cohere": (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    "token": (r"<\|(?:begin_of_thought|thinking|think)\|>", r"<\|(?:end_of_thought|/thinking|/think)\|>"),
    "kimi_k3": (r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),
    "gemma": (r"<\|channel>thought\b", r"<channel\|>"),
    "gemma_medical": (r"<unused94>", r"<unused95>"),
}
_MARK = re.compile(
    "|".join(
        f"(?P<open_{name}>{opens})|(?P<close_{name}>{closes})" for name, (opens, closes) in _PAIRS.items()
    ),
    re.IGNORECASE,
)
# A search for one of a few characters takes a tenth of the time of one for all the marks.
_FIRST = re.compile(r"[<\[◁]")
_KEYS = ("reasoning_content", "reasoning")


class Spoken(NamedTuple):
    """A text without its thoughts.

    Attributes:
        thought: The thoughts, one below the other.
        text: What was said; the text as it is where nothing in it is a thought.
    """

    thought: str
    text: str


def split(text: str) -> Spoken:
    """Take the thoughts out of a text.

    A thought without an end goes on to the end of the text. One without a beginning began with the text:
    many chat templates write the opening mark themselves. Where thoughts seem to nest, all of it is thought;
    so nothing is taken for speech that might be none.

    Examples:
        >>> split("<think>Call it?</think>Hello."), split("Call it?</think>Hello.")
        (Spoken(thought='Call it?', text='Hello.'), Spoken(thought='Call it?', text='Hello.'))
        >>> split("Hello.<thinking>Should I call"), split("Hello.")
        (Spoken(thought='Should I call', text='Hello.'), Spoken(thought='', text='Hello.'))
        >>> split("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi.")
        Spoken(thought='Hm.', text='Hi.')
    """
    spoken = _split_marks(text) if _FIRST.search(text) else Spoken("", text)
    said = channels.split(spoken.text)
    return spoken if said is None else Spoken(_joined([spoken.thought, said[0]]), said[1])


def thought_of(data: object) -> str:
    """Return the thought that a message carries beside its content; empty where there is none.

    Examples:
        >>> thought_of({"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."})
        'Hm.'
    """
    if not isinstance(data, Mapping):
        return ""
    for key in _KEYS if "content" in data else ():
        value = data.get(key)
        if isinstance(value, str) and value:
            return clean(value)[:MAX_TEXT]
    return ""


def without_thought(call: ToolCall) -> ToolCall:
    """Return a call to Finish whose answer holds no thought; any other call as it is.

    Examples:
        >>> without_thought(ToolCall("Finish", {"final_answer": "<think>6 times 7</think>42"})).arguments
        {'final_answer': '42'}
    """
    if call.name != FINISH:
        return call
    if isinstance(call.arguments, str):
        thought, said = split(call.arguments)
        return ToolCall(call.name, said, call.id) if thought else call
    said_by_key = {key: split(value) for key, value in call.arguments.items() if isinstance(value, str)}
    if not any(spoken.thought for spoken in said_by_key.values()):
        return call
    said_texts = {key: spoken.text for key, spoken in said_by_key.items()}
    return ToolCall(call.name, {**call.arguments, **said_texts}, call.id)


def _split_marks(text: str) -> Spoken:
    thoughts: list[str] = []
    said: list[str] = []
    inside, depth, position = "", 0, 0
    for mark in MARKS.outside_calls(text, _marks(text)):
        opens, kind = _kind_of(mark)
        if inside:
            # Marks of other kinds are words of the thought.
            depth += 0 if kind != inside else 1 if opens else -1
            if depth == 0:
                thoughts.append(text[position : mark.start()])
                inside, position = "", mark.end()
            continue
        if opens:
            said.append(text[position : mark.start()])
            inside, depth = kind, 1
        else:
            # It began before the text did: whatever came so far was thought.
            thoughts += [*said, text[position : mark.start()]]
            said = []
        position = mark.end()
    if not position:
        return Spoken("", text)
    (thoughts if inside else said).append(text[position:])
    return Spoken(_joined(thoughts), _joined(said))


def _marks(text: str) -> Iterator[re.Match[str]]:
    position = 0
    for first in _FIRST.finditer(text):
        if first.start() >= position and (mark := _MARK.match(text, first.start())):
            position = mark.end()
            yield mark


def _kind_of(mark: re.Match[str]) -> tuple[bool, str]:
    group = mark.lastgroup or ""
    # The group of the tag's own name closes last only in Python's numbering, so it is asked for first.
    if mark["tag"]:
        return True, mark["tag"].lower()
    state, _, kind = group.partition("_")
    if kind == "tag":
        return False, mark[0].strip("</> \t\r\n").rpartition(":")[2].lower()
    return state == "open", kind


def _joined(parts: list[str]) -> str:
    return "\n".join(part for part in map(str.strip, parts) if part)
