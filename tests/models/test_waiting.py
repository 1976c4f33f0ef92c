"""Pauses, deadlines and the limit on requests in flight."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.http.retry import LONGEST_PAUSE, LONGEST_RETRY_AFTER, pause, retry_after
from stb_env.models import ChatRequest, Clock, ModelError
from tests.fakes.openai_server import Answer, completion, error

QUESTION = ChatRequest.of("Is it?")
EPOCH = "Thu, 01 Jan 1970 00:00:"


@pytest.fixture(params=["lean", "openai"])
def client(request) -> str:
    """Both clients, so that each answer and each failure is the same with either."""
    return request.param


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("2.5", 2.5), (EPOCH + "50 GMT", 20.0), ("86400", LONGEST_RETRY_AFTER)],
    ids=["seconds", "fraction", "date", "capped"],
)
def test_the_pause_that_a_server_asks_for_is_kept(server, connected, complete, pauses, header, seconds):
    server.script(error("slow down", 429, retry_after=header))
    assert complete(connected(clock=pauses.clock(wall=lambda: 30.0)), QUESTION).text == "ok"
    assert pauses.taken == [seconds]


@pytest.mark.parametrize("header", ["soon", "nan", "-5", "0", "inf", EPOCH + "10 GMT", "Xyz, 99 Foo 2000"])
def test_a_senseless_retry_after_falls_back_to_the_usual_pause(server, connected, pauses, header):
    server.script(error("slow down", 429, retry_after=header))
    connected(clock=pauses.clock(wall=lambda: 30.0)).complete(QUESTION)
    assert 0 < pauses.taken[0] <= 0.5


def test_pauses_grow_and_are_the_same_in_every_run(server, connected, pauses):
    for _ in range(2):
        server.script(*[error("oops", 500)] * 4)
        connected(retries=4).complete(QUESTION)
    first, second = pauses.taken[:4], pauses.taken[4:]
    assert first == second
    assert all(low <= seconds <= 2 * low for low, seconds in zip((0.25, 0.5, 1, 2), first, strict=True))


@given(st.integers(0, 1000), st.integers(0, 2**63))
def test_no_pause_is_longer_than_the_longest(attempt, seed):
    assert 0 < pause(attempt, seed) <= LONGEST_PAUSE


@given(st.text(), st.floats(0, 1e10))
def test_any_retry_after_text_gives_seconds_within_bounds_or_none(text, now):
    seconds = retry_after({"retry-after": text}, now)
    assert seconds is None or 0 <= seconds <= LONGEST_RETRY_AFTER


def test_a_pause_past_the_deadline_is_not_begun(server, connected, complete, pauses):
    server.script(error("slow down", 429, retry_after="30"))
    place = r"agent model 'tiny' at http://127.0.0.1:\d+/agent/v1"
    message = rf"^{place}: HTTP 429: slow down \(attempts: 1; deadline of 20 s\)$"
    with pytest.raises(ModelError, match=message) as caught:
        complete(connected(deadline=20), QUESTION)
    assert (caught.value.kind, caught.value.retry_after, pauses.taken) == ("rate_limit", 30.0, [])


def test_the_deadline_counts_over_all_attempts(server, connected, complete, pauses):
    server.script(*[error("oops", 500)] * 9)
    # Each look at the clock finds two seconds gone.
    clock = pauses.clock(monotonic=count(0, 2).__next__)
    with pytest.raises(ModelError, match="deadline of 30 s"):
        complete(connected(retries=99, deadline=30, clock=clock), QUESTION)
    assert 1 < len(server.requests) < 9


def test_a_stuck_endpoint_is_given_up_with_its_time_out_named(server, connected, complete):
    server.script(*[Answer(hold=threading.Event())] * 2)
    message = r"no answer within the time-out of 0\.1 s \(attempts: 2; deadline of 1800 s\)"
    with pytest.raises(ModelError, match=message) as caught:
        complete(connected(timeout=0.1, retries=1), QUESTION)
    assert (caught.value.kind, caught.value.stage, caught.value.retryable) == ("timeout", "agent", True)


def test_the_deadline_is_named_where_it_comes_before_the_time_out(server, connected, complete):
    server.script(Answer(hold=threading.Event()))
    with pytest.raises(ModelError, match=r"no answer within the deadline of 0\.1 s") as caught:
        complete(connected(timeout=60, deadline=0.1), QUESTION)
    assert caught.value.kind == "timeout"


def test_an_endpoint_that_drips_bytes_cannot_outlast_the_time_out(server, connected, complete):
    pace = threading.Event()
    # A blank every hundredth of a second keeps every single read short of the time-out.
    server.script(Answer(completion(), drip=lambda: not pace.wait(0.01)))
    with pytest.raises(ModelError, match=r"no answer within the time-out of 0\.2 s"):
        complete(connected(timeout=0.2, retries=0), QUESTION)
    pace.set()


def test_a_stuck_endpoint_blocks_no_other_in_threads(server, connected):
    stuck = threading.Event()
    server.script(Answer(completion("at last"), hold=stuck), role="judge")
    judge, agent = connected("judge"), connected("agent")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(judge.complete, QUESTION)
        assert agent.complete(QUESTION).text == "ok"
        assert not waiting.done()
        stuck.set()
        assert waiting.result().text == "at last"


def test_a_stuck_endpoint_blocks_no_other_on_the_event_loop(server, connected):
    stuck = threading.Event()
    server.script(Answer(completion("at last"), hold=stuck), role="judge")
    judge, agent = connected("judge"), connected("agent")

    async def both() -> tuple[str, bool, str]:
        waiting = asyncio.create_task(judge.acomplete(QUESTION))
        quick = await agent.acomplete(QUESTION)
        pending = not waiting.done()
        stuck.set()
        slow = await waiting
        await judge.aclose()
        await agent.aclose()
        return quick.text, pending, slow.text

    assert asyncio.run(both()) == ("ok", True, "at last")


def _in_pairs(server, requests: int) -> None:
    # Two requests must meet before either is answered, so a limit below two would fail.
    pair = threading.Barrier(2)

    def answer(received) -> Answer:
        pair.wait(timeout=10)
        return Answer(completion())

    server.script(*[answer] * requests)


def test_no_more_requests_than_the_limit_are_in_flight_from_threads(server, connected):
    _in_pairs(server, 6)
    model = connected(concurrency=2)
    with ThreadPoolExecutor(6) as pool:
        assert [reply.text for reply in pool.map(model.complete, [QUESTION] * 6)] == ["ok"] * 6
    assert server.peak == 2


def test_no_more_requests_than_the_limit_are_in_flight_from_the_event_loop(server, connected):
    _in_pairs(server, 6)
    model = connected(concurrency=2)

    async def all_at_once() -> list[str]:
        replies = await asyncio.gather(*(model.acomplete(QUESTION) for _ in range(6)))
        await model.aclose()
        return [reply.text for reply in replies]

    assert asyncio.run(all_at_once()) == ["ok"] * 6
    assert server.peak == 2


@pytest.mark.heavy
def test_all_models_of_an_endpoint_share_one_limit_from_threads_and_event_loops_together(server, connected):
    _in_pairs(server, 16)
    roles = [connected("agent", concurrency=2) for _ in range(8)]

    async def on_a_loop() -> list[str]:
        replies = await asyncio.gather(*(model.acomplete(QUESTION) for model in roles))
        await asyncio.gather(*(model.aclose() for model in roles))
        return [reply.text for reply in replies]

    with ThreadPoolExecutor(9) as pool:
        looped = pool.submit(asyncio.run, on_a_loop())
        assert [model.text for model in pool.map(lambda one: one.complete(QUESTION), roles)] == ["ok"] * 8
        assert looped.result() == ["ok"] * 8
    assert server.peak == 2


def test_every_request_waits_while_the_endpoint_has_nothing_left_to_give(server, connected, complete, pauses):
    left = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1.5s"}
    server.script(Answer(completion(), headers=left))
    first, second = connected(), connected()
    complete(first, QUESTION)
    assert pauses.taken == []
    complete(second, QUESTION)
    assert pauses.taken == [pytest.approx(1.5, abs=0.5)]


def test_a_rate_limit_beyond_the_deadline_is_a_typed_failure_without_a_request(server, connected, complete):
    server.script(Answer(completion(), headers={"retry-after": "30"}))
    complete(connected(), QUESTION)
    with pytest.raises(
        ModelError, match=r"rate limit asks to wait for .* s, beyond the deadline of 20 s"
    ) as caught:
        complete(connected(deadline=20, retries=0), QUESTION)
    assert (caught.value.kind, caught.value.retryable, len(server.requests)) == ("rate_limit", True, 1)


def test_a_stream_that_stops_is_given_up_by_the_time_out_between_its_pieces(server, connected, complete):
    server.streams = True
    server.script(Answer(completion("a long answer"), stall=threading.Event()))
    message = r"no answer within the time-out between pieces of 0\.2 s"
    with pytest.raises(ModelError, match=message) as caught:
        complete(connected(timeout=30, chunk_timeout=0.2, retries=0), QUESTION)
    assert caught.value.kind == "timeout"


def test_a_slow_stream_outlasts_the_time_out_for_its_first_piece(server, connected, complete):
    server.streams = True
    pace = threading.Event()
    server.script(Answer(completion("x" * 30), pace=lambda: pace.wait(0.04)))
    assert complete(connected(timeout=0.8, chunk_timeout=0.8), QUESTION).text == "x" * 30


def test_waiting_for_a_free_connection_ends_with_the_deadline(server, connected, complete):
    arrived = threading.Event()

    def get_stuck(received) -> Answer:
        arrived.set()
        return Answer(completion(), hold=stuck)

    # While the first request pauses, a second one takes the only connection and keeps it.
    def sleep(seconds: float) -> None:
        pool.submit(model.complete, QUESTION)
        assert arrived.wait(10)

    async def asleep(seconds: float) -> None:
        tasks.append(asyncio.create_task(model.acomplete(QUESTION)))
        while not arrived.is_set():
            await asyncio.sleep(0)

    tasks: list[asyncio.Task] = []
    stuck = threading.Event()
    server.script(error("oops", 500), get_stuck)
    model = connected(concurrency=1, deadline=1.5, max_tokens=5, clock=Clock(sleep=sleep, asleep=asleep))
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(
            ModelError, match=r"none of the 1 connections became free within the deadline of 1\.5 s"
        ):
            complete(model, QUESTION)
        stuck.set()


def test_a_cancelled_request_gives_its_connection_back(server, connected):
    stuck = threading.Event()
    server.script(Answer(completion(), hold=stuck))
    model = connected(concurrency=1)

    async def cancel_then_ask() -> str:
        task = asyncio.create_task(model.acomplete(QUESTION))
        while not server.requests:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        reply = await model.acomplete(QUESTION)
        await model.aclose()
        return reply.text

    assert asyncio.run(cancel_then_ask()) == "ok"
