"""Formulas have the values that a sheet gives them, and follow what happens to rows and columns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.google_sheets.formula.parser import FormulaError, parse_formula
from stb_env.suites.sambanova.google_sheets.formula.references import deleted, inserted, relocated, shifted
from stb_env.suites.sambanova.google_sheets.formula.results import Results
from stb_env.suites.sambanova.google_sheets.sheet import book_of
from stb_env.suites.sambanova.google_sheets.values import Formula, entered, shown

GRID = [
    ["Name", "Team", "Points", "Rate"],
    ["Ann", "red", 4, 0.5],
    ["Bob", "blue", 10, 0.25],
    ["Cy", "red", 6, 2.0],
    ["Di", "green", None, True],
]


def value_of(formula: str, grid: list[list[Any]] | None = None) -> Any:
    book = book_of([*(grid or GRID), [], [Formula(formula)]])
    place = (len(grid or GRID) + 2, 1)
    return Results(book).value(book.sheets[-1], place)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=1+2*3^2", 19),
        ("=-2^2", 4),
        ("=(1+2)*3", 9),
        ("=7/2", 3.5),
        ("=50%", 0.5),
        ('="a"&"b"&1', "ab1"),
        ('="say ""hi"""', 'say "hi"'),
        ("=C2", 4),
        ("=$C$2+C$3", 14),
        ("=SUM(C2:C4)", 20),
        ("=SUM(C2:C)", 20),
        ("=SUM(C:C)", 20),
        ("=sum(c2:c4, 1)", 21),
        ("=AVERAGE(C2:C5)", 20 / 3),
        ("=MIN(C2:C4)", 4),
        ("=MAX(C2:C4)", 10),
        ("=COUNT(C1:C5)", 3),
        ("=COUNTA(B2:C5)", 7),
        ("=COUNTBLANK(C2:C5)", 1),
        ("=COUNTUNIQUE(B2:B5)", 3),
        ("=PRODUCT(C2:C4)", 240),
        ("=MEDIAN(C2:C4)", 6),
        ("=ROUND(2.345, 2)", 2.35),
        ("=ROUND(-1.5)", -2),
        ("=ROUND(1.005, 2)", 1.01),
        ("=ROUNDUP(1.1)", 2),
        ("=ROUNDDOWN(1.9)", 1),
        ("=INT(-1.5)", -2),
        ("=MOD(-7, 3)", 2),
        ("=ABS(-3)", 3),
        ("=SQRT(16)", 4),
        ("=POWER(2, 10)", 1024),
        ('=IF(C2>3, "yes", "no")', "yes"),
        ('=IF(C2>30, "yes")', False),
        ("=IFERROR(1/0, 5)", 5),
        ("=AND(TRUE, C2=4)", True),
        ("=OR(FALSE, C2>9)", False),
        ("=NOT(TRUE)", False),
        ('=SUMIF(B2:B4, "red", C2:C4)', 10),
        ('=SUMIF(C2:C4, ">=6")', 16),
        ('=SUMIFS(C2:C4, B2:B4, "red", D2:D4, ">1")', 6),
        ('=COUNTIF(B2:B5, "red")', 2),
        ('=COUNTIF(A2:A5, "*b")', 1),
        ('=COUNTIF(B2:B5, "<>red")', 2),
        ('=COUNTIFS(B2:B4, "red", C2:C4, "<5")', 1),
        ('=AVERAGEIF(B2:B4, "red", C2:C4)', 5),
        ('=MAXIFS(C2:C4, B2:B4, "red")', 6),
        ("=SUMPRODUCT(C2:C4, D2:D4)", 4 * 0.5 + 10 * 0.25 + 6 * 2),
        ('=CONCATENATE(A2, "-", B2)', "Ann-red"),
        ('=TEXTJOIN(", ", TRUE, A2:A4)', "Ann, Bob, Cy"),
        ("=UPPER(A2)&LOWER(A2)&LEN(A2)", "ANNann3"),
        ("=LEFT(A2, 2)&RIGHT(A2)&MID(A3, 2, 1)", "Anno"),
        ('=TRIM("  a  b ")', "a b"),
        ('=SUBSTITUTE(A2, "n", "m")', "Amm"),
        ('=FIND("n", A2)', 2),
        ('=VLOOKUP("Bob", A2:C4, 3, FALSE)', 10),
        ('=INDEX(C2:C4, MATCH("Cy", A2:A4, 0))', 6),
        ("=LARGE(C2:C4, 2)", 6),
        ("=RANK(C3, C2:C4)", 1),
        ('=A2="ann"', True),
        ('="a"<"B"', True),
        ("=C5=0", True),
        ("=C5", None),
        ("=YEAR(DATE(2024, 2, 31))", 2024),
        ("=MONTH(DATE(2024, 2, 31))", 3),
        ('=TEXT(1234.5, "#,##0.00")', "1,234.50"),
        ('=VALUE("1,200")', 1200),
        ("=SUM(sheet_1!C2:C4)", 20),
        ("=1/0", "#DIV/0!"),
        ("=AVERAGE(A2:A4)", "#DIV/0!"),
        ("=A2+1", "#VALUE!"),
        ("=NOSUCH(1)", "#NAME?"),
        ("=nosuch", "#NAME?"),
        ("=Other!A1", "#REF!"),
        ("=A7", "#REF!"),
        ("=ZZZ9", "#REF!"),
        ('=VLOOKUP("Zed", A2:C4, 3, FALSE)', "#N/A"),
        ("=SQRT(-1)", "#NUM!"),
        ("=9^9^99", "#NUM!"),
        ("=2^3^2", 64),
        ("=SUM(1", "#ERROR!"),
        ("=1 2", "#ERROR!"),
        ("=" + "(" * 60 + "1" + ")" * 60, "#ERROR!"),
        ("=SUM()", 0),
        ("=ROUND()", "#N/A"),
    ],
)
def test_a_formula_has_the_value_that_a_sheet_gives_it(formula: str, value: Any):
    got = value_of(formula)
    assert got == pytest.approx(value) if isinstance(value, float) else got == value
    assert isinstance(got, bool) == isinstance(value, bool)


