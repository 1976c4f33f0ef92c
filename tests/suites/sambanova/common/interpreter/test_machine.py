"""Programs run as in Python, as far as they are read, and never beyond their bounds."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.interpreter.arrays import NUMPY, Arrays
from stb_env.suites.sambanova.common.interpreter.builtins import MATH
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.machine import Machine
from tests.suites.sambanova.common.interpreter.mutants import mutants

PROGRAMS = [
    "a, (b, *c) = 1, (2, 3, 4)\n[a, b, c]",
    "def f(n, k=2):\n    if n == 0:\n        return k\n    return f(n - 1, k=k + 1)\nf(3)",
    "t = 0\nfor i in range(9):\n    if i % 2:\n        continue\n    if i > 6:\n        break\n    t += i\nt",
    "n = 7\nall_ = []\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1\n    all_.append(n)\nall_",
    "x = {'b': 2, 'a': 1}\nx['c'] = 3\ndel x['b']\nsorted(x.items(), key=lambda item: -item[1])",
    "[x + y for x in 'ab' for y in 'cd' if x + y != 'ad']",
    "{k: v for k, v in zip('abc', [1, 2, 3]) if v > 1}",
    "f'{3.14159:.2f} {\"a\"!r} {1 + 1}'",
    "'{} {n:>4}'.format('a', n=5) + '%s-%d' % ('b', 3)",
    "x = [3, 1, 2]\nx.sort(reverse=True)\nx[0] += 10\nx[::-1], max(x), min(x), sum(x), len(x)",
    "(lambda a, b=1: a + b)(2), 1 < 2 <= 2, not [], 3 if '' else 4, 'b' in 'abc', [1] == [1.0]",
    "a = b = [1]\nb.append(2)\na",
    "for i in []:\n    pass\nelse:\n    done = True\ndone",
    "' A b '.strip().lower().replace('b', 'c').split(), 'x,y'.split(','), '-'.join(['a', 'b'])",
    "[*range(3), *(4, 5)], {**{'a': 1}, 'b': 2}, int('7'), float('1.5'), str(None), bool(0), list('ab')",
    "any(x > 2 for x in [1, 2, 3]), all([]), list(enumerate('ab', 1)), [*map(str, [1, 2])], round(2.567, 1)",
    "isinstance(1, int), isinstance('a', (int, str)), abs(-3), divmod(7, 2), 7 // 2, -7 % 3, 2 ** 10",
    "y = (n := 4) + n\ny, n",
    "len({1, 2} | {2, 3}), sorted({3, 1} & {1}), {1} <= {1, 2}",
    "d = dict(a=1)\nd.get('z', 0), d.setdefault('b', 5), d.pop('a'), d",
]


def run(text: str, **limits: Any) -> Any:
    return Machine({"np": NUMPY}, {"math": MATH, "numpy": NUMPY}, (Arrays(),), **limits).run(text)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_gives_what_python_gives(program: str):
    *before, last = program.split("\n")
    names: dict[str, Any] = {}
    # The oracle is Python itself, on programs that stand above.
    exec("\n".join(before), names)
    assert run(program).value == eval(last, names)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("x", "line 1: name 'x' is not defined"),
        ("prnt(1)", "line 1: name 'prnt' is not defined. Did you mean 'print'?"),
        ("1 +", "not a program: invalid syntax"),
        ("a = 1\nb = a +\n", "not a program: "),
        ("[1][5]", "line 1: IndexError: list index out of range"),
        ("{}['a']", "line 1: there is no key"),
        ("1 / 0", "line 1: ZeroDivisionError"),
        ("'a' + 1", "line 1: TypeError"),
        ("int('x')", "line 1: int: ValueError"),
        ("def f(a):\n    return a\nf()", "line 3: f needs the argument 'a'"),
        ("def f(a):\n    return a\nf(1, b=2)", "line 3: f has no place for the argument 'b'"),
        ("def f():\n    return 1\nf(2)", "line 3: f takes 0 arguments, got 1"),
        ("a, b = [1]", "line 1: 1 values for 2 names"),
        ("5(1)", "line 1: int cannot be called"),
        ("for i in 5:\n    pass", "line 1: TypeError"),
        ("break", "line 1: outside of a loop"),
        ("return 1", "line 1: outside of a function"),
        ("{[]: 1}", "line 1: list cannot be a member of a set or a key"),
        ("'a'.nope()", "line 1: str has no attribute 'nope' here"),
        ("assert False", "line 1: an assertion does not hold"),
        ("import os", "line 1: no library 'os' can be imported here; there are: math, numpy"),
        ("import math\nmath.no", "line 2: math has no 'no' here"),
        ("'ab'[0] = 'c'", "line 1: the members of str cannot be set"),
    ],
)
def test_what_is_wrong_with_a_program_is_said(program: str, error: str):
    with pytest.raises(CrashError) as crash:
        run(program)
    assert error in str(crash.value)


@pytest.mark.parametrize(
    "program",
    [
        "class A:\n    pass",
        "with open('x') as f:\n    pass",
        "try:\n    pass\nexcept ValueError:\n    pass",
        "async def f():\n    pass",
        "global x",
        "@f\ndef g():\n    pass",
        "1 << 2",
        "b'bytes'",
        "yield 1",
        "raise ValueError",
        "'{0.x}'.format(1)",
        "...",
    ],
)
def test_what_is_left_out_of_python_is_refused_as_such(program: str):
    with pytest.raises(UnsupportedError):
        run(program)


@pytest.mark.parametrize(
    "program",
    [
        "().__class__.__bases__[0].__subclasses__()",
        "(1).__class__",
        "''.join.__self__",
        "print.__globals__",
        "__import__('os')",
        "eval('1')",
        "exec('x = 1')",
        "open('/etc/passwd')",
        "getattr('', 'upper')",
        "globals()",
        "np.__loader__",
        "np.load('x')",
        "np.array([1]).tofile('x')",
        "np.array([1]).dump('x')",
        "(lambda: 0).__code__",
        "'{x.__class__}'.format(x=1)",
        "f'{().__class__}'",
        "[].append.__call__(1)",
        "type(1)",
        "vars()",
        "breakpoint()",
        "input()",
    ],
)
def test_nothing_leads_out_of_a_program(program: str):
    with pytest.raises(CrashError):
        run(program)


@pytest.mark.parametrize(
    "program",
    [
        "while True:\n    pass",
        "x = []\nfor i in range(60):\n    x = [x, x]\nprint(x)",
        "x = []\nfor i in range(60):\n    x = [x, x]\nx == x[0]",
        "t = ()\nfor i in range(60):\n    t = (t, t)\n{t: 1}",
        "x = []\nx.append(x)\nstr(x)",
        "x = [0]\nwhile True:\n    x.extend(x)",
        "'a' * 10 ** 9",
        "[0] * 10 ** 9",
        "9 ** 9 ** 9",
        "x = 9\nwhile True:\n    x = x * x",
        "x = 'ab'\nwhile True:\n    x = x + x",
        "['a' * 9999 + str(i) for i in range(20000)]",
        "'a'.ljust(10 ** 9)",
        "f'{1:1000000000}'",
        "'%1000000000d' % 1",
        "'{:>1000000000}'.format('x')",
        "'a'.join(['b' * 9999] * 9999)",
        "('a' * 9999).replace('a', 'b' * 9999)",
        "range(10 ** 9)",
        "def f(n):\n    return f(n + 1)\nf(0)",
        "f = lambda g: g(g)\nf(f)",
        "+".join(["1"] * 4000),
        "-" * 4000 + "1",
        "np.zeros((10 ** 5, 10 ** 5))",
        "np.arange(10 ** 12)",
        "np.linspace(0, 1, 10 ** 9)",
        "np.ones((3000, 1)) * np.ones(3000)",
        "np.array([2 ** 70])",
        "x = [0] * 9999\nwhile True:\n    x.count(1)",
        "print('a' * 9999)\n" * 20,
        "[i for i in range(9999) for j in range(9999)]",
    ],
)
def test_no_program_takes_more_than_its_share(program: str):
    with pytest.raises(CrashError):
        run(program)


def test_sets_keep_the_order_in_which_members_came():
    assert run("[str(x) for x in set(['pear', 'fig', 'apple', 'fig'])]").value == ["pear", "fig", "apple"]
    assert run("print({'b', 'a'})").printed == ("{'b', 'a'}",)


def test_nothing_that_is_printed_shows_an_address():
    printed = run("print(print, int, (lambda: 0), np, [len])").printed
    assert printed == ("<function print> <class 'int'> <function lambda> <numpy> [<function len>]",)


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("(np.array([1, 2]) + [3, 4]).tolist()", [4, 6]),
        ("np.linalg.norm(np.array([3, 4]))", 5.0),
        ("np.array([[1, 2], [3, 4]]).mean(axis=0).tolist()", [2.0, 3.0]),
        ("int(np.argmin([3, 1, 2]))", 1),
        ("np.array([3, 1])[np.array([3, 1]) > 2].tolist()", [3]),
        ("a = np.zeros(3)\na[1] = 5\na.tolist()", [0.0, 5.0, 0.0]),
        ("np.concatenate([np.array([1]), np.array([2])]).tolist()", [1, 2]),
        ("[x for x in np.array([1, 2])]", [1, 2]),
        ("np.arange(3).shape, np.pi > 3, np.array([1.6]).astype(int).tolist()", ((3,), True, [1])),
        ("import math\nmath.hypot(3, 4)", 5.0),
        ("from math import pi\npi > 3", True),
        ("sum(np.array([1, 2])), max(np.array([1, 2])), len(np.array([1, 2]))", (3, 2, 2)),
        ("np.array([1, 2]) @ np.array([3, 4])", 11),
    ],
)
def test_arrays_are_numpys(program: str, value: Any):
    assert run(program).value == value


def test_an_array_has_no_truth():
    with pytest.raises(CrashError, match="ambiguous"):
        run("if np.array([1, 2]):\n    pass")


def test_programs_share_nothing_with_each_other():
    assert run("x = [1]\nx").value == [1]
    with pytest.raises(CrashError, match="name 'x' is not defined"):
        run("x")


def test_damaged_programs_end_or_crash():
    for text in mutants(PROGRAMS, 500, seed=1):
        try:
            run(text, max_steps=3_000)
        except CrashError:
            continue


@given(st.text(max_size=60))
def test_any_text_ends_or_crashes(text: str):
    with contextlib.suppress(CrashError):
        run(text, max_steps=1_000)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_whole_numbers_are_computed_with_as_python_does(a: int, b: int):
    assert run(f"({a} + {b}, {a} - {b}, {a} * {b}, {a} == {b}, {a} < {b})").value == (
        a + b,
        a - b,
        a * b,
        a == b,
        a < b,
    )
