"""Slow work as a value, and its two drivers."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import Any

import pytest

from stb_env.core.background import AwaitedCancelledError, wait_for
from stb_env.core.request import Request, Slow, adrive, drive, settled
from stb_env.errors import BackendError


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


async def later() -> int:
    await asyncio.sleep(0)
    return 7


def slowly() -> Slow[int]:
    return (yield Request(run=lambda: 7))


@pytest.mark.parametrize("make", [lambda: 7, later, slowly, lambda: later(), lambda: slowly()])
def test_a_value_something_to_await_and_a_generator_settle_alike(make):
    assert drive(settled(make())) == asyncio.run(adrive(settled(make()))) == 7


def test_a_coroutine_settles_where_a_loop_already_runs():
    async def blocking() -> int:
        return drive(settled(later()))

    assert asyncio.run(blocking()) == 7


def test_blocking_code_on_the_background_loop_may_wait_too():
    async def blocking() -> int:
        return drive(settled(later()))

    assert wait_for(blocking()) == 7


def test_what_is_bound_to_a_loop_can_be_used_again():
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    assert wait_for(loop()) == wait_for(loop())


def test_context_variables_reach_what_is_awaited():
    variable: ContextVar[str] = ContextVar("variable", default="unset")
    variable.set("set")

    async def read() -> str:
        return variable.get()

    assert drive(settled(read())) == "set"


async def afails() -> None:
    raise ZeroDivisionError("division by zero")


def fails() -> None:
    raise ZeroDivisionError("division by zero")


@pytest.mark.parametrize("request_", [Request(run=fails), Request(run=fails, arun=afails)])
def test_every_error_is_raised_where_the_request_was_made(request_: Request):
    def careful() -> Slow[str]:
        try:
            yield request_
        except ZeroDivisionError as error:
            return str(error)
        return "no error"

    assert drive(careful()) == asyncio.run(adrive(careful())) == "division by zero"


def test_an_error_of_what_is_awaited_reaches_the_caller():
    with pytest.raises(ZeroDivisionError, match=r"^division by zero$"):
        drive(settled(afails()))


def test_a_forked_process_has_a_loop_of_its_own():
    assert wait_for(later()) == 7
    code = (
        "import asyncio, os\n"
        "from stb_env.core.background import wait_for\n"
        "wait_for(asyncio.sleep(0))\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(wait_for(asyncio.sleep(0, 3)))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "3\n", done.stderr


async def _waits_for_what_was_cancelled() -> None:
    task = asyncio.create_task(asyncio.Event().wait())
    task.cancel()
    await task


async def _leaves() -> None:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("ends", "error"), [(_waits_for_what_was_cancelled, AwaitedCancelledError), (_leaves, SystemExit)]
)
@pytest.mark.parametrize("nested", [False, True])
def test_what_ends_a_wait_reaches_who_waits_and_leaves_the_loop_running(
    ends: Callable[[], Coroutine[Any, Any, None]], error: type[BaseException], nested: bool
) -> None:
    async def on_the_loop() -> None:
        wait_for(ends())

    with pytest.raises(error):
        wait_for(on_the_loop() if nested else ends())
    assert wait_for(asyncio.sleep(0, "runs")) == "runs"
