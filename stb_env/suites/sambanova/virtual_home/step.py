"""One step of a household program, and the lines in which steps are written."""

from __future__ import annotations

import re
from typing import NamedTuple

PREFIX = "Agent."
MAX_LINE = 2_000

# A number, a bullet, or both, as lists have them before each item, and quotes around the whole line.
_LEAD = re.compile(r"[\s\"'`]*(?:[-*+]\s+)?(?:\d{1,6}[.)])?[\s\"'`]*")
_CALL = re.compile(r"Agent\.\s*(\w+)\s*\(([^()]*)\)")
_KEYWORD = re.compile(r"\s*(object[12]?)\s*=")
_QUOTES = str.maketrans("", "", "\"'`")


class Step(NamedTuple):
    """A function and the objects that it is applied to.

    Examples:
        >>> Step("Put", ("cup", "table")).line
        'Agent.Put(cup, table)'
    """

    name: str
    objects: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The step as a line of a program."""
        return f"{PREFIX}{self.name}({', '.join(self.objects)})"


def is_step_line(line: str) -> bool:
    """Return whether a line sets out to be a step, rightly written or not.

    Examples:
        >>> is_step_line("3) Agent.Find(cup"), is_step_line("`Agent.Find(cup)`")
        (True, True)
        >>> is_step_line("Then call Agent.Find(cup).")
        False
    """
    return line.startswith(PREFIX, _start(line))


def read_steps(line: str) -> list[Step] | None:
    """Return the steps that a line has; None where one of them cannot be read.

    Numbers and bullets before it, quotes, blanks, semicolons and comments after it make no difference.

    Examples:
        >>> read_steps("2. Agent.Put ( 'cup',table ); # done")
        [Step(name='Put', objects=('cup', 'table'))]
        >>> read_steps("Agent.LieOn(bed) Agent.Sleep()")
        [Step(name='LieOn', objects=('bed',)), Step(name='Sleep', objects=())]
        >>> read_steps('Agent.Put(object2=table, object1="coffee_cup",)')
        [Step(name='Put', objects=('coffee_cup', 'table'))]
        >>> read_steps("Agent.LieOn(bed") is None
        True
    """
    if len(line) > MAX_LINE:
        return None
    line = line[_start(line) :].partition("#")[0]
    steps = [Step(match[1], _objects(match[2])) for match in _CALL.finditer(line)]
    return steps if steps and len(steps) == line.count(PREFIX) else None


def _start(line: str) -> int:
    match = _LEAD.match(line)
    return match.end() if match else 0


def _objects(text: str) -> tuple[str, ...]:
    parts = text.translate(_QUOTES).split(",")
    # A comma behind the last object is none before another.
    if not parts[-1].strip():
        parts.pop()
    # Named objects may come in any order.
    return tuple(object_name(part) for part in sorted(parts, key=_keyword))


def _keyword(part: str) -> str:
    match = _KEYWORD.match(part)
    return match[1] if match else ""


def object_name(text: str) -> str:
    """Return the name of an object as it is written in an argument.

    Quotes, blanks around it and the argument's own name make no difference.

    Examples:
        >>> object_name(" object1 = 'coffee_cup' ")
        'coffee_cup'
    """
    return _KEYWORD.sub("", text.translate(_QUOTES)).strip()
