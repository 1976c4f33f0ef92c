"""Bombs for programs, drawn from Python's own builtins and methods and not from what the interpreter knows.

``python -m tests.fuzz.bombs COUNT [SEED]`` plays so many in the tasks whose actions are programs, without the
child process behind them, and prints those that take more than two seconds or 300 MB.
"""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import process_time

MOST_S, MOST_BYTES = 2.0, 300e6
DEADLINE_S = 120.0
"""Seconds after which a bomb is taken for one without end."""

FUNCTIONS = sorted(
    name
    for name in dir(builtins)
    if name[0].islower() and name not in ("copyright", "credits", "license", "exit", "quit", "help")
)
METHODS = {
    kind.__name__: [name for name in dir(kind) if not name.startswith("__")]
    for kind in (str, bytes, int, float, complex, list, tuple, dict, set, frozenset, range)
}
LITERALS = {
    "str": "'ab' * 9000", "bytes": "b'ab' * 9000", "int": "7 ** 340", "float": "1.5", "complex": "1j",
    "list": "[1, 2] * 9000", "tuple": "(1, 2) * 9000", "dict": "{i: i for i in range(4000)}",
    "set": "set(range(4000))", "frozenset": "frozenset(range(4000))", "range": "range(10 ** 9)",
}  # fmt: skip
SHARED = (
    "v = (1, 1)\nfor i in range(60): v = (v, v)",
    "v = [1]\nfor i in range(60): v = [v, v]",
    "v = {0: 1}\nfor i in range(60): v = {0: v, 1: v}",
    "v = ('a',)\nfor i in range(40): v = (v, [v], {0: v})",
    "v = 'ab'\nfor i in range(60): v = v + v",
    "v = 3\nfor i in range(60): v = v * v",
    "v = []\nv.append(v)",
    "v = [0]\nfor i in range(60): v = v + v",
    "v = lambda x: v(x) if x else v(x)",
    "v = (i for i in iter(int, 1))",
    "v = frozenset()\nfor i in range(60): v = frozenset([v, (v, v)])",
    "v = [[j] for j in range(3000)]",
    "v = {(j, j): str(j) * 9 for j in range(3000)}",
    "v = range(10 ** 12)",
)
OPERATORS = (
    "+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^",
    "==", "!=", "<", "<=", ">", ">=", "in", "is", "and", "or",
)  # fmt: skip
FRAMES = (
    "{e}", "x = {e}", "while True: {e}", "for i in range(10 ** 9): {e}", "[{e} for i in range(10 ** 6)]",
    "print({e})", "print(f'{{{e}}}' * 9)", "x = [{e}] * 9\nx == [{e}] * 9", "d = {{}}\nd[{e}] = 1\n{e} in d",
    "sorted([{e}, {e}])", "def f(n): return [{e}, f(n - 1), f(n - 1)] if n else {e}\nf(60)",
    "a, *b = {e}", "x = {e}\nfor i in range(99): x = [x, x, {e}]\nstr(x)", "assert {e} == {e}", "del {e}",
    "max([1, 2], key=lambda n: {e})", "'%s %r' % ({e}, {e})", "x = v\nx += {e}\nx *= 9",
    "v[{e}] = {e}", "{{**{e}}}",
    "{{{e}: {e} for i in range(99)}}", "try:\n    {e}\nexcept Exception:\n    pass", "v[{e}:{e}] = {e}",
    "class A:\n    x = {e}", "with {e} as x:\n    x",
    "match v:\n    case [*x]:\n        {e}", "x = yield {e}",
    "lambda: {e}", "global x\nx = {e}", "async def f():\n    await {e}", "import os\nos.{e}", "(x := {e})",
)  # fmt: skip
WORLDS = {
    "stb/GoogleSheets-v1": "worksheet.update_acell('A1', str({e}))",
    "stb/Tabletop-v1": "put_first_on_second(objects[0], {e})",
    "stb/HomeSearch-v1": "API.set_location({e})",
    "stb/TripBooking-v1": "API.set_origin(Loc({e}))",
}


def bombs(seed: int) -> Iterator[tuple[str, str]]:
    """Yield ids of environments and programs, without end and equal for equal seeds."""
    rng = Random(seed)
    while True:
        env_id = rng.choice(list(WORLDS))
        text = rng.choice(FRAMES).format(e=_expression(rng, rng.choice((0, 1, 1, 2))))
        last = WORLDS[env_id].format(e=rng.choice(("v", "v[0]", "len(v)", _expression(rng, 0))))
        lines = [rng.choice(SHARED), text, last]
        yield env_id, "\n".join(lines if rng.random() < 0.8 else [lines[0], lines[2], lines[1]])


def _expression(rng: Random, depth: int) -> str:
    def part() -> str:
        if depth and rng.random() < 0.6:
            return _expression(rng, depth - 1)
        kind = rng.choice(list(LITERALS))
        return rng.choice(("v", "v", "v", f"({LITERALS[kind]})", "10 ** 9", "-1", "lambda *a: v", "v[0]"))

    parts = [part() for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    match rng.randrange(5):
        case 0 | 1:
            return f"{rng.choice(FUNCTIONS)}({', '.join(parts)})"
        case 2:
            kind = rng.choice(list(METHODS))
            return f"({LITERALS[kind]}).{rng.choice(METHODS[kind] or ['real'])}({', '.join(parts)})"
        case 3:
            return (
                f"v.{rng.choice([name for names in METHODS.values() for name in names])}({', '.join(parts)})"
            )
        case _:
            return f"({parts[0]} {rng.choice(OPERATORS)} {parts[-1]})"


def too_dear(count: int, seed: int) -> list[str]:
    """Play bombs in processes of their own, and return what took too much."""
    dear, begin = [], 0
    while begin < count:
        process = subprocess.Popen(
            [sys.executable, "-c", f"from tests.fuzz.bombs import play; play({begin}, {count}, {seed})"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "STB_PROGRAMS": "inside"},
        )
        assert process.stdout is not None
        last = begin
        for line in process.stdout:
            number, _, problem = line.rstrip("\n").partition(" ")
            last = int(number)
            if problem:
                dear.append(problem)
        if process.wait():
            dear.append(f"exit {process.returncode}: {_numbered(last, seed)!r}")
        begin = last + 1
    return dear


def _numbered(number: int, seed: int) -> tuple[str, str]:
    drawn = bombs(seed)
    for _ in range(number):
        next(drawn)
    return next(drawn)


def play(begin: int, end: int, seed: int) -> None:
    """Play bombs of a seed by their numbers, and print for each what it took where that is too much."""
    import signal

    from stb_env.runs.make import make

    envs = {env_id: make(env_id) for env_id in WORLDS}
    drawn = bombs(seed)
    for number in range(end):
        env_id, program = next(drawn)
        if number < begin:
            continue
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        env = envs[env_id]
        env.reset(seed=0)
        # Ends the process, whatever it is at.
        signal.setitimer(signal.ITIMER_PROF, DEADLINE_S)
        Path("/proc/self/clear_refs").write_text("5")
        held, began = _memory("VmRSS"), process_time()
        env.step(program)
        seconds, memory = process_time() - began, _memory("VmHWM") - held
        if seconds > MOST_S or memory > MOST_BYTES:
            sys.stdout.write(f"{number} {seconds:.1f} s, {memory / 1e6:.0f} MB: {env_id} {program!r}\n")


def _memory(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return 1024 * int(line.split()[1])
    return 0


if __name__ == "__main__":
    found = too_dear(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.stdout.write("\n".join(found) + f"\n{len(found)} of {sys.argv[1]}\n")
