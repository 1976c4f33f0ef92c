"""Programs call what they would call under Python, and nothing is executed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.form.api import Made
from stb_env.suites.sambanova.common.form.program import Call, calls_of
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.trip_booking.env import API
from tests.suites.sambanova.damage import mutants

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
        ("a, b = 2, 3\nAPI.set_num_adults(a)", 2),
        ("a, *rest = [1, 2, 3]\nAPI.set_num_adults(rest)", [2, 3]),
        ("x = y = 2\nAPI.set_num_adults(y)", 2),
        ("n: int = 2\nAPI.set_num_adults(n)", 2),
        ("n = 1\nn += 1\nAPI.set_num_adults(n)", 2),
        ("API.set_num_adults([k for k in [1, 2, 3] if k > 1])", [2, 3]),
        ("API.set_num_adults({k for k in [1, 1]})", [1]),
        ("API.set_num_adults({k: 2 * k for k in [1]})", {1: 2}),
        ("API.set_num_adults(sum(k for k in range(3)))", 3),
        ("API.set_num_adults(f'{1}-{2:02}')", "1-02"),
        ("API.set_num_adults('{}-{}'.format(1, 2))", "1-2"),
        ("API.set_num_adults('%s-%d' % ('a', 2))", "a-2"),
        ("API.set_num_adults('New' + ' ' + 'York')", "New York"),
        ("API.set_num_adults(1 if 0 else 3)", 3),
        ("API.set_num_adults(2 ** 3 // 3 % 4)", 2),
        ("API.set_num_adults(int('2'))", 2),
        ("API.set_num_adults(*[1])", 1),
        ("API.set_num_adults(**{'value': 1})", 1),
        ("API.set_num_adults({None: 1})", {None: 1}),
        ("import math\nAPI.set_num_adults(math.floor(2.5))", 2),
        ("def double(n):\n    return 2 * n\nAPI.set_num_adults(double(n=2))", 4),
        ("form = API\nform.set_num_adults(2)", 2),
        ("call = API.set_num_adults\ncall(2)", 2),
        ("wish = {'adults': 2}\nAPI.set_num_adults(wish.get('adults', 1))", 2),
        ("wish = {'adults': 2}\nif 'adults' in wish:\n    API.set_num_adults(wish['adults'])", 2),
        ("for name, n in {'adults': 2}.items():\n    API.set_num_adults(n)", 2),
        ("for call, n in {API.set_num_adults: 2}.items():\n    call(n)", 2),
        ("n = [1]\nAPI.set_num_adults(n)\nn.append(2)", [1]),
        ("print('done'); API.set_num_adults(2)", 2),
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
        ("API.set_adults(2)", "line 1: API has no 'set_adults' here"),
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
    assert not isinstance(caught.value, UnsupportedError)


def test_a_loop_calls_as_often_as_it_goes_round():
    assert calls("for n in range(3):\n    API.set_num_adults(n)") == [
        Call("set_num_adults", {"value": n}) for n in range(3)
    ]


def test_parts_of_a_date_may_come_out_of_a_list():
    made = Made("Date", {"month": 3, "day": 14, "year": 2024})
    assert calls("API.set_departure_date(Date(*[int(n) for n in '3/14/2024'.split('/')]))") == [
        Call("set_departure_date", {"value": made})
    ]


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("import os", "line 1: no library 'os' can be imported here"),
        ("try:\n    API.search()\nexcept Exception:\n    pass", "line 1: Try is not read here"),
        ("class A:\n    pass", "line 1: ClassDef is not read here"),
        ("open('/etc/passwd')", "line 1: open of Python is not read here"),
        ("eval('1')", "line 1: eval of Python is not read here"),
        ("API.set_num_adults(b'1')", "line 1: bytes is no value here"),
        ("API.set_num_adults(print)", "line 1: <function print> is no plain value"),
        ("API.set_num_adults(int)", "line 1: <class 'int'> is no plain value"),
    ],
)
def test_python_that_the_machine_does_not_have_is_refused(program: str, error: str):
    with pytest.raises(UnsupportedError, match=error):
        calls(program)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("while True:\n    pass", "line 1: the program takes more than 50000 steps"),
        ("while True:\n    API.search()", "the program takes more than 50000 steps"),
        ("API.set_num_adults(2 ** 99999999)", "a number has more than 1024 bits"),
        ("API.set_num_adults('a' * 10 ** 9)", "a sequence would have more than 20000 members"),
        ("x = []\nx.append(x)\nAPI.set_num_adults(x)", "a value has more than 30000 members"),
        ("().__class__.__mro__", "the attribute '__class__' is not for programs"),
        ("API.set_num_adults(**2)", "int cannot follow"),
        ("API.set_num_adults(**{1: 2})", "a call has no place for the argument 1"),
        ("API.set_num_adults(**{'value': 1}, **{'value': 1})", "no place for the argument 'value'"),
        ("x = {**2}", "int cannot follow"),
        ("*a, *b = [1]", "a star stands at one name"),
        ("API.set_num_adults(*2)", "TypeError"),
        ("API._calls", "API has no '_calls' here"),
        ("API.search = 1", "API lets no attribute 'search' be set"),
    ],
)
def test_a_program_stays_within_bounds(program: str, error: str):
    with pytest.raises(CrashError, match=error):
        calls(program)


def test_what_comes_before_a_crash_is_read():
    reading = calls_of("API.clear()\nAPI.clear(1)", API)
    assert next(reading) == Call("clear", {})
    with pytest.raises(CrashError, match="line 2"):
        next(reading)


@given(st.text(max_size=60))
def test_any_text_is_read_or_crashes(text: str):
    with suppress(CrashError):
        assert all(isinstance(call, Call) for call in calls(text))


PROGRAMS = (
    "for k, v in {'a': 1}.items():\n    API.set_num_adults(v)\n    print(f'{k:>3}')",
    "d = '3/14/2024'.split('/')\nAPI.set_departure_date(Date(*[int(n) for n in d]))",
    "def f(x, y=2):\n    return [x] * y\nAPI.set_num_adults(sum(f(1)))\nif len(f(2)) > 1:\n    API.search()",
    "a, *b = sorted([3, 1], key=abs)\nwhile b:\n    API.set_num_rooms(b.pop())\nf = lambda n: -n",
    "x = {**{'value': 1}}\nAPI.set_num_adults(**x)\nassert x['value'] == 1 and not None\ndel x['value']",
    "w = 'a,b'\nAPI.set_origin(Loc(' '.join(p.title() for p in w.split(','))))",
)


def test_damaged_programs_run_or_crash():
    for text in mutants(PROGRAMS, 500, seed=3):
        with suppress(CrashError):
            assert all(isinstance(call, Call) for call in calls(text))