def test_chains_of_formulas_are_evaluated_and_circles_are_errors():
    chain = [[1], *([Formula(f"=A{row}+1")] for row in range(1, 60))]
    book = book_of(chain)
    assert Results(book).value(book.sheets[-1], (60, 1)) == 60
    assert value_of("=A1", [[Formula("=A2")], [Formula("=A1")]]) == "#REF!"


def test_a_chain_against_the_order_of_rows_has_an_end():
    book = book_of([*([Formula(f"=A{row + 1}+1")] for row in range(1, 60)), [1]])
    assert Results(book).value(book.sheets[-1], (1, 1)) in (60, "#REF!")


@pytest.mark.parametrize(
    ("formula", "rows", "columns", "after"),
    [
        ("=SUM(A2:A5)", inserted(3, 2), None, "=SUM(A2:A7)"),
        ("=SUM(A2:A5)", inserted(2, 1), None, "=SUM(A3:A6)"),
        ("=SUM(A2:A5)", inserted(6, 1), None, "=SUM(A2:A5)"),
        ("=SUM(A2:A5)", deleted(2, 3), None, "=SUM(A2:A3)"),
        ("=SUM(A2:A5)", deleted(5, 9), None, "=SUM(A2:A4)"),
        ("=SUM(A2:A5)", deleted(1, 9), None, "=SUM(#REF!)"),
        ("=A3+B$2", deleted(2, 2), None, "=A2+#REF!"),
        ("=A2:A", inserted(1, 1), None, "=A3:A"),
        ("=SUM(B:C)", None, inserted(3, 1), "=SUM(B:D)"),
        ("=SUM(B:C)", None, deleted(2, 2), "=SUM(B:B)"),
        ('="A2"&A2', inserted(1, 1), None, '="A2"&A3'),
        ("=Other!A2+Data!A2", inserted(1, 1), None, "=Other!A2+Data!A3"),
        ("=LOG10(A2)", inserted(1, 1), None, "=LOG10(A3)"),
        ("=(", inserted(1, 1), None, "=("),
    ],
)
def test_formulas_follow_rows_and_columns(formula: str, rows: Any, columns: Any, after: str):
    assert shifted(formula, "Data", own=True, rows=rows, columns=columns) == after


def test_formulas_of_another_sheet_follow_what_they_name():
    assert shifted("=A2+Data!A2", "Data", own=False, rows=inserted(1, 1), columns=None) == "=A2+Data!A3"


@pytest.mark.parametrize(
    ("formula", "down", "right", "after"),
    [
        ("=A1+$A$1", 1, 1, "=B2+$A$1"),
        ("=A$1+$A1", 2, 3, "=D$1+$A3"),
        ("=SUM(A:A)", 1, 1, "=SUM(B:B)"),
        ("=A1", -1, 0, "=#REF!"),
    ],
)
def test_a_copied_formula_means_what_lies_as_far_away(formula: str, down: int, right: int, after: str):
    assert relocated(formula, down, right) == after


@pytest.mark.parametrize(
    ("typed", "content", "text"),
    [
        ("3", 3, "3"),
        ("-2.50", -2.5, "-2.5"),
        ("1,234.5", 1234.5, "1,235"),
        ("12%", 0.12, "12%"),
        ("$5", 5, "$5"),
        ("TRUE", True, "TRUE"),
        ("2024-02-29", 45351, "2024-02-29"),
        ("2/29/2024", 45351, "2/29/2024"),
        ("2024-02-30", "2024-02-30", "2024-02-30"),
        ("'3", "3", "3"),
        ("1e3", 1000, "1000"),
        ("hello", "hello", "hello"),
        ("", None, ""),
        ("=", "=", "="),
        ("1_000", "1_000", "1_000"),
    ],
)
def test_what_is_typed_is_read_and_shown(typed: str, content: Any, text: str):
    read = entered(typed)
    assert (read.content, type(read.content)) == (content, type(content))
    assert not isinstance(read.content, Formula)
    assert shown(read.content, read.number_format) == text


@given(st.text(alphabet="=+-*/^&()<>,;:%\"'$!ABC12 .SUMIF#", max_size=40))
def test_any_formula_is_read_or_is_an_error(text: str):
    value = value_of("=" + text)
    assert value is None or isinstance(value, bool | int | float | str)
    try:
        parse_formula("=" + text)
    except FormulaError:
        assert value == "#ERROR!"


@given(st.integers(-999, 999), st.integers(-999, 999), st.sampled_from("+-*"))
def test_arithmetic_is_pythons(a: int, b: int, sign: str):
    assert value_of(f"=({a}){sign}({b})") == {"+": a + b, "-": a - b, "*": a * b}[sign]
