"""A value that shares its members 2**60 times ends in an error at once, whatever is done with it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from stb_env.suites.sambanova.common.interpreter.arrays import NUMPY, Arrays
from stb_env.suites.sambanova.common.interpreter.builtins import BUILTINS, MATH
from stb_env.suites.sambanova.common.interpreter.costs import MATH as MATH_NAMES
from stb_env.suites.sambanova.common.interpreter.costs import METHODS
from stb_env.suites.sambanova.common.interpreter.costs import NUMPY as NUMPY_NAMES
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.machine import Machine

MOST_S = 2.0
"""Seconds that one program may take."""
ALL_S = 240.0
"""Seconds after which a program among them is taken for one that never ends."""

VALUES = ("t", "l", "d")
RECEIVERS = {
    "str": "'a{}b'",
    "list": "[1, 2]",
    "tuple": "(1, 2)",
    "dict": "{1: 2}",
    "set": "{1, 2}",
    "float": "1.5",
}
OPERATORS = (
    "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^",
    "==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not", "and", "or",
)  # fmt: skip
STATEMENTS = """
e = {{{v}: 1}}
{{1, {v}}}
x[{v}]
x[{v}] = 1
del x[{v}]
del x[0][{v}]
a, b = {v}
[*{v}]
{{**{v}}}
f'{{{v}}}'
f'{{{v}!r}}'
'%s' % ({v},)
'%s' % {v}
print({v})
print(*{v})
assert {v} == u
-{v}
not {v}
[k for k in {v}]
{{k for k in {v}}}
{{k: k for k in [{v}]}}
for k in {v}: {{k: 1}}
{v}[0] == {v}[1]
{v} if {v} else {v}
(lambda k: {{k: 1}})({v})
max([1, 2], key=lambda k: {v})
min({v}, u)
sorted([{v}, u])
sorted([1, 2], key=lambda k: {v} if k == 1 else u)
[1, 2].sort(key=lambda k: {v} if k == 1 else u)
max([1, 2], key=lambda k: {v} if k == 1 else u)
min({v}, u, key=lambda k: k)
{v} == u
u in [{v}]
{{u}}
x.append({v}); x == [1, u]
e = {{}}; e[{v}] = 1
e = {{1: 2}}; e.get({v})
e = {{1: 2}}; e.pop({v}, 0)
e = {{1}}; e.discard({v})
e = {{1}}; e.remove({v})
e = {{1: 2}}; del e[{v}]
isinstance(1, {v})
'{{}}'.format({v})
'{{0!r}}'.format({v})
map(lambda k: {{k: 1}}, {v})
filter(lambda k: {{k}}, {v})
enumerate({v})
zip({v}, u)
dict([({v}, 1)])
dict({v}=1)
set([{v}])
str([{v}])
repr({{1: {v}}})
np.array({v})
np.array([{v}, u])
sum([{v}, u], ())
','.join([{v}])
"""


def shared() -> dict[str, object]:
    """Return values that share their members, by the names that programs have for them."""
    t: object = (1, 1)
    u: object = (1, 1)
    l: object = [1, 1]  # noqa: E741 # the programs' name for it
    d: object = {1: 1}
    for _ in range(60):
        t, u, l, d = (t, t), (u, u), [l, l], {1: d, 2: d}  # noqa: E741 # as above
    return {"t": t, "u": u, "l": l, "d": d}


def programs() -> Iterator[str]:
    """Yield a program for each function, method, operator and statement, and each value and place."""
    for v in VALUES:
        for name in sorted(BUILTINS):
            yield from (
                f"{name}({v})",
                f"{name}({v}, u)",
                f"{name}(1, {v})",
                f"{name}(lambda k: {v}, [1, 2])",
            )
        for kind, names in METHODS.items():
            for name in sorted(names):
                holder = RECEIVERS[kind]
                yield from (f"{holder}.{name}({v})", f"{holder}.{name}({v}, u)", f"{holder}.{name}(1, {v})")
        for name in sorted({name for names in METHODS.values() for name in names}):
            yield from (f"{v}.{name}()", f"{v}.{name}(u)", f"{v}.{name}({v}, u)")
        for name in sorted(MATH_NAMES):
            yield f"math.{name}({v})"
        for name in sorted(NUMPY_NAMES):
            yield from (f"np.{name}({v})", f"np.{name}(np.array([1, 2]), {v})")
        for operator in OPERATORS:
            yield from (
                f"{v} {operator} u",
                f"1 {operator} {v}",
                f"{v} {operator} 1",
                f"[{v}] {operator} [u]",
            )
        for statement in STATEMENTS.strip().splitlines():
            yield "\n".join(["x = [[1], 2]", *statement.format(v=v).split("; ")])


def play() -> None:
    """Run every program, and print how many there were and the slowest."""
    slowest = (0.0, "")
    count = 0
    for program in programs():
        sys.stdout.write(f"{program!r}\n")
        sys.stdout.flush()
        began = time.perf_counter()
        machine = Machine({"np": NUMPY, "math": MATH, **shared()}, kinds=(Arrays(),))
        with suppress(CrashError):
            machine.run(program)
        slowest = max(slowest, (time.perf_counter() - began, program))
        count += 1
    sys.stdout.write(f"{count} programs, at most {slowest[0]:.3f} s: {slowest[1]!r}\n")


@pytest.mark.heavy
def test_a_value_that_has_no_end_ends_a_program_at_once() -> None:
    code = "from tests.suites.sambanova.common.interpreter.test_shared_values import play; play()"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=ALL_S, check=True
        )
    except subprocess.TimeoutExpired as error:
        said = (error.stdout or b"").decode().splitlines()
        raise AssertionError(f"this program never ends: {said[-1]}") from None
    count, _, seconds = done.stdout.splitlines()[-1].partition(" programs, at most ")
    assert int(count) > 1_000
    assert float(seconds.split()[0]) < MOST_S, done.stdout.splitlines()[-1]
