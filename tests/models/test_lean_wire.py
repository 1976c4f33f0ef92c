"""The lean wire where HTTP itself is the subject: framing, kept connections, and who gets which wire."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import select
import socket
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest

from stb_env.errors import ConfigError
from stb_env.http.connection import IDLE, Pool
from stb_env.http.exchange import HTTPFailure
from stb_env.models import ChatRequest, ModelConfig, ModelError, OpenAIModel
from stb_env.models.wire_choice import account_headers, chosen
from tests.fakes.openai_server import OpenAIServer, completion
from tests.fakes.raw_server import CLOSE, RawServer

QUESTION = ChatRequest.of("Is it?")
BODY = json.dumps(completion("yes")).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n"


def _model(url: str, role: str = "agent", **settings) -> OpenAIModel:
    given = {"base_url": url, "client": "lean", "max_tokens": 9, "retries": 0, **settings}
    return OpenAIModel(ModelConfig(role, "tiny", **given), env={})


async def _asked(
    answers: list[list[bytes]], times: int = 1, client: str = "lean"
) -> tuple[list[str], RawServer]:
    async with RawServer(answers).running() as server:
        model = _model(server.url, client=client)
        texts = [(await model.acomplete(QUESTION)).text for _ in range(times)]
        await model.aclose()
    return texts, server


@pytest.mark.parametrize(
    "pieces",
    [
        [WHOLE],
        [WHOLE[i : i + 1] for i in range(len(WHOLE))],
        [CHUNKED],
        [CHUNKED[i : i + 7] for i in range(0, len(CHUNKED), 7)],
        [HEAD + b"\r\n" + BODY[:9], BODY[9:], CLOSE],
        [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + WHOLE],
    ],
    ids=["whole", "byte by byte", "chunked", "chunks in pieces", "until it closes", "after interim answers"],
)
def test_an_answer_is_read_however_it_is_framed(pieces):
    texts, _ = asyncio.run(_asked([pieces]))
    assert texts == ["yes"]


def test_a_compressed_stream_is_read_while_it_arrives_and_its_connection_kept():
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    events = [
        b'data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}\n\n',
        b'data: {"choices": [], "usage": {"prompt_tokens": 1}}\n\n',
        b"data: [DONE]\n\n",
    ]
    packed = [packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH) for event in events]
    head = HEAD.replace(b"application/json", b"text/event-stream") + b"Transfer-Encoding: chunked\r\n"
    body = b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in [*packed, packer.flush()]) + b"0\r\n\r\n"
    whole = head + b"Content-Encoding: gzip\r\n\r\n" + body
    texts, server = asyncio.run(_asked([[whole[i : i + 1] for i in range(len(whole))], [whole]], times=2))
    assert (texts, server.connections) == (["yes"] * 2, 1)


@pytest.mark.parametrize(
    ("status", "message", "kind", "retryable"),
    [
        (
            200,
            r"the answer is compressed as 'br', though none was asked for; set the server",
            "transport",
            False,
        ),
        (429, r"HTTP 429: the answer is compressed as 'br', though", "rate_limit", True),
        (401, r"HTTP 401: .*; the server does not accept the key", "internal", False),
    ],
)
def test_an_encoding_that_cannot_be_read_is_named(status, message, kind, retryable):
    head = b"HTTP/1.1 %d Hm\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\n" % status
    with pytest.raises(ModelError, match=message) as caught:
        asyncio.run(_asked([[head + b"\x8b\x00\x80"]]))
    assert (caught.value.kind, caught.value.retryable, caught.value.status) == (kind, retryable, status)


def _stream(*events: str, kind: bytes = b"text/event-stream") -> bytes:
    body = "".join(f"data: {event}\n\n" for event in events).encode()
    head = HEAD.replace(b"application/json", kind)
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("client", ["lean", "openai"])
@pytest.mark.parametrize("kind", [b"text/event-stream", b"Text/Event-Stream;charset=UTF-8"])
def test_a_stream_is_read_in_whatever_case_its_type_is_written(client, kind):
    event = '{"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}], "error": null}'
    texts, _ = asyncio.run(_asked([[_stream(event, "[DONE]", kind=kind)]], client=client))
    assert texts == ["yes"]


@pytest.mark.parametrize("client", ["lean", "openai"])
@pytest.mark.parametrize(
    "event",
    [
        '{"error": {"message": "slow", "code": 429}}',
        '{"error": {"message": "slow", "code": "429"}, "choices": [{"finish_reason": "error"}]}',
    ],
    ids=["alone", "with a last choice"],
)
def test_an_error_in_the_middle_of_a_stream_keeps_its_type(client, event):
    begun = '{"choices": [{"delta": {"content": "ye"}}]}'
    with pytest.raises(ModelError, match="the answer is an error: slow") as caught:
        asyncio.run(_asked([[_stream(begun, event, "[DONE]")]], client=client))
    assert (caught.value.kind, caught.value.retryable) == ("rate_limit", True)


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([b"SSH-2.0-OpenSSH_9.6\r\n"], "HttpParserError"),
        ([HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345"], "HttpParserError"),
        (
            [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"],
            "HttpParserUpgrade",
        ),
        ([HEAD, CLOSE], "the server closed the connection before the answer's end"),
        ([CHUNKED[:-8], CLOSE], "the server closed the connection before the answer's end"),
    ],
    ids=["no HTTP", "two lengths", "another protocol", "cut headers", "cut chunks"],
)
def test_an_answer_that_breaks_off_or_is_no_http_is_a_transport_failure(pieces, reason):
    with pytest.raises(ModelError, match=rf"the connection failed: .*{reason}") as caught:
        asyncio.run(_asked([pieces]))
    assert (caught.value.kind, caught.value.retryable) == ("transport", True)


@pytest.mark.parametrize("client", ["lean", "openai"])
def test_a_connection_is_kept_for_the_next_request(client):
    texts, server = asyncio.run(_asked([[WHOLE], [CHUNKED], [WHOLE]] * 9, times=27, client=client))
    assert (texts, server.connections) == (["yes"] * 27, 1)


@pytest.mark.parametrize("client", ["lean", "openai"])
def test_a_server_that_closes_after_each_answer_without_saying_so_is_asked_on_new_connections(client):
    texts, server = asyncio.run(_asked([[WHOLE, CLOSE]] * 9, times=9, client=client))
    assert (texts, server.connections) == (["yes"] * 9, 9)


@pytest.mark.parametrize(
    "first",
    [
        [WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)],
        # What nobody asked for might else be taken for the answer to the next question.
        [WHOLE + WHOLE.replace(b"yes", b"no!")],
        [HEAD + b"\r\n" + BODY, CLOSE],
    ],
    ids=["said to be closed", "with another answer behind", "without a length"],
)
def test_a_connection_that_cannot_be_trusted_is_not_used_again(first):
    texts, server = asyncio.run(_asked([first, [WHOLE]], times=2))
    assert (texts, server.connections) == (["yes"] * 2, 2)


def test_a_connection_that_lay_idle_for_long_is_not_used_again():
    async def scenario() -> tuple[bool, bool]:
        async with RawServer([[WHOLE], [WHOLE]]).running() as server:
            pool = Pool("127.0.0.1", server.port, secure=False)
            first = await pool.take(5)
            _ = [piece async for piece in (await first.ask(b"GET / HTTP/1.1\r\n\r\n")).pieces]
            pool.give_back(first)
            again = await pool.take(5)
            pool.give_back(again)
            again.idle_since -= IDLE
            other = await pool.take(5)
            pool.give_back(other)
            pool.close()
        return again is first, other is first

    assert asyncio.run(scenario()) == (True, False)


LOOPS = [asyncio.new_event_loop]
with suppress(ImportError):
    import uvloop

    LOOPS.append(uvloop.new_event_loop)


async def _asked_again_after(happens: Callable[[socket.socket], object]) -> bool:
    """Return whether a kept connection is taken again; what happens to it, the event loop has not seen."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        pool = Pool("127.0.0.1", listening.getsockname()[1], secure=False)
        first = await pool.take(5)
        peer, _ = listening.accept()
        with peer:
            peer.sendall(WHOLE)
            _ = [piece async for piece in (await first.ask(b"GET / HTTP/1.1\r\n\r\n")).pieces]
            pool.give_back(first)
            happens(peer)
            again = await pool.take(5)
            again.close()
    return again is first


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("polls", [True, False], ids=["poll", "select"])
@pytest.mark.parametrize(
    ("happens", "taken"),
    [
        (lambda peer: None, True),
        (lambda peer: peer.close(), False),
        (lambda peer: peer.shutdown(socket.SHUT_WR), False),
        (lambda peer: peer.sendall(WHOLE), False),
    ],
    ids=["nothing", "closed", "half closed", "unasked answer"],
)
def test_a_kept_connection_is_used_again_only_if_nothing_has_come_on_it(
    monkeypatch, loop, polls, happens, taken
):
    if not polls:
        monkeypatch.delattr(select, "poll", raising=False)
    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(_asked_again_after(happens)) == taken


