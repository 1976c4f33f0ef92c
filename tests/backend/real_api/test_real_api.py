"""Real APIs behind a remote server: what is sent, what is tried again, what fails how."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stb_env.backend.faults import Faults
from stb_env.backend.real_api import RemoteServer
from stb_env.core.request import adrive, drive
from stb_env.errors import BackendError, ConfigError
from stb_env.models import Clock
from stb_env.tools import Tool, ToolId, ToolResult
from tests.fakes.api_server import APIServer, answered
from tests.fakes.openai_server import Answer

KEY = "tb-very-secret/0123456789"
FORECAST = Tool("forecast", "", {}, ToolId("Weather", "sky", "forecast"))
FILMS = Tool("films", "", {}, ToolId("Data", "films", "films"))


class Time:
    """A clock on which waiting is free and noted."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    async def asleep(self, seconds: float) -> None:
        self.sleep(seconds)

    @property
    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.now, wall=lambda: 0.0, sleep=self.sleep, asleep=self.asleep)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def server(server: APIServer, monkeypatch: pytest.MonkeyPatch) -> APIServer:
    monkeypatch.setenv("SERVER_KEY", KEY)
    return server


@pytest.fixture
def connected(server, time) -> Iterator[Callable[..., RemoteServer]]:
    apis = []

    def build(**settings: Any) -> RemoteServer:
        apis.append(RemoteServer(server.url(), **{"key_name": "server_key", "clock": time.clock, **settings}))
        return apis[-1]

    yield build
    for api in apis:
        api.close()


@pytest.fixture(params=["threads", "event loop"])
def ask(request) -> Callable[..., ToolResult]:
    """Both ways to ask, so that each test of an answer or a failure runs with either."""

    async def on_loop(api: RemoteServer, tool: Tool, arguments: Any) -> ToolResult:
        try:
            return await adrive(api.request(tool, arguments))
        finally:
            await api.aclose()

    def ask(api: RemoteServer, arguments: Any = None, tool: Tool = FORECAST) -> ToolResult:
        arguments = {"city": "Oslo"} if arguments is None else arguments
        if request.param == "threads":
            return drive(api.request(tool, arguments))
        return asyncio.run(on_loop(api, tool, arguments))

    return ask


def test_a_call_is_sent_with_the_six_fields_and_the_key(server, connected, ask):
    result = ask(connected(), {"city": "Zürich", "n": 1})
    assert (result.text, result.source) == ('{"error": "", "response": "ok"}', "real")
    (request,) = server.requests
    assert request.method == "POST"
    assert request.body == {
        "category": "Weather",
        "tool_name": "sky",
        "api_name": "forecast",
        "tool_input": {"city": "Zürich", "n": 1},
        "strip": "",
        "server_key": KEY,
    }
    assert request.headers["server_key"] == KEY
    assert request.headers["accept"] == request.headers["content-type"] == "application/json"


def test_a_server_that_takes_no_key_is_sent_the_call_alone(server, connected, ask):
    ask(connected(key_name=""))
    (request,) = server.requests
    assert sorted(request.body) == ["api_name", "category", "strip", "tool_input", "tool_name"]
    assert KEY not in str(request)


def test_the_key_may_stand_in_a_variable_of_another_name(server, connected, ask, monkeypatch):
    monkeypatch.setenv("MY_KEY", "a-key-of-mine")
    ask(connected(key_env="MY_KEY"))
    assert server.requests[0].body["server_key"] == "a-key-of-mine"


def test_no_cookie_goes_from_one_call_to_the_next(server, connected):
    server.script(answered("first", headers={"Set-Cookie": "visitor=1; Path=/"}))
    api = connected()
    for n in range(2):
        drive(api.request(FORECAST, {"n": n}))
    assert not any("cookie" in request.headers for request in server.requests)


def test_an_application_error_is_an_answer(server, connected, ask):
    server.script(answered("", error="no such city"))
    assert ask(connected()).error == "no such city"


