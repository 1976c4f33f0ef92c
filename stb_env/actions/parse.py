"""Text or data to an action: tries each accepted form in turn and survives anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from stb_env.actions import (
    blocks,
    bracketed,
    call_body,
    named_elements,
    program,
    prose,
    react,
    yaml_call,
)
from stb_env.actions.action import MAX_CALLS, Action, Reading, arrange
from stb_env.actions.families import MARKS
from stb_env.actions.known import Known, is_known, with_known_names
from stb_env.actions.plain import MAX_TEXT, clean, plain
from stb_env.actions.structured import (
    ABSENT,
    MAX_ID,
    MAX_WRITTEN_NAME,
    read_data,
    read_value,
    usual_value,
)
from stb_env.actions.thought import split, thought_of, without_thought
from stb_env.actions.turn import stretches
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.tools import FINISH, ToolCall

ActionLike: TypeAlias = str | bytes | JsonMapping | Sequence[object] | None
"""What an agent may hand over as its action; `parse_action` says how it is read."""

Form = Callable[[str, int, Known], Reading | None]
"""Reads a text of one form, at most so many calls; None where the text has no call of this form."""


class Syntax(NamedTuple):
    """A form of calls in text.

    Attributes:
        mark: Finds where a call of this form may begin.
        read: Reads the calls.
        sure: Whether the mark says by itself that a call follows, so that prose around it changes nothing.
    """

    mark: re.Pattern[str]
    read: Form
    sure: bool = True


SYNTAXES: tuple[Syntax, ...] = (
    Syntax(MARKS.mark, MARKS.read),
    Syntax(yaml_call.MARK, yaml_call.read),
    Syntax(react.MARK, react.read),
    Syntax(re.compile(blocks.FENCE), blocks.read_fences, sure=False),
    Syntax(prose.MARK, prose.read, sure=False),
    Syntax(bracketed.MARK, bracketed.read, sure=False),
    Syntax(named_elements.MARK, named_elements.read),
)
"""Forms of text that is neither JSON nor a program; a further form joins here."""


def parse_action(
    action: ActionLike,
    *,
    known: Known = None,
    max_text: int = MAX_TEXT,
    max_calls: int = MAX_CALLS,
) -> Action:
    r"""Read what an agent wrote, in any accepted form; never raises, whatever it is given.

    Without a call, the text is all that was written. Calls keep their order, and every Finish but the first
    is dropped. Arguments that are no object are kept as raw text.

    Args:
        action: Text in one of the forms below, or a call, a list of calls or an assistant message.
        known: Names of the tools that there are, Finish always among them. With them, a call without a mark
            of its own is read at the end of prose too, and only calls of these tools are; a call that stands
            alone may have any name. A mapping from names to tools also says which arguments are text.
        max_text: Only so many characters of a text are read.
        max_calls: Calls beyond this number are dropped.

    Examples:
        A JSON call, its arguments an object or the text of one; a list of calls:

        >>> parse_action('{"name": "ping", "arguments": {"n": 1}, "id": "a"}').calls
        (ToolCall(name='ping', arguments={'n': 1}, id='a'),)
        >>> parse_action('[{"name": "ping", "parameters": {}}, {"name": "pong"}]').calls
        (ToolCall(name='ping', arguments={}, id='call_0'), ToolCall(name='pong', arguments={}, id='call_1'))

        An OpenAI message, as text or as data:

        >>> call = {"id": "c", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}
        >>> parse_action({"role": "assistant", "content": "Hm.", "tool_calls": [call]})
        Action(calls=(ToolCall(name='ping', arguments={'n': 1}, id='c'),), text='Hm.', thought='')

        JSON in tags or fences:

        >>> parse_action('First this. <tool_call>{"name": "ping", "arguments": {}}</tool_call>')
        Action(calls=(ToolCall(name='ping', arguments={}, id='call_0'),), text='First this.', thought='')

        ReAct text:

        >>> parse_action('Thought: I need it.\nAction: ping\nAction Input: {"n": 1}')
        Action(calls=(ToolCall(name='ping', arguments={'n': 1}, id='call_0'),), text='I need it.', thought='')

        A program, where positional arguments stand under ``"*"``, and a bracket:

        >>> parse_action('API.ping(1, "b")').calls
        (ToolCall(name='ping', arguments={'*': [1, 'b']}, id='call_0'),)
        >>> parse_action("API-Request: [Ping(n='1')]").calls
        (ToolCall(name='Ping', arguments={'n': '1'}, id='call_0'),)

        The marks of most families of models (`stb_env.actions.families`), and with ``known`` an object at the
        end of a text:

        >>> parse_action('[TOOL_CALLS]ping[ARGS]{"n": 1}').calls
        (ToolCall(name='ping', arguments={'n': 1}, id='call_0'),)
        >>> parse_action('I do: {"tool": "ping", "args": {"n": 1}}', known={"ping"}).calls
        (ToolCall(name='ping', arguments={'n': 1}, id='call_0'),)

        Thoughts are kept apart, whatever they hold:

        >>> parse_action("<think>API.ping()?</think>API.pong()")
        Action(calls=(ToolCall(name='pong', arguments={}, id='call_0'),), text='', thought='API.ping()?')

        Anything else is text without a call:

        >>> parse_action("Hello (world).")
        Action(calls=(), text='Hello (world).', thought='')
    """
    usual = _parse_usual(action, max_calls, known)
    return _parse(action, max_text, max_calls, known) if usual is None else usual


def parse_said(parse: Callable[[ActionLike], Action], action: ActionLike) -> Action:
    """Read an action with a reader of a task's own, to which its thoughts are not shown.

    Args:
        parse: The reader.
        action: What an agent wrote.

    Examples:
        >>> parse_said(lambda line: Action((), line.upper()), "<think>Who?</think>It is Ada.")
        Action(calls=(), text='IT IS ADA.', thought='Who?')
    """
    if not isinstance(action, str):
        return parse(action)
    thought, said = split(action[:MAX_TEXT])
    # In JSON it is a word of an argument.
    if not thought or read_value(action) is not ABSENT:
        return parse(action)
    return _after(thought, parse(said))


def _parse_usual(action: ActionLike, max_calls: int, known: Known) -> Action | None:
    """Read what agents write most at a third of the cost: calls in short JSON text or a message, one as data.

    None where it is anything else, or where the general readers might bound, clean or number something.
    """
    if type(action) is str and action.startswith(('{"name": ', '[{"name": ')):
        data = usual_value(action)
        items = data if type(data) is list else [data]
    elif type(action) is dict:
        items = _usual_calls(action) if "tool_calls" in action else [action]
    else:
        return None
    calls: list[ToolCall] = []
    for item in items:
        # What an agent handed over stays its own.
        call = _usual_call(item, len(calls), copied=item is action)
        if call is None:
            return None
        calls.append(call)
    if len(calls) != 1 and not (0 < len(calls) <= max_calls and _are_distinct(calls)):
        return None
    for call in calls:
        if call.name == FINISH or (known is not None and call.name not in known):
            if len(calls) > 1:
                # One of them may be another Finish, by the name that is known.
                return None
            return Action(tuple(map(without_thought, with_known_names(calls, known))), "")
    return Action(tuple(calls), "")


def _usual_calls(message: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the calls of an assistant's message each as a flat one; none where it holds more than calls."""
    if message.get("content") or thought_of(message) or type(message["tool_calls"]) is not list:
        return []
    flat: list[JsonObject] = []
    for call in message["tool_calls"]:
        function = call.get("function") if type(call) is dict else None
        if type(function) is not dict or type(function.get("arguments")) is not str or not call.get("id"):
            return []
        arguments = usual_value(function["arguments"])
        flat.append({"name": function.get("name"), "arguments": arguments, "id": call["id"]})
    return flat


