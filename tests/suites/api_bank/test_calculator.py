"""Arithmetic by a parser of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.calculator import MAX_DEPTH, MAX_LENGTH, calculate

WHOLE = st.integers(0, 99).map(lambda n: (str(n), Fraction(n)))
DECIMAL = st.tuples(st.integers(0, 99), st.sampled_from([0, 25, 5, 75])).map(
    lambda n: (f"{n[0]}.{n[1]}", Fraction(f"{n[0]}.{n[1]}"))
)


def _negated(inner):
    return f"(-{inner[0]})", -inner[1]


def _combined(parts):
    left, operator, right = parts
    value = {"+": Fraction.__add__, "-": Fraction.__sub__, "*": Fraction.__mul__}[operator](left[1], right[1])
    return f"({left[0]} {operator} {right[0]})", value


FORMULAS = st.recursive(
    WHOLE | DECIMAL,
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(_combined) | inner.map(_negated),
    max_leaves=8,
)


@given(FORMULAS, WHOLE)
def test_a_formula_comes_to_what_exact_arithmetic_says(formula, last):
    text, value = formula[0] + "+" + last[0], formula[1] + last[1]
    assert calculate(text) == pytest.approx(float(value), rel=1e-9, abs=1e-9)


@given(st.lists(st.tuples(st.sampled_from("+-*/"), st.integers(1, 50)), min_size=1, max_size=6))
def test_products_bind_tighter_and_equals_go_from_left_to_right(pairs):
    text = "7" + "".join(f"{operator}{number}" for operator, number in pairs)
    total, product, sign = Fraction(0), Fraction(7), 1
    for operator, number in pairs:
        if operator in "+-":
            total, product, sign = total + sign * product, Fraction(number), 1 if operator == "+" else -1
        else:
            product = product * number if operator == "*" else product / number
    assert calculate(text) == pytest.approx(float(total + sign * product), rel=1e-9, abs=1e-9)


@given(st.text("0123456789.+-*/() ", max_size=30) | st.text(max_size=30))
def test_any_text_gets_a_number_or_a_complaint(text):
    try:
        answer = calculate(text)
    except ApiError as error:
        answer = str(error)
    complaints = ("invalid formula", "float division by zero", "the result is too large")
    assert isinstance(answer, float) or answer in complaints


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1+2", 3.0),
        ("(1+2)*(3+4)", 21.0),
        ("25*3+7/3", 77.33333333333333),
        ("1+2*3-4/2", 5.0),
        ("100-20-30", 50.0),
        ("8/2*3", 12.0),
        ("3-5", -2.0),
        ("(2)+(3)", 5.0),
        ("((1+2)*3)", 9.0),
        ("1.5 + 2", 3.5),
        ("-5+3", -2.0),
        ("2*-3", -6.0),
        ("1+-2", -1.0),
        ("-(2+3)*2", -10.0),
        ("--5+0", 5.0),
        (".5+.5", 1.0),
    ],
)
def test_a_formula_has_a_value(formula, value):
    assert calculate(formula) == value


@pytest.mark.parametrize(
    "formula",
    [
        "",
        " ",
        "5",
        "12",
        "-5",
        "(5)",
        "1+",
        "+1",
        "2^3",
        "(1+2",
        "1+2)",
        "()+1",
        ")1+2(",
        "2**3",
        "7//2",
        "1e3+1",
        "1,000+1",
        "1..5+1",
        "1.+1",
        "a+1",
        "٣+١",
        "1+2+",
        "2(3+4)",
    ],
)
def test_what_is_no_operation_on_numbers_is_invalid(formula):
    with pytest.raises(ApiError, match=r"^invalid formula$"):
        calculate(formula)


def test_nothing_is_divided_by_zero():
    with pytest.raises(ApiError, match=r"^float division by zero$"):
        calculate("1/(2-2)")


def test_work_is_bounded():
    assert calculate("(" * MAX_DEPTH + "1+1" + ")" * MAX_DEPTH) == 2.0
    for formula in (
        "(" * (MAX_DEPTH + 1) + "1+1" + ")" * (MAX_DEPTH + 1),
        "-" * 5000 + "1+1",
        "1+" * 500 + "1",
    ):
        with pytest.raises(ApiError, match=r"^invalid formula$"):
            calculate(formula)
    with pytest.raises(ApiError, match=r"^the result is too large$"):
        calculate("*".join(["9" * 100] * 9))
    assert len("1+" * 500 + "1") > MAX_LENGTH
