"""Several pieces of slow work at once: what has to wait, waits together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from stb_env.core.background import wait_for
from stb_env.core.request import Request, Slow, adrive, resumed

T = TypeVar("T")


def together(slows: Sequence[Slow[T]]) -> Slow[list[T]]:
    """Run generators to their ends, and return what they return, in order.

    Each is run as far as it gets without waiting; only what then remains goes to an event loop, where the
    requests of all overlap. Where none has to wait, there is no loop and no thread.

    Args:
        slows: The generators, none of them started.

    Raises:
        Exception: What the first of those that failed raised, once all that wait have ended.

    Examples:
        >>> from stb_env.core.request import drive
        >>> def ask(answer):
        ...     return (yield Request(run=lambda: answer, arun=partial(asyncio.sleep, 0.001, answer)))
        >>> drive(together([ask("a"), ask("b")]))
        ['a', 'b']
    """
    results: dict[int, T] = {}
    waiting: dict[int, Slow[T]] = {}
    for index, slow in enumerate(slows):
        try:
            request = next(slow)
        except StopIteration as stop:
            results[index] = stop.value
        else:
            waiting[index] = resumed(slow, request)
    if len(waiting) == 1:
        ((index, only),) = waiting.items()
        results[index] = yield from only
    elif waiting:
        rest = partial(_gathered, list(waiting.values()))
        answers = yield Request(run=lambda: wait_for(rest()), arun=rest)
        results.update(zip(waiting, answers, strict=True))
    return [results[index] for index in range(len(slows))]


async def _gathered(slows: Sequence[Slow[T]]) -> list[T]:
    ended = await asyncio.gather(*map(adrive, slows), return_exceptions=True)
    answers: list[T] = []
    for answer in ended:
        if isinstance(answer, BaseException):
            raise answer
        answers.append(answer)
    return answers
