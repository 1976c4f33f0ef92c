"""Lines of a program as the original evaluator reads them, its quirks included."""

from __future__ import annotations

import re

from stb_env.suites.sambanova.virtual_home.step import PREFIX
from stb_env.suites.sambanova.virtual_home.vocabulary import Vocabulary

_NUMBER = re.compile(r"\d+\.\s*")
_ARGUMENTS = re.compile(r"\((.*?)\)")
_REMOVED = str.maketrans("", "", "\"';")


def ground(text: str) -> list[str]:
    r"""Return the cleaned lines of a generation, up to a line that begins another task.

    A line of nothing but quotes, semicolons or a number becomes an empty one.

    Examples:
        >>> ground("1. Agent.Find('bed');\n\n;\nTask: Relax\nAgent.Sleep()")
        ['Agent.Find(bed)', '']
    """
    lines = []
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("Task:"):
            break
        if line:
            lines.append(clean(line))
    return lines


def clean(line: str) -> str:
    """Return a line without quotes, semicolons and a leading number with its dot."""
    line = line.strip().translate(_REMOVED)
    match = _NUMBER.match(line)
    return line[match.end() :].strip() if match else line.strip()


def problem(line: str, vocabulary: Vocabulary) -> str:
    """Return why a cleaned line is not executable; an empty text where it is.

    Only the first call of a line is looked at.

    Examples:
        >>> from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
        >>> problem("Agent.Find(bed) and look around", embedded())
        ''
        >>> problem("Agent.StandUp( )", embedded())
        ''
        >>> problem("Agent.LieOn(hammock)", embedded())
        "Agent.LieOn does not take ('hammock',)"
    """
    function = line.partition("(")[0]
    name = function.removeprefix(PREFIX)
    if not function.startswith(PREFIX) or name not in vocabulary.functions:
        return f"{function[:80]!r} is no function"
    match = _ARGUMENTS.search(line)
    if match is None:
        return "no closing bracket"
    # Brackets around blanks alone are empty ones.
    parts = match[1].strip().split(",")
    objects = () if parts == [""] else tuple(part.strip() for part in parts)
    return "" if vocabulary.allows(name, objects) else f"{function} does not take {str(objects)[:200]}"