def test_an_answer_that_says_the_api_does_not_work_is_a_failure_and_not_tried_again(server, connected, ask):
    server.script(answered("You are not subscribed to this API."))
    with pytest.raises(
        BackendError, match=r"failed on forecast of sky: the answer was not accepted"
    ) as caught:
        ask(connected())
    assert (caught.value.kind, caught.value.stage, caught.value.retryable) == ("internal", "real", False)
    assert len(server.requests) == 1


def test_the_taxonomy_decides_what_is_accepted(server, connected, ask):
    server.script(answered("zip 40310"), answered("zip 40310"))
    assert ask(connected()).response == "zip 40310"
    with pytest.raises(BackendError, match="was not accepted"):
        ask(connected(taxonomy="paper"))


def test_an_answer_of_another_shape_is_a_failure(server, connected, ask):
    server.script(Answer([1, 2]))
    with pytest.raises(BackendError, match=r"no object of error and response: \[1, 2\]"):
        ask(connected())


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("broken", "kind", "status", "said"),
    [
        (Answer({"detail": "busy"}, 500), "transport", 500, r'HTTP 500: \{"detail": "busy"\}'),
        (Answer("", 503), "transport", 503, "HTTP 503 "),
        (Answer("", 504), "timeout", 504, "HTTP 504 "),
        (Answer("slow down", 429), "rate_limit", 429, "HTTP 429: slow down"),
        (Answer('{"error": "", "resp'), "transport", 200, "HTTP 200 with a body that is no JSON"),
        (Answer({"error": "", "response": "x" * 99}, cut=20), "transport", None, "the connection failed"),
        (Answer(dropped=True), "transport", None, "the connection failed"),
    ],
)
def test_what_may_pass_is_tried_again_and_then_fails_with_its_kind(
    server, connected, ask, time, broken, kind, status, said
):
    server.script(*[broken] * 3)
    with pytest.raises(BackendError, match=rf"{said}.*\(attempts: 3; deadline of 60 s\)$") as caught:
        ask(connected())
    failure = caught.value
    assert (failure.kind, failure.stage, failure.status_code) == (kind, "real", status)
    assert failure.retryable
    assert len(server.requests) == 3
    first, second = time.pauses
    assert 0.25 <= first <= 0.5 <= second <= 1


def test_an_attempt_that_succeeds_ends_the_retries(server, connected, ask):
    server.script(Answer("", 500), Answer(dropped=True), answered("sunny"))
    assert ask(connected()).response == "sunny"


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 422])
def test_what_cannot_pass_is_not_tried_again(server, connected, ask, status):
    server.script(Answer("no", status, headers={"Location": "http://127.0.0.1:9/"}))
    with pytest.raises(BackendError, match=f"HTTP {status}: no$") as caught:
        ask(connected())
    assert (caught.value.kind, caught.value.status_code) == ("internal", status)
    assert len(server.requests) == 1


def test_a_server_that_asks_to_wait_is_waited_for(server, connected, ask, time):
    server.script(Answer("", 429, headers={"Retry-After": "7"}))
    ask(connected())
    assert time.pauses == [7.0]


def test_a_wait_beyond_the_deadline_is_not_begun(server, connected, ask, time):
    server.script(Answer("", 429, headers={"Retry-After": "59"}))
    with pytest.raises(BackendError, match=r"\(attempts: 1; deadline of 50 s\)") as caught:
        ask(connected(deadline=50.0))
    assert caught.value.kind == "rate_limit"
    assert time.pauses == []


def test_a_stuck_server_fails_by_the_timeout_and_names_both_bounds(server, connected, ask):
    server.script(Answer(hold=server.hold()))
    message = r"no answer within the time-out of 0\.1 s \(attempts: 1; deadline of 9 s\)$"
    with pytest.raises(BackendError, match=message) as caught:
        ask(connected(timeout=0.1, deadline=9.0, retries=0, clock=Clock()))
    assert (caught.value.kind, caught.value.stage) == ("timeout", "real")


