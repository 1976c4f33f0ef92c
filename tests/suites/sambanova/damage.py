"""Texts that are nearly programs: real ones, damaged by a seeded hand."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

_ANY = (
    *("'", '"', "\\", "\n", ";", "{", "}", "[", "]", "#", "@", "\x00", "\ud800", "é", "漢", " ", "\t", "$"),
    *("`", "Finish", "null", "true", "9" * 400, "[" * 300, "```python\n", "\n```", '{"name": "program", "'),
)
REQUESTS = (
    *_ANY,
    *("|", "&&", "$(id)", "`id`", "{API_KEY}", "{0}", "%", "%zz", "%00", "?", "&", "=", "&lat=", "&lon=nan"),
    *("&lat=1e999", "&zip=", "&limit=-1", "curl", "curl ", "-X", "-X ", "-d", "--data '{", "-H", "-Q "),
    *("://", "file:///", ":99999999", "//", '{"name": "curl", "arguments": ', "x" * 9_000, "API.curl("),
)
"""Pieces that damage commands and lines."""
PROGRAMS = (
    *_ANY,
    *("(", ")", ",", "=", ":", "*", "**", "->", ":=", "\n    ", "'''", "\\\n", "API.", "API", "API.search()"),
    *("API.clear()", "API.search", "Finish(", 'Finish("give_answer", "")', "x = ", "Loc(", "Date(", "Loc"),
    *('Loc(Loc("a"))', 'Date("9" , None, [1])', "Date(2, 30, 2024)", "Date(1, 2)", "None", "True", "nan"),
    *("1e999", "-1e999", "3.0", "0x10", "1_0", "-", "5 * 5", "10 ** 10 ** 10", "1j", "lambda: 0", "f'{x}'"),
    *("[k for k in x]", "__import__('os')", "if x:\n ", "import os\n", "def f(): ", "await ", "b'x'", "..."),
    *("{1: 2}", "{1, 2}", "{'name': 'Loc', 'arguments': 3}", "9" * 5_000, "-" * 2_000, "(" * 200),
    *("x." * 400 + "y()", "1+" * 900 + "1"),
)
"""Pieces that damage programs on an object."""


def mutants(
    programs: Sequence[str], count: int, seed: int, pieces: Sequence[str] = REQUESTS
) -> Iterator[str]:
    """Yield damaged copies: characters dropped or doubled, pieces put in, lines moved, programs joined."""
    draw = random.Random(seed)
    for _ in range(count):
        text = draw.choice(programs)
        for _ in range(draw.randint(1, 4)):
            text = _damaged(text, programs, pieces, draw)
        yield text


def _damaged(text: str, programs: Sequence[str], pieces: Sequence[str], draw: random.Random) -> str:
    at = draw.randint(0, len(text))
    match draw.randint(0, 6):
        case 0:
            return text[:at] + text[at + draw.randint(1, 12) :]
        case 1:
            return text[:at] + text[max(0, at - 8) :]
        case 2:
            lines = text.split("\n")
            draw.shuffle(lines)
            return "\n".join(lines)
        case 3:
            return text + "\n" + draw.choice(programs)
        case 4:
            return text[:at] + draw.choice(programs)[-at - 1 :]
        case _:
            return text[:at] + draw.choice(pieces) + text[at:]
