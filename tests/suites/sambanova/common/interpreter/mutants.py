"""Texts that are nearly Python programs: real ones, damaged by a seeded hand."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
_PIECES = (
    *("(", ")", "[", "]", "{", "}", ":", ",", ".", "=", "+=", "**", "@", "//", "%", "~", "not ", "lambda: "),
    *("for i in range(9): ", "while x: ", "if x: ", "def f(a): ", "return ", "import os\n", "del x\n"),
    *("'a' * 9999", "9 ** 99 ** 9", "[0] * 10 ** 8", "().__class__", "__import__('os')", "eval('1')"),
    *("None", "True", "-1", "1e999", "0", "''", "f'{x:9999}'", "{**x}", "*x", "x[::-1]", "x.y.z", "x()"),
    *("\x00", "\ud800", "漢", "\t", "\n", "\\", "#", '"""', ";", "9" * 400, "(" * 300, "- " * 900),
    *("Finish('give_answer', '')", "open('f', 'w')", "print(x)", "range(10 ** 9)", "sorted", "np.zeros(9)"),
)


def mutants(programs: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield damaged copies: tokens dropped, doubled, swapped with those of another program, pieces put in."""
    draw = random.Random(seed)
    cut = [_TOKEN.findall(program) for program in programs]
    for _ in range(count):
        tokens = list(draw.choice(cut))
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(tokens) + 1)
            match draw.randint(0, 4):
                case 0:
                    del tokens[at : at + draw.randint(1, 3)]
                case 1:
                    tokens[at:at] = tokens[max(0, at - draw.randint(1, 6)) : at]
                case 2:
                    other = draw.choice(cut)
                    tokens[at : at + 1] = other[: draw.randint(1, len(other))][-draw.randint(1, 8) :]
                case _:
                    tokens.insert(at, draw.choice(_PIECES))
        yield "".join(tokens)
