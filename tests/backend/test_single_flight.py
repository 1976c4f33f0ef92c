"""Equal calls at the same time: one is asked, the others wait, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend import single_flight
from stb_env.backend.cache import CallKey, Hit, ResponseCache
from stb_env.backend.epochs import Episode
from stb_env.backend.faults import UNAVAILABLE
from stb_env.backend.single_flight import Flight
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import Request, Slow, adrive, drive
from stb_env.errors import InfrastructureError, SimulatorError
from stb_env.runs import Deadlines
from stb_env.runs.deadlines import Watch
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult

FORECAST = Tool("forecast", "Weather.", {"type": "object"}, ToolId("Weather", "sky", "forecast"))
CALL = ToolCall("forecast", {"city": "Oslo"})
BRIEF = 0.01
LONG = 30

Answered = tuple[ToolResult, Any]


class Simulator:
    """Answers as its script says for the first, second ... call, and at once beyond it."""

    fingerprint = property(lambda self: {"model": "tiny"})

    def __init__(self, *script: Callable[[], Any]) -> None:
        self.script, self.asked = script, 0

    def simulate(self, tool: Tool, arguments: Any, *, key: str, examples: Any = ()) -> Slow[ToolResult]:
        self.asked += 1
        number = self.asked
        response: Any = f"answer {number}"
        if number <= len(self.script):
            said = yield Request(run=partial(on_a_loop_only, number), arun=self.script[number - 1])
            response = response if said is None else said
        return ToolResult.of(response, source="simulator")


def on_a_loop_only(number: int) -> None:
    raise AssertionError(f"call {number} was to be awaited")


def recording(simulator: Any, cache: ResponseCache | None = None) -> VirtualBackend:
    return VirtualBackend(
        ResponseCache() if cache is None else cache, mode="record", live_simulator=simulator
    )


def answer(backend: VirtualBackend) -> Slow[Answered]:
    return backend.answer(backend.start(None, 0), FORECAST, CALL)


def said(*answers: Any) -> list[tuple[Any, str, str]]:
    return [(result.response, result.source, result.origin) for result, _ in answers]


FIRST = ("answer 1", "simulator", "")
SECOND = ("answer 2", "simulator", "")
FOUND = ("answer 1", "cache", "simulator")
FOUND_SECOND = ("answer 2", "cache", "simulator")


def together(backend: VirtualBackend, count: int, then: Callable[[], Any] = lambda: None) -> list[Any]:
    """Return what so many episodes on one loop are answered; all have asked before something happens."""

    async def happens() -> None:
        then()

    async def play() -> list[Any]:
        asking = (adrive(answer(backend)) for _ in range(count))
        return (await asyncio.gather(*asking, happens(), return_exceptions=True))[:count]

    return asyncio.run(asyncio.wait_for(play(), LONG))


class Meeting(ResponseCache):
    """A cache in which all threads look before any of them knows what it found."""

    def __init__(self, threads: int, folder: Path | None = None) -> None:
        super().__init__(folder)
        self._barrier, self._looked = threading.Barrier(threads), threading.local()

    def get(self, call: CallKey) -> Hit | None:
        hit = super().get(call)
        if not hasattr(self._looked, "before"):
            self._looked.before = True
            self._barrier.wait(LONG)
        return hit


def in_threads(backends: list[VirtualBackend]) -> list[Answered]:
    with ThreadPoolExecutor(len(backends)) as pool:
        return list(pool.map(lambda backend: drive(answer(backend)), backends))


# -- one is asked ----------------------------------------------------------------------------------


def test_of_threads_that_ask_the_same_one_asks_and_the_others_find_its_answer():
    simulator = Simulator()
    answers = in_threads([recording(simulator, Meeting(4))] * 4)
    assert simulator.asked == 1
    assert sorted(said(*answers)) == [FOUND, FOUND, FOUND, FIRST]


def test_environments_with_a_cache_of_their_own_in_one_new_folder_wait_for_each_other(tmp_path: Path):
    met, simulator = Meeting(3), Simulator()

    class Shared(ResponseCache):
        def get(self, call: CallKey) -> Hit | None:
            met.get(call)
            return super().get(call)

    caches = [Shared(tmp_path / "cache") for _ in range(3)]
    answers = in_threads([recording(simulator, cache) for cache in caches])
    for cache in caches:
        cache.close()
    assert (simulator.asked, sorted(said(*answers))) == (1, [FOUND, FOUND, FIRST])


def test_of_episodes_on_a_loop_that_ask_the_same_one_asks():
    go = asyncio.Event()
    simulator = Simulator(partial(opened, go))
    answers = together(recording(simulator), 4, go.set)
    assert (simulator.asked, said(*answers)) == (1, [FIRST, FOUND, FOUND, FOUND])
    assert [state for _, state in answers[1:]] == [Episode()] * 3


async def opened(go: asyncio.Event) -> None:
    await go.wait()


def test_a_thread_waits_for_a_loop_and_a_loop_for_a_thread():
    looked, asking, go = threading.Event(), threading.Event(), threading.Event()

    class Watched(ResponseCache):
        def get(self, call: CallKey) -> Hit | None:
            hit = super().get(call)
            looked.set()
            return hit

    class Blocking(Simulator):
        def simulate(self, *args: Any, **further: Any) -> Slow[ToolResult]:
            self.asked += 1
            asking.set()
            yield Request(run=partial(go.wait, LONG))
            return ToolResult.of(f"answer {self.asked}", source="simulator")

    async def play(leading: Callable[[], Any], following: Callable[[], Any]) -> list[Any]:
        first = asyncio.ensure_future(leading())
        assert await asyncio.to_thread(asking.wait, LONG)
        looked.clear()
        second = asyncio.ensure_future(following())
        assert await asyncio.to_thread(looked.wait, LONG)
        go.set()
        return [await first, await second]

    for threads in ((0, 1), (1, 0), (1, 1)):
        asking.clear()
        go.clear()
        simulator = Blocking()
        backend = recording(simulator, Watched())
        ways = (lambda b=backend: adrive(answer(b)), lambda b=backend: asyncio.to_thread(drive, answer(b)))
        answers = asyncio.run(play(*(ways[thread] for thread in threads)))
        assert (simulator.asked, said(*answers)) == (1, [FIRST, FOUND])


def test_live_episodes_share_nothing():
    async def play() -> list[Any]:
        both = asyncio.Barrier(2)
        backend = VirtualBackend(mode="live", live_simulator=Simulator(both.wait, both.wait))
        return await asyncio.gather(*(adrive(answer(backend)) for _ in range(2)))

    assert [source for _, source, _ in said(*asyncio.run(asyncio.wait_for(play(), LONG)))] == [
        "simulator"
    ] * 2


# -- who leads brings nothing ----------------------------------------------------------------------


async def failing(go: asyncio.Event) -> None:
    await go.wait()
    raise SimulatorError("no usable output")


async def later() -> None:
    await _turn()
    await _turn()


async def failing_later() -> None:
    await later()
    raise SimulatorError("no usable output")


async def refusing(go: asyncio.Event) -> str:
    await go.wait()
    return UNAVAILABLE


async def meeting(both: asyncio.Barrier) -> None:
    await both.wait()


def test_where_the_first_one_fails_the_next_one_asks_and_the_others_wait_for_it():
    go = asyncio.Event()
    simulator = Simulator(partial(failing, go), later)
    failed, *answers = together(recording(simulator), 4, go.set)
    assert isinstance(failed, SimulatorError)
    assert (simulator.asked, said(*answers)) == (2, [SECOND, FOUND_SECOND, FOUND_SECOND])


def test_where_it_fails_again_those_who_are_left_ask_at_the_same_time():
    go, both = asyncio.Event(), asyncio.Barrier(2)
    meets = partial(meeting, both)
    simulator = Simulator(partial(failing, go), failing_later, meets, meets)
    *failed, _, _ = sorted(together(recording(simulator), 4, go.set), key=lambda one: isinstance(one, tuple))
    assert [type(one) for one in failed] == [SimulatorError] * 2
    assert simulator.asked == 4


def test_where_the_answer_is_none_to_keep_the_others_ask_at_the_same_time():
    go, both = asyncio.Event(), asyncio.Barrier(2)
    simulator = Simulator(partial(refusing, go), *[partial(meeting, both)] * 2)
    answers = together(recording(simulator), 3, go.set)
    assert simulator.asked == 3
    assert said(answers[0]) == [(UNAVAILABLE, "simulator", "")]


def test_where_the_first_one_is_cancelled_the_next_one_asks_and_the_others_wait_for_it():
    async def play() -> list[Any]:
        backend = recording(simulator)
        leading, *others = (asyncio.ensure_future(adrive(answer(backend))) for _ in range(4))
        await asyncio.gather(*(_happens() for _ in range(2)))
        leading.cancel()
        # Who keeps the task keeps its traceback.
        return await asyncio.gather(leading, *others, return_exceptions=True)

    simulator = Simulator(asyncio.Event().wait, later)
    cancelled, *answers = asyncio.run(asyncio.wait_for(play(), LONG))
    assert isinstance(cancelled, asyncio.CancelledError)
    assert (simulator.asked, sorted(said(*answers))) == (2, [FOUND_SECOND, FOUND_SECOND, SECOND])


async def _happens() -> None:
    pass


def led(backend: VirtualBackend) -> Slow[Answered]:
    """Return a generator that leads and is asking."""
    slow = answer(backend)
    drive(_once(next(slow)))
    slow.send(None)
    return slow


def _once(request: Request) -> Slow[Any]:
    return (yield request)


def test_where_the_first_one_is_closed_in_the_middle_the_next_one_asks():
    async def play() -> Any:
        leading = led(backend)
        following = asyncio.ensure_future(adrive(answer(backend)))
        await _turn()
        leading.close()
        return await following

    backend = recording(Simulator(_happens))
    assert said(asyncio.run(asyncio.wait_for(play(), LONG))) == [SECOND]


async def _turn() -> None:
    turn = asyncio.Event()
    asyncio.get_running_loop().call_soon(turn.set)
    await turn.wait()


def test_where_an_interrupt_ends_the_first_one_the_next_one_asks_though_its_traceback_is_kept():
    class Interrupted(Simulator):
        def simulate(self, *args: Any, **further: Any) -> Slow[ToolResult]:
            self.asked += 1
            yield Request(run=interrupt if self.asked == 1 else lambda: None)
            return ToolResult.of(f"answer {self.asked}", source="simulator")

    def interrupt() -> None:
        raise KeyboardInterrupt

    backend = recording(Interrupted())
    with pytest.raises(KeyboardInterrupt) as kept:
        drive(answer(backend))
    assert said(drive(answer(backend))) == [SECOND]
    del kept


def test_where_the_deadline_of_an_episode_ends_the_first_one_the_next_one_asks():
    async def play() -> list[Any]:
        watched = Watch(Deadlines(episode=BRIEF)).keep(answer(backend))
        return await asyncio.gather(adrive(watched), adrive(answer(backend)), return_exceptions=True)

    backend = recording(Simulator(asyncio.Event().wait))
    failed, found = asyncio.run(asyncio.wait_for(play(), LONG))
    assert isinstance(failed, InfrastructureError)
    assert (failed.stage, said(found)) == ("episode", [SECOND])


# -- nobody waits for ever -------------------------------------------------------------------------


def test_who_waits_for_its_place_does_not_lead_those_who_hold_it():
    async def play() -> list[Any]:
        free = asyncio.Event()
        outside = asyncio.ensure_future(adrive(answer(backend), lambda request: opened(free)))
        await _turn()
        inside = await adrive(answer(backend))
        free.set()
        return [inside, await outside]

    backend = recording(Simulator())
    assert said(*asyncio.run(asyncio.wait_for(play(), LONG))) == [FIRST, FOUND]


def test_a_call_that_blocks_a_loop_waits_for_nobody():
    async def play() -> list[Any]:
        go = asyncio.Event()
        simulator.script = (partial(opened, go),)
        leading = asyncio.ensure_future(adrive(answer(backend)))
        await _turn()
        blocking = drive(answer(backend))
        go.set()
        return [blocking, await leading]

    simulator = Simulator()
    backend = recording(simulator)
    blocking, leading = said(*asyncio.run(play()))
    assert (simulator.asked, blocking, leading) == (2, SECOND, FOUND_SECOND)


def test_the_deadline_of_a_call_ends_the_wait_and_not_the_episode():
    async def play() -> list[Any]:
        go = asyncio.Event()
        backend = recording(Simulator(partial(opened, go)))
        leading = asyncio.ensure_future(adrive(answer(backend)))
        await _turn()
        following = await adrive(Watch(Deadlines(call=BRIEF)).keep(answer(backend)))
        go.set()
        return [following, await leading]

    assert said(*asyncio.run(asyncio.wait_for(play(), LONG))) == [SECOND, FOUND_SECOND]


@pytest.mark.parametrize("asked", [drive, lambda slow: asyncio.run(adrive(slow))], ids=["thread", "loop"])
def test_who_is_driven_by_nobody_any_more_is_not_waited_for_for_ever(
    asked: Callable[[Slow[Answered]], Answered], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(single_flight, "PATIENCE", BRIEF)
    backend = recording(Simulator(_happens))
    leading = led(backend)
    assert said(asked(answer(backend))) == [SECOND]
    leading.close()


def test_who_was_given_up_while_it_waited_does_not_lead_afterwards():
    with Flight("call") as given_up:
        pass
    given_up.wait.run()
    assert not given_up.leads


def test_a_forked_process_does_not_wait_for_who_leads_in_its_parent():
    with Flight("call") as leading:
        leading.wait.run()
        child = os.fork()
        if not child:
            with Flight("call") as flight:
                flight.wait.run()
                os._exit(0 if flight.leads else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