def _usual_call(data: object, position: int, *, copied: bool) -> ToolCall | None:
    if type(data) is not dict or type(name := data.get("name")) is not str:
        return None
    arguments, call_id = data.get("arguments"), data.get("id", f"call_{position}")
    if type(arguments) is not dict or type(call_id) is not str or not call_id:
        return None
    if len(data) != 2 + ("id" in data) or len(name) > MAX_WRITTEN_NAME or len(call_id) > MAX_ID:
        return None
    if not (name.isascii() and call_id.isascii()):
        return None
    return ToolCall(name, plain(arguments) if copied else arguments, call_id)


def _are_distinct(calls: Sequence[ToolCall]) -> bool:
    """Return whether no id occurs twice, and no Finish."""
    return len({call.id for call in calls}) == len(calls) and sum(call.name == FINISH for call in calls) < 2


def _parse(action: ActionLike, max_text: int, max_calls: int, known: Known) -> Action:
    if isinstance(action, bytes | bytearray):
        action = bytes(action[: 4 * max_text]).decode("utf-8", "replace")
    if isinstance(action, str):
        return _parse_text(clean(action)[:max_text], max_calls, known)
    calls, text = read_data(action, max_calls, known)
    thought = thought_of(action)
    if calls:
        return _with_content(calls, text, thought, max_calls, known)
    return _after(thought, _parse_text(text[:max_text], max_calls, known))


