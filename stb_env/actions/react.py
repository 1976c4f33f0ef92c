"""ReAct text: the labels Thought, Action and Action Input, each at the start of a line."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import unfence
from stb_env.actions.structured import make_call
from stb_env.tools import ToolCall

_LABEL = re.compile(
    r"^[ \t]*(thought|action input|action|observation)(?:[ \t]*\d{1,3})?[ \t]*:", re.IGNORECASE | re.MULTILINE
)


def read(text: str, max_calls: int) -> Reading | None:
    r"""Read ReAct text; each Action with the Action Input that follows it is a call.

    The input is an object that may span lines, or raw text. What comes before the first action, and
    every further thought, is the text. An Observation after a call ends the reading: what follows was
    made up by the model.

    Examples:
        >>> read('Thought: Need it.\nAction: get_day\nAction Input: {"n":\n 1}', 64)
        Reading(calls=[ToolCall(name='get_day', arguments={'n': 1}, id='')], text='Need it.')
    """
    labels = list(_LABEL.finditer(text))
    if not labels:
        return None
    calls: list[ToolCall] = []
    thoughts = [text[: labels[0].start()]]
    name = ""
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        body = text[label.end() : end].strip()
        match label[1].lower():
            case "thought":
                thoughts.append(body)
            case "action":
                name = body
            case "action input" if name:
                calls.append(make_call(name, unfence(body)))
                name = ""
            case "observation" if calls:
                break
        if len(calls) >= max_calls:
            break
    return Reading(calls, "\n".join(part for part in map(str.strip, thoughts) if part)) if calls else None
