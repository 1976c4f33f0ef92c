"""Ctrl-C that waits, passes, and is not lost on its way."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Iterator

import pytest

from stb_env.core.background import wait_for
from stb_env.core.interrupts import REMINDER_S, held, passing


class Interrupting:
    """Interrupts while it is deleted, where Python drops what the handler raises."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Have Ctrl-C raise, and note what Python drops."""
    dropped: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield dropped
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_python_drops_ends_the_wait_all_the_same(a_terminal: list[object]):
    with held(), passing():
        Interrupting()
        assert len(a_terminal) == 1
        with pytest.raises(KeyboardInterrupt):
            wait_for(asyncio.sleep(60))


def test_an_interrupt_that_python_drops_is_raised_by_the_next_block_that_lets_it_through():
    with held():
        with passing():
            Interrupting()
        with pytest.raises(KeyboardInterrupt), passing():
            raise AssertionError("the interrupt came too late")
        with passing():
            wait_for(asyncio.sleep(0))


def test_a_handler_that_does_not_raise_is_called_once():
    calls: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: calls.append(number))
    with held(), passing():
        signal.raise_signal(signal.SIGINT)
        wait_for(asyncio.sleep(2 * REMINDER_S))
    assert calls == [signal.SIGINT]


def test_where_only_another_interrupt_passes_the_first_one_waits_on():
    with held():
        signal.raise_signal(signal.SIGINT)
        with passing(again=True):
            wait_for(asyncio.sleep(2 * REMINDER_S))
        with pytest.raises(KeyboardInterrupt), passing(again=True):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt), passing():
            raise AssertionError("the interrupt came too late")
