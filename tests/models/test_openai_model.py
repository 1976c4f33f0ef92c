"""Answers and failures of the client, over HTTP, in threads and on the event loop."""

from __future__ import annotations

import gzip
import pickle
import zlib
from dataclasses import replace

import pytest

from stb_env.errors import ConfigError
from stb_env.models import ChatRequest, ModelConfig, ModelError, OpenAIModel, Price, Sampling, Usage, connect
from tests.fakes.openai_server import Answer, OpenAIServer, completion, error

QUESTION = ChatRequest.of("Is it?")

RETRIED = [
    pytest.param(error("slow down", 429), "rate_limit", "HTTP 429: slow down", id="429"),
    pytest.param(error("oops", 500), "transport", "HTTP 500: oops", id="500"),
    pytest.param(
        Answer("<html>bad gateway</html>", 502), "transport", "HTTP 502: <html>bad", id="502 as HTML"
    ),
    pytest.param(error("full", 503), "transport", "HTTP 503: full", id="503"),
    pytest.param(error("late", 504), "timeout", "HTTP 504: late", id="504"),
    pytest.param(error("late", 408), "timeout", "HTTP 408: late", id="408"),
    pytest.param(error("clash", 409), "transport", "HTTP 409: clash", id="409"),
    pytest.param(error("early", 425), "transport", "HTTP 425: early", id="425"),
    pytest.param(Answer(dropped=True), "transport", "the connection failed", id="connection dropped"),
    pytest.param(Answer(completion(), cut=40), "transport", "the connection failed", id="cut half-way"),
    pytest.param(Answer(completion(), cut=0), "transport", "the connection failed", id="cut after headers"),
    pytest.param(
        Answer({"error": {"message": "x" * 99}}, 500, cut=9),
        "transport",
        "the connection failed",
        id="cut error",
    ),
    pytest.param(
        Answer(completion(), headers={"Content-Encoding": "gzip"}),
        "transport",
        "the connection failed: .*Error -3 while",
        id="not compressed as it says",
    ),
    pytest.param(
        Answer('{"choices": [{"mes'), "transport", r"no complete JSON text \(18", id="truncated JSON"
    ),
    pytest.param(Answer(""), "transport", "no complete JSON text", id="empty body"),
    pytest.param(Answer("[" * 10_000), "transport", "no complete JSON text", id="nested too deep"),
    pytest.param(Answer({"choices": []}), "transport", "it has no choices", id="no choices"),
    pytest.param(
        Answer({"error": {"message": "sad"}}), "transport", "the answer is an error: sad", id="error as 200"
    ),
    pytest.param(
        Answer({"error": {"message": "wait", "code": 429}}), "rate_limit", "an error: wait", id="429 as 200"
    ),
    pytest.param(
        Answer({"error": {"message": "wait", "type": "rate_limit_error", "code": None}}),
        "rate_limit",
        "an error: wait",
        id="rate limit as 200",
    ),
    pytest.param(
        Answer({"error": "Too many requests"}), "rate_limit", "an error: Too many", id="429 in words as 200"
    ),
    pytest.param(Answer({"error": {"message": "late", "code": "504"}}), "timeout", "late", id="504 as 200"),
    pytest.param(
        Answer({"object": "error", "message": "full", "code": 503}), "transport", "full", id="503 as 200"
    ),
    pytest.param(Answer([1]), "transport", "list instead of an object", id="no object"),
    pytest.param(Answer({"choices": [{}]}), "transport", "its message is NoneType", id="no message"),
]

FINAL = [
    pytest.param(error("no", 400), "internal", "HTTP 400: no; .*check the model's settings", id="400"),
    pytest.param(error("who", 401), "internal", "HTTP 401: who; .*check the variable", id="401"),
    pytest.param(error("no", 403), "internal", "HTTP 403: no; .*check its rights", id="403"),
    pytest.param(error("what", 404), "internal", "HTTP 404: what; .*check model and base_url", id="404"),
    pytest.param(error("hm", 422), "internal", "HTTP 422: hm; the server does not accept", id="422"),
    pytest.param(
        error("pay first", 429, code="insufficient_quota"),
        "rate_limit",
        "pay first; .*no quota left",
        id="quota",
    ),
    pytest.param(
        Answer({"error": {"message": "no", "type": "invalid_request_error", "code": None}}),
        "internal",
        "the answer is an error: no; the server does not accept the request; check the model's settings",
        id="400 as 200",
    ),
    pytest.param(
        Answer({"error": {"message": "who", "type": "invalid_request_error", "code": "invalid_api_key"}}),
        "internal",
        "the answer is an error: who; the server does not accept the key",
        id="401 as 200",
    ),
    pytest.param(
        Answer({"error": {"message": "pay first", "code": "insufficient_quota"}}),
        "rate_limit",
        "the answer is an error: pay first; the account has no quota left",
        id="quota as 200",
    ),
]

