"""When an episode gets ready: at once where it could play at once, else when nobody asks anything."""

from __future__ import annotations

import asyncio

from stb_env.runs.slot import Playing, Ready


async def asking(ready: Ready, times: int) -> None:
    for _ in range(times):
        ready.stir()
        await asyncio.sleep(0)


def test_who_could_play_at_once_gets_ready_at_once() -> None:
    async def run() -> None:
        playing = Playing(2)
        ready = Ready(2, playing)
        busy = asyncio.create_task(asking(ready, 10))
        await ready.enter()
        await ready.enter()
        assert not busy.done()
        busy.cancel()

    asyncio.run(run())


def test_who_would_only_stand_ready_waits_until_nobody_asks() -> None:
    async def run() -> None:
        playing = Playing(1)
        ready = Ready(2, playing)
        await playing.acquire()
        busy = asyncio.create_task(asking(ready, 10))
        await ready.enter()
        assert busy.done()

    asyncio.run(run())


def test_a_place_that_is_free_meanwhile_ends_the_wait() -> None:
    async def run() -> None:
        playing = Playing(1)
        ready = Ready(2, playing)
        await playing.acquire()
        busy = asyncio.create_task(asking(ready, 100))
        entering = asyncio.create_task(ready.enter())
        await asyncio.sleep(0)
        playing.release()
        await entering
        assert not busy.done()
        busy.cancel()

    asyncio.run(run())


def test_no_more_stand_ready_than_there_are_places() -> None:
    async def run() -> None:
        ready = Ready(1, Playing(1))
        await ready.enter()
        second = asyncio.create_task(ready.enter())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not second.done()
        ready.release()
        await second

    asyncio.run(run())
