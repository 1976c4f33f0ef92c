"""How long a request waits for its turn."""

from __future__ import annotations

import asyncio

import pytest

from stb_env.backend.real_api.slots import Slots
from stb_env.errors import BackendError
from stb_env.llm import Clock
from stb_env.llm.retry import Deadline


@pytest.mark.parametrize("tool", ["forecast", "films"])
def test_waiting_for_a_slot_ends_at_the_deadline(tool):
    slots, soon, later = Slots(1), Deadline(0.05, Clock(), "deadline"), Deadline(60, Clock(), "deadline")
    message = r"none of the 1 connections became free within the deadline of 0\.05 s"
    with slots.held("forecast", later), pytest.raises(BackendError, match=message), slots.held(tool, soon):
        pytest.fail("two in one slot")

    async def on_loop() -> None:
        async with slots.aheld("forecast", later):
            with pytest.raises(BackendError, match=message):
                async with slots.aheld(tool, soon):
                    pytest.fail("two in one slot")

    asyncio.run(on_loop())
