"""Programs are read statement by statement, as Python would run them, and nothing is executed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.form.api import Made
from stb_env.suites.sambanova.common.form.crash import CrashError
from stb_env.suites.sambanova.common.form.program import Call, RefusedError, calls_of
from stb_env.suites.sambanova.trip_booking.world import API

OMAHA = Made("Loc", {"location": "Omaha"})


def calls(program: str) -> list[Call]:
    return list(calls_of(program, API))


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("API.set_num_adults(2)", 2),
        ("API.set_num_adults(value=2)", 2),
        ("API.set_num_adults(-2)", -2),
        ("API.set_num_adults(1_000)", 1000),
        ("API.set_num_adults(1e3)", 1000.0),
        ("API.set_num_adults(8 + 2 * 3 - 1)", 13),
        ("API.set_num_adults(None)", None),
        ("API.set_num_adults(True)", True),
        ("API.set_num_adults((1, 'b'))", [1, "b"]),
        ("API.set_num_adults({'a': [1]})", {"a": [1]}),
        ("n = 2\nAPI.set_num_adults(n)", 2),
        ("n = 1; n = 2; API.set_num_adults(n)  # two", 2),
        ("\n  API.set_num_adults(2)\n\n", 2),
        ('"""What it does."""\nAPI.set_num_adults(2)', 2),
        ("x = API.set_num_adults(2)", 2),
    ],
)
def test_values_are_what_python_makes_of_them(program: str, value: Any):
    assert calls(program) == [Call("set_num_adults", {"value": value})]


@pytest.mark.parametrize(
    "program",
    [
        'API.set_origin(Loc("Omaha"))',
        'API.set_origin(value=Loc(location="Omaha"))',
        'here = Loc("Omaha")\nthere = here\nAPI.set_origin(there)',
    ],
)
def test_places_are_made_by_their_class(program: str):
    assert calls(program) == [Call("set_origin", {"value": OMAHA})]


@pytest.mark.parametrize("program", ["", "# nothing", "x = 1", "Loc('a')", "{'name': 'search'}"])
def test_a_program_may_make_no_call(program: str):
    assert calls(program) == []


@pytest.mark.parametrize(
    "program",
    [
        'API.search()\nFinish("give_answer", "")',
        'API.search()\nFinish(return_type="give_answer", final_answer="")',
        'API.search()\n{"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": ""}}',
    ],
)
def test_finish_may_follow_a_program(program: str):
    assert calls(program)[1] == Call("Finish", {"return_type": "give_answer", "final_answer": ""})


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("API.set_adults(2)", "line 1: API has no method 'set_adults'"),
        ("API.search()\nAPI.set_num_adults()", "line 2: set_num_adults needs the argument 'value'"),
        ("API.set_num_adults(1, 2)", "set_num_adults takes 1 arguments, got 2"),
        ("API.set_num_adults(adults=1)", "set_num_adults has no place for the argument 'adults'"),
        ("API.set_num_adults(1, value=1)", "set_num_adults has no place for the argument 'value'"),
        ("API.search('x')", "search takes 0 arguments, got 1"),
        ("API.set_origin(origin)", "name 'origin' is not defined"),
        ("API.set_origin(x)\nx = Loc('a')", "line 1: name 'x' is not defined"),
        ("search()", "name 'search' is not defined"),
        ("Location('Omaha')", "name 'Location' is not defined"),
        ("x = Date(3, 14)", "Date needs the argument 'year'"),
        ("x = Date('2024-03-14')", "Date needs the argument 'day'"),
        ("Loc('Omaha', 'NE')", "Loc takes 1 arguments, got 2"),
        ("x = Date(03, 14, 2024)", "not a program: leading zeros"),
        ("I hope this helps!", "not a program: invalid syntax"),
        ("```python\nAPI.search()\n```", "not a program: invalid syntax"),
        ("API.search()\n  API.search()", "not a program: unexpected indent"),
        ("API.search(", "not a program: '.' was never closed"),
        ("x" * 20_001, "not a program: 20001 characters of Python, at most 20000 are read"),
    ],
)
def test_a_program_crashes_where_python_would_stop(program: str, error: str):
    with pytest.raises(CrashError, match=error) as caught:
        calls(program)
    assert not isinstance(caught.value, RefusedError)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("for x in [1]:\n    API.search()", "line 1: For is neither a call nor a name for a value"),
        ("import os", "Import is neither a call nor a name for a value"),
        ("x = y = 1", "Assign is neither a call nor a name for a value"),
        ("API.set_num_adults([k for k in [1]])", "ListComp is no plain value"),
        ("API.set_num_adults(f'{1}')", "JoinedStr is no plain value"),
        ("API.set_num_adults(1 if 2 else 3)", "IfExp is no plain value"),
        ("API.set_num_adults(2 ** 99999999)", "Pow is not computed"),
        ("API.set_num_adults(9999999999999999 * 9)", "the numbers are too large to compute with"),
        ("API.set_num_adults('a' * 9)", "only numbers are computed with"),
        ("API.set_num_adults(*[1])", "Starred is no plain value"),
        ("API.set_num_adults(**{})", r"\*\* in a call is not read"),
        ("API.set_num_adults({None: 1, [1]: 2})", "a key is no constant"),
        ("API.set_num_adults(b'1')", "Constant is no plain value"),
        ("API.set_origin(API.search())", "Call is no plain value"),
        ("().__class__.__mro__", "Attribute is no plain value"),
        ("print('done')", "line 1: print of Python is not read"),
        ("API.set_num_adults(int)", "line 1: int of Python is not read"),
    ],
)
def test_python_beyond_plain_calls_is_refused(program: str, error: str):
    with pytest.raises(RefusedError, match=error):
        calls(program)


def test_what_comes_before_a_crash_is_read():
    reading = calls_of("API.clear()\nAPI.clear(1)", API)
    assert next(reading) == Call("clear", {})
    with pytest.raises(CrashError, match="line 2"):
        next(reading)


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_any_text_is_read_or_crashes(text: str):
    with suppress(CrashError):
        assert all(isinstance(call, Call) for call in calls(text))
