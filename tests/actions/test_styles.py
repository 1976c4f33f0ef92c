"""Every way in which models write a call is read, and what only looks like one is not."""

from __future__ import annotations

import pytest

import stb_env
from stb_env.actions import Action, format_action, parse_action
from stb_env.testing.notes import notes
from tests.actions.styles import FAMILIES, KNOWN, STYLES


def calls_of(text: str) -> tuple:
    return tuple((call.name, call.arguments) for call in parse_action(text, known=KNOWN).calls)


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_style_is_read_as_its_calls(style):
    assert calls_of(style.text) == style.calls


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_what_was_read_is_written_and_read_back_the_same(style):
    action = parse_action(style.text, known=KNOWN)
    assert parse_action(format_action(action), known=KNOWN) == action


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_style_is_read_the_same_in_the_content_of_a_message(style):
    assert parse_action({"role": "assistant", "content": style.text}, known=KNOWN).calls == (
        parse_action(style.text, known=KNOWN).calls
    )


MARKED = [
    style
    for family in ("hermes", "qwen_coder", "anthropic", "mistral", "deepseek", "kimi", "granite", "gemma")
    for style in FAMILIES[family]
]


@pytest.mark.parametrize("style", MARKED, ids=lambda style: style.name)
def test_a_marked_call_is_read_behind_prose(style):
    assert calls_of(f"I look it up now.\n{style.text}") == style.calls


@pytest.mark.parametrize("name", [name for name in STYLES if not name.startswith("thoughts")])
def test_a_style_inside_a_thought_is_no_call(name):
    text = f"<think>\n{STYLES[name].text}\n</think>\nHello."
    assert parse_action(text, known=KNOWN) == Action((), "Hello.", STYLES[name].text.strip())


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_a_style_in_an_argument_is_text(style):
    action = parse_action([{"name": "search", "arguments": {"query": style.text}}], known=KNOWN)
    assert [(call.name, call.arguments) for call in action.calls] == [("search", {"query": style.text})]


def test_the_environment_knows_the_tools_of_its_task():
    env = notes()
    env.reset(seed=0)
    written = 'I look: {"tool": "find_notes", "args": {"word": "dentist"}}'
    assert [call["name"] for call in env.step(written)[4]["calls"]] == ["find_notes"]


def test_arguments_beside_the_name_are_those_of_a_tool_that_has_them():
    env = notes()
    env.reset(seed=0, options={"task_id": "day"})
    made = [
        [call["arguments"] for call in env.step(written)[4]["calls"]]
        for written in (
            '{"name": "find_notes", "word": "dentist"}',
            '{"name": "find_notes", "word": "dentist", "found": 3}',
            '{"name": "Dentist", "word": "dentist"}',
        )
    ]
    assert made == [[{"word": "dentist"}], [], []]
    assert env.step('{"name": "Finish", "final_answer": "Tuesday"}')[1] == 1.0


def test_blank_arguments_of_a_native_call_are_none():
    def count(items: list) -> int:
        """Count the items."""
        return len(items)

    tasks = [stb_env.task("How many?", gold="count()", answer={"n": 0})]
    stb_env.environment("t/Blank-v0", tools=[count], state=list, tasks=tasks)
    env = stb_env.make("t/Blank-v0")
    env.reset(seed=0)
    call = {"id": "1", "type": "function", "function": {"name": "count", "arguments": ""}}
    (made,) = env.step({"content": None, "tool_calls": [call]})[4]["calls"]
    assert (made["status"], made["arguments"]) == (0, {})


def test_a_tool_of_another_task_is_a_word_in_prose():
    env = notes()
    env.reset(seed=0)
    assert env.step('I look: {"name": "find_trains", "arguments": {}} and wait.')[4]["calls"] == []


def test_a_tool_that_does_not_exist_is_unknown_where_it_is_called_alone():
    env = notes()
    env.reset(seed=0)
    (call,) = env.step('{"name": "find_note", "arguments": {"word": "a"}}')[4]["calls"]
    assert call["error"] == "no tool is named 'find_note'. Did you mean 'find_notes'?"
