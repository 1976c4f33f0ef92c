"""What a model thinks is neither done nor said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions import parse_action, thought
from stb_env.actions.action import Action
from stb_env.testing.notes import notes

CALL = '{"name": "delete_note", "arguments": {"id": "1"}}'
GIVE = '{"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "%s"}}'

MARKS = [
    ("<think>", "</think>"),
    ("<THINK>", "</Think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ('<think lang="en">', "</think>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel>thought", "<channel|>"),
    ("<unused94>", "<unused95>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
]


@pytest.mark.parametrize(("opens", "closes"), MARKS, ids=[opens for opens, _ in MARKS])
def test_a_thought_is_kept_apart(opens, closes):
    assert parse_action(f"{opens}\n{CALL}\n{closes}\nHello.") == Action((), "Hello.", CALL)


@pytest.mark.parametrize("opens", [opens for opens, _ in MARKS])
def test_a_thought_without_an_end_is_one_to_the_end(opens):
    assert parse_action(f"Hello.{opens}{CALL}").calls == ()


@pytest.mark.parametrize("closes", [closes for opens, closes in MARKS if "channel" not in opens])
def test_a_thought_that_began_before_the_text_is_one(closes):
    assert parse_action(f"Maybe {CALL}{closes}Hello.") == Action((), "Hello.", f"Maybe {CALL}")


@pytest.mark.parametrize(
    "text",
    [
        "<think>a<think>b</think>{}</think>Hello.",
        "<think>a<thinking>b</thinking>{}</think>Hello.",
        "<think>a</think>b{}</think>Hello.",
        "<think>a<thinking>b</thinking>{}",
        "<think>a<think>b</think>{}",
    ],
)
def test_where_thoughts_nest_all_of_it_is_thought(text):
    assert parse_action(text.replace("{}", CALL)).calls == ()


def test_a_call_after_its_thought_is_made():
    action = parse_action(f"<think>Which?</think>Now. <tool_call>{CALL}</tool_call>")
    assert ([call.name for call in action.calls], action.text, action.thought) == (
        ["delete_note"],
        "Now.",
        "Which?",
    )


def test_the_thought_of_a_message_is_kept_for_the_record():
    message = {"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."}
    assert parse_action(message) == Action((), "Hi.", "Hm.")


def test_a_mark_in_an_argument_is_a_word():
    action = parse_action('{"name": "add_note", "arguments": {"text": "write <think> here"}}')
    assert action.calls[0].arguments == {"text": "write <think> here"}


def test_text_without_a_thought_is_kept_as_it_is():
    assert thought.split(" a < b [c] ") == ("", " a < b [c] ")


@pytest.fixture
def env():
    env = notes()
    env.reset(seed=0, options={"task_id": "day"})
    return env


def test_an_environment_does_not_do_what_was_thought(env):
    assert env.step(f"<think>{CALL}</think>Hm.")[4]["calls"] == []


def test_a_step_keeps_the_thought_beside_its_text(env):
    info = env.step(f"<think>{CALL}</think>Hm.")[4]
    assert (info["text"], info["thought"]) == ("Hm.", CALL)
    assert "delete_note" not in str(env.messages[1:])


@pytest.mark.parametrize("opens", ["<think>Tuesday</think>", "[THINK]Tuesday[/THINK]"])
def test_a_thought_in_the_answer_is_not_judged(env, opens):
    info = env.step(GIVE % f"{opens}I cannot say.")[4]
    assert info["verdict"]["status"] != "solved"
    assert env.snapshot().final_answer == "I cannot say."
    assert "Tuesday" not in str(env.snapshot().calls)


def test_an_answer_beside_a_thought_is_judged(env):
    assert env.step(GIVE % "<think>It was Monday, no:</think>Tuesday")[4]["verdict"]["status"] == "solved"


def test_a_reader_of_a_task_is_shown_no_thought():
    env = notes(parse=lambda line: Action((), line.upper()))
    env.reset(seed=0)
    info = env.step("<think>secret</think>said")[4]
    assert (info["text"], info["thought"]) == ("SAID", "secret")


@given(st.lists(st.sampled_from([*(mark for pair in MARKS for mark in pair), "<", "[", "hm"])).map("".join))
def test_marks_are_sought_where_one_can_begin_and_none_is_missed(text):
    assert [mark.span() for mark in thought._marks(text)] == [
        mark.span() for mark in thought._MARK.finditer(text)
    ]
