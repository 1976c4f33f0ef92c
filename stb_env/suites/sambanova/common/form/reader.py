"""Reads an action as a program, or as calls in any of the general forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from stb_env.actions import MAX_TEXT, POSITIONAL, Action, parse_action
from stb_env.actions.action import arrange
from stb_env.actions.known import Known
from stb_env.actions.parse import ActionLike
from stb_env.core.jsontypes import Json
from stb_env.suites.sambanova.common.form.api import PROGRAM, FormApi, Made, Signatures
from stb_env.suites.sambanova.common.form.program import OBJECT, Call, calls_of
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.reader import fenced
from stb_env.tools import FINISH, ToolCall

_JSON = ("{", "[")

Reader = Callable[[ActionLike], Action]


def form_reader(api: FormApi) -> Reader:
    r"""Return a reader that takes a program apart into its calls; it never raises.

    A program may stand in a Markdown fence, with Finish around it. Whatever is no program is read by
    `parse_action`, in the middle of prose only where it calls a tool of the form. Values that a program
    constructs become objects.

    Examples:
        >>> from stb_env.suites.sambanova.trip_booking.env import API
        >>> form_reader(API)('d = Date(3, 14, 2024)\nAPI.set_departure_date(d)').calls[0].arguments
        {'value': {'month': 3, 'day': 14, 'year': 2024}}
    """
    # No inner function: what an environment holds is pickled with it.
    return partial(_read_calls, api)


def original_reader(api: FormApi) -> Reader:
    r"""Return a reader that keeps a program whole, since the original judges it as a whole.

    Text is JSON or else a program, prose and Markdown fences included: those crash.

    Examples:
        >>> from stb_env.suites.sambanova.trip_booking.env import API
        >>> read = original_reader(API)
        >>> [call.name for call in read('API.search()\nFinish("give_answer", "")').calls]
        ['program', 'Finish']
        >>> read("Sure, here it is.").calls[0].arguments, read("# nothing").calls
        ({'text': 'Sure, here it is.'}, ())
    """
    return partial(_read_program, api)


def typed(call: Call) -> ToolCall:
    """Return a program's call as a tool call with plain data.

    Examples:
        >>> typed(Call("set_origin", {"value": Made("Loc", {"location": "Omaha"})})).arguments
        {'value': {'location': 'Omaha'}}
    """
    return ToolCall(call.name, {name: plain(value) for name, value in call.arguments.items()})


def plain(value: object) -> object:
    """Return a program's value as JSON data.

    Examples:
        >>> plain([Made("Loc", {"location": "Omaha"})])
        [{'location': 'Omaha'}]
    """
    match value:
        case Made(_, arguments):
            return plain(arguments)
        case list():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
    return value


def _read_calls(api: FormApi, action: ActionLike) -> Action:
    # Calls as JSON are data to Python, and call nothing.
    if isinstance(action, str) and OBJECT in action:
        calls = _calls(action, api) or _calls("\n".join(fenced(action)), api)
        if calls:
            return arrange([*map(typed, calls), *_finish_after(action, calls)], "")
    return _general(action, api.classes, api.by_name)


def _calls(program: str, api: FormApi) -> list[Call]:
    """Return the calls of a program; none where it does not run through."""
    try:
        return list(calls_of(program[:MAX_TEXT], api))
    except CrashError:
        return []


def _finish_after(action: str, calls: list[Call]) -> list[ToolCall]:
    """Return Finish where it follows the last fence and is not among the calls."""
    if "```" not in action or any(call.name == FINISH for call in calls):
        return []
    return [call for call in parse_action(action.rpartition("```")[2]).calls if call.name == FINISH]


def _read_program(api: FormApi, action: ActionLike) -> Action:
    if not isinstance(action, str) or action.lstrip().startswith(_JSON):
        parsed = _general(action, api.classes)
        if parsed.calls or not isinstance(action, str):
            return parsed
    text = action[:MAX_TEXT]
    try:
        calls = list(calls_of(text, api))
    except CrashError:
        return arrange([ToolCall(PROGRAM, {"text": text})], "")
    finish = [typed(call) for call in calls if call.name == FINISH]
    whole = [ToolCall(PROGRAM, {"text": text})] if len(calls) > len(finish) else []
    return arrange([*whole, *finish], "") if whole or finish else Action((), text)


def _general(action: ActionLike, classes: Signatures, known: Known = None) -> Action:
    parsed = parse_action(action, known=known)
    if not classes or not parsed.calls:
        return parsed
    return Action(tuple(_with_objects(call, classes) for call in parsed.calls), parsed.text)


def _with_objects(call: ToolCall, classes: Signatures) -> ToolCall:
    """Replace arguments that are written as calls of a class by the objects that they make."""
    if isinstance(call.arguments, str):
        return call
    arguments = {name: _object(value, classes) for name, value in call.arguments.items()}
    positional = arguments.get(POSITIONAL)
    if isinstance(positional, list):
        arguments[POSITIONAL] = [_object(value, classes) for value in positional]
    return ToolCall(call.name, arguments, call.id)


def _object(value: Json, classes: Signatures) -> object:
    match value:
        case {"name": str(name), "arguments": Mapping() as arguments} if len(value) == 2 and name in classes:
            positional = arguments.get(POSITIONAL, [])
            parameters = classes[name]
            if isinstance(positional, list) and len(positional) <= len(parameters):
                named = dict(zip(parameters, positional, strict=False))
                return named | {key: item for key, item in arguments.items() if key != POSITIONAL}
    return value
