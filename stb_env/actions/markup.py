"""Markup of calls: one reader of every mark that says by itself that a call follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from typing import NamedTuple

from stb_env.actions.action import Reading
from stb_env.actions.blocks import FENCE, after_fence, is_last, outside, unfence
from stb_env.actions.braces import end_of
from stb_env.actions.call_body import broken_call, calls_of, calls_until
from stb_env.actions.known import Known, types_of
from stb_env.actions.structured import make_call
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.tools import ToolCall

NAME = r"(?P<name>[\w.:/-]{1,256})"
"""Pattern of a tool's name in an opening mark."""

_MOST = 64
# A body that holds no call, or breaks off, costs a walk to the end of the text.
_FAILURES = 8
_GROUP = re.compile(r"\(\?P<\w+>")
_QUOTED = re.compile(r"(?:[`\"'“‘«]|~~|<!--)\s?\Z")
_WORD = re.compile(r"[^\W\d_] \Z")
_STRAY = re.compile(r"[\s}\]]*(?:```)?\s*")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}


class Opened(NamedTuple):
    """A call of which the opening mark was found.

    Attributes:
        text: The whole text.
        mark: The mark.
        closes: Pattern of the mark that ends the call.
        known: Names of the tools that there are.
    """

    text: str
    mark: re.Match[str]
    closes: re.Pattern[str]
    known: Known

    @property
    def name(self) -> str:
        """Name of the tool, where the mark holds it."""
        return unescape(self.mark["name"])

    @property
    def id(self) -> str:
        """Id of the call, where the mark holds one."""
        return self.mark.groupdict().get("id") or ""

    def close(self, position: int) -> re.Match[str] | None:
        """Find the closing mark from a position on."""
        return self.closes.search(self.text, position)


class Found(NamedTuple):
    """Calls behind an opening mark.

    Attributes:
        calls: The calls.
        end: Where they end.
        bounded: Whether their own text says where they end; otherwise it may be anywhere.
    """

    calls: list[ToolCall]
    end: int
    bounded: bool = True

    @property
    def whole(self) -> bool:
        """True if there are calls, it is known where they end, and none breaks off."""
        return (
            self.bounded and bool(self.calls) and all(isinstance(call.arguments, dict) for call in self.calls)
        )


Body = Callable[[Opened], Found | None]


class Markup(NamedTuple):
    """Marks of a family of models.

    Attributes:
        family: Models that write it.
        opens: Pattern of what stands before a call. A group ``name`` holds the name of the tool, a group
            ``id`` the call's id, where they stand in it.
        body: Reads what stands between the marks; None where it is no call.
        closes: Pattern of what stands after a call. Servers often cut it off.
        around: Pattern of what stands around several calls, which is no text.
    """

    family: str
    opens: str
    body: Body
    closes: str
    around: str = ""


def objects(call: Opened) -> Found | None:
    """Read calls in JSON that name their tools; else what stands before the closing mark, in any form."""
    start = after_fence(call.text, call.mark.end())
    calls, end = calls_until(call.text, start, call.known)
    if calls:
        return Found(calls, end)
    closing = call.close(start)
    body = call.text[start : closing.start() if closing else None]
    if closing is None and body.startswith(("{", '["', "[{")):
        calls = broken_call(body)
    else:
        calls = calls_of(unfence(body), _MOST, call.known, closed=closing is not None)
    end = closing.start() if closing else len(call.text)
    return Found(calls, end, bounded=closing is not None) if calls else None


def arguments(call: Opened) -> Found | None:
    """Read the arguments of a call whose mark names the tool: an object, whatever marks its strings hold.

    Arguments that break off, or are no object, stay text, which no tool takes.
    """
    start = after_fence(call.text, call.mark.end())
    end = end_of(call.text, start) if call.text.startswith("{", start) else None
    if end is None:
        closing = call.close(start)
        end = closing.start() if closing else len(call.text)
        if closing is None and not call.text[start:].strip():
            return None
    written = unfence(call.text[start:end])
    return Found([make_call(call.name, written or None, call.id)], end)


def elements(opens: str, ends: str, closes: str, *, lines: bool = False) -> Body:
    """Return what reads arguments that are elements, each between marks of its own.

    A value goes on to the mark behind which another argument begins or the call closes; any other mark is a
    part of it. Where that mark was forgotten, a value ends with its call. A call that does not close was cut
    off.

    Args:
        opens: Pattern before a value; the group ``key`` is the argument's name, and a group ``kind`` may say
            that the value is text.
        ends: Pattern after a value.
        closes: Pattern after the call.
        lines: Whether values stand on lines of their own, so that a line break at either end is not theirs.
    """
    parameter = re.compile(rf"\s*{opens}")
    closing = re.compile(rf"\s*(?:{closes})")
    structure = f"{_GROUP.sub('(?:', opens)}|{closes}"
    value_end = re.compile(rf"{ends}(?=\s*(?:{structure}))" + (rf"|\n(?={structure})" if lines else ""))
    call_end = re.compile(closes)

    def read(call: Opened) -> Found | None:
        position = call.mark.end()
        given: JsonObject = {}
        if call.mark[0].endswith("/>"):
            return Found([make_call(call.name, None)], position)
        while mark := parameter.match(call.text, position):
            end = value_end.search(call.text, mark.end()) or call_end.search(call.text, mark.end())
            if end is None:
                return _cut(call)
            value = call.text[mark.end() : end.start()]
            key = unescape(mark["key"].strip())
            given[key] = _typed(value, key, mark, call, lines=lines)
            position = end.start() if end.re is call_end else end.end()
        if closing.match(call.text, position):
            return Found([make_call(call.name, given)], position)
        return _cut(call) if given else arguments(call)

    return read


