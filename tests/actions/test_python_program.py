"""Reading programs: which part of an action is run, and which is not."""

from __future__ import annotations

import pytest

from stb_env.actions import Program, read_program

CODE = "print(1)\n"
FENCED = f"```python\n{CODE}```"
NATIVE = {
    "role": "assistant",
    "content": "I add.",
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "python", "arguments": '{"code": "print(1)"}'}}
    ],
}


@pytest.mark.parametrize(
    ("action", "program"),
    [
        (FENCED, Program(CODE)),
        (f"So:\n{FENCED}\nThen\n```python\nprint(2)\n```", Program(CODE)),
        (f"<think>```python\nprint(0)\n```</think>{FENCED}", Program(CODE)),
        (f"```py\n{CODE}", Program(CODE)),
        ({"role": "assistant", "content": FENCED}, Program(CODE)),
        (NATIVE, Program("print(1)", "a")),
        ({"name": "python", "arguments": {"code": "print(1)"}}, Program("print(1)")),
        ({"name": "python", "arguments": "print(1)"}, Program("print(1)")),
        ('<tool_call>{"name": "python", "arguments": {"code": "print(1)"}}</tool_call>', Program("print(1)")),
        ("print(1)", None),
        ("```json\n{}\n```", None),
        ("<think>```python\nprint(1)\n```</think>Hello.", None),
        ({"name": "python", "arguments": {}}, None),
        ({"name": "Finish", "arguments": {"final_answer": "1"}}, None),
        ("```python", None),
        (None, None),
        (b"\xff", None),
        ("[" * 100_000, None),
        ("```python\n" * 10_000, Program("")),
    ],
)
def test_the_program_of_an_action(action, program):
    assert read_program(action).program == program


def test_what_stands_around_a_program_is_text():
    assert read_program(f"First.\n{FENCED}\nLast.").text == "First.\nLast."
    assert read_program(NATIVE).text == "I add."


def test_other_calls_stay_calls():
    calls = read_program({"name": "ping", "arguments": {"n": 1}}).calls
    assert [call.name for call in calls] == ["ping"]
