"""Every provider that we name answers three turns, and each of its failures is read as what it is."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.models import (
    ChatReply,
    ModelConfig,
    ModelError,
    OpenAIModel,
    load_models,
)
from stb_env.models.opaque import OPAQUE
from stb_env.show.cli.main import app
from tests.docs.page import DOCS, blocks
from tests.models.providers.asking import EXTRA, OPENING, asked, each
from tests.models.providers.dialects import (
    ARGUMENTS,
    CALL_ID,
    KEY,
    SAID,
    SIGNATURE,
    events,
)
from tests.models.providers.named import FAILURES, NAMED


def _saved(reply: ChatReply) -> Any:
    """Return the message as a file brings it back."""
    return ChatReply.from_dict(json.loads(json.dumps(reply.to_dict()))).message


@EXTRA
def test_a_setting_of_all_providers_has_a_value_that_there_is():
    config = ModelConfig("agent", "claude", provider="anthropic", extra={"thinking": "lo"})
    with pytest.raises(ConfigError, match=r"extra of the agent model has thinking = 'lo': .*'low'"):
        OpenAIModel(config, env={"ANTHROPIC_API_KEY": KEY})


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", each())
def test_a_conversation_of_three_turns(connected, name, stream):
    model, server = connected(name, stream=stream)
    first = model.complete(asked(OPENING))
    [call] = first.tool_calls
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("weather", ARGUMENTS)
    heard = {"role": "tool", "tool_call_id": call["id"], "content": "sunny"}
    talk = [*OPENING, _saved(first), heard]
    second = model.complete(asked(talk))
    third = model.complete(asked([*talk, _saved(second), {"role": "user", "content": "And tomorrow?"}]))
    assert (second.text, third.text, server.refused) == (SAID, SAID, [])
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (100, 20)
    assert KEY not in json.dumps(first.to_dict())


@pytest.mark.parametrize("name", each(name for name in NAMED if NAMED[name].signs))
def test_what_is_signed_goes_back_to_its_own_provider_alone(connected, name):
    model, _ = connected(name)
    first = model.complete(asked(OPENING))
    kept = first.message[OPAQUE]
    heard = {"role": "tool", "tool_call_id": CALL_ID, "content": "sunny"}
    others, server = connected("openai")
    assert others.complete(asked([*OPENING, _saved(first), heard])).text == SAID
    other = "deepseek" if name != "deepseek" else "moonshotai"
    # The other provider misses a thought of its own, or makes one up; this one's it never sees.
    stranger, foreign = connected(other)
    try:
        stranger.complete(asked([*OPENING, _saved(first), heard]))
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
    "credit": ("rate_limit", False, "no credit left"),
    "size": ("context", False, ""),
}
_FAILURES = [one for name, told in FAILURES.items() for failure in told for one in each([name], failure)]


@pytest.mark.parametrize(("name", "failure"), _FAILURES)
def test_failures_are_read_in_the_words_of_the_provider(connected, name, failure):
    model, server = connected(name)
    server.fails = FAILURES[name][failure]
    with pytest.raises(ModelError) as caught:
        model.complete(asked(OPENING))
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
    monkeypatch.setattr(server, "next_answer", lambda request: events({**chunk, "choices": [choice]}))
    with pytest.raises(ModelError, match="the answer ended before its end") as caught:
        model.complete(asked(OPENING))
    assert (caught.value.kind, caught.value.retryable) == ("transport", True)


@EXTRA
def test_the_wait_that_google_asks_for_in_the_body_is_kept(connected):
    model, server = connected("google")
    server.fails = FAILURES["google"]["rate"]
    with pytest.raises(ModelError) as caught:
        model.complete(asked(OPENING))
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
    assert model.complete(asked(OPENING)).tool_calls
    assert server.refused == []


@EXTRA
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