# The wordings of OpenAI, vLLM, llama.cpp, TGI, SGLang and Anthropic.
TOO_LONG = [
    error("too long", 400, code="context_length_exceeded"),
    Answer({"object": "error", "message": "maximum context length is 4096 tokens", "code": 400}, 400),
    Answer({"error": {"code": 400, "message": "too big", "type": "exceed_context_size_error"}}, 400),
    error("the request exceeds the available context size", 500),
    Answer({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 9"}, 422),
    error("The input (99 tokens) is longer than the model's context length (9 tokens).", 400),
    error("prompt is too long: 9 tokens", 413),
    Answer({"error": {"message": "too long", "code": "context_length_exceeded"}}),
    Answer(
        {"error": {"message": "maximum context length is 9 tokens", "type": "BadRequestError", "code": 400}}
    ),
    Answer({"error": "the request exceeds the available context size"}),
]


def _bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACKED = [
    pytest.param("gzip", gzip.compress, id="gzip"),
    pytest.param("GZip", gzip.compress, id="gzip in other case"),
    pytest.param("deflate", zlib.compress, id="deflate"),
    pytest.param("deflate", _bare_deflate, id="bare deflate"),
    pytest.param("identity", bytes, id="identity"),
]

WAYS = [("lean", False), ("lean", True), ("openai", True)]


@pytest.fixture(params=WAYS, ids=["lean, whole", "lean, streamed", "openai, streamed"])
def way(request) -> tuple[str, bool]:
    """Both clients and both ways in which a server may send: each answer and failure is the same with any."""
    return request.param


@pytest.fixture
def client(way) -> str:
    return way[0]


@pytest.fixture(autouse=True)
def streams(way, server) -> bool:
    server.streams = way[1]
    return server.streams


@pytest.mark.parametrize(("answer", "kind", "message"), RETRIED)
def test_a_passing_fault_is_tried_again_and_the_answer_comes(
    server, connected, complete, answer, kind, message
):
    server.script(answer, Answer(completion("yes")))
    assert complete(connected(), QUESTION).text == "yes"
    assert len(server.requests) == 2


@pytest.mark.parametrize(("answer", "kind", "message"), RETRIED)
def test_a_lasting_fault_becomes_a_typed_failure(server, connected, complete, answer, kind, message):
    server.script(*[answer] * 3)
    with pytest.raises(ModelError, match=message) as caught:
        complete(connected(), QUESTION)
    assert (caught.value.kind, caught.value.stage, caught.value.retryable) == (kind, "agent", True)
    assert "(attempts: 3; deadline of 1800 s)" in str(caught.value)
    assert len(server.requests) == 3


@pytest.mark.parametrize(("answer", "kind", "message"), FINAL)
def test_a_fault_that_stays_is_not_tried_again(server, connected, complete, answer, kind, message):
    server.script(answer)
    with pytest.raises(ModelError, match=message) as caught:
        complete(connected(), QUESTION)
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == (kind, False, 1)


@pytest.mark.parametrize("answer", TOO_LONG)
def test_a_prompt_that_is_too_long_is_told_apart(server, connected, answer):
    server.script(answer)
    with pytest.raises(ModelError) as caught:
        connected().complete(QUESTION)
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("context", False, 1)


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_an_answer_is_read_however_it_is_compressed(server, connected, complete, encoding, pack):
    long = completion("yes", note="long " * 99_999)
    server.script(Answer(long, headers={"Content-Encoding": encoding}, pack=pack))
    assert complete(connected(), QUESTION).text == "yes"


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
def test_a_failure_is_told_however_it_is_compressed(server, connected, encoding, pack):
    server.script(replace(TOO_LONG[0], headers={"Content-Encoding": encoding}, pack=pack))
    with pytest.raises(ModelError, match="HTTP 400: too long") as caught:
        connected().complete(QUESTION)
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("context", False, 1)


@pytest.mark.heavy
@pytest.mark.parametrize("status", [200, 400])
def test_a_small_answer_that_holds_a_huge_one_is_given_up(monkeypatch, server, connected, status):
    monkeypatch.setattr("stb_env.models.transport.MAX_BODY", 2**20)
    headers = {"Content-Encoding": "gzip"}
    server.script(Answer(" " * 9_000_000, status, headers, pack=gzip.compress))
    with pytest.raises(ModelError, match="the answer is longer than 1 MiB") as caught:
        connected().complete(QUESTION)
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("transport", False, 1)


def test_a_server_that_is_not_there_is_a_transport_failure(connected, complete):
    model = connected(base_url="http://127.0.0.1:9/v1", retries=1)
    with pytest.raises(
        ModelError, match=r"at http://127.0.0.1:9/v1: the connection failed: ConnectError"
    ) as caught:
        complete(model, QUESTION)
    assert caught.value.kind == "transport"


@pytest.mark.parametrize(
    "choice",
    [{"message": {"role": "assistant", "refusal": "I will not."}}, {"finish_reason": "content_filter"}],
    ids=["refusal", "content filter"],
)
def test_a_refusal_is_a_typed_failure_that_still_counts_its_tokens(server, connected, complete, choice):
    server.script(Answer(completion(None, **choice)), role="judge")
    with pytest.raises(
        ModelError, match=r"(the model refused: I will not|a content filter stopped)"
    ) as caught:
        complete(connected("judge", price=Price(1.0, 2.0)), QUESTION)
    # The same words meet the same filter; the model may say something else.
    assert caught.value.retryable == ("message" in choice)
    assert caught.value.usage == Usage(10, 5, 15, calls=1, cost=2e-5)
    assert len(server.requests) == 1


def test_the_request_carries_model_sampling_tools_and_extra(server, connected, complete):
    tool = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}
    request = ChatRequest(
        [{"role": "user", "content": "Hi"}],
        tools=[tool],
        tool_choice="required",
        sampling=Sampling(temperature=0.5, stop=("END",)),
        response_format={"type": "json_object"},
        index=2,
    )
    complete(connected(temperature=0.0, max_tokens=64, seed=7, extra={"return_token_ids": True}), request)
    assert server.requests[0].body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [tool],
        "tool_choice": "required",
        "response_format": {"type": "json_object"},
        "temperature": 0.5,
        "max_tokens": 64,
        "seed": 9,
        "stop": ["END"],
        "return_token_ids": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_reply_keeps_calls_usage_and_what_the_engine_gave(server, connected, complete):
    call = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "hm"}
    server.script(Answer(completion(message=message, finish_reason="tool_calls", token_ids=[1, 2])))
    reply = complete(connected(price=Price(1.0, 2.0)), QUESTION)
    assert reply.message == {"role": "assistant", "tool_calls": [call]}
    assert (reply.finish_reason, reply.model, reply.text) == ("tool_calls", "fake-model-1", "")
    assert reply.usage == Usage(10, 5, 15, calls=1, cost=2e-5)
    assert reply.extra == {"token_ids": [1, 2], "reasoning_content": "hm"}


