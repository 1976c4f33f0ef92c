"""Bounds on answers, out of what a server tells of its context window."""

from __future__ import annotations

import pytest

from stb_env.models import ChatRequest, Sampling

QUESTION = ChatRequest.of("Is it?")
VLLM = {"/agent/v1/models": {"data": [{"id": "other"}, {"id": "tiny", "max_model_len": 4096}]}}
LLAMA = {
    "/agent/v1/models": {"data": [{"id": "file.gguf", "meta": {"n_ctx_train": 8192}}]},
    "/agent/props": {"default_generation_settings": {"n_ctx": 2048}},
}


@pytest.mark.parametrize(("told", "bound"), [(VLLM, 1024), (LLAMA, 512)], ids=["vLLM", "llama.cpp"])
def test_an_answer_gets_its_roles_share_of_the_window_that_the_server_tells(
    server, connected, complete, told, bound
):
    server.tells = told
    complete(connected(), QUESTION)
    assert server.requests[0].body["max_tokens"] == bound


def test_a_judge_gets_less_of_the_window_than_an_agent(server, connected):
    server.tells = {path.replace("agent", "judge"): told for path, told in VLLM.items()}
    connected("judge").complete(QUESTION)
    assert server.requests[0].body["max_tokens"] == 512


@pytest.mark.parametrize(
    "told", [{}, {"/agent/v1/models": "nonsense"}, {"/agent/v1/models": {"data": [{"id": "tiny"}]}}]
)
def test_an_answer_has_no_bound_where_the_server_tells_no_window(server, connected, complete, told):
    server.tells = told
    complete(connected(), QUESTION)
    assert "max_tokens" not in server.requests[0].body


def test_a_bound_that_is_given_holds_and_the_server_is_not_asked(server, connected):
    server.tells = VLLM
    connected(max_tokens=7).complete(QUESTION)
    connected().complete(ChatRequest.of("Is it?", sampling=Sampling(max_tokens=8)))
    connected(extra={"max_completion_tokens": 9}).complete(QUESTION)
    assert [request.body.get("max_tokens") for request in server.requests] == [7, 8, None]
    assert server.asked == []


def test_a_server_is_asked_once_for_all_its_models(server, connected):
    server.tells = VLLM
    models = [connected() for _ in range(3)]
    for model in models:
        model.complete(QUESTION)
        model.complete(QUESTION)
    assert server.asked == ["/agent/v1/models", "/agent/props"]
