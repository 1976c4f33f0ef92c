"""A text is a program where it uses what programs are given; anything else is read in the general forms."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM, program_reader

READ = program_reader({"put", "sheet"})
PARITY = program_reader({"put", "sheet"}, original=True)


def read(action: Any, original: bool = False) -> list[tuple[str, Any]]:
    calls = (PARITY if original else READ)(action).calls
    return [(call.name, call.arguments["text"] if call.name == PROGRAM else call.arguments) for call in calls]


@pytest.mark.parametrize(
    ("action", "programs"),
    [
        ("put(1)", ["put(1)"]),
        ("put", ["put"]),
        ("x = put(1)\nput(x)", ["x = put(1)\nput(x)"]),
        ("```python\nput(1)\n```", ["put(1)"]),
        ("Here it is:\n```\nput(1)\n```\nDone.", ["put(1)"]),
        ("sheet.values_get('A1')", ["sheet.values_get('A1')"]),
    ],
)
def test_programs_are_kept_as_they_are(action: str, programs: list[str]):
    assert read(action) == [(PROGRAM, text) for text in programs]


def test_finish_at_the_end_of_a_program_is_a_call_of_its_own():
    assert [name for name, _ in read("put(1)\nFinish('give_answer', 'ok')")] == [PROGRAM, "Finish"]
    assert read("put(1)\nFinish('give_answer', 'ok')")[0] == (PROGRAM, "put(1)")


@pytest.mark.parametrize(
    ("action", "names"),
    [
        ('{"name": "put", "arguments": {"n": 1}}', ["put"]),
        ({"name": "put", "arguments": {}}, ["put"]),
        ([{"name": "put", "arguments": {}}, {"name": "b", "arguments": {}}], ["put", "b"]),
        ("Action: put\nAction Input: {}", ["put"]),
        ("Finish('give_answer', 'ok')", ["Finish"]),
        ("I would put it there.", []),
        ("Hello (you)", ["Hello"]),
        ("", []),
        (None, []),
        (b"\xff", []),
    ],
)
def test_what_is_no_program_is_read_in_the_general_forms(action: Any, names: list[str]):
    assert [name for name, _ in read(action)] == names


def test_for_the_original_any_text_without_a_call_is_a_program():
    assert read("I would put it there.", original=True) == [(PROGRAM, "I would put it there.")]
    assert read("put(", original=True) == [(PROGRAM, "put(")]
    assert read("  ", original=True) == []
    assert read('{"name": "put", "arguments": {}}', original=True) == [("put", {})]
