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
        "|",
        "&&",
        "$(id)",
        "`id`",
        "{",
        "}",
        "{API_KEY}",
        "{0}",
        "%",
        "%zz",
        "%00",
        "#",
        "@",
    ),
    *(
        "\x00",
        "\ud800",
        "é",
        "漢",
        " ",
        "\t",
        "?",
        "&",
        "=",
        "&lat=",
        "&lon=nan",
        "&lat=1e999",
        "&zip=",
        "&limit=-1",
    ),
    *(
        "curl",
        "curl ",
        "-X",
        "-X ",
        "-d",
        "--data '{",
        "-H",
        "-Q ",
        "[",
        "]",
        "://",
        "file:///",
        "@",
        ":99999999",
        "//",
    ),
    *(
        '{"name": "curl", "arguments": ',
        "Finish",
        "null",
        "true",
        "9" * 400,
        "[" * 300,
        "x" * 9_000,
        "API.curl(",
    ),
)


def mutants(programs: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield damaged copies: characters dropped or doubled, pieces put in, programs joined."""
    draw = random.Random(seed)
    for _ in range(count):
        text = draw.choice(programs)
        for _ in range(draw.randint(1, 4)):
            text = _damaged(text, programs, draw)
        yield text


def _damaged(text: str, programs: Sequence[str], draw: random.Random) -> str:
    at = draw.randint(0, len(text))
    match draw.randint(0, 4):
        case 0:
            return text[:at] + text[at + draw.randint(1, 12) :]
        case 1:
            return text[:at] + text[max(0, at - 8) :]
        case 2:
            return text[:at] + draw.choice(programs)[-at - 1 :]
        case _:
            return text[:at] + draw.choice(_PIECES) + text[at:]
