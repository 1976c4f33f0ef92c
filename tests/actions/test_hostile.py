"""A long run of any mark, or of what stands between marks, is read in linear time."""

from __future__ import annotations

import os

import pytest

from stb_env.actions import parse_action
from tests.actions.styles import KNOWN
from tests.timing import seconds_of

LENGTH = int(os.environ.get("STB_HOSTILE_LENGTH", "60000"))
"""A reader that is quadratic takes many times what is allowed here."""

MARKS = [
    *("<think>", "</think>", "<think ", "[THINK]", "◁think▷", "<|channel|>analysis<|message|>"),
    *("<|channel|>commentary to=a<|message|>", "<|start|>", "analysisx assistantfinal"),
    *("<tool_call>a<arg_key>", "<arg_key>k</arg_key> ", "<function=a>", "<function=a><parameter=b>"),
    *(
        '<invoke name="a">',
        '<invoke name="a"><parameter name="b">',
        "<invoke ",
        "<|python_tag|>{",
        "[TOOL_CALLS]a",
    ),
    *(
        "[TOOL_CALLS][",
        "<|tool_call_begin|>a<|tool_call_argument_begin|>",
        "<｜tool▁call▁begin｜>a<｜tool▁sep｜>",
    ),
    *("<|tool_call|>[", "functools[", "```tool_code\na(", "<start_function_call>call:a{", "b:<escape>", "a:"),
    *(
        "Action: a(\n",
        "Action: `a` \n",
        "**Action:** ",
        "Action: a, Action Input: ",
        "Input: {\n",
        "Thought: {'a'\n",
    ),
    *(
        "<tool_response>",
        "\nObservation:",
        "<|im_end|>",
        "</s>",
        '{"a": ',
        "{'a'",
        '{"a"}',
        '{"name": "ping"} ',
        "}",
    ),
    *(
        'x {"tool": "ping"} ',
        '[{"a": ',
        "(",
        "`",
        "*",
        "-",
        "\n",
        " \n",
        "\t",
        "<",
        "[",
        "|",
        "<|",
        "a ",
        "é",
    ),
    *('\\"', "\u2028\\/*", "//", "#"),
]


@pytest.mark.heavy
@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("before", ["", "Action: ", "["])
def test_a_long_run_of_a_mark_is_read_in_linear_time(mark, before):
    text = before + mark * (LENGTH // len(mark))
    allowed = LENGTH / 50_000
    assert seconds_of(lambda: parse_action(text, known=KNOWN), within=allowed) < allowed


@pytest.mark.heavy
@pytest.mark.parametrize("blank", [" ", "\n"])
@pytest.mark.parametrize("mark", ["<tool_call>", "<｜tool▁call▁begin｜>", "name: a\narguments:", *MARKS])
def test_blanks_behind_a_mark_are_read_in_linear_time(mark, blank):
    text = f"{mark}{blank * LENGTH}x"
    allowed = LENGTH / 50_000
    assert seconds_of(lambda: parse_action(text, known=KNOWN), within=allowed) < allowed
