"""Slow work as a value, and its two drivers."""

from __future__ import annotations

import asyncio
import threading

import pytest

from stb_env.errors import BackendError
from stb_env.request import Request, Slow, adrive, drive


def twice(request: Request) -> Slow[list[object]]:
    first = yield request
    second = yield request
    return [first, second]


def rescued(request: Request) -> Slow[str]:
    try:
        yield request
    except BackendError as error:
        return f"rescued: {error}"
    return "no error"


def fail() -> None:
    raise BackendError("gone", kind="transport")


async def afail() -> None:
    fail()


def test_both_drivers_return_what_the_generator_returns():
    request = Request(run=lambda: 7)
    assert drive(twice(request)) == asyncio.run(adrive(twice(request))) == [7, 7]


def test_an_infrastructure_error_reaches_the_generator():
    assert drive(rescued(Request(run=fail))) == "rescued: gone"
    assert asyncio.run(adrive(rescued(Request(run=fail, arun=afail)))) == "rescued: gone"


def test_an_error_that_nobody_rescues_reaches_the_caller():
    with pytest.raises(BackendError, match=r"^gone$"):
        drive(twice(Request(run=fail)))


def test_a_blocking_request_leaves_the_event_loop_free():
    threads: list[int] = []
    asyncio.run(adrive(twice(Request(run=lambda: threads.append(threading.get_ident())))))
    assert threading.get_ident() not in threads


def test_work_that_needs_nothing_slow_starts_no_thread():
    def quick() -> Slow[str]:
        yield from ()
        return "done"

    before = threading.active_count()
    assert drive(quick()) == "done"
    assert threading.active_count() == before
