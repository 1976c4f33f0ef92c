"""Every provider that we name answers three turns, and each of its failures is read as what it is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.models import (
    ChatReply,
    ChatRequest,
    ModelConfig,
    ModelError,
    OpenAIModel,
    Sampling,
    load_models,
)
from stb_env.models.opaque import OPAQUE
from stb_env.show.cli.main import app
from tests.docs.page import DOCS, blocks
from tests.fakes.openai_server import completion
from tests.models.providers.dialects import ARGUMENTS, CALL_ID, KEY, SAID, SIGNATURE, StrictServer, events
from tests.models.providers.named import FAILURES, NAMED

_EXTRA = pytest.mark.skipif(
    find_spec("pydantic_ai") is None, reason="needs stb-env[providers]; .ci/providers runs it"
)
_TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "examples": ["Oslo"]}},
            "required": ["city"],
        },
    },
}
_OPENING = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "What is the weather in Oslo?"},
]


def each(names: Any = NAMED, *more: str) -> list[Any]:
    """Return the providers as parameters, those that need the extra marked."""
    return [
        pytest.param(
            name, *more, id="-".join([name, *more]), marks=[_EXTRA] if NAMED[name].by_library else []
        )
        for name in names
    ]


@pytest.fixture
def connected(monkeypatch) -> Iterator[Callable[..., tuple[OpenAIModel, StrictServer]]]:
    """Start a provider and connect a model to it; settings are those of ModelConfig."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "MAX_ATTEMPTS"):
        monkeypatch.setenv(f"AWS_{name}", "1")
    left: list[Any] = []

    def build(name: str, **settings: Any) -> tuple[OpenAIModel, StrictServer]:
        named = NAMED[name]
        running = StrictServer(named.dialect).running()
        server = running.__enter__()
        left.append(lambda: running.__exit__(None, None, None))
        given = {"retries": 0, "base_url": f"http://{server.host}{named.base}", "api_key_env": "TEST_KEY"}
        given |= {"role": "agent", "model": named.dialect.model, **named.settings, **settings}
        config = ModelConfig(**given)
        # Requests to AWS are signed, and not opened by a key.
        model = OpenAIModel(config, env={} if name == "bedrock" else {"TEST_KEY": KEY})
        left.append(model.close)
        return model, server

    yield build
    for close in reversed(left):
        close()


def _asked(messages: list[Any]) -> ChatRequest:
    penalties = {"frequency_penalty": 0.0, "presence_penalty": 0.0}
    sampling = Sampling(temperature=0.2, max_tokens=2048, stop=("END",), **penalties)
    return ChatRequest(messages, (_TOOL,), sampling=sampling)


def _saved(reply: ChatReply) -> Any:
    """Return the message as a file brings it back."""
    return ChatReply.from_dict(json.loads(json.dumps(reply.to_dict()))).message


@_EXTRA
def test_a_setting_of_all_providers_has_a_value_that_there_is():
    config = ModelConfig("agent", "claude", provider="anthropic", extra={"thinking": "lo"})
    with pytest.raises(ConfigError, match=r"extra of the agent model has thinking = 'lo': .*'low'"):
        OpenAIModel(config, env={"ANTHROPIC_API_KEY": KEY})


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", each())
def test_a_conversation_of_three_turns(connected, name, stream):
    model, server = connected(name, stream=stream)
    first = model.complete(_asked(_OPENING))
    [call] = first.tool_calls
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("weather", ARGUMENTS)
    heard = {"role": "tool", "tool_call_id": call["id"], "content": "sunny"}
    talk = [*_OPENING, _saved(first), heard]
    second = model.complete(_asked(talk))
    third = model.complete(_asked([*talk, _saved(second), {"role": "user", "content": "And tomorrow?"}]))
    assert (second.text, third.text, server.refused) == (SAID, SAID, [])
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (100, 20)
    assert KEY not in json.dumps(first.to_dict())


@pytest.mark.parametrize("name", each(name for name in NAMED if NAMED[name].signs))
def test_what_is_signed_goes_back_to_its_own_provider_alone(connected, name):
    model, _ = connected(name)
    first = model.complete(_asked(_OPENING))
    kept = first.message[OPAQUE]
    heard = {"role": "tool", "tool_call_id": CALL_ID, "content": "sunny"}
    others, server = connected("openai")
    assert others.complete(_asked([*_OPENING, _saved(first), heard])).text == SAID
    other = "deepseek" if name != "deepseek" else "moonshotai"
    # The other provider misses a thought of its own, or makes one up; this one's it never sees.
    stranger, foreign = connected(other)
    try:
        stranger.complete(_asked([*_OPENING, _saved(first), heard]))
    except ModelError:
        assert foreign.refused
    sent = json.dumps([asked.body for asked in server.asked + foreign.asked])
    assert SIGNATURE not in sent
    assert OPAQUE not in sent
    assert kept["provider"] == name


_READ = {
    "key": ("internal", False, "check the variable that api_key_env names"),
    "rate": ("rate_limit", True, ""),
    "overflow": ("context", False, ""),
    "filter": ("internal", False, "a content filter"),
}
_FAILURES = [one for name, told in FAILURES.items() for failure in told for one in each([name], failure)]


