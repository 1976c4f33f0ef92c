"""ReAct text: the labels Thought, Action and Action Input, each at the start of a line."""

from __future__ import annotations

import re

from stb_env.actions import program
from stb_env.actions.action import Reading
from stb_env.actions.blocks import unfence
from stb_env.actions.braces import balanced
from stb_env.actions.call_body import json_calls
from stb_env.actions.known import Known, is_known, known_name
from stb_env.actions.structured import make_call
from stb_env.tools import ToolCall

# Blanks are bounded wherever two runs of them could meet, so that a search stays linear.
_BEFORE = r"^[ \t]*(?:[-*#>]+[ \t]+)?[*_`]{0,3}"
_AFTER = r"(?:[ \t]{0,4}\d{1,3})?[ \t]{0,4}[*_`]{0,3}[ \t]{0,4}:[*_`]{0,3}"
_INPUT = r"(?:action|tool|function)[ _]?(?:inputs?|arguments?|parameters?|args)"
_TOOL = r"(?:(?:tool|function)(?:[ _](?:name|call|to use))?|call)"
_LABEL = re.compile(
    rf"{_BEFORE}(thought|{_INPUT}|action|{_TOOL}|observation|inputs?|arguments?|parameters?|args){_AFTER}",
    re.IGNORECASE | re.MULTILINE,
)
MARK = re.compile(rf"{_BEFORE}(?:action|{_TOOL}){_AFTER}", re.IGNORECASE | re.MULTILINE)
_NAMED = re.compile(r"[\s`*\"']*(?:([A-Za-z_][\w.-]{0,255})|(?=\{))")
_SAME_LINE = re.compile(rf"[ \t]{{0,4}}[,;|]?[ \t]{{0,4}}[*_`]{{0,3}}{_INPUT}{_AFTER}", re.IGNORECASE)
_BESIDE = re.compile(r"([A-Za-z_][\w.-]{0,255})`?[ \t]*(?:(?=[{(])|\[(.*)\]\Z)", re.DOTALL)
_DECORATION = " \t\r\n*_`\"'"


def read(text: str, max_calls: int, known: Known = None) -> Reading | None:
    r"""Read ReAct text; each Action with the Action Input that follows it is a call.

    The input is an object that may span lines, or raw text. An Action without an input is a call where it
    says one by itself: as JSON, as ``f(n=1)`` or ``f {"n": 1}``, or as the name of a known tool. ``Tool:``,
    ``Function:`` and ``Call:`` mean the same where a known tool or an object follows. What comes before the
    first action, and every further thought, is the text. An Observation after a call ends the reading: what
    follows was made up by the model.

    Examples:
        >>> read('Thought: Need it.\nAction: get_day\nAction Input: {"n":\n 1}', 64)
        Reading(calls=[ToolCall(name='get_day', arguments={'n': 1}, id='')], text='Need it.')
        >>> read('**Action:** `get_day(n=1)`', 64).calls
        [ToolCall(name='get_day', arguments={'n': 1}, id='')]
    """
    calls: list[ToolCall] = []
    thoughts: list[str] = []
    action: str | None = None
    for label, body in _parts(text, known):
        if action is not None and label != "input":
            calls += _alone(action, max_calls, known)
            action = None
        if label == "observation" and calls:
            break
        if label == "action":
            action = body
        elif label == "input" and action is not None:
            calls.append(_with_input(action, body, known))
            action = None
        elif label in ("thought", ""):
            thoughts.append(body)
        if len(calls) >= max_calls:
            break
    if action is not None:
        calls += _alone(action, max_calls, known)
    return Reading(calls[:max_calls], "\n".join(filter(None, map(str.strip, thoughts)))) if calls else None


def _parts(text: str, known: Known) -> list[tuple[str, str]]:
    """Return (label, body) of each part, the text before the first label under an empty one."""
    labels: list[tuple[str, re.Match[str]]] = []
    for match in _LABEL.finditer(text):
        word = match[1].lower()
        kind = word if word in ("thought", "action", "observation") else "input"
        if re.fullmatch(_TOOL, word):
            if not _names_tool(text, match.end(), known):
                continue
            kind = "action"
        # A bare "Input:" means something right after an action only; elsewhere it is a line of text.
        if kind == "input" and not word.startswith("action") and (not labels or labels[-1][0] != "action"):
            continue
        labels.append((kind, match))
    if not labels:
        return []
    ends = [match.start() for _, match in labels[1:]] + [len(text)]
    bodies = [text[match.end() : end].strip() for (_, match), end in zip(labels, ends, strict=True)]
    return [("", text[: labels[0][1].start()]), *zip((kind for kind, _ in labels), bodies, strict=True)]


def _names_tool(text: str, position: int, known: Known) -> bool:
    name = _NAMED.match(text, position)
    return name is not None and (not name[1] or is_known(known_name(name[1], known), known))


def _with_input(action: str, body: str, known: Known) -> ToolCall:
    # Of an action that is a call by itself, the input says the arguments once more.
    written = json_calls(unfence(action), 1, known) if action.startswith("{") else []
    name = written[0].name if written else known_name(action.strip(_DECORATION), known)
    return make_call(name, _input(body))


def _input(body: str) -> str:
    body = unfence(body).strip("`").strip() if body.startswith("`") else unfence(body)
    repaired = balanced(body, closed=False) if body.startswith("{") else None
    return body if repaired is None else repaired


def _alone(action: str, max_calls: int, known: Known) -> list[ToolCall]:
    body = unfence(action)
    body = body.strip("`").strip() if body.startswith("`") else body
    if body.startswith(("{", "[")):
        return json_calls(body, max_calls, known)
    name, *given = _SAME_LINE.split(body, maxsplit=1)
    if given:
        return [_with_input(name.strip(), given[0].strip(), known)]
    body = body.split("\n", 1)[0].strip(_DECORATION)
    if is_known(known_name(body, known), known):
        return [make_call(known_name(body, known), None)]
    beside = _BESIDE.match(body)
    return [] if beside is None else _beside(body, beside, max_calls, known)


def _beside(body: str, name: re.Match[str], max_calls: int, known: Known) -> list[ToolCall]:
    rest = body[name.end() :]
    if name[2] is not None:
        sure = is_known(known_name(name[1], known), known)
        return [make_call(known_name(name[1], known), _input(name[2].strip()))] if sure else []
    inner = rest.removeprefix("(").removesuffix(")").strip() if rest.startswith("(") else rest
    if inner.startswith("{"):
        return [make_call(known_name(name[1], known), _input(inner))]
    reading = program.read(body, max_calls)
    return reading.calls if reading else []
