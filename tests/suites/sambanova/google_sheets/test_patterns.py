"""Patterns are matched in linear time, and what they do not know is said."""

from __future__ import annotations

import pytest

from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.google_sheets.execution import run_program
from stb_env.suites.sambanova.google_sheets.formula.operands import criterion
from stb_env.suites.sambanova.google_sheets.session import Session
from stb_env.suites.sambanova.google_sheets.sheet import book_of


def value(line: str) -> object:
    return run_program(Session(book_of([["a1"], ["b22"]])), f"import re\n{line}").value


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (r"re.sub('([a-z]+)-([0-9]+)', '\\2/\\1', 'ab-12 cd-3')", "12/ab 3/cd"),
        ("bool(re.search('(a|aa)+$', 'a' * 5000 + 'b'))", False),
        ("re.compile('[a-z][0-9]+').fullmatch('b22')", True),
        ("re.match('2+', 'b22')", False),
        ("worksheet.find(re.compile('2{2}')).row", 2),
        ("re.compile('é+').pattern", "é+"),
    ],
)
def test_patterns_answer(line: str, answer: object):
    assert value(line) == answer


@pytest.mark.parametrize(
    ("pattern", "unknown"),
    [
        ("(?=a)b", "no look-ahead; search for the whole"),
        ("(?<!a)b", "no look-behind; search for the whole"),
        (r"(a)\\1", "no back-references; compare the two parts"),
        ("(?>a)", r"no atomic groups; write \(\?:"),
    ],
)
def test_what_is_not_known_is_said(pattern: str, unknown: str):
    with pytest.raises(
        UnsupportedError, match=rf"got '.*': patterns here run in linear time and know {unknown}"
    ):
        value(f"re.compile('{pattern}')")


def test_a_broken_pattern_is_a_crash():
    with pytest.raises(CrashError, match=r"'\(' is no pattern: missing \)"):
        value("re.compile('(')")


@pytest.mark.parametrize(
    ("test", "text", "holds"),
    [
        ("a*b*c", "aXbYc", True),
        ("a*b*c", "aXcYb", False),
        ("*a?c", "zzabc", True),
        ("*a?c", "zzac", False),
        ("a*a", "a", False),
        ("*", "", True),
        ("A*", "apple", True),
        ("*" + "a*" * 9 + "b", "a" * 4_000, False),
    ],
)
def test_stars_stand_for_any_text(test: str, text: str, holds: bool):
    assert criterion(test)(text) is holds