def test_all_roles_of_an_endpoint_share_their_connections():
    async def scenario() -> int:
        async with RawServer([[WHOLE]] * 3).running() as server:
            models = [_model(server.url, role) for role in ("agent", "judge", "user")]
            for model in models:
                await model.acomplete(QUESTION)
            await models[0].aclose()
        return server.connections

    assert asyncio.run(scenario()) == 1


def test_as_many_requests_are_in_flight_at_once_as_the_limiter_lets_through():
    async def scenario() -> tuple[int, int]:
        async with RawServer([[WHOLE]] * 150).running() as server:
            model = _model(server.url, concurrency=150)
            replies = await asyncio.gather(*(model.acomplete(QUESTION) for _ in range(150)))
            await model.aclose()
        return sum(reply.text == "yes" for reply in replies), server.connections

    assert asyncio.run(scenario()) == (150, 150)


@pytest.mark.parametrize("sent", [[], [HEAD], [WHOLE[:-9]]], ids=["nothing", "headers", "half"])
def test_a_cancelled_request_closes_its_connection(sent):
    async def scenario() -> int:
        async with RawServer([sent]).running() as server:
            model = _model(server.url)
            task = asyncio.create_task(model.acomplete(QUESTION))
            while not server.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while not server.closed:
                await asyncio.sleep(0)
            return server.closed

    assert asyncio.run(scenario()) == 1