def test_a_server_that_drips_cannot_outlast_the_timeout(server, connected, ask):
    stop = server.hold()
    server.script(Answer(drip=lambda: not stop.wait(0.01)))
    with pytest.raises(BackendError, match=r"no answer within the time-out of 0\.2 s"):
        ask(connected(timeout=0.2, retries=0, clock=Clock()))


def test_an_unreachable_server_is_a_transport_failure(server, ask, time):
    api = RemoteServer("http://127.0.0.1:1/rapidapi", retries=1, clock=time.clock)
    with pytest.raises(
        BackendError, match=r"127\.0\.0\.1:1/rapidapi failed on .*the connection failed"
    ) as caught:
        ask(api)
    assert caught.value.kind == "transport"


def test_no_more_requests_are_in_flight_than_allowed(server, connected):
    async def burst() -> list[ToolResult]:
        api = connected(concurrency=3)
        tools = (FORECAST, FILMS)
        calls = [adrive(api.request(tools[n % 2], {"n": n})) for n in range(40)]
        try:
            return await asyncio.gather(*calls)
        finally:
            await api.aclose()

    assert [result.response for result in asyncio.run(burst())] == ["ok"] * 40
    assert server.peak <= 3


def test_no_more_threads_send_at_once_than_allowed(server, connected):
    api = connected(concurrency=2)
    threads = [threading.Thread(target=drive, args=(api.request(FILMS, {"n": n}),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.requests) == 8
    assert server.peak <= 2


def stuck_on_forecast(hold: threading.Event) -> Callable[[Any], Answer]:
    return lambda seen: Answer(hold=hold) if seen.body["api_name"] == "forecast" else answered("fine")


def test_calls_of_a_stuck_tool_leave_room_for_another_tool(server, connected):
    hold = server.hold()
    server.default = stuck_on_forecast(hold)

    async def play() -> str:
        api = connected(concurrency=3, clock=Clock())
        stuck = [asyncio.create_task(adrive(api.request(FORECAST, {"n": n}))) for n in range(9)]
        try:
            async with asyncio.timeout(10):
                answer = await adrive(api.request(FILMS, {}))
            assert not any(task.done() for task in stuck)
            return answer.response
        finally:
            hold.set()
            await asyncio.gather(*stuck, return_exceptions=True)
            await api.aclose()

    assert asyncio.run(play()) == "fine"


@pytest.mark.parametrize("echo", [KEY, KEY.replace("/", "\\/"), KEY.replace("/", "%2F")])
def test_no_failure_shows_the_key(server, connected, ask, echo, caplog):
    caplog.set_level(logging.DEBUG)
    server.script(Answer('{"error": "bad key ' + echo + '"}', 401))
    api = connected()
    with pytest.raises(BackendError) as caught:
        ask(api)
    shown = [str(caught.value), repr(api), repr(vars(api)), str(api.fingerprint), caplog.text]
    assert "bad key [key]" in shown[0]
    assert not any(KEY in text or echo in text for text in shown)
    assert caught.value.__context__ is None or "httpx" not in type(caught.value.__context__).__module__


def test_an_answer_that_repeats_the_key_is_masked(server, connected, ask):
    server.script(lambda seen: answered(f"hello {seen.headers['server_key']}"))
    assert ask(connected()).response == "hello [key]"


def test_a_copy_in_another_process_reads_the_key_anew(server, connected, ask, monkeypatch):
    data = pickle.dumps(RemoteServer(server.url(), "server_key"))
    assert KEY.encode() not in data
    monkeypatch.setenv("SERVER_KEY", "another-key")
    ask(pickle.loads(data))
    assert server.requests[0].body["server_key"] == "another-key"


def test_a_password_in_the_url_is_sent_as_a_header_and_shown_nowhere(server, ask):
    api = RemoteServer(f"http://me:pass-word@{server.host}/rapidapi")
    ask(api)
    assert server.requests[0].headers["authorization"].startswith("Basic ")
    assert "pass-word" not in repr(api) + str(api.fingerprint)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "ftp://x"}, r"^the URL of the remote server must be a URL such as http://"),
        ({"url": "http://"}, r"^the URL of the remote server names no valid host"),
        ({"url": "http://x/?key=1"}, r"^the URL of the remote server must end before any '\?'$"),
        (
            {"key_name": "key", "key_env": "sk-secret"},
            r"^key_env of the remote server must be the name of an environment",
        ),
        ({"key_name": "sk secret"}, r"^key_name of the remote server must be the name of a header$"),
        (
            {"key_env": "KEY"},
            r"^the remote server gets a key with key_name: the name under which it is sent$",
        ),
        ({"timeout": 0}, r"^timeout of the remote server must be a number of at least 0.001, got 0$"),
        ({"deadline": float("nan")}, r"^deadline of the remote server must be a number of at least 0.001"),
        ({"retries": -1}, r"^retries of the remote server must be a number of at least 0, got -1$"),
        ({"concurrency": 0}, r"^concurrency of the remote server must be a number of at least 1, got 0$"),
        ({"taxonomy": "papr"}, r"^no taxonomy 'papr'; expected one of .* Did you mean 'paper'\?$"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        RemoteServer(**{"url": "http://127.0.0.1:1/rapidapi", **settings})


# -- injected faults -------------------------------------------------------------------------------


def test_an_injected_status_costs_an_attempt_and_sends_nothing(server, connected, ask, time):
    api = connected().with_faults(Faults(errors={"429": 1.0}))
    with pytest.raises(BackendError, match=r"HTTP 429: an injected fault \(attempts: 3;") as caught:
        ask(api)
    assert caught.value.kind == "rate_limit"
    assert (len(server.requests), len(time.pauses)) == (0, 2)


@pytest.mark.heavy
def test_retries_get_past_faults_that_do_not_strike_every_attempt(server, connected, ask):
    api = connected(retries=6).with_faults(Faults(errors={"500": 0.5}))
    assert [ask(api, {"n": n}).response for n in range(20)] == ["ok"] * 20
    assert len(server.requests) == 20


def test_an_injected_truncation_loses_half_of_the_answer(server, connected, ask):
    api = connected().with_faults(Faults(errors={"truncated": 1.0}))
    with pytest.raises(BackendError, match="HTTP 200 with a body that is no JSON"):
        ask(api)
    assert len(server.requests) == 3


def test_an_injected_delay_within_the_timeout_only_delays(server, connected, ask, time):
    api = connected().with_faults(Faults(errors={"delay": 1.0}, delay_s=9.0))
    assert ask(api).response == "ok"
    assert time.pauses == [9.0]


def test_an_injected_delay_beyond_the_timeout_is_a_timeout(server, connected, ask, time):
    api = connected(retries=0).with_faults(Faults(errors={"delay": 1.0}, delay_s=99.0))
    with pytest.raises(BackendError, match="no answer within the time-out of 15 s") as caught:
        ask(api)
    assert caught.value.kind == "timeout"
    assert (time.pauses, server.requests) == ([15.0], [])


def test_the_same_calls_meet_the_same_faults_in_any_order(server, connected):
    api = connected(retries=0).with_faults(Faults(errors={"500": 0.4}, seed=3))

    def failed(numbers: Any) -> set[int]:
        struck = set()
        for n in numbers:
            try:
                drive(api.request(FORECAST, {"n": n}))
            except BackendError:
                struck.add(n)
        return struck

    forwards = failed(range(40))
    assert forwards == failed(reversed(range(40)))
    assert 5 < len(forwards) < 30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_opens_its_own_connections(server, connected):
    api = connected()
    drive(api.request(FORECAST, {}))
    child = os.fork()
    if child == 0:
        os._exit(0 if drive(api.request(FORECAST, {})).response == "ok" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert drive(api.request(FORECAST, {"n": 2})).response == "ok"
