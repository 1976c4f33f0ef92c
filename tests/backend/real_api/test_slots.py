"""How long a request waits for its turn."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from stb_env.backend.real_api.slots import Slots
from stb_env.errors import BackendError
from stb_env.http.retry import Deadline
from stb_env.models import Clock


@pytest.mark.parametrize("tool", ["forecast", "films"])
def test_waiting_for_a_slot_ends_at_the_deadline(tool):
    slots, soon, later = Slots(1), Deadline(0.05, Clock(), "deadline"), Deadline(60, Clock(), "deadline")
    message = r"none of the 1 connections became free within the deadline of 0\.05 s"

    async def on_loop() -> None:
        async with slots.held("forecast", later):
            with pytest.raises(BackendError, match=message):
                async with slots.held(tool, soon):
                    pytest.fail("two in one slot")

    asyncio.run(on_loop())


@pytest.mark.parametrize("total", [2, 3])
def test_one_tool_alone_leaves_the_last_slot_to_the_others(total):
    slots, soon, later = Slots(total), Deadline(0.05, Clock(), "deadline"), Deadline(60, Clock(), "deadline")
    message = rf"none of the {total} connections became free within the deadline of 0\.05 s"

    async def on_loop() -> None:
        async with AsyncExitStack() as held:
            for _ in range(total - 1):
                await held.enter_async_context(slots.held("forecast", later))
            with pytest.raises(BackendError, match=message):
                await held.enter_async_context(slots.held("forecast", soon))
            await held.enter_async_context(slots.held("films", later))

    asyncio.run(on_loop())
