"""A call in YAML: a name, and arguments that are plain values, one a line."""

from __future__ import annotations

import re

from stb_env.actions.action import Reading
from stb_env.actions.blocks import is_last
from stb_env.actions.known import Known, is_known, known_name, types_of
from stb_env.actions.markup import value_of
from stb_env.actions.structured import make_call
from stb_env.core.jsontypes import JsonObject

MARK = re.compile(
    r"^[ \t]*(?:-[ \t]+)?(?:name|tool|function|action)[ \t]*:[ \t]*[\"']?([\w.-]{1,256})[\"']?[ \t]*$",
    re.MULTILINE,
)

_ARGUMENTS = re.compile(
    r"\s*(?:arguments|parameters|args|input|action_input)[ \t]*:[ \t]*(?:\{\}[ \t]*)?(?=\n|\Z)"
)
_PAIR = re.compile(r"\n[ \t]+([\w.-]{1,256})[ \t]*:[ \t]+([^\n]*)")
_FENCE = re.compile(r"\s*```(?:ya?ml)?[ \t]*\n?\s*\Z")


def read(text: str, _: int, known: Known = None) -> Reading | None:
    r"""Read a call of a known tool that ends a text.

    Examples:
        >>> read("name: ping\narguments:\n  n: 1", 64, {"ping"})
        Reading(calls=[ToolCall(name='ping', arguments={'n': 1}, id='')], text='')
    """
    mark = MARK.search(text)
    given = mark and _ARGUMENTS.match(text, mark.end())
    if known is None or not mark or not given or not is_known(tool := known_name(mark[1], known), known):
        return None
    arguments: JsonObject = {}
    position = given.end()
    while pair := _PAIR.match(text, position):
        arguments[pair[1]] = _scalar(pair[2].strip(), is_text="string" in types_of(known, tool, pair[1]))
        position = pair.end()
    if not is_last(text, position):
        return None
    return Reading([make_call(tool, arguments)], _FENCE.sub("", text[: mark.start()]).strip())


def _scalar(text: str, *, is_text: bool) -> object:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text if is_text else value_of(text)
