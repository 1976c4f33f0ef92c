"""Replies get their form in the way that the endpoint can take, found out by a probe."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.judges.judge import Case
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ChatRequest, Contract, ModelConfig, ModelError, connect, load_models
from stb_env.models.structured import StructuredModel
from stb_env.tasks import Task
from stb_env.tools import Tool
from tests.fakes.openai_server import Answer, completion, error

CONTRACT = Contract("answer", {"properties": {"n": {"type": "integer"}}, "required": ["n"]})
QUESTION = replace(ChatRequest.of("How many?"), response_format={"type": "json_object"}, contract=CONTRACT)
PING = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}
ALL = {"json_schema", "tools", "rendered"}


@pytest.fixture
def asked(server):
    """Ask through the server, and return the request's body and the reply."""

    def ask(request: ChatRequest, *answers: Answer, **settings: object):
        server.script(*answers)
        given = {"base_url": server.url(), "retries": 0, **settings}
        reply = connect(ModelConfig("agent", "tiny", **given), env={}).complete(request)
        return server.requests[-1].body, reply

    return ask


def test_a_server_that_takes_a_schema_is_sent_the_schema(server, asked):
    server.abilities = ALL
    body, reply = asked(QUESTION, Answer(completion('{"n": 3}')))
    assert body["response_format"] == CONTRACT.response_format
    assert reply.text == '{"n": 3}'


def test_a_server_without_schemas_is_held_to_one_tool_whose_arguments_are_the_reply(server, asked):
    call = {"id": "c", "function": {"name": "answer", "arguments": '{"n": 3}'}}
    body, reply = asked(QUESTION, Answer(completion(None, message={"tool_calls": [call]})))
    assert body["tool_choice"] == {"type": "function", "function": {"name": "answer"}}
    assert "response_format" not in body
    assert (reply.text, reply.tool_calls) == ('{"n": 3}', [])


@pytest.mark.parametrize("refuses", [True, False])
def test_a_server_that_refuses_or_ignores_all_forms_is_asked_in_words(server, asked, refuses):
    server.abilities, server.refuses = set(), refuses
    body, reply = asked(QUESTION, Answer(completion('{"n": 3}')))
    assert body.keys() - {"stream", "stream_options"} == {"messages", "model"}
    assert body["messages"][-1]["content"].endswith(CONTRACT.text)
    assert reply.text == '{"n": 3}'


def test_a_schema_that_the_server_refuses_after_all_is_refused_once(server, asked):
    server.abilities = ALL
    server.script(error("cannot compile the grammar", 400), Answer(completion('{"n": 1}')))
    model = connect(ModelConfig("agent", "tiny", base_url=server.url(), retries=0), env={})
    assert [model.complete(QUESTION).text for _ in range(2)] == ['{"n": 1}', "ok"]
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]


def test_a_failure_that_is_no_refusal_is_not_asked_in_another_way(server, asked):
    server.abilities = ALL
    with pytest.raises(ModelError, match=r"HTTP 401: wrong key; the server does not accept the key"):
        asked(QUESTION, error("wrong key", 401))
    assert len(server.requests) == 1


def test_an_endpoint_is_probed_once_whatever_the_roles(server):
    for role in ("agent", "judge"):
        config = ModelConfig(role, "tiny", base_url=server.url())
        connect(config, env={}).complete(QUESTION)
    assert len(server.requests) == 2
    assert len(server.probes) == len({json.dumps(probe.body) for probe in server.probes}) == 4


def test_a_question_without_a_form_needs_no_probe(server, asked):
    body, _ = asked(ChatRequest.of("Hello?"))
    assert (server.probes, body["messages"][0]["content"]) == ([], "Hello?")


@pytest.mark.parametrize("way", ["json_schema", "tools", "text"])
def test_a_way_that_is_set_needs_no_probe(server, asked, way):
    body, _ = asked(QUESTION, structured=way)
    assert server.probes == []
    assert ("response_format" in body, "tools" in body) == (way == "json_schema", way == "tools")


def test_an_endpoint_that_does_not_answer_a_probe_is_sent_the_request_as_it_is():
    config = ModelConfig("agent", "tiny", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(ModelError, match="the connection failed") as failed:
        connect(config, env={}).complete(QUESTION)
    assert (failed.value.kind, failed.value.retryable) == ("transport", True)


def test_what_an_endpoint_lacks_is_said_in_one_line(server, asked, caplog):
    server.abilities = {"json_schema"}
    asked(QUESTION)
    asked(QUESTION)
    lines = [record.getMessage() for record in caplog.records if record.name == "stb_env"]
    assert lines == [
        f"model 'tiny' at {server.url()}: it cannot be held to one tool, its chat template drops tools; "
        "asked in another way (stb-env models check)"
    ]


def test_nothing_is_said_of_an_endpoint_that_lacks_nothing(server, asked, caplog):
    server.abilities = ALL
    asked(QUESTION)
    assert [record for record in caplog.records if record.name == "stb_env"] == []


def test_a_form_does_not_change_the_key_of_a_question():
    assert QUESTION.key == replace(QUESTION, contract=None).key
    assert replace(QUESTION, contract=None) == QUESTION


def test_an_event_loop_finds_out_as_threads_do(server, complete):
    server.abilities = ALL
    model = connect(ModelConfig("agent", "tiny", base_url=server.url()), env={})
    complete(model, QUESTION)
    assert server.requests[-1].body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("abilities", "sent"),
    [(ALL, "response_format"), ({"tools", "rendered"}, "tools"), (set(), "model")],
)
def test_a_judge_gets_its_vote_in_each_way(server, abilities, sent):
    server.abilities = abilities
    text = '{"answer_status": "Solved", "reason": "It says so."}'
    call = {"id": "c", "function": {"name": "report_status", "arguments": text}}
    answer = completion(None, message={"tool_calls": [call]}) if sent == "tools" else completion(text)
    server.script(Answer(answer), role="judge")
    model = connect(ModelConfig("judge", "tiny", base_url=server.url("judge")), env={})
    case = Case(Task("1", "Capital of France?", (Tool("search", "", {}),)), "Paris.", ())
    assert drive(PassJudge(model).judge(case)).status == "solved"
    assert sent in server.requests[-1].body


def test_an_unknown_way_is_refused_with_its_role(tmp_path: Path):
    (tmp_path / "models.toml").write_text('[models.judge]\nstructured = "yaml"\n')
    with pytest.raises(
        ConfigError,
        match=r"^structured of the judge model must be one of auto, json_schema, tools, text, got 'yaml'$",
    ):
        load_models(tmp_path / "models.toml", {})


def test_a_way_can_be_set_in_the_environment():
    assert load_models(None, {"STB_JUDGE_STRUCTURED": "text"})["judge"].structured == "text"


def test_a_way_that_is_chosen_is_part_of_the_fingerprint_and_the_best_one_is_not():
    config = ModelConfig("agent", "tiny", base_url="http://127.0.0.1:1/v1")
    assert "structured" not in config.to_dict()
    assert replace(config, structured="text").to_dict()["structured"] == "text"


def test_a_structured_model_has_the_role_and_name_of_the_model_inside():
    model = connect(ModelConfig("judge", "tiny", base_url="http://127.0.0.1:1/v1"), env={})
    assert isinstance(model, StructuredModel)
    assert (model.role, model.name) == ("judge", "tiny")