def test_arguments_that_a_local_server_sends_as_an_object_become_text(server, connected):
    message = {"tool_calls": [{"function": {"name": "ping", "arguments": {"n": 1}}}]}
    server.script(Answer(completion(message=message)))
    function = {"name": "ping", "arguments": '{"n": 1}'}
    reply = connected().complete(QUESTION)
    assert reply.tool_calls == [{"id": "call_0", "type": "function", "function": function}]


def test_text_that_utf8_cannot_carry_is_sent_all_the_same(server, connected):
    connected().complete(ChatRequest.of("a\ud800b Zürich"))
    assert server.requests[0].body["messages"][0]["content"] == "a?b Zürich"


def test_a_local_server_needs_no_key(server):
    model = connect(
        ModelConfig("agent", "tiny", base_url=server.url()), env={"OPENAI_API_KEY": "sk-for-openai"}
    )
    assert model.complete(QUESTION).text == "ok"
    model.close()
    assert server.requests[0].headers["authorization"] == "Bearer EMPTY"


def test_openai_without_a_key_is_refused_when_connecting():
    with pytest.raises(
        ConfigError, match="the judge model needs a key: set OPENAI_API_KEY, or give base_url"
    ):
        connect(ModelConfig("judge", "tiny"), env={})


def test_each_role_talks_to_its_own_endpoint(server, connected):
    server.script(Answer(completion("from judge")), role="judge")
    assert connected("agent").complete(QUESTION).text == "ok"
    assert connected("judge").complete(QUESTION).text == "from judge"
    assert [request.path for request in server.requests] == [
        f"/{role}/v1/chat/completions" for role in ("agent", "judge")
    ]


