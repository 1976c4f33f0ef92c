"""Actions are read as one command with calls around it, or in any of the general forms."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stb_env.actions import parse_action
from stb_env.suites.sambanova.common.rest.actions import command_of, curl_reader, kept_line
from stb_env.suites.sambanova.common.whole_program import whole_program
from stb_env.tools import ToolCall

COMMAND = "curl 'https://a.example'"
FINISH = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "x"}}

read = curl_reader(lambda call: call)


@pytest.mark.parametrize(
    ("action", "names", "text"),
    [
        (COMMAND, ["curl"], ""),
        (f"I think.\n  {COMMAND}\nDone.", ["curl"], "I think.\nDone."),
        (f"```sh\n{COMMAND}\n```", ["curl"], "```sh\n```"),
        (f"{COMMAND}\n{json.dumps(FINISH)}", ["curl", "Finish"], ""),
        (f"Hm.\n{COMMAND}\n{json.dumps(FINISH)}", ["curl", "Finish"], "Hm."),
        (f'{COMMAND}\nAPI.Finish("give_answer", "x")', ["curl", "Finish"], ""),
        (FINISH, ["Finish"], ""),
        ({"role": "assistant", "content": COMMAND}, ["curl"], ""),
        (json.dumps({"name": "curl", "arguments": {"command": COMMAND}}), ["curl"], ""),
        (COMMAND.encode(), ["curl"], ""),
        ("no command: curl it is", [], "no command: curl it is"),
        (None, [], ""),
    ],
)
def test_an_action_is_read_in_every_form(action: Any, names: list[str], text: str):
    parsed = read(action)
    assert ([call.name for call in parsed.calls], parsed.text) == (names, text)


def test_the_first_of_several_commands_is_the_one():
    assert read(f"curl a.example\n{COMMAND}").calls[0].arguments == {"command": "curl a.example"}


def test_a_backslash_joins_lines_unless_the_original_is_wanted():
    action = "curl \\\n'https://a.example'"
    assert read(action).calls[0].arguments == {"command": "curl  'https://a.example'"}
    assert curl_reader(lambda call: call, continued=False)(action).calls[0].arguments == {
        "command": "curl \\"
    }


def test_every_call_is_translated():
    shout = curl_reader(lambda call: ToolCall(call.name.upper(), call.arguments, call.id))
    assert [call.name for call in shout(COMMAND).calls + shout({"name": "ping", "arguments": {}}).calls] == [
        "CURL",
        "PING",
    ]


@pytest.mark.parametrize(
    ("call", "command"),
    [
        (ToolCall("curl", {"command": "x"}), "x"),
        (ToolCall("curl", {"*": ["x"]}), "x"),
        (ToolCall("curl", {"command": 3}), None),
        (ToolCall("curl", {}), None),
        (ToolCall("curl", "x"), None),
        (ToolCall("ping", {"command": "x"}), None),
    ],
)
def test_a_call_of_curl_has_its_command_under_one_name(call: ToolCall, command: str | None):
    assert command_of(call) == command


def test_without_a_command_all_of_the_text_is_kept():
    assert kept_line(" nothing\nhere ") == " nothing\nhere "


def test_a_whole_program_ends_with_finish_once():
    parse = whole_program(parse_action)
    assert [call.name for call in parse([{"name": "ping"}, FINISH]).calls] == ["ping", "Finish"]
    assert [call.name for call in parse("prose").calls] == ["Finish"]
    assert parse("prose").text == "prose"