def test_redirects_in_a_circle_come_to_an_end():
    answer = b"HTTP/1.1 307 Moved\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\n\r\n"
    with pytest.raises(ModelError, match="the connection failed: the server redirects more than 10 times"):
        asyncio.run(_asked([[answer]] * 10))


def test_an_answer_beyond_the_limit_is_given_up_and_not_asked_for_again(monkeypatch):
    monkeypatch.setattr("stb_env.models.transport.MAX_BODY", 2**20)
    answer = HEAD + b"Content-Length: 9000000\r\n\r\n" + b" " * 2_000_000
    with pytest.raises(ModelError, match="the answer is longer than 1 MiB") as caught:
        asyncio.run(_asked([[answer]]))
    assert not caught.value.retryable


@pytest.mark.parametrize(("seconds", "failure"), [(5, TimeoutError), (60, HTTPFailure)])
def test_a_server_that_takes_no_connection_is_a_time_out_of_its_own_unless_the_caller_waits_less(
    monkeypatch, seconds, failure
):
    async def stuck(*args, **settings):
        raise TimeoutError

    async def scenario() -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", stuck, raising=False)
        await Pool("127.0.0.1", 9, secure=False).take(seconds)

    with pytest.raises(failure):
        asyncio.run(scenario())


async def _asked_twice(first: float, second: float, after: float) -> str:
    """Ask twice on one connection with these time-outs; the second answer comes so many seconds late."""
    waits = iter([0.0, after])
    ports = set()

    async def answer(reader, writer) -> None:
        ports.add(writer.get_extra_info("peername"))
        while await reader.readuntil(b"]"):
            asyncio.get_running_loop().call_later(next(waits), writer.write, WHOLE)

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        models = [_model(url, stream=False, timeout=seconds) for seconds in (first, second)]
        assert (await models[0].acomplete(QUESTION)).text == "yes"
        try:
            return (await models[1].acomplete(QUESTION)).text
        finally:
            assert len(ports) == 1
            await models[1].aclose()


def test_a_time_out_holds_on_a_connection_that_was_used_with_a_longer_one():
    with pytest.raises(ModelError, match=r"no answer within the time-out of 0\.05 s"):
        asyncio.run(_asked_twice(60, 0.05, after=30))


def test_a_time_out_of_an_earlier_question_cuts_off_no_later_one():
    assert asyncio.run(_asked_twice(0.05, 60, after=0.15)) == "yes"


def test_a_server_without_a_certificate_is_not_talked_to():
    async def scenario() -> bytes:
        greeting = asyncio.get_running_loop().create_future()

        async def answer(reader, writer) -> None:
            greeting.set_result(await reader.read(1_000))
            writer.write(WHOLE)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ModelError, match=r"the connection failed: ConnectError: \[SSL"):
            await _model(f"https://127.0.0.1:{port}/v1").acomplete(QUESTION)
        server.close()
        return await greeting

    assert b"POST" not in asyncio.run(scenario())


def _ask_again(model: OpenAIModel, texts) -> None:
    texts.put(model.complete(QUESTION).text)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system cannot fork")
def test_a_forked_process_asks_on_connections_of_its_own(server):
    model = _model(server.url())
    assert model.complete(QUESTION).text == "ok"
    forked = multiprocessing.get_context("fork")
    texts = forked.Queue()
    child = forked.Process(target=_ask_again, args=(model, texts))
    child.start()
    assert texts.get(timeout=30) == "ok"
    child.join()
    assert model.complete(QUESTION).text == "ok"
    model.close()