@pytest.mark.parametrize(("name", "failure"), _FAILURES)
def test_failures_are_read_in_the_words_of_the_provider(connected, name, failure):
    model, server = connected(name)
    server.fails = FAILURES[name][failure]
    with pytest.raises(ModelError) as caught:
        model.complete(_asked(_OPENING))
    kind, retryable, said = _READ[failure]
    assert caught.value.kind == kind
    assert caught.value.retryable == retryable
    assert said in str(caught.value)
    assert len(server.asked) == 1


_CHAT = ("azure", "deepseek", "moonshotai", "openrouter", "zai", "openai")


@pytest.mark.parametrize("name", each(_CHAT))
@pytest.mark.parametrize(
    "delta",
    [
        {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "weather"}}]},
        {"content": "The answer is 4"},
    ],
    ids=["call", "text"],
)
def test_a_stream_that_ends_without_a_reason_was_cut(connected, monkeypatch, name, delta):
    model, server = connected(name)
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}
    monkeypatch.setattr(server, "next_answer", lambda asked: events({**chunk, "choices": [choice]}))
    with pytest.raises(ModelError, match="the answer ended before its end") as caught:
        model.complete(_asked(_OPENING))
    assert (caught.value.kind, caught.value.retryable) == ("transport", True)


@_EXTRA
def test_a_call_that_gemini_could_not_write_is_asked_for_again(connected):
    model, server = connected("google")
    server.fails = (200, {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "index": 0}]})
    with pytest.raises(ModelError, match="broke the answer off: MALFORMED_FUNCTION_CALL") as caught:
        model.complete(_asked(_OPENING))
    assert (caught.value.kind, caught.value.retryable) == ("transport", True)


@pytest.mark.parametrize("name", each(["azure", "openai"]))
@pytest.mark.parametrize(
    ("choice", "retryable", "said"),
    [
        ({"message": {"role": "assistant", "refusal": "No."}}, True, "the model refused: No"),
        ({"finish_reason": "content_filter"}, False, "a content filter stopped the answer"),
    ],
    ids=["refusal", "filter"],
)
def test_a_refusal_may_be_asked_again_and_a_filter_may_not(connected, name, choice, retryable, said):
    model, server = connected(name, stream=False)
    server.fails = (200, completion("", **choice))
    with pytest.raises(ModelError, match=said) as caught:
        model.complete(_asked(_OPENING))
    assert (caught.value.retryable, caught.value.usage.calls) == (retryable, 1)


@_EXTRA
def test_the_wait_that_google_asks_for_in_the_body_is_kept(connected):
    model, server = connected("google")
    server.fails = FAILURES["google"]["rate"]
    with pytest.raises(ModelError) as caught:
        model.complete(_asked(_OPENING))
    assert caught.value.retry_after == 7.0


_PAGE = [code for _, _, code in blocks(DOCS / "models.md") if "[models." in code and "  # " in code]


def _title(code: str) -> str:
    return code.split("# ")[1].split("\n")[0][:20]


@pytest.mark.parametrize("code", [pytest.param(code, id=_title(code)) for code in _PAGE])
def test_each_block_of_the_page_plays_against_its_provider(connected, tmp_path, code):
    (role, written) = next(iter(tomllib.loads(code)["models"].items()))
    if "provider" in written:
        pytest.importorskip("pydantic_ai", reason="needs stb-env[providers]; .ci/providers runs it")
    named = {"o4-mini": "openai-reasoning", "grok-4": "xai", "my-deployment": "azure-lean"}
    name = written.get("provider") or named[written["model"]]
    (tmp_path / "models.toml").write_text(code)
    config = load_models(tmp_path / "models.toml", env={})[role]
    assert config.endpoint.startswith("https://")
    given = {name: getattr(config, name) for name in ("model", "drop", "headers", "query", "extra")}
    model, server = connected(name, role=role, **given)
    assert model.complete(_asked(_OPENING)).tool_calls
    assert server.refused == []


@_EXTRA
def test_a_run_of_the_command_line_keeps_what_the_provider_signs(connected, tmp_path, monkeypatch):
    _, server = connected("anthropic")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    file = tmp_path / "models.toml"
    settings = 'provider = "anthropic"\nmodel = "claude-sonnet-4-5"\n'
    file.write_text(f'[models.agent]\n{settings}base_url = "http://{server.host}"')
    command = ["run", "stb/Sandbox-v1", "--agent", "chat", "--models", str(file), "--episodes", "1"]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    assert server.refused == []
    text = (tmp_path / "run" / "trajectories.jsonl").read_text()
    episode = json.loads(text.splitlines()[0])
    parts = episode["steps"][0]["engine"][OPAQUE]["response"]["parts"]
    assert parts[0]["signature"] == SIGNATURE
    assert SIGNATURE not in json.dumps(episode["messages"])
    assert episode["usage"]["cost"] > 0
    assert KEY not in text + (tmp_path / "run" / "manifest.json").read_text()
