"""Whatever a program can call has a rule of its cost, and its rule looks at what it is given."""

from __future__ import annotations

import ast
import os
import statistics
import warnings
from collections.abc import Iterable, Mapping

import pytest

from stb_env.suites.sambanova.common.interpreter import arrays, builtins, costs, methods, operators
from stb_env.suites.sambanova.common.interpreter.budget import Budget
from stb_env.suites.sambanova.common.interpreter.kinds import Module, Native, TypeName, words
from stb_env.suites.sambanova.google_sheets.dataframes.names import EARLIER, FUNCTIONS, METHODS, PANDAS
from stb_env.suites.sambanova.google_sheets.modules import MODULES as SHEET_MODULES
from stb_env.suites.sambanova.google_sheets.patterns import library_of
from stb_env.suites.sambanova.google_sheets.tools import BOOK_METHODS, SHEET_METHODS
from stb_env.suites.sambanova.tabletop import costs as table_costs
from stb_env.suites.sambanova.tabletop.libraries import MODULES as TABLE_MODULES
from stb_env.suites.sambanova.tabletop.primitives import BY_NAME
from tests.suites.sambanova.cost_fuzz import STEPS, measured, programs

UNCHARGED = costs.FLAT


def functions(names: Mapping[str, object]) -> Iterable[Native | TypeName]:
    """Yield all functions of a library, those of the libraries in it too."""
    for value in names.values():
        if isinstance(value, Module):
            yield from functions(value._names)
        elif isinstance(value, Native | TypeName):
            yield value


WORKSHEETS, SPREADSHEETS = (
    {name: method.cost for name, method in table.items()} for table in (SHEET_METHODS, BOOK_METHODS)
)
REGISTRIES = {
    "operators": ([*operators.BINARY, *operators.UNARY, *operators.COMPARE], costs.OPERATORS),
    "builtins": ([*builtins.BUILTINS, "print"], costs.BUILTINS),
    **{
        f"methods of {kind}": (names | methods.OURS.get(kind, frozenset()), costs.METHODS[kind])
        for _, kind, names in methods.PLAIN
    },
    "arrays": (arrays._METHODS | {"sort", "astype"}, costs.NUMPY),
    "pandas": (FUNCTIONS.union(*METHODS.values(), *EARLIER.values()), PANDAS),
    "primitives": (BY_NAME, table_costs.PRIMITIVES),
}


@pytest.mark.parametrize("name", REGISTRIES)
def test_everything_that_can_be_called_has_a_rule(name: str):
    registry, table = REGISTRIES[name]
    assert set(registry) <= set(table)


def test_the_table_of_primitives_names_nothing_else():
    assert set(table_costs.PRIMITIVES) == set(BY_NAME)


LIBRARIES = {
    "math": builtins.MATH,
    "numpy": arrays.NUMPY,
    "re": library_of(Budget()),
    **SHEET_MODULES,
    **TABLE_MODULES,
}


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_every_function_of_a_library_has_a_cost(name: str):
    for function in functions(LIBRARIES[name]._names):
        assert callable(function.cost), function.name


QUICK = words(
    "abs bool chr isinstance len next ord range float32 float64 int32 int64 defaultdict "
    "acos asin atan atan2 ceil cos degrees exp fabs floor fmod isclose isfinite isinf isnan log log10 log2 "
    "pow radians sin sqrt tan trunc append clear pop get popitem discard remove is_integer"
)


@pytest.mark.parametrize("table", [costs.BUILTINS, costs.MATH, costs.NUMPY, *costs.METHODS.values()])
def test_only_what_is_known_to_be_quick_costs_nothing_besides_its_step(table: Mapping[str, costs.Cost]):
    assert {name for name, cost in table.items() if cost is UNCHARGED} <= QUICK


@pytest.mark.parametrize(
    "table", [costs.BUILTINS, costs.MATH, costs.NUMPY, *costs.METHODS.values(), WORKSHEETS, SPREADSHEETS]
)
def test_what_reads_its_arguments_costs_more_for_more(table: Mapping[str, costs.Cost]):
    few, many = (["a" * 5], ["a" * 4_000]) if table is costs.METHODS["str"] else ([[1] * 5], [[1] * 4_000])
    texts = {"pow", "divmod", "int"}
    for name, cost in table.items():
        # What is looked into takes no time, what is looked for does.
        before: list[object] = [{}] if cost in (costs._find, costs._types) else []
        if cost is not UNCHARGED and name not in texts:
            assert cost([*before, *many], {}) > cost([*before, *few], {}) + 100, name


def test_integers_cost_by_their_bits():
    assert (
        costs.BUILTINS["pow"]([2**1_000, 2**1_000, 2**1_000], {}) > costs.BUILTINS["pow"]([2, 3, 5], {}) + 200
    )


def test_looking_for_a_text_costs_by_both():
    cost = costs.OPERATORS[ast.In]
    assert cost(["b" + "a" * 9_999, "a" * 19_999], {}) > cost(["b", "a" * 19_999], {}) + 5_000


FACTOR = 60
"""How much dearer than the median step a step may be; the bound of two seconds leaves room for more."""


@pytest.mark.parametrize("world", ["plain", "sheets", "table"])
def test_no_program_that_the_fuzzer_finds_is_dear_for_its_steps(world: str):
    if world == "sheets":
        pytest.importorskip("pandas")
    count = int(os.environ.get("STB_FUZZ", "120"))
    assert not outliers(world, count)


def outliers(world: str, count: int) -> list[str]:
    """Return the programs that take far longer than others for their steps, each time that they are run."""
    drawn = programs(world, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [measured(world, next(drawn)) for _ in range(count)]
        # Reading a program and the last operation, which may fail, take their time beside the steps.
        rates = [each.seconds / (each.steps + STEPS / 20) for each in found]
        bound = FACTOR * max(statistics.median(rates), 1e-6)
        dear = [each for each, rate in zip(found, rates, strict=True) if rate > bound and each.seconds > 0.02]
        again = [
            min((measured(world, each.program) for _ in range(3)), key=lambda one: one.seconds)
            for each in dear
        ]
    return [
        f"{each.seconds * 1e3:.0f} ms for {each.steps} steps:\n{each.program}"
        for each in again
        if each.seconds > 0.02 and each.seconds / (each.steps + STEPS / 20) > bound
    ]
