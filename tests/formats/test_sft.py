"""Training data for supervised fine-tuning."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from stb_env.formats.branches import branches
from stb_env.formats.sft import sft_lines
from stb_env.formats.template_messages import ArgumentsError, template_messages
from stb_env.trajectory import Trajectory
from tests.formats.trees import episodes

CHAT = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]


def episode(**changes):
    plain = Trajectory("s", "g", "7", 1, 3, "?", [], CHAT, [], None, "", None, 0.5, True, None, {})
    return replace(plain, **changes)


def test_a_line_holds_messages_tools_and_where_they_came_from():
    tools = [{"type": "function", "function": {"name": "ping"}}]
    verdict = {"status": "solved", "score": 1.0, "votes": [], "judge": "exact"}
    (line,) = sft_lines(episode(tools=tools, verdict=verdict))
    assert line == {
        "messages": CHAT,
        "tools": tools,
        "mask": [{"message": 1, "field": "content", "start": 0, "end": 1}],
        "suite": "s",
        "group": "g",
        "task_id": "7",
        "trial": 1,
        "seed": 3,
        "verdict": "solved",
        "reward": 0.5,
    }


def test_what_the_engine_gave_is_kept_as_given():
    step = {"calls": [], "reward": 0.0, "terminated": True, "truncated": False, "text": "!", "code": 0}
    given_ = {"token_ids": [1, 2], "loss_mask": [0, 1], "logprobs": [-0.5, -1e-9]}
    (line,) = sft_lines(episode(steps=[step | given_]))
    assert line["engine"] == [given_]


def test_what_told_a_search_of_earlier_candidates_is_left_out():
    flagged = [{"role": "user", "content": "not again", "valid": False}, CHAT[0] | {"valid": True}]
    (line,) = sft_lines(episode(messages=[flagged[0], flagged[1], CHAT[1]]))
    assert line["messages"] == CHAT


@given(episodes(broken=False))
def test_a_search_gives_the_branch_on_which_it_ended_or_every_one(searched):
    (line,) = sft_lines(searched)
    assert line["messages"] == template_messages(searched.messages)
    lines = list(sft_lines(searched, every_branch=True))
    assert [each.pop("branch") for each in lines] == list(range(len(branches(searched))))
    if searched.tree["best"] is not None:
        assert sum(each["messages"] == line["messages"] for each in lines) == 1


def test_a_call_whose_arguments_are_no_object_is_refused_with_the_reason():
    call = {"id": "c0", "type": "function", "function": {"name": "ping", "arguments": '{"n": '}}
    chat = [CHAT[0], {"role": "assistant", "content": None, "tool_calls": [call]}]
    with pytest.raises(
        ArgumentsError, match=r"arguments of a call of 'ping' are no JSON object, got '{\"n\": '"
    ):
        list(sft_lines(episode(messages=chat)))
