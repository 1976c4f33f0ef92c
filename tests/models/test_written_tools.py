"""Agents of models that are shown no tools: the tools, calls and results stand in the text."""

from __future__ import annotations

import json
from dataclasses import replace

import gymnasium as gym
import pytest

from stb_env import ChatAgent, ScriptedModel
from stb_env.errors import ConfigError
from stb_env.models import CALLS, ChatReply, ChatRequest, ModelConfig, connect
from stb_env.models.written_tools import read_written, write_request
from tests.fakes.openai_server import Answer, completion

PING = {"type": "function", "function": {"name": "ping", "parameters": {"properties": {"n": {}}}}}
FINISH = {"type": "function", "function": {"name": "Finish", "parameters": {}}}
CALL = {"id": "c", "type": "function", "function": {"name": "ping", "arguments": '{"n": 1}'}}
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Ping it."},
    {"role": "assistant", "content": "I try.", "tool_calls": [CALL, CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "one"},
    {"role": "tool", "tool_call_id": "c", "content": "two"},
]
FINISHED = {"return_type": "give_answer", "final_answer": "Done."}


def test_react_text_holds_tools_calls_and_results():
    written = write_request(ChatRequest(TALK, [PING]), "react")
    system, query, said, heard = written.messages
    assert system["content"].startswith("Be brief.\n\n")
    assert json.dumps(PING["function"]) in system["content"]
    assert query == TALK[1]
    step = 'Action: ping\nAction Input: {"n": 1}'
    assert said == {"role": "assistant", "content": f"Thought: I try.\n{step}\n{step}"}
    assert heard == {"role": "user", "content": "Observation: one\nObservation: two"}
    assert written.sampling.stop == ("\nObservation:",)


def test_calls_as_json_read_as_they_are_to_be_written():
    said = write_request(ChatRequest(TALK, [PING]), "json").messages[2]["content"]
    assert [json.loads(line) for line in said.splitlines()] == [{"name": "ping", "arguments": {"n": 1}}] * 2


@pytest.mark.parametrize("spelling", ["react", "json"])
def test_each_request_of_a_conversation_extends_the_one_before(spelling):
    written = [write_request(ChatRequest(TALK[:n], [PING]), spelling).messages for n in (2, 5)]
    assert written[1][: len(written[0])] == written[0]


def test_the_form_allows_the_tools_of_the_request_and_nothing_else():
    schema = write_request(ChatRequest(TALK, [PING, FINISH]), "json").response_format["json_schema"]["schema"]
    names = [form["properties"]["name"]["enum"] for form in schema["anyOf"]]
    assert names == [["ping"], ["Finish"]]


def test_words_for_a_user_are_allowed_where_nothing_finishes_the_episode():
    written = write_request(ChatRequest(TALK, [PING]), "json")
    form = written.response_format["json_schema"]["schema"]
    assert '{"say": ...}' in written.messages[0]["content"]
    assert list(form["anyOf"][-1]["properties"]) == ["say"]
    assert read_written(ChatReply({"content": '{"say": "Which one?"}'}), [PING]).text == "Which one?"


def test_a_call_of_an_unknown_tool_is_left_as_text():
    reply = ChatReply({"content": '{"name": "pong", "arguments": {}}'})
    assert read_written(reply, [PING]) == reply


def test_a_reply_that_was_cut_still_says_so():
    reply = ChatReply({"content": '{"name": "ping", "arguments": {}}'}, "length")
    assert read_written(reply, [PING]).finish_reason == "length"


def play(agent: ChatAgent) -> dict:
    env = gym.make("stb/Sandbox-v1")
    observation, info = env.reset(seed=0)
    agent.reset(env, 0)
    return env.step(agent.act(observation, info))[4]


def test_a_react_agent_plays_with_a_model_that_is_sent_no_tools():
    model = ScriptedModel([f"Thought: Easy.\nAction: Finish\nAction Input: {json.dumps(FINISHED)}"])
    info = play(ChatAgent(model, style="react"))
    assert [call["name"] for call in info["calls"]] == ["Finish"]
    assert model.requests[0].tools == ()
    assert '"name": "Finish"' in model.requests[0].messages[0]["content"]


def test_a_react_agent_says_so_in_its_fingerprint():
    assert ChatAgent(ScriptedModel([]), style="react").fingerprint == {"model": "scripted", "style": "react"}


def test_an_unknown_style_is_refused():
    with pytest.raises(ConfigError, match=r"^style must be one of tools, react, got 'xml'$"):
        ChatAgent(ScriptedModel([]), style="xml")


def test_the_original_has_no_react_style():
    with pytest.raises(ConfigError, match=r"^the original has no ReAct style; leave out style or compat$"):
        ChatAgent(ScriptedModel([]), "original", style="react")


@pytest.mark.parametrize(
    ("abilities", "text", "sent"),
    [
        (set(), f"Action: Finish\nAction Input: {json.dumps(FINISHED)}", "stop"),
        ({"json_schema"}, json.dumps({"name": "Finish", "arguments": FINISHED}), "response_format"),
    ],
)
def test_an_agent_whose_tools_are_dropped_is_asked_in_text(server, abilities, text, sent):
    server.abilities = abilities
    server.script(Answer(completion(text)))
    info = play(ChatAgent(connect(ModelConfig("agent", "tiny", base_url=server.url()), env={})))
    assert [call["name"] for call in info["calls"]] == ["Finish"]
    body = server.requests[-1].body
    assert sent in body
    assert "tools" not in body


def test_an_agent_that_is_shown_its_tools_is_sent_them_as_functions(server):
    server.abilities = {"json_schema", "tools", "rendered"}
    play(ChatAgent(connect(ModelConfig("agent", "tiny", base_url=server.url()), env={})))
    body = server.requests[-1].body
    assert "tools" in body
    assert "response_format" not in body


def test_the_original_sends_functions_whatever_the_endpoint_lacks(server):
    server.abilities = {"json_schema"}
    model = connect(ModelConfig("agent", "tiny", base_url=server.url()), env={})
    play(ChatAgent(model, "original"))
    assert server.probes == []
    assert "tools" in server.requests[-1].body


def test_a_request_without_a_form_keeps_its_tools(server):
    server.abilities = {"json_schema"}
    request = ChatRequest(TALK, [PING], "none")
    connect(ModelConfig("agent", "tiny", base_url=server.url()), env={}).complete(request)
    assert server.requests[-1].body["tools"] == [PING]
    assert replace(request, contract=CALLS) == request
