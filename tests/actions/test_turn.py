"""A turn ends where a model goes on with what others would have said."""

from __future__ import annotations

import pytest

from stb_env.actions import parse_action

CALL = '{"name": "a", "arguments": {}}'
NEXT = '{"name": "b", "arguments": {}}'


@pytest.mark.parametrize(
    "border",
    [
        "\nObservation: 3\n",
        "\n**Observation:** 3\n",
        "\nObservation 1: 3\n",
        "<tool_response>3</tool_response>",
        "<|tool_response>3",
        "<function_results>3</function_results>",
        "[TOOL_RESULTS]3[/TOOL_RESULTS]",
        "<｜tool▁outputs▁begin｜>3",
        "<|observation|>3",
        "<start_function_response>3",
        "\n```tool_output\n3\n```\n",
        "<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n3<|eot_id|>",
        "<|im_end|>\n<|im_start|>user\n3<|im_end|>\n<|im_start|>assistant\n",
        "<end_of_turn>\n<start_of_turn>user\n3<end_of_turn>\n<start_of_turn>model\n",
        "</s>[INST]3[/INST]",
        "<｜end▁of▁sentence｜><｜User｜>3<｜Assistant｜>",
    ],
)
@pytest.mark.parametrize("written", ["%s", "<tool_call>%s</tool_call>", "So: %s"])
def test_nothing_after_a_made_up_response_is_called(border, written):
    text = f"{written % CALL}{border}{written % NEXT}"
    assert [call.name for call in parse_action(text, known={"a", "b"}).calls] == ["a"]


def test_a_call_that_failed_in_form_keeps_the_ones_after_its_made_up_response_from_being_made():
    text = f'<tool_call>{{"name": }}</tool_call><tool_response>3</tool_response>{NEXT}'
    assert parse_action(text).calls == ()


def test_a_header_of_the_agent_itself_is_no_border_of_the_turn():
    assert [call.name for call in parse_action(f"<|im_start|>assistant\n{CALL}<|im_end|>").calls] == ["a"]


def test_an_observation_before_any_call_ends_nothing():
    text = "Observation: The user is in a hurry.\nAction: a\nAction Input: {}"
    assert [call.name for call in parse_action(text).calls] == ["a"]


def test_what_was_made_up_is_no_part_of_the_text():
    assert parse_action(f"I look.\n<tool_call>{CALL}</tool_call>\nObservation: 3").text == "I look."
