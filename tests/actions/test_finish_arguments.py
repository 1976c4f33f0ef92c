"""Recovering the arguments of Finish."""

from __future__ import annotations

import pytest

from stb_env.actions import finish_arguments, parse_action
from stb_env.tools import ToolCall
from tests.shared import golden_cases


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("", {}),
        ("give_answer", {}),
        ("[]", {}),
        ('"x"', {}),
        (
            '{"return_type": "give_answer", "final_answer": "a\nb"}',
            {"return_type": "give_answer", "final_answer": "a\nb"},
        ),
        ('{"return_type":"give_answer", bad', {"return_type": "give_answer"}),
        (
            '{"return_type": "give_answer", "final_answer": "he said "hi" and left"}',
            {"return_type": "give_answer", "final_answer": 'he said "hi" and left'},
        ),
        (
            '{"return_type": "give_answer", "final_answer": "cut off he',
            {"return_type": "give_answer", "final_answer": "cut off he"},
        ),
        (
            '{"final_answer": "a "b" c" , "return_type": "give_answer"}',
            {"return_type": "give_answer", "final_answer": 'a "b" c'},
        ),
    ],
)
def test_finish_arguments_are_recovered_from_broken_text(raw, found):
    assert finish_arguments(ToolCall("Finish", raw)) == found


def test_positional_finish_arguments_get_their_names():
    (call,) = parse_action('Finish("give_answer", "42")').calls
    assert finish_arguments(call) == {"return_type": "give_answer", "final_answer": "42"}


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ('{"return_type":"give_answer", bad', {}),
        (
            '{"return_type": "give_answer", "final_answer": "a "b""}',
            {"return_type": "give_answer", "final_answer": 'a "b""}'},
        ),
        ('{"return_type": "give_up_and_restart", "x": }', {"return_type": "give_up_and_restart"}),
        ('{"return_type": "bogus", "x": }', {"return_type": "bogus"}),
    ],
)
def test_compatible_recovery_keeps_the_original_defects(raw, found):
    assert finish_arguments(ToolCall("Finish", raw), compat=True) == found


def finish_code(arguments):
    match arguments.get("return_type"):
        case "give_up_and_restart":
            return 4
        case "give_answer" if "final_answer" in arguments:
            return 3
    return 2


def test_golden_finish_cases_get_the_original_step_code(shared_data):
    steps = golden_cases(shared_data, "*.json", "kind", "action_input")
    cases = [case for case in steps if case["kind"] == "finish"]
    if not cases:
        pytest.skip("no recorded step ends an episode")
    for case in cases:
        call = ToolCall("Finish", case["action_input"])
        expected = case["expected"].get("code", 2)
        assert finish_code(finish_arguments(call, compat=True)) == expected, case["action_input"]