def _parse_text(text: str, max_calls: int, known: Known = None) -> Action:
    action = _parse_data(text, max_calls, known)
    if action is not None:
        return action
    thought, said = split(text)
    action = None if said == text else _parse_data(said, max_calls, known)
    if action is not None:
        return _after(thought, action)
    reading = _read(said, max_calls, known)
    return Action((), said, thought) if reading is None else _arranged(reading, thought, max_calls, known)


def _parse_data(text: str, max_calls: int, known: Known) -> Action | None:
    """Read a text that is data from its first character to its last; None where it is anything else."""
    data = read_value(text)
    if data is ABSENT:
        return None
    calls, content = read_data(data, max_calls, known)
    thought = thought_of(data)
    if calls:
        return _with_content(calls, content, thought, max_calls, known)
    if not content and not thought:
        return Action((), text)
    # The content of a message without calls is text like any other: many models write calls there.
    return _after(thought, _parse_text(content, max_calls, known))


def _with_content(calls: list[ToolCall], content: str, thought: str, max_calls: int, known: Known) -> Action:
    if content:
        hidden, content = split(content)
        thought = "\n".join(filter(None, (thought, hidden)))
    return _arranged(Reading(calls, content), thought, max_calls, known)


def _arranged(reading: Reading, thought: str, max_calls: int, known: Known) -> Action:
    calls = map(without_thought, with_known_names(reading.calls, known))
    return arrange(calls, reading.text, max_calls, thought)


def _after(thought: str, action: Action) -> Action:
    if not thought:
        return action
    return Action(action.calls, action.text, "\n".join(filter(None, (thought, action.thought))))


def _read(text: str, max_calls: int, known: Known) -> Reading | None:
    """Read the first stretch of a turn that holds calls, unless one before it seems to have tried a call."""
    beside: list[str] = []
    for stretch in stretches(text, MAX_CALLS):
        reading, tried = _read_stretch(stretch, max_calls, known)
        if reading is not None:
            return reading if not beside else Reading(reading.calls, blocks.outside([*beside, reading.text]))
        if tried:
            return None
        beside.append(stretch)
    return None


def _read_stretch(text: str, max_calls: int, known: Known) -> tuple[Reading | None, bool]:
    """Return what was read, and whether there was a mark of a call at all."""
    calls = call_body.json_calls(text, max_calls, known) if text.lstrip().startswith(("{", "[")) else []
    calls = calls or bracketed.list_of_calls(text)[:max_calls]
    if calls:
        return Reading(calls, ""), True
    reading = program.read(text, max_calls)
    if reading is not None:
        return reading, True
    # What begins first is what was written: a later mark may be a word in an argument of it.
    marks = [
        (mark.start(), number) for number, form in enumerate(SYNTAXES) if (mark := form.mark.search(text))
    ]
    for _, number in sorted(marks):
        reading = SYNTAXES[number].read(text, max_calls, known)
        if reading is not None and not SYNTAXES[number].sure:
            reading = _sure(reading, known)
        if reading is not None:
            return reading, True
    return None, bool(marks)


def _sure(reading: Reading, known: Known) -> Reading | None:
    """Leave out calls of unknown tools where prose stands beside them: those are a part of it."""
    if known is None or not reading.text:
        return reading
    named = with_known_names(reading.calls, known)
    calls = [call for call in named if is_known(call.name, known)]
    return Reading(calls, reading.text) if calls else None
