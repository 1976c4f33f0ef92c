"""Who may ask, how much and how often, and what an answer to everybody else looks like."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from fastapi.responses import StreamingResponse

from stb_env.errors import ConfigError
from stb_env.serve.app import create_app
from stb_env.serve.settings import Limits, ServeSettings
from tests.serve.asked import LOCAL, asked, fields

TOKEN = "a-token-that-nobody-can-guess"
BEARER = {"authorization": f"Bearer {TOKEN}"}


def app(**settings: Any) -> Any:
    return create_app(ServeSettings(**settings))


def kind(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["kind"]


def test_any_address_but_loopback_needs_a_token():
    message = "0.0.0.0 is not loopback, so a token is needed; give --token-env or --token-file, or listen on"
    with pytest.raises(ConfigError, match=message):
        ServeSettings(host="0.0.0.0")


def test_a_short_token_is_refused_and_not_repeated():
    with pytest.raises(ConfigError, match=r"^a token is at least 16 ASCII characters long$"):
        ServeSettings(token="hunter2")


def test_a_token_is_in_no_text_of_the_settings():
    assert TOKEN not in repr(ServeSettings(token=TOKEN))


@pytest.fixture(scope="module")
def guarded() -> Any:
    return app(token=TOKEN)


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": TOKEN}, {"authorization": f"Bearer {TOKEN}x"}, {"authorization": "Bearer "}],
)
@pytest.mark.parametrize("path", ["/virtual", "/metrics", "/sessions", "/mcp", "/openapi.json", "/nothing"])
def test_nobody_gets_in_without_the_token(guarded, headers, path):
    answer = asked(guarded, "POST", path, headers=headers, json=fields())
    assert kind(answer) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_who_shows_the_token_gets_in_by_either_header():
    served = app(token=TOKEN)
    for headers in (BEARER, {"authorization": f"bearer {TOKEN}"}, {"toolbench_key": TOKEN}):
        assert asked(served, "POST", "/virtual", headers=headers, json=fields()).status_code == 200


def test_health_needs_no_token():
    assert asked(app(token=TOKEN), "GET", "/health").status_code == 200


def test_a_foreign_page_may_not_ask_and_one_that_the_operator_named_may():
    headers = {"origin": "http://evil.example"}
    assert kind(asked(app(), "POST", "/virtual", headers=headers, json=fields())) == (403, "forbidden")
    served = app(cors=("http://evil.example",))
    answer = asked(served, "POST", "/virtual", headers=headers, json=fields())
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, headers["origin"])


def test_without_cors_no_header_lets_a_page_in():
    answer = asked(
        app(), "OPTIONS", "/virtual", headers={"origin": LOCAL, "access-control-request-method": "POST"}
    )
    assert "access-control-allow-origin" not in answer.headers


def test_without_a_token_a_name_that_a_site_could_point_here_is_refused():
    answer = asked(app(), "POST", "/virtual", url="http://rebound.example:8000", json=fields())
    assert kind(answer) == (403, "forbidden")


def test_a_body_beyond_the_limit_is_refused_whether_its_length_is_said_or_not():
    served = app(limits=Limits(body=1_000))
    assert kind(asked(served, "POST", "/virtual", content=b"x" * 1_001)) == (413, "too_large")

    async def parts():
        for _ in range(11):
            yield b"x" * 100

    assert asked(served, "POST", "/virtual", content=parts()).status_code == 413
    assert asked(served, "POST", "/virtual", json=fields()).status_code == 200


def test_one_client_that_asks_too_often_waits_and_the_others_do_not():
    served = app(limits=Limits(rate=0.001))
    answers = [
        asked(served, "GET", "/health", address=address) for address in ("10.0.0.1", "10.0.0.1", "10.0.0.2")
    ]
    assert [answer.status_code for answer in answers] == [200, 429, 200]
    assert kind(answers[1]) == (429, "rate_limit")
    assert int(answers[1].headers["retry-after"]) >= 999


def slow(served: Any) -> asyncio.Event:
    go = asyncio.Event()

    @served.post("/slow")
    async def wait() -> dict[str, str]:
        await go.wait()
        return {}

    return go


def test_a_request_that_takes_too_long_is_given_up_with_a_typed_error():
    served = app(limits=Limits(timeout=0.02))
    slow(served)
    assert kind(asked(served, "POST", "/slow")) == (504, "timeout")


def test_more_requests_at_once_than_the_limit_are_refused_until_one_is_done():
    served = app(limits=Limits(concurrency=2))

    async def crowd() -> list[int]:
        go = slow(served)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(served), base_url=LOCAL) as client:
            waiting = [asyncio.create_task(client.post("/slow")) for _ in range(2)]
            await asyncio.sleep(0)
            while served.gate.at_work < 2:
                await asyncio.sleep(0)
            refused = await client.post("/slow")
            go.set()
            done = [answer.status_code for answer in await asyncio.gather(*waiting)]
            return [refused.status_code, *done, (await client.post("/slow")).status_code]

    assert asyncio.run(crowd()) == [503, 200, 200, 200]


def test_what_fails_unexpectedly_is_a_typed_error_without_what_it_said(caplog):
    served = app()

    @served.get("/broken")
    async def broken() -> None:
        raise RuntimeError("sk-secret")

    answer = asked(served, "GET", "/broken")
    assert kind(answer) == (500, "internal")
    assert "sk-secret" not in answer.text


def test_a_path_that_there_is_not_is_a_typed_error():
    assert kind(asked(app(), "GET", "/nothing")) == (404, "not_found")


def test_the_figures_count_by_route_and_never_by_path():
    served = app()
    asked(served, "POST", "/virtual", json=fields())
    asked(served, "GET", "/secret-path")
    text = asked(served, "GET", "/metrics").text
    assert 'stb_requests_total{method="POST",route="/virtual",status="200"} 1.0' in text
    assert 'stb_requests_total{method="GET",route="other",status="404"} 1.0' in text
    assert 'stb_answers_total{source="simulator"} 1.0' in text
    assert "secret-path" not in text


def test_the_figures_name_what_is_mounted_and_nothing_of_the_path_behind_it():
    served = app(ids=("stb/Sandbox-v1",))
    for path in ("/openenv/nothing-secret", "/mcp/nothing-secret", "/mcpsecret"):
        asked(served, "GET", path)
    text = asked(served, "GET", "/metrics").text
    for route in ("/openenv", "/mcp", "other"):
        assert f'stb_requests_total{{method="GET",route="{route}",status="' in text
    assert "secret" not in text


def test_requests_at_work_are_counted_while_they_are():
    served = app()
    assert "stb_requests_in_flight 1.0" in asked(served, "GET", "/metrics").text


def test_an_answer_that_has_begun_may_take_longer_than_the_time_until_it_must():
    served = app(limits=Limits(timeout=0.02))

    @served.get("/stream")
    async def stream() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"begun"
            # Longer than any look after what is late.
            await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.1)
            yield b", done"

        return StreamingResponse(parts())

    assert asked(served, "GET", "/stream").text == "begun, done"


def test_the_log_has_a_line_for_every_request_and_no_token_key_or_body(caplog):
    served = app(token=TOKEN)
    body = fields(toolbench_key="sk-of-the-client", tool_input='{"word": "private"}')
    with caplog.at_level(logging.INFO, "stb_env.serve.requests"):
        asked(served, "POST", "/virtual?password=hunter2", headers=BEARER, json=body)
        served.gate.requests.flush()
    (line,) = caplog.messages
    assert '"route": "/virtual", "status": 200' in line
    assert not any(secret in line for secret in (TOKEN, "sk-of-the-client", "private", "hunter2"))
