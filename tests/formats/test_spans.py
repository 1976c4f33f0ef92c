"""Which characters an agent wrote."""

from __future__ import annotations

from hypothesis import given

from stb_env.formats.sft import shown
from stb_env.formats.spans import spans, spoken
from tests.formats.trees import episodes

CALL = {"id": "c0", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}


def test_the_names_and_arguments_of_calls_are_the_agents_and_their_ids_are_not():
    chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "Hm.", "tool_calls": [CALL]}]
    assert [spoken(chat, span) for span in spans(chat)] == ["Hm.", "ping", '{"n": 1}']


@given(episodes())
def test_spans_hold_all_that_the_assistant_said_and_nothing_of_others(episode):
    chat = shown(episode)
    found = spans(chat, episode.steps)
    assert {span.message for span in found} <= {
        index for index, message in enumerate(chat) if message["role"] == "assistant"
    }
    texts = [
        text
        for message in chat
        if message["role"] == "assistant"
        for text in (
            message.get("content") or "",
            *(
                call["function"][name]
                for call in message.get("tool_calls", ())
                for name in ("name", "arguments")
            ),
        )
    ]
    assert [spoken(chat, span) for span in found] == [text for text in texts if text]


def test_nothing_is_learnt_of_a_reply_that_was_cut():
    chat = [{"role": "assistant", "content": "I will now"}, {"role": "assistant", "content": "Done."}]
    steps = [{"engine": {"finish_reason": "length"}}, {"engine": {"finish_reason": "stop"}}]
    assert [spoken(chat, span) for span in spans(chat, steps)] == ["Done."]