def test_a_server_that_refuses_to_stream_is_asked_for_whole_answers(server, connected, complete):
    server.script(error("stream_options is not supported", 400))
    model = connected()
    assert [complete(model, QUESTION).text for _ in range(2)] == ["ok", "ok"]
    assert ["stream" in request.body for request in server.requests] == [True, False, False]


def test_a_stream_that_counts_no_tokens_is_the_last_one_of_its_endpoint(server, connected, streams):
    uncounted = completion() | {"usage": None}
    server.script(Answer(uncounted), Answer(completion()))
    model = connected()
    assert (model.complete(QUESTION).usage.total_tokens, model.complete(QUESTION).usage.total_tokens) == (
        0,
        15,
    )
    assert ["stream" in request.body for request in server.requests] == [True, not streams]


def test_an_error_in_the_place_of_an_answer_is_not_taken_for_a_server_that_cannot_stream(server, connected):
    server.script(Answer({"error": {"message": "wait", "code": 429}}))
    assert connected().complete(QUESTION).text == "ok"
    assert ["stream" in request.body for request in server.requests] == [True, True]


def test_streaming_can_be_switched_off(server, connected):
    connected(stream=False).complete(QUESTION)
    assert "stream" not in server.requests[0].body


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_server_is_refused_and_no_key_goes_there(server, connected, complete, status):
    with OpenAIServer().running() as other:
        server.script(Answer("", status, {"Location": f"{other.url()}/chat/completions"}))
        with pytest.raises(
            ModelError, match=rf"HTTP {status}: the server sends requests on to http://127"
        ) as caught:
            complete(connected(), QUESTION)
        assert other.requests == []
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("internal", False, 1)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_would_turn_the_question_into_another_one_says_what_to_set(
    server, connected, complete, status
):
    there = server.url("judge")
    server.script(Answer("", status, {"Location": f"{there}/chat/completions?token=secret#part"}))
    message = (
        rf"HTTP {status}: the server sends requests on to {there}, which is not followed; .* set base_url"
    )
    with pytest.raises(ModelError, match=message) as caught:
        complete(connected(), QUESTION)
    assert (caught.value.kind, caught.value.retryable, caught.value.status) == ("internal", False, status)
    assert "secret" not in str(caught.value)
    assert (len(server.requests), [path for path in server.asked if "chat" in path]) == (1, [])


@pytest.mark.parametrize(
    ("location", "said"),
    [
        (
            "https://me:secret@there.example/v2/chat/completions?key=secret",
            "on to https://there.example/v2, w",
        ),
        ("/sk-very-secret-0123456789/chat/completions", r"on to http://127\.0\.0\.1:\d+/\[key\], which"),
        ("http://[there", "on to what is no URL, which is not followed; check base_url"),
    ],
    ids=["user and query", "key in the path", "no URL"],
)
def test_where_a_redirect_leads_is_said_without_secrets(server, connected, location, said):
    server.script(Answer("", 301, {"Location": location}))
    with pytest.raises(ModelError, match=said) as caught:
        connected().complete(QUESTION)
    assert "secret" not in str(caught.value)


def test_a_redirect_on_the_same_server_is_followed(server, connected, complete):
    server.script(Answer("", 307, {"Location": "/judge/v1/chat/completions"}))
    assert complete(connected(), QUESTION).text == "ok"


def test_a_model_can_be_pickled_without_its_key(server, monkeypatch):
    monkeypatch.setenv("TEST_KEY", "sk-from-this-process")
    model = OpenAIModel(ModelConfig("agent", "tiny", base_url=server.url(), api_key_env="TEST_KEY"))
    pickled = pickle.dumps(model)
    copy = pickle.loads(pickled)
    assert copy.complete(QUESTION).text == "ok"
    copy.close()
    assert b"sk-from-this-process" not in pickled
    assert server.requests[0].headers["authorization"] == "Bearer sk-from-this-process"
