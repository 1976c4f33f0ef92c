"""Models in this process, over a double of the library; test_local_weights.py asks a real one."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stb_env.errors import ConfigError
from stb_env.models import (
    ROLES,
    ChatRequest,
    LocalModel,
    ModelConfig,
    ModelError,
    Price,
    Sampling,
    available,
    connect,
    fingerprint,
    load_models,
)
from tests.fakes.llama_cpp import LlamaCpp, completion

QUESTION = ChatRequest.of("Is it?")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
TIME = {"type": "function", "function": {"name": "time"}}
ONE = {"type": "function", "function": {"name": "weather"}}


@pytest.fixture
def library(monkeypatch) -> LlamaCpp:
    double = LlamaCpp()
    monkeypatch.setitem(sys.modules, "xllamacpp", double.module())
    return double


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF and the rest")
    return path


@pytest.fixture
def model(library, file) -> LocalModel:
    return LocalModel(config(file))


def config(file, role="agent", **settings) -> ModelConfig:
    return ModelConfig(role, "any", local=str(file), **settings)


def forced(choice, *tools) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": "?"},), tools=tools, tool_choice=choice)


def test_a_local_model_needs_neither_key_nor_money(file):
    settings = load_models(env={"STB_AGENT_LOCAL": str(file)})["agent"]
    assert available(settings, {})
    assert (settings.model, settings.key_variable, settings.price) == ("m.gguf", "", Price(0.0, 0.0))


def test_a_variable_beats_the_endpoint_of_a_models_file(library, file, tmp_path):
    (tmp_path / "models.toml").write_text(
        '[models.agent]\nbase_url = "http://127.0.0.1:1/v1"\nmax_tokens = 9\n'
    )
    settings = load_models(tmp_path / "models.toml", {"STB_AGENT_LOCAL": str(file)})["agent"]
    assert connect(settings, env={}).complete(QUESTION).text == "yes"
    assert library.bodies[0]["max_tokens"] == 9


def test_a_gguf_file_in_the_place_of_a_models_file_plays_every_role(file):
    models = load_models(file, env={})
    assert {role: models[role].local for role in ROLES} == dict.fromkeys(ROLES, str(file))


def test_an_answer_is_counted_and_costs_nothing(model, complete):
    reply = complete(model, QUESTION)
    assert (reply.text, reply.model, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (
        "yes",
        "m.gguf",
        5,
        2,
    )
    assert (reply.usage.calls, reply.usage.cost, reply.usage.unpriced) == (1, 0.0, 0)


def test_without_the_library_the_message_names_the_extra(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    message = "a local model needs llama.cpp: pip install 'stb-env[local]'"
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        LocalModel(config(file))


def test_a_file_that_is_not_there_is_refused_before_it_is_played(library, tmp_path):
    with pytest.raises(
        ConfigError, match=r"^cannot read the weights .*absent\.gguf: No such file or directory$"
    ):
        LocalModel(config(tmp_path / "absent.gguf"))


def test_a_file_in_another_format_is_refused(library, tmp_path):
    (tmp_path / "m.gguf").write_bytes(b"\x80\x04pickle")
    with pytest.raises(ConfigError, match=r"m\.gguf is no GGUF file; local names the weights of a model"):
        LocalModel(config(tmp_path / "m.gguf"))


def test_weights_that_cannot_be_loaded_are_the_callers_fault(library, model, monkeypatch):
    def fails(settings):
        raise RuntimeError("Failed to init server")

    monkeypatch.setattr(sys.modules["xllamacpp"], "Server", fails)
    with pytest.raises(ConfigError, match=r"^llama\.cpp cannot load .*m\.gguf; is it whole"):
        model.complete(QUESTION)


def test_nothing_is_loaded_before_the_first_question(library, model):
    assert library.servers == []
    model.complete(QUESTION)
    assert len(library.servers) == 1


def test_roles_that_play_the_same_file_share_its_weights(library, file):
    for role in ROLES:
        LocalModel(config(file, role)).complete(QUESTION)
    LocalModel(config(file, context=64)).complete(QUESTION)
    assert [settings.n_ctx for settings in library.servers] == [0, 64]


def test_the_port_that_the_library_opens_takes_an_unguessable_key(library, model):
    model.complete(QUESTION)
    [key] = library.servers[0].api_keys
    assert len(key) >= 32


def test_questions_wait_for_each_other(library, file):
    pair = threading.Barrier(2)

    def meets(body):
        try:
            pair.wait(timeout=0.1)
        except threading.BrokenBarrierError:
            return completion("alone")
        return completion("together")

    library.reply = meets
    models = [LocalModel(config(file, role)) for role in ("agent", "judge")]
    with ThreadPoolExecutor(2) as threads:
        said = list(threads.map(lambda model: model.complete(QUESTION).text, models))
    assert said == ["alone", "alone"]


def test_a_prompt_beyond_the_context_is_a_context_failure(library, model, complete):
    text = "request (631 tokens) exceeds the available context size (512 tokens), try increasing it"
    library.reply = {"error": {"code": 400, "message": text, "type": "exceed_context_size_error"}}
    with pytest.raises(ModelError, match=rf"^agent model 'm\.gguf': HTTP 400: {re.escape(text)}$") as caught:
        complete(model, QUESTION)
    assert (caught.value.kind, caught.value.stage, caught.value.retryable) == ("context", "agent", False)


@pytest.mark.parametrize("error", [ValueError("Invalid schema"), RuntimeError("Invalid schema")])
def test_what_the_library_raises_is_a_typed_failure(library, model, error):
    library.reply = error
    with pytest.raises(
        ModelError, match=r"^agent model 'm\.gguf': llama\.cpp .* request: Invalid schema$"
    ) as caught:
        model.complete(QUESTION)
    assert (caught.value.kind, caught.value.retryable) == ("internal", False)


@pytest.mark.parametrize(
    ("configured", "asked", "index", "sent"),
    [(None, None, 0, 0), (None, None, 3, 3), (5, None, 2, 7), (5, 9, 2, 9), (2**32 - 2, None, 1, 0)],
)
def test_there_is_always_a_seed_and_never_the_one_that_means_any(
    library, file, configured, asked, index, sent
):
    model = LocalModel(config(file, seed=configured))
    model.complete(ChatRequest.of("?", sampling=Sampling(seed=asked), index=index))
    assert library.bodies[0]["seed"] == sent


def test_a_request_reads_nothing_that_another_left_behind_unless_asked_to(library, file):
    LocalModel(config(file)).complete(QUESTION)
    LocalModel(config(file, extra={"cache_prompt": True})).complete(QUESTION)
    assert [body["cache_prompt"] for body in library.bodies] == [False, True]


def test_sampling_and_response_format_reach_the_library(library, file):
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": CITY}}
    sampling = Sampling(temperature=0.5, stop=("\n",), max_tokens=7)
    LocalModel(config(file, temperature=0.1, top_p=0.9)).complete(
        ChatRequest(QUESTION.messages, sampling=sampling, response_format=schema)
    )
    sent = library.bodies[0]
    assert (sent["temperature"], sent["top_p"], sent["stop"], sent["max_tokens"]) == (0.5, 0.9, ["\n"], 7)
    assert sent["response_format"] == schema


def test_a_reply_is_bounded_where_nobody_says_how_long_it_may_be(library, model):
    model.complete(QUESTION)
    assert library.bodies[0]["max_tokens"] == 1024


@pytest.mark.parametrize(("choice", "tools"), [("required", [WEATHER]), (ONE, [TIME, WEATHER])])
def test_a_forced_tool_is_a_grammar_and_its_text_a_call(library, model, choice, tools):
    library.reply = completion('{"name": "weather", "arguments": {"city": "Bonn"}}')
    reply = model.complete(forced(choice, *tools))
    sent = library.bodies[0]
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"name": {"const": "weather"}, "arguments": CITY}
    assert "tool_choice" not in sent
    assert sent["tools"] == tools
    [call] = reply.tool_calls
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == (
        "weather",
        {"city": "Bonn"},
    )
    assert reply.finish_reason == "tool_calls"


def test_any_of_several_tools_can_be_forced(library, model):
    library.reply = completion('{"name": "time", "arguments": {}}')
    model.complete(forced("required", WEATHER, TIME))
    schema = library.bodies[0]["response_format"]["json_schema"]["schema"]
    assert [one["properties"]["name"]["const"] for one in schema["anyOf"]] == ["weather", "time"]


@pytest.mark.parametrize("choice", [None, "auto", "none"])
def test_what_is_not_forced_is_left_to_the_template(library, model, choice):
    model.complete(forced(choice, WEATHER))
    assert "response_format" not in library.bodies[0]


def test_a_forced_call_that_was_cut_stays_text(library, model):
    library.reply = completion('{"name": "wea', finish_reason="length")
    reply = model.complete(forced("required", WEATHER))
    assert (reply.text, reply.tool_calls, reply.finish_reason) == ('{"name": "wea', [], "length")


def test_ids_of_calls_are_those_of_a_second_run_and_differ_within_one(library, model):
    function = {"name": "weather", "arguments": "{}"}
    calls = [{"id": f"random-{n}", "type": "function", "function": function} for n in range(2)]
    library.reply = completion("")
    library.reply["choices"][0]["message"] = {"content": None, "tool_calls": calls}
    first, again = model.complete(forced(None, WEATHER)), model.complete(forced(None, WEATHER))
    other = model.complete(forced(None, WEATHER, TIME))
    ids = [[call["id"] for call in reply.tool_calls] for reply in (first, again, other)]
    assert ids[0] == ids[1] != ids[2]
    assert len(set(ids[0] + ids[2])) == 4


def test_a_template_that_drops_tools_is_said_once(library, model, caplog):
    library.reads_tools = False
    for _ in range(2):
        model.complete(forced(None, WEATHER))
    said = "the chat template of m.gguf does not show the model its tools"
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [said]


def test_a_template_that_shows_tools_is_not_worth_a_word(model, caplog):
    model.complete(forced(None, WEATHER))
    assert caplog.records == []


def test_the_fingerprint_is_that_of_the_content_and_holds_no_path(library, file, tmp_path):
    (tmp_path / "other").mkdir()
    moved = tmp_path / "other" / "m.gguf"
    moved.write_bytes(file.read_bytes())
    found = fingerprint(LocalModel(config(file, temperature=0.0)))
    assert found == {
        "model": "m.gguf",
        "temperature": 0.0,
        "size": file.stat().st_size,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    assert fingerprint(LocalModel(config(moved, temperature=0.0))) == found
    moved.write_bytes(b"GGUF and another")
    assert fingerprint(LocalModel(config(moved.rename(moved.with_stem("n"))))) != found


def test_a_local_model_can_be_sent_to_another_process(model):
    assert pickle.loads(pickle.dumps(model)).config == model.config


@pytest.mark.parametrize("name", ["context", "threads"])
def test_a_context_or_threads_of_nothing_are_refused(file, name):
    message = rf"^{name} of the agent model must be a whole number of at least 1, got 0$"
    with pytest.raises(ConfigError, match=message):
        config(file, **{name: 0})


def test_threads_are_the_engines_own_unless_a_number_is_set(library, file):
    for settings in ({}, {"threads": 1}):
        LocalModel(config(file, **settings)).complete(QUESTION)
    usual, one = library.servers
    assert not hasattr(usual.cpuparams, "n_threads")
    assert one.cpuparams.n_threads == one.cpuparams_batch.n_threads == 1
