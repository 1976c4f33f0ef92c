"""Reading programs: which part of an action is run, and which is not."""

from __future__ import annotations

import pytest

from stb_env.actions import Program, read_program
from stb_env.actions.python_program import BEHIND, CUT, CUT_CALL, SEVERAL

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
        (f"So:\n{FENCED}\n", Program(CODE)),
        (f"Not this:\n```\nprint(0)\n```\n{FENCED}", Program(CODE)),
        (f"<think>```python\nprint(0)\n```</think>{FENCED}", Program(CODE)),
        (f"```py\n{CODE}```", Program(CODE)),
        ({"role": "assistant", "content": FENCED}, Program(CODE)),
        (NATIVE, Program("print(1)", "a")),
        ({"name": "python", "arguments": {"code": "print(1)"}}, Program("print(1)")),
        ({"name": "python", "arguments": "print(1)"}, Program("print(1)")),
        ('<tool_call>{"name": "python", "arguments": {"code": "print(1)"}}</tool_call>', Program("print(1)")),
        (f"```tool_code\n{CODE}```", Program(CODE)),
        (f"~~~python\n{CODE}~~~", Program(CODE)),
        ("````python\nprint('```')\n````", Program("print('```')\n")),
        ("1. Do:\n   ```python\n   if 1:\n       print(1)\n   ```", Program("if 1:\n    print(1)\n")),
        (f"{FENCED}<|im_end|>", Program(CODE)),
        (f"{FENCED}\nObservation: 1\n```python\nprint(2)\n```", Program(CODE)),
        ({**NATIVE, "content": "```python\nprint(1)\n```"}, Program("print(1)", "a")),
        ({**NATIVE, "content": "```python\nprint(2)\n```"}, None),
        ("print(1)", None),
        ("```json\n{}\n```", None),
        ("<think>```python\nprint(1)\n```</think>Hello.", None),
        ({"name": "python", "arguments": {}}, None),
        ({"name": "Finish", "arguments": {"final_answer": "1"}}, None),
        ("```python", None),
        (f"Shall I run this?\n{FENCED}", None),
        (None, None),
        (b"\xff", None),
        ("[" * 100_000, None),
        ("```python\n" * 10_000, None),
    ],
)
def test_the_program_of_an_action(action, program):
    assert read_program(action).program == program


def test_what_stands_around_a_program_is_text():
    assert read_program(f"First.\n{FENCED}\n").text == "First."
    assert read_program(NATIVE).text == "I add."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"```python\n{CODE}", CUT),
        (f"<think>So.</think>I print.\n```python\n{CODE}", CUT),
        (f"{FENCED}\nThen\n```python\nprint(2)\n```", SEVERAL.format(2)),
        (f"{FENCED}\nThis prints 1.", BEHIND),
        (f"{FENCED}\nOutput:\n```\n1\n```", BEHIND),
    ],
)
def test_a_program_that_breaks_off_or_is_not_the_end_is_told_why_it_did_not_run(text, problem):
    action = read_program(text)
    assert (action.program, action.problem, action.is_text) == (None, problem, False)
    assert action.text.strip() == text.removeprefix("<think>So.</think>").strip()


def test_a_native_call_that_breaks_off_or_stands_beside_another_program_is_told_so():
    (call,) = NATIVE["tool_calls"]
    cut = {**call, "function": {"name": "python", "arguments": '{"code": "print(3'}}
    assert read_program({**NATIVE, "tool_calls": [cut]}).problem == CUT_CALL
    assert read_program({**NATIVE, "content": "```python\nprint(2)\n```"}).problem == SEVERAL.format(2)


def test_a_call_as_data_in_a_block_is_that_call():
    action = read_program('I look.\n```python\n{"name": "ping", "arguments": {"n": 1}}\n```')
    assert (action.program, [call.name for call in action.calls], action.text) == (None, ["ping"], "I look.")
    assert read_program('```python\n{"found": 3}\n```').program == Program('{"found": 3}\n')


def test_several_native_calls_stay_calls():
    call = NATIVE["tool_calls"][0]
    action = read_program({**NATIVE, "tool_calls": [call, {**call, "id": "b"}]})
    assert (action.program, [call.id for call in action.calls]) == (None, ["a", "b"])


def test_other_calls_stay_calls():
    calls = read_program({"name": "ping", "arguments": {"n": 1}}).calls
    assert [call.name for call in calls] == ["ping"]
