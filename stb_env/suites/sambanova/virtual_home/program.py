"""Reads actions of household tasks: lines of steps, or calls in any of the general forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from stb_env.actions import MAX_TEXT, POSITIONAL, Action, parse_action
from stb_env.actions.action import arrange
from stb_env.actions.parse import ActionLike
from stb_env.core.jsontypes import Json
from stb_env.suites.sambanova.common.calls import named_arguments
from stb_env.suites.sambanova.virtual_home.grounding import ground
from stb_env.suites.sambanova.virtual_home.step import PREFIX, Step, is_step_line, object_name, read_steps
from stb_env.suites.sambanova.virtual_home.tools import STEP
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
from stb_env.tools import FINISH, ToolCall

MAX_LINES = 1_000

_PLACES = ("object", "object1", "object2")
# Forms that are certainly not a program's.
_STRUCTURED = ("{", "[{", "<tool_call>", "Action:", "```json")


def parse(action: ActionLike) -> Action:
    r"""Read an action; never raises.

    In a text with lines that begin with ``Agent.``, each of them is a step, and all other lines are beside
    the point, but for a Finish. Any other action is read by `parse_action`.

    Examples:
        >>> for call in parse("So:\n1. Agent.Find(cup)\n2. Agent.Put(cup,table)").calls:
        ...     print(call.name, call.arguments)
        Find {'object': 'cup'}
        Put {'object1': 'cup', 'object2': 'table'}
        >>> parse('{"name": "Agent.Find", "arguments": {"object": "cup"}}').calls[0].name
        'Find'
        >>> parse('First: {"tool": "Find", "args": {"object": "cup"}}').calls[0].name
        'Find'
        >>> parse('First: {"tool": "Dream", "args": {"object": "cup"}}').calls
        ()
    """
    if isinstance(action, str) and PREFIX in action and not _is_structured(action):
        steps, beside = _divide(action[:MAX_TEXT])
        if steps:
            rest = parse_action(beside) if FINISH in beside else Action((), beside)
            finish = [call for call in rest.calls if call.name == FINISH]
            calls = [call for line in steps for call in _calls(line)]
            return arrange([*calls[:MAX_LINES], *finish[:1]], rest.text, MAX_LINES + 1)
    parsed = parse_action(action, known=_names())
    calls = [typed for call in parsed.calls for typed in _typed(call)]
    return arrange(calls, parsed.text, MAX_LINES)


def parse_original(action: ActionLike) -> Action:
    r"""Read an action as the original does: all of a text is the program, and each line is a `STEP`.

    Calls in JSON or ReAct are written as lines.

    Examples:
        >>> [call.arguments for call in parse_original("To bed:\nAgent.LieOn('bed')").calls]
        [{'line': 'To bed:'}, {'line': 'Agent.LieOn(bed)'}]
        >>> parse_original({"name": "LieOn", "arguments": {"object": "bed"}}).calls[0].arguments
        {'line': 'Agent.LieOn(bed)'}
    """
    if not isinstance(action, str) or _is_structured(action):
        parsed = parse_action(action)
        # The original skips lines of blanks before it reads any.
        calls = [call for call in map(_written, parsed.calls) if not _is_blank(call)]
        return arrange(calls, parsed.text, MAX_LINES)
    program, finish = _cut_finish(action[:MAX_TEXT])
    lines = [ToolCall(STEP, {"line": line}) for line in ground(program)[:MAX_LINES]]
    return arrange([*lines, *finish], "" if lines else action, MAX_LINES + 1)


@cache
def _names() -> frozenset[str]:
    """The functions that are known without any data, with and without the agent's name."""
    functions = embedded().functions
    return frozenset({STEP, *functions, *(f"{PREFIX}{name}" for name in functions)})


def _is_structured(text: str) -> bool:
    return text.lstrip().startswith(_STRUCTURED) or "\nAction:" in text


def _divide(text: str) -> tuple[list[str], str]:
    steps: list[str] = []
    beside: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("Task:") and steps:
            break
        (steps if is_step_line(line) else beside).append(line)
    return steps, "\n".join(beside).strip()


def _cut_finish(text: str) -> tuple[str, Iterable[ToolCall]]:
    """Take a Finish off the end of a program."""
    if FINISH not in text:
        return text, ()
    kept, _, last = text.rstrip().rpartition("\n")
    finish = [call for call in parse_action(last).calls if call.name == FINISH] if FINISH in last else []
    return (kept, finish) if finish else (text, ())


def _calls(line: str) -> list[ToolCall]:
    steps = read_steps(line)
    if steps is None:
        return [ToolCall(STEP, {"line": line.strip()})]
    return [_call(step) for step in steps]


def _call(step: Step) -> ToolCall:
    names = _PLACES[:1] if len(step.objects) == 1 else _PLACES[1:]
    if len(step.objects) > len(names):
        return ToolCall(step.name, {POSITIONAL: list(step.objects)})
    return ToolCall(step.name, dict(zip(names, step.objects, strict=False)))


def _typed(call: ToolCall) -> list[ToolCall]:
    if call.name == FINISH or not isinstance(call.arguments, Mapping):
        return [call]
    name = call.name.removeprefix(PREFIX)
    if name == STEP:
        line = named_arguments(call.arguments, ["line"]).get("line")
        return _calls(line) if isinstance(line, str) and is_step_line(line) else [call]
    arguments = {key: _named(_word(value)) for key, value in call.arguments.items()}
    # An object of blanks is none.
    arguments = {key: value for key, value in arguments.items() if value not in ("", [])}
    return [ToolCall(name, arguments, call.id)]


def _named(value: object) -> object:
    if isinstance(value, list):
        names = [_named(item) for item in value]
        return names[:-1] if names and names[-1] == "" else names
    return object_name(value) if isinstance(value, str) else value


def _word(value: Json) -> object:
    """Return a bare word of a program, such as the bed of Find(bed), as a name."""
    match value:
        case {"name": str(name)} if len(value) == 1:
            return name
        case list():
            return [_word(item) for item in value]
    return value


def _is_blank(call: ToolCall) -> bool:
    line = call.arguments.get("line") if isinstance(call.arguments, Mapping) else None
    return call.name == STEP and isinstance(line, str) and not line.strip()


def _written(call: ToolCall) -> ToolCall:
    if call.name in (FINISH, STEP) or not isinstance(call.arguments, Mapping):
        return call
    positional = _word(call.arguments.get(POSITIONAL))
    objects = list(positional) if isinstance(positional, list) else []
    objects += [_word(call.arguments[place]) for place in _PLACES if place in call.arguments]
    step = Step(call.name.removeprefix(PREFIX), tuple(map(str, objects)))
    return ToolCall(STEP, {"line": step.line}, call.id)