def _cut(call: Opened) -> Found:
    return Found([ToolCall(call.name, call.text[call.mark.end() :].strip())], len(call.text))


def _typed(value: str, key: str, mark: re.Match[str], call: Opened, *, lines: bool) -> object:
    if lines:
        value = value.removeprefix("\n").removesuffix("\n")
    kind = mark.groupdict().get("kind") or ""
    types = types_of(call.known, call.name, key)
    is_text = "string" in types and not ("null" in types and value.strip() == "null")
    return value if is_text or 'string="true"' in kind or 'type="string"' in kind else value_of(value)


def value_of(text: str) -> object:
    """Read a value of which no mark says the type: JSON where it is JSON, else text.

    Examples:
        >>> value_of("5"), value_of("Rome"), value_of('["a"]'), value_of("true"), value_of("007")
        (5, 'Rome', ['a'], True, '007')
    """
    bare = text.strip()
    if bare in _WORDS:
        return _WORDS[bare]
    if not bare.startswith(("{", "[", '"')) and not _NUMBER.fullmatch(bare):
        return text
    try:
        return jsontext.loads(bare)
    except ValueError:
        return text


class Marks:
    """A table of markup, and what reads a text by it.

    Args:
        table: The markup of every family. Of marks that begin alike, the first one counts.

    Examples:
        >>> marks = Marks([Markup("any", f"<call {NAME}>", arguments, "</call>")])
        >>> marks.read('So: <call ping>{"text": "</call>"}</call>', 64)
        Reading(calls=[ToolCall(name='ping', arguments={'text': '</call>'}, id='')], text='So:')
    """

    def __init__(self, table: list[Markup]) -> None:
        plain = [_GROUP.sub("(?:", markup.opens) for markup in table]
        self.mark = re.compile("|".join(f"(?:{opens})" for opens in plain))
        self._table = [(re.compile(markup.opens), re.compile(markup.closes), markup.body) for markup in table]
        ends = [f"{markup.closes}|{markup.around}" if markup.around else markup.closes for markup in table]
        self._beside = re.compile("|".join(f"(?:{end})" for end in ends))

    def read(self, text: str, max_calls: int, known: Known = None) -> Reading | None:
        """Read the calls of a text; None where it has none. What is quoted is none."""
        calls: list[ToolCall] = []
        beside: list[str] = []
        position = 0
        for start, found in self._found(text, known):
            if found.calls and not (_is_quoted(text, start) or self._is_in_sentence(text, start, found.end)):
                calls += found.calls
                beside.append(text[position:start])
                position = found.end
                if len(calls) >= max_calls:
                    break
        if not calls:
            return None
        beside.append(text[position:])
        return Reading(calls[:max_calls], outside(self._beside.sub("", part) for part in beside))

    def _found(self, text: str, known: Known) -> Iterator[tuple[int, Found]]:
        """Yield what stands behind each mark, and where the mark begins."""
        failures = start = 0
        while failures < _FAILURES and (mark := self.mark.search(text, start)):
            found = self._call_at(text, mark.start(), known)
            failures += not found.whole
            yield mark.start(), found
            start = max(found.end, mark.end())

    def _is_in_sentence(self, text: str, start: int, end: int) -> bool:
        """Return whether a sentence goes on behind calls that stand in the middle of it.

        A tag may be a word of it, a token that models do not write as text may not.
        """
        if text.startswith(("<|", "<｜"), start) or not _WORD.search(text, max(0, start - 2), start):
            return False
        closing = self._beside.match(text, end)
        end = closing.end() if closing else end
        return bool(text[end:].partition("\n")[0].strip())

    def outside_calls(self, text: str, found: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
        """Yield what was found in a text but for what stands in calls that are whole: it is a word there."""
        whole = (
            (start, calls.end)
            for start, calls in self._found(text, None)
            if calls.whole and not _is_quoted(text, start)
        )
        start, end = 0, 0
        for match in found:
            while end <= match.start() and start < len(text):
                start, end = next(whole, (len(text), len(text)))
            if match.start() < start:
                yield match

    def _call_at(self, text: str, position: int, known: Known) -> Found:
        for opens, closes, body in self._table:
            mark = opens.match(text, position)
            found = mark and body(Opened(text, mark, closes, known))
            if found:
                stray = _STRAY.match(text, found.end)
                return found._replace(end=stray.end() if stray else found.end)
        return Found([], position)


def _is_quoted(text: str, start: int) -> bool:
    """Return whether a mark stands between quotes, in a quoted block, or in a fence before more text."""
    if _QUOTED.search(text, max(0, start - 5), start) and not text.endswith(FENCE, 0, start):
        return True
    if text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(">"):
        return True
    if text.count(FENCE, 0, start) % 2 == 0:
        return False
    fence = text.find(FENCE, start)
    return fence >= 0 and not is_last(text, fence + len(FENCE))