@pytest.mark.parametrize(
    ("settings", "env", "wire"),
    [
        ({"base_url": "http://127.0.0.1:8000/v1"}, {}, "lean"),
        ({"base_url": "http://me:secret@10.0.0.7/v1"}, {}, "lean"),
        ({}, {}, "lean"),
        ({}, {"OPENAI_ORG_ID": "org-1"}, "openai"),
        ({"base_url": "http://127.0.0.1:8000/v1"}, {"OPENAI_ORG_ID": "org-1"}, "lean"),
        ({"base_url": "https://mine.openai.azure.com/openai/v1"}, {}, "openai"),
        ({"base_url": "https://mine.openai.azure.com/openai/v1", "client": "lean"}, {}, "lean"),
        ({"base_url": "http://127.0.0.1:8000/v1", "client": "openai"}, {}, "openai"),
    ],
)
def test_plain_endpoints_get_the_lean_wire_and_others_httpx(monkeypatch, settings, env, wire):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    assert chosen(ModelConfig("agent", "tiny", **settings), env) == wire


@pytest.mark.heavy
def test_settings_of_an_account_become_headers_at_openais_own_endpoint_alone(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: a")
    headers = account_headers(ModelConfig("agent", "tiny"), "key")
    assert (headers["OpenAI-Organization"], headers["X-Team"]) == ("org-1", "a")
    assert account_headers(ModelConfig("agent", "tiny", base_url="http://127.0.0.1:8000/v1"), "key") == {}


def test_what_a_proxy_leads_to_goes_through_httpx(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    urls = ("http://there.example/v1", "http://127.0.0.1:8000/v1")
    assert [chosen(ModelConfig("agent", "tiny", base_url=url)) for url in urls] == ["openai", "lean"]


def test_a_proxy_sees_the_requests_that_it_is_configured_for(monkeypatch):
    with OpenAIServer().running() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url().removesuffix("/agent/v1"))
        monkeypatch.setenv("NO_PROXY", "")
        model = _model("http://there.example/agent/v1", client="auto", stream=False)
        assert model.complete(QUESTION).text == "ok"
        model.close()
    assert [request.path for request in proxy.requests] == ["http://there.example/agent/v1/chat/completions"]


def test_the_client_decides_no_answer_and_is_in_no_fingerprint():
    configs = [ModelConfig("agent", "tiny", client=client) for client in ("auto", "lean", "openai")]
    assert len({json.dumps(config.to_dict()) for config in configs}) == 1


def test_a_client_that_there_is_not_is_refused():
    message = "^client of the agent model must be one of auto, lean, openai, got 'httpx'$"
    with pytest.raises(ConfigError, match=message):
        ModelConfig("agent", "tiny", client="httpx")


@pytest.mark.heavy
def test_importing_the_models_does_not_import_the_client_library():
    heavy = ("openai", "httpx", "httpx2", "httptools", "orjson", "pydantic")
    code = f"import sys, stb_env.models; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


async def _flooded(first: bytes, again: bytes, **settings: float) -> str:
    """Return how a question fails that a server answers with what never ends, as fast as it is read."""

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        with suppress(ConnectionError):
            writer.write(first)
            while True:
                writer.write(again)
                await writer.drain()

    server = await asyncio.start_server(flood, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        model = _model(f"http://127.0.0.1:{port}/v1", **settings)
        with pytest.raises(ModelError) as caught:
            await asyncio.wait_for(model.acomplete(QUESTION), 20)
        await model.aclose()
    return str(caught.value)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("first", "again"),
    [
        (HEAD, b"X-More: 1\r\n"),
        (HEAD + b"X-Long: ", b"a" * 1_000),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    ],
    ids=["headers", "one header", "interim answers"],
)
def test_headers_that_never_end_are_given_up(first: bytes, again: bytes):
    assert "64 kB" in asyncio.run(_flooded(first, again))


def test_a_stream_that_never_stops_sending_ends_at_the_deadline():
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    said = asyncio.run(_flooded(head, b": still here\n\n", deadline=0.5))
    assert "deadline of 0.5 s" in said


@pytest.mark.parametrize(
    "extra", [{"api_key": "sk-1"}, {"headers": {"Authorization": "Bearer x"}}, {"access_token": "y"}]
)
def test_a_secret_does_not_stand_in_what_manifests_tell(extra):
    with pytest.raises(ConfigError, match="api_key_env"):
        ModelConfig("agent", "tiny", extra=extra)
    assert ModelConfig("agent", "tiny", extra={"max_completion_tokens": 5, "stop_token": 1}).extra
