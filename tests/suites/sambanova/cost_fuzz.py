"""Searches for programs that cost more time or memory than the steps that they are charged.

Programs are put together from the names that programs have: functions and methods with values of all kinds
and sizes, operators between them, results kept and used again. What is sought is not an exception but a step
that is dearer than the others.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import process_time

from stb_env.suites.sambanova.common.interpreter import costs
from stb_env.suites.sambanova.common.interpreter.budget import Budget
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.dataframes.names import FUNCTIONS, METHODS
from stb_env.suites.sambanova.google_sheets.tools import BOOK_METHODS, SHEET_METHODS
from stb_env.suites.sambanova.tabletop import costs as table_costs
from tests.suites.sambanova.blast import played

STEPS = 3_000
"""Steps of a program: enough for one dear call to stand out."""

_VALUES: Mapping[str, Sequence[str]] = {
    "number": ("0", "1", "-1", "3", "7", "100", "0.5", "True", "None", "2 ** 1000", "2 ** 61 - 1", "1e300"),
    "str": ("''", "'a'", "'ab '", "'x' * 3000", "'ab ' * 900", "'1' * 300", "'{} {}'", "'%5d'", "'a'", "','"),
    "list": (
        *("[1, 2]", "list(range(900))", "[[i, i] for i in range(150)]", "['x' * 50] * 90", "[1.5] * 900"),
        *("[(i, i) for i in range(150)]", "[{'a': 1}] * 90", "['b', 'a'] * 200"),
    ),
    "tuple": ("(1, 2)", "tuple(range(900))"),
    "dict": ("{i: i for i in range(120)}", "{'a': [1] * 300}"),
    "set": ("{1, 2}", "set(range(400))"),
    "range": ("range(3000)",),
    "function": ("(lambda v: v)", "(lambda a, b: a)", "len", "str", "sum", "int", "sorted", "list"),
    "array": ("np.arange(3000)", "np.ones((50, 60))", "np.zeros(9)", "np.array([1.5, 2.5])", "np.eye(40)"),
}
_FRAMES = (
    "pd.DataFrame({'a': list(range(90)), 'b': ['x'] * 90})",
    *("pd.DataFrame({'a': [1, 2]})", "pd.Series(list(range(500)))", "pd.Series(['ab', 'c'] * 90)"),
)
_SHEETS = ("'A1'", "'A1:C90'", "'B2:D4'", "[[1, 2]] * 90", "{'textFormat': {'bold': True}}", "'=SUM(A1:B9)'")
_PLACES = ("'red block'", "'top side'", "[0.1, -0.5]", "[[0, -0.5], [0.1, -0.4]] * 90", "'the block'")
_OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "==", "<", "in", "is"]


@dataclass(frozen=True)
class Finding:
    """What a program cost.

    Attributes:
        program: The program.
        steps: What it was charged.
        seconds: What it took.
        bytes: The most memory that it held.
    """

    program: str
    steps: int
    seconds: float
    bytes: int


def programs(world: str, seed: int) -> Iterator[str]:
    """Yield programs of a world without end, the same for the same seed."""
    random = Random(seed)
    pool = [(kind, value) for kind, values in _pool(world).items() for value in values]
    while True:
        # Few kinds at a time: most operations are between like and like.
        chosen = (
            random.sample(pool, 3)
            if random.random() < 0.5
            else [random.choice(pool)] * 2 + [random.choice(pool)]
        )
        lines = [f"v{at} = {value}" for at, (_, value) in enumerate(chosen)]
        kinds = [kind for kind, _ in chosen]
        lines += [f"v{at} = {_expression(world, random, kinds, at)}" for at in range(3, random.randint(4, 6))]
        yield "\n".join(lines)


def _pool(world: str) -> dict[str, Sequence[str]]:
    frames = {"frame": _FRAMES[:2], "series": _FRAMES[2:], "sheet": _SHEETS} if world == "sheets" else {}
    return {**_VALUES, **frames, **({"place": _PLACES} if world == "table" else {})}


def _expression(world: str, random: Random, kinds: Sequence[str], at: int) -> str:
    def value() -> str:
        return f"v{random.randrange(at)}"

    arguments = ", ".join(value() for _ in range(random.choice((0, 0, 1, 1, 1, 2, 2, 3))))
    holder = random.randrange(3)
    match random.randrange(6):
        case 0:
            return f"{value()} {random.choice(_OPERATORS)} {value()}"
        case 1:
            forms = (
                f"{value()}[{value()}]",
                f"{value()}[::-1]",
                f"f'{{{value()}}}'",
                f"[*{value()}]",
                f"[{value()}] * 90",
            )
            return random.choice(forms)
        case 2 | 3:
            return f"{random.choice(_functions(world))}({arguments})"
        case _:
            return f"v{holder}.{random.choice(_methods(kinds[holder]))}({arguments})"


def _functions(world: str) -> Sequence[str]:
    plain = [*costs.BUILTINS, *(f"np.{name}" for name in sorted(costs.NUMPY))]
    if world == "sheets":
        frames = [f"pd.{name}" for name in sorted(FUNCTIONS)]
        sheets = [f"worksheet.{name}" for name in SHEET_METHODS]
        return [*frames * 2, *sheets * 2, *(f"sheet.{name}" for name in BOOK_METHODS), *costs.BUILTINS]
    return [*costs.BUILTINS, *table_costs.PRIMITIVES] if world == "table" else plain


def _methods(kind: str) -> Sequence[str]:
    if kind in costs.METHODS:
        return list(costs.METHODS[kind])
    if kind in METHODS:
        texts = [f"str.{name}" for name in METHODS["texts"]] if kind == "series" else []
        return sorted(
            [
                *METHODS[kind],
                *texts,
                *(f"groupby('a').{name}" for name in METHODS["grouped"] if kind == "frame"),
            ]
        )
    return sorted(costs.NUMPY) if kind == "array" else ["real"]


def measured(world: str, program: str, *, memory: bool = False) -> Finding:
    """Run a program and return what it cost; a line that fails is where it ends."""
    steps = _Steps()
    if memory:
        tracemalloc.start()
    began = process_time()
    try:
        played(world, program, steps.budget)
    except CrashError:
        pass
    finally:
        seconds = process_time() - began
        most = 0
        if memory:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    return Finding(program, steps.spent, seconds, most)


class _Steps:
    def __init__(self) -> None:
        self.budget = Budget(STEPS)

    @property
    def spent(self) -> int:
        return min(STEPS, STEPS - self.budget.left)
