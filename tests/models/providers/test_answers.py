"""Answers that came and are of no use: whose fault that is, what they cost, and who asks again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from stb_env.errors import ConfigError
from stb_env.models import ChatRequest, ModelError, Price, Sampling
from stb_env.models.abilities import PROBE, probe
from stb_env.models.listed_price import listed_price
from tests.fakes.openai_server import completion
from tests.fakes.scripted import Answer
from tests.models.providers.asking import EXTRA, OPENING, TOOL, asked, each
from tests.models.providers.dialects import KEY, SIGNATURE, Anthropic, Asked, events

_GROQ = {
    "error": {
        "message": "Failed to call a function. Please adjust your prompt.",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": '<function=weather>{"city": "Oslo"',
    }
}


def _gemini(reason: str) -> Any:
    counts = {"promptTokenCount": 1100, "cachedContentTokenCount": 1000, "candidatesTokenCount": 50}
    counts |= {"thoughtsTokenCount": 400, "totalTokenCount": 1550}
    return {"candidates": [{"finishReason": reason, "index": 0}], "usageMetadata": counts}


# By hand: 100 tokens read at $2 a million, 1,000 of the cache at $0.20, 450 written at $12.
_BILL = 100 * 2e-6 + 1000 * 0.2e-6 + 450 * 12e-6


@EXTRA
@pytest.mark.parametrize(
    ("name", "reason", "answer"),
    [
        *(
            ("google", reason, _gemini(reason))
            for reason in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")
        ),
        (
            "bedrock",
            "malformed_tool_use",
            {
                "output": {"message": {"role": "assistant", "content": [{"text": "I"}]}},
                "stopReason": "malformed_tool_use",
                "usage": {"inputTokens": 1100, "outputTokens": 450, "totalTokens": 1550},
                "metrics": {"latencyMs": 1},
            },
        ),
    ],
)
def test_a_call_that_the_model_got_wrong_is_a_reply_without_one(connected, name, reason, answer):
    model, server = connected(name, retries=2)
    server.fails = (200, answer)
    reply = model.complete(asked(OPENING))
    assert (reply.finish_reason, reply.extra["stop_reason"], reply.tool_calls) == (
        "malformed_call",
        reason,
        [],
    )
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1100, 450)
    assert len(server.asked) == 1


@pytest.mark.parametrize("answer", [Answer(_GROQ, 400), events(_GROQ)], ids=["refused", "streamed"])
def test_a_call_that_groq_cannot_take_is_a_reply_without_one(connected, monkeypatch, answer):
    model, server = connected("groq", retries=2, price=Price(1.0, 2.0))
    monkeypatch.setattr(server, "next_answer", lambda request: server.asked.append(request) or answer)
    reply = model.complete(asked(OPENING))
    assert (reply.finish_reason, reply.extra, reply.tool_calls, reply.text) == (
        "malformed_call",
        {"stop_reason": "tool_use_failed"},
        [],
        "",
    )
    # Nobody counts its tokens.
    assert (reply.usage.unpriced, len(server.asked)) == (1, 1)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", each(["deepseek", "vllm"]))
def test_what_a_provider_breaks_off_is_counted_and_left_to_the_caller(connected, monkeypatch, name, stream):
    model, server = connected(name, stream=stream, retries=2, price=Price(1.0, 2.0))
    broken = Answer(completion("Sunny, if", finish_reason="insufficient_system_resource"))
    monkeypatch.setattr(server, "next_answer", lambda _: broken.streamed() if stream else broken)
    with pytest.raises(ModelError, match=r"broke the answer off: insufficient_system_resource$") as caught:
        model.complete(asked(OPENING))
    assert (caught.value.kind, caught.value.retryable) == ("transport", True)
    assert (caught.value.usage.calls, caught.value.usage.cost) == (1, pytest.approx(2e-5))


@pytest.mark.parametrize("name", each(["azure", "openai", "openai-responses"]))
@pytest.mark.parametrize("role", ["agent", "judge"])
def test_what_a_model_refuses_is_the_reply_of_an_agent_and_a_failure_of_others(connected, name, role):
    model, server = connected(name, stream=False, role=role)
    body = completion(None, message={"role": "assistant", "refusal": "No."})
    if name == "openai-responses":
        body = server.dialect.reply(Asked("", {}, {}), turn=1).body
        body["output"][0]["content"] = [{"type": "refusal", "refusal": "No."}]
    server.fails = (200, body)
    if role == "agent":
        reply = model.complete(asked(OPENING))
        assert (reply.text, reply.finish_reason, reply.usage.calls) == ("No.", "stop", 1)
        return
    with pytest.raises(ModelError, match=r"the model refused: No\.$") as caught:
        model.complete(asked(OPENING))
    assert (caught.value.retryable, caught.value.usage.calls) == (True, 1)


@pytest.mark.parametrize("name", each(["azure", "openai", "anthropic"]))
def test_what_a_filter_stops_is_a_failure_that_is_not_asked_again(connected, name):
    model, server = connected(name, stream=False, retries=2)
    body = completion("", finish_reason="content_filter")
    if name == "anthropic":
        # Its classifiers stop the model, and explain it.
        why = {"type": "refusal", "category": "cyber", "explanation": "Blocked."}
        said = server.dialect.reply(Asked("", {}, {}), turn=1).body
        body = {**said, "stop_reason": "refusal", "stop_details": why}
    server.fails = (200, body)
    with pytest.raises(ModelError, match=r"a content filter stopped the answer$") as caught:
        model.complete(asked(OPENING))
    assert (caught.value.retryable, caught.value.usage.calls, len(server.asked)) == (False, 1, 1)


@EXTRA
def test_a_task_bounds_what_is_said_beside_the_thoughts(connected):
    model, server = connected("anthropic", extra={"thinking": "low"}, drop=["temperature"])
    request = ChatRequest(OPENING, (TOOL,), sampling=Sampling(max_tokens=128))
    assert model.complete(request).tool_calls
    assert (server.asked[-1].body["max_tokens"], model.most(request).completion_tokens) == (2176, 2176)
    probe(model)
    assert server.refused == []
    with pytest.raises(
        ConfigError, match=r"max_tokens = 2048 .*thinking = 'low' .*set max_tokens above 2048"
    ):
        connected("anthropic", extra={"thinking": "low"}, max_tokens=2048)
    # One that sees to its thoughts by itself has no budget.
    model, _ = connected("anthropic", model="claude-sonnet-4-6", extra={"thinking": "low"}, max_tokens=100)
    assert model.most(asked(OPENING)).completion_tokens == 2048


@EXTRA
def test_what_the_cache_keeps_for_an_hour_has_a_price_of_its_own(connected, monkeypatch):
    monkeypatch.setattr(
        Anthropic,
        "usage",
        {
            "input_tokens": 100,
            "cache_read_input_tokens": 1000,
            "cache_creation_input_tokens": 200,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 200},
            "output_tokens": 50,
        },
    )
    price = listed_price("anthropic", "", "claude-sonnet-4-5")
    model, _ = connected("anthropic", price=price)
    # By hand: $3 a million read, twice that kept for an hour, a tenth of it from the cache, $15 written.
    bill = 100 * 3e-6 + 200 * 6e-6 + 1000 * 0.3e-6 + 50 * 15e-6
    assert model.complete(asked(OPENING)).usage.cost == pytest.approx(bill)


@EXTRA
@pytest.mark.parametrize(("budget", "exit_code"), [("5", 0), ("0.05", 1)])
def test_a_run_goes_on_after_a_wrong_call_and_pays_for_each(connected, tmp_path, budget, exit_code):
    """In a process of its own, whose terminal shows what the provider's library warns of."""
    _, server = connected("google")
    file = tmp_path / "models.toml"
    settings = f'provider = "google"\nmodel = "gemini-3-pro-preview"\nbase_url = "http://{server.host}"'
    file.write_text(f"[models.agent]\n{settings}\nmax_tokens = 1000")
    call, wrong = _gemini("STOP"), _gemini("MALFORMED_FUNCTION_CALL")
    parts = [{"functionCall": {"name": "weather", "args": {}}, "thoughtSignature": SIGNATURE}]
    call["candidates"][0]["content"] = {"role": "model", "parts": parts}
    server.next_answer = lambda request: (
        server.asked.append(request) or events(call if len(server.asked) % 2 else wrong)
    )
    command = [
        sys.executable,
        "-m",
        "stb_env",
        "run",
        "stb/Sandbox-v1",
        "--agent",
        "chat",
        "--models",
        str(file),
    ]
    command += ["--episodes", "1", "--budget", budget, "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "GOOGLE_API_KEY": KEY})
    assert done.returncode == exit_code, done.stdout + done.stderr
    assert "non-text parts" not in done.stderr
    # The first request was that before the run; probes are not counted.
    played = [request for request in server.asked[1:] if PROBE not in json.dumps(request.body)]
    bill = len(played) * _BILL
    assert bill < float(budget)
    if exit_code:
        return
    episode = json.loads((tmp_path / "run" / "trajectories.jsonl").read_text())
    assert (episode["valid"], episode["reward"]) == (True, 0.0)
    assert "(MALFORMED_FUNCTION_CALL), and nothing in it was carried out" in json.dumps(episode["messages"])
    assert episode["usage"]["cost"] == pytest.approx(bill)
