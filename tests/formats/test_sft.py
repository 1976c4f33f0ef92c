"""Training data for supervised fine-tuning."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from stb_env.formats.branches import branches
from stb_env.formats.preferences import labelled
from stb_env.formats.sft import sft_lines
from stb_env.formats.spans import Span, spoken
from stb_env.formats.template_messages import ArgumentsError, template_messages
from stb_env.models import ChatReply, ScriptedModel
from stb_env.runs import play
from stb_env.runs.baselines.chat import ChatAgent
from stb_env.testing.notes import notes
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


CALL = {"id": "c", "type": "function", "function": {"name": "find_notes", "arguments": '{"word": "dentist"}'}}
DONE = {
    "id": "d",
    "type": "function",
    "function": {"name": "Finish", "arguments": '{"final_answer": "Tuesday"}'},
}
THOUGHT = "<think>\nWhere?\n</think>\n\nI look."


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ({"content": THOUGHT, "tool_calls": [CALL]}, {"content": THOUGHT}),
        ({"content": THOUGHT}, {"content": THOUGHT}),
        (
            {"content": f"<think>Where?</think>{json.dumps(CALL['function'])}"},
            {"content": "", "reasoning_content": "Where?"},
        ),
        (
            ChatReply(
                {"role": "assistant", "content": "", "tool_calls": [CALL]},
                extra={"reasoning_content": "Where?"},
            ),
            {"content": "", "reasoning_content": "Where?"},
        ),
        ({"content": "I look.", "tool_calls": [CALL]}, {"content": "I look."}),
    ],
)
def test_a_line_has_the_thoughts_that_were_written_and_sent_again(reply, shown):
    model = ScriptedModel([reply, {"content": None, "tool_calls": [DONE]}])
    saved = Trajectory.from_json(play(notes(), ChatAgent(model), task_id="day", seed=0).to_json())
    (line,) = sft_lines(saved)
    message = line["messages"][2]
    assert {name: message[name] for name in message.keys() - {"role", "tool_calls"}} == shown
    first = next(Span(**span) for span in line["mask"] if span["message"] == 2)
    assert spoken(line["messages"], first) == (shown.get("reasoning_content") or shown["content"])
    sent = model.requests[1].messages[2]
    if "tool_calls" in message and "tool_calls" in sent:
        assert message["content"] == (sent["content"] or "")
    assert "Where?" not in json.dumps(saved.messages)
    assert labelled(saved)["completion"][0] == message
    # Episodes that were saved without thoughts read as before.
    old = [
        {k: v for k, v in step.items() if k not in ("thought", "written", "engine")} for step in saved.steps
    ]
    assert next(sft_lines(replace(saved, steps=old)))["messages"][2]["content"] in ("", "I look.")


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
