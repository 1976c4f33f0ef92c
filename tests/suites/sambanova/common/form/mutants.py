"""Texts that are nearly programs: real ones, damaged by a seeded hand."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

_PIECES = (
    *(
        "'",
        '"',
        "\\",
        "\n",
        ";",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "=",
        ":",
        "#",
        "*",
        "**",
        "->",
        ":=",
        "@",
    ),
    *("\x00", "\ud800", "é", "漢", " ", "\t", "\n    ", "'''", "\\\n", "$", "`", "```python\n", "\n```"),
    *(
        "API.",
        "API",
        "API.search()",
        "API.clear()",
        "API.search",
        "Finish(",
        'Finish("give_answer", "")',
        "x = ",
    ),
    *("Loc(", "Date(", "Loc", 'Loc(Loc("a"))', 'Date("9" , None, [1])', "Date(2, 30, 2024)", "Date(1, 2)"),
    *("None", "True", "nan", "1e999", "-1e999", "3.0", "0x10", "1_0", "-", "5 * 5", "10 ** 10 ** 10", "1j"),
    *(
        "lambda: 0",
        "f'{x}'",
        "[k for k in x]",
        "__import__('os')",
        "if x:\n ",
        "import os\n",
        "def f(): ",
        "await ",
    ),
    *(
        "b'x'",
        "...",
        "{1: 2}",
        "{1, 2}",
        "{'name': 'Loc', 'arguments': 3}",
        '{"name": "program", "arguments": ',
    ),
    *("9" * 400, "9" * 5_000, "[" * 300, "-" * 2_000, "(" * 200, "x." * 400 + "y()", "1+" * 900 + "1"),
)


def mutants(programs: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield damaged copies: characters dropped or doubled, pieces put in, lines moved, programs joined."""
    draw = random.Random(seed)
    for _ in range(count):
        text = draw.choice(programs)
        for _ in range(draw.randint(1, 4)):
            text = _damaged(text, programs, draw)
        yield text


def _damaged(text: str, programs: Sequence[str], draw: random.Random) -> str:
    at = draw.randint(0, len(text))
    match draw.randint(0, 5):
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
        case _:
            return text[:at] + draw.choice(_PIECES) + text[at:]
