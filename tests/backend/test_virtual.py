"""The virtual backend: who answers in which mode, what an episode remembers, what is recorded."""

from __future__ import annotations

import asyncio
import json
import pickle
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache, call_key
from stb_env.backend.faults import UNAVAILABLE, Faults
from stb_env.backend.real_api import RemoteServer
from stb_env.backend.simulator.llm_simulator import LLMSimulator
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import Request, Slow, adrive, drive
from stb_env.errors import BackendError, CacheMiss, ConfigError, SimulatorError
from stb_env.models import ScriptedModel
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.trajectory import CallRecord
from stb_env.usage import Usage

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FORECAST = Tool("forecast", "Weather.", CITY, ToolId("Weather", "sky", "forecast"))
CALL = ToolCall("forecast", {"city": "Oslo"})
KEY = call_key(FORECAST.id, CALL.arguments)
ASKED = CallKey(FORECAST.id, CALL.arguments)


class Real:
    """A real API that counts, or fails."""

    def __init__(self, answer: Any = "real", failure: BackendError | None = None, error: str = "") -> None:
        self.answer, self.failure, self.error, self.asked = answer, failure, error, 0

    fingerprint = property(lambda self: {"endpoint": "http://real"})

    def request(self, tool: Tool, arguments: Any) -> Slow[ToolResult]:
        self.asked += 1
        number = self.asked
        if self.failure is not None:
            raise self.failure
        answer = yield Request(
            run=lambda: f"{self.answer} {number}" if self.answer == "real" else self.answer
        )
        return ToolResult.of(answer, error=self.error, source="real")


class Simulator:
    """A simulator that counts, notes its examples, or fails."""

    def __init__(self, failure: SimulatorError | None = None, answer: Any = "simulated") -> None:
        self.failure, self.answer, self.examples, self.asked = failure, answer, [], 0

    fingerprint = property(lambda self: {"model": "tiny", "prompt": "simulator/v1"})

    def simulate(self, tool: Tool, arguments: Any, *, key: str, examples: Any = ()) -> Slow[ToolResult]:
        self.asked += 1
        self.examples = [(example.arguments, example.error, example.response) for example in examples]
        if self.failure is not None:
            raise self.failure
        return ToolResult.of(self.answer, source="simulator", usage=Usage(calls=1))
        yield


def entry(arguments: Any, response: Any = "cached", **changes: Any) -> CacheEntry:
    return CacheEntry.of(FORECAST.id, arguments, response, **{"source": "real", **changes})


def cached(*entries: CacheEntry, folder: Any = None) -> ResponseCache:
    cache = ResponseCache(folder)
    for given in entries:
        cache.put(given.key, given)
    return cache


def ask(backend: VirtualBackend, call: ToolCall = CALL, state: Any = None) -> tuple[ToolResult, Any]:
    return drive(backend.answer(backend.start(None, 0) if state is None else state, FORECAST, call))


def timeout() -> BackendError:
    return BackendError(
        "real API: no answer within the time-out of 15 s", kind="timeout", stage="real", retryable=True
    )


# -- who answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["replay", "offline", "live", "record"])
def test_what_is_cached_is_answered_in_every_mode_without_asking(mode):
    real, simulator = Real(), Simulator()
    backend = VirtualBackend(cached(entry(CALL.arguments)), mode=mode, real=real, live_simulator=simulator)
    result, _ = ask(backend)
    assert (result.response, result.source) == ("cached", "cache")
    assert (real.asked, simulator.asked) == (0, 0)


def test_a_miss_is_a_failure_in_replay_mode():
    with pytest.raises(
        CacheMiss, match=r"^no recorded response for 'forecast' with these arguments, and mode"
    ):
        ask(VirtualBackend(ResponseCache(), mode="replay"))


def test_a_miss_goes_to_the_template_simulator_in_offline_mode_and_never_to_a_live_one():
    real, simulator = Real(), Simulator()
    backend = VirtualBackend(mode="offline", real=real, live_simulator=simulator)
    assert ask(backend)[0].source == "simulator"
    assert (real.asked, simulator.asked) == (0, 0)


@pytest.mark.parametrize("mode", ["live", "record"])
def test_a_miss_goes_to_the_real_api_first(mode):
    simulator = Simulator()
    result, _ = ask(VirtualBackend(ResponseCache(), mode=mode, real=Real(), live_simulator=simulator))
    assert (result.response, result.source, simulator.asked) == ("real 1", "real", 0)


def test_a_real_api_that_does_not_answer_hands_over_to_the_simulator():
    result, _ = ask(VirtualBackend(mode="live", real=Real(failure=timeout()), live_simulator=Simulator()))
    assert (result.response, result.source) == ("simulated", "simulator")


def test_without_a_simulator_the_failure_of_the_real_api_is_the_failure():
    with pytest.raises(BackendError, match=r"time-out of 15 s") as caught:
        ask(VirtualBackend(mode="live", real=Real(failure=timeout())))
    assert (caught.value.kind, caught.value.stage) == ("timeout", "real")


def test_where_both_fail_the_failure_names_both_layers():
    simulator = Simulator(SimulatorError("simulator model 'tiny': no answer within the deadline of 60 s"))
    message = "deadline of 60 s; before that, real API: no answer within the time-out of 15 s"
    with pytest.raises(BackendError, match=message) as caught:
        ask(VirtualBackend(mode="live", real=Real(failure=timeout()), live_simulator=simulator))
    assert (caught.value.kind, caught.value.stage, caught.value.retryable) == ("simulator", "simulator", True)


def test_a_simulator_alone_will_do():
    assert ask(VirtualBackend(mode="live", live_simulator=Simulator()))[0].source == "simulator"


def test_the_simulator_is_shown_up_to_five_real_examples_with_their_arguments():
    entries = [entry({"city": f"c{n}"}, n) for n in range(7)]
    entries += [entry({"city": "made up"}, "no", source="simulator")]
    simulator = Simulator()
    ask(VirtualBackend(cached(*entries), mode="live", live_simulator=simulator))
    assert len(simulator.examples) == 5
    assert all(arguments == {"city": f"c{response}"} for arguments, _, response in simulator.examples)


# -- what an episode remembers ---------------------------------------------------------------------


def test_equal_calls_in_an_episode_get_the_first_answer_and_pay_once():
    real = Real()
    backend = VirtualBackend(mode="live", real=real)
    first, state = ask(backend)
    again, state = ask(backend, ToolCall("forecast", {"CITY": "Oslo"}), state)
    other, _ = ask(backend, ToolCall("forecast", {"city": "Rome"}), state)
    assert (first.response, again.response, other.response) == ("real 1", "real 1", "real 2")
    assert backend.recorded(state, FORECAST, CALL).response == "real 1"


def test_a_remembered_simulation_costs_nothing_more():
    backend = VirtualBackend(mode="live", live_simulator=Simulator())
    first, state = ask(backend)
    again, _ = ask(backend, state=state)
    assert (first.usage.calls, again.usage) == (1, None)


def test_another_episode_asks_anew():
    backend = VirtualBackend(mode="live", real=Real())
    assert [ask(backend)[0].response for _ in range(2)] == ["real 1", "real 2"]


def test_branches_of_an_episode_do_not_see_each_other():
    backend = VirtualBackend(mode="live", real=Real())
    _, trunk = ask(backend, ToolCall("forecast", {"city": "Rome"}))
    left, left_state = ask(backend, state=pickle.loads(pickle.dumps(trunk)))
    right, _ = ask(backend, state=trunk)
    assert (left.response, right.response) == ("real 2", "real 3")
    assert (len(trunk.answers), len(left_state.answers)) == (1, 2)


@pytest.mark.parametrize("mode", ["replay", "offline"])
def test_episodes_that_ask_no_one_remember_nothing(mode):
    backend = VirtualBackend(cached(entry(CALL.arguments)), mode=mode)
    assert ask(backend)[1] is None


# -- what is recorded ------------------------------------------------------------------------------


def test_a_real_answer_is_recorded_with_its_provenance(tmp_path):
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        ask(VirtualBackend(cache, mode="record", real=Real({"sky": "blue"}), live_simulator=Simulator()))
    with closing(ResponseCache(tmp_path / "cache", read_only=True)) as cache:
        known = cache.entry(ASKED)
    assert (known.response, known.source, known.origin) == ({"sky": "blue"}, "real", "experiment")
    assert (known.arguments, known.model, known.prompt) == ({"city": "Oslo"}, "", "")


def test_what_is_recorded_has_the_time_of_its_recording():
    cache, before = ResponseCache(), datetime.now(UTC).replace(microsecond=0)
    ask(VirtualBackend(cache, mode="record", real=Real()))
    recorded = datetime.fromisoformat(cache.entry(ASKED).recorded)
    assert before <= recorded <= datetime.now(UTC)
    assert (recorded.utcoffset(), recorded.microsecond) == (timedelta(0), 0)


def test_a_simulated_answer_is_recorded_with_model_and_prompt():
    cache = ResponseCache()
    ask(VirtualBackend(cache, mode="record", live_simulator=Simulator()))
    known = cache.entry(ASKED)
    assert (known.source, known.model, known.prompt) == ("simulator", "tiny", "simulator/v1")


def test_a_language_model_simulates_and_is_named_in_the_recording():
    cache = cached(entry({"city": "Rome"}, {"sky": "grey"}))
    model = ScriptedModel(['{"error": "", "response": {"sky": "blue"}}'], name="double")
    backend = VirtualBackend(cache, mode="record", live_simulator=LLMSimulator(model))
    result, _ = ask(backend)
    assert (result.response, result.source, result.usage.calls) == ({"sky": "blue"}, "simulator", 1)
    assert "grey" in str(model.requests[0])
    known = cache.entry(ASKED)
    assert (known.model, known.prompt.split("/")[0]) == ("double", "simulator")


def test_what_was_recorded_is_found_by_the_next_episode():
    real = Real()
    backend = VirtualBackend(ResponseCache(), mode="record", real=real)
    assert [ask(backend)[0].source for _ in range(3)] == ["real", "cache", "cache"]
    assert real.asked == 1


def test_a_hit_says_who_had_given_the_answer_and_nothing_else_does():
    cache = ResponseCache()
    recording = VirtualBackend(cache, mode="record", live_simulator=lambda tool, arguments: "made up")
    answers = [drive(recording.answer(None, FORECAST, CALL))[0] for _ in range(2)]
    records = [CallRecord("a", "forecast", {}, answer).to_dict() for answer in answers]
    assert [(r["source"], r.get("origin")) for r in records] == [("simulator", None), ("cache", "simulator")]
    assert [CallRecord.from_dict(record).to_dict() for record in records] == records


def test_of_two_that_ask_at_once_both_see_the_answer_that_was_stored_first(tmp_path):
    with closing(ResponseCache(tmp_path)) as cache, closing(ResponseCache(tmp_path)) as other:

        class Slower(Real):
            """A real API during whose answer another process stores its own."""

            def request(self, tool: Tool, arguments: Any) -> Slow[ToolResult]:
                result = yield from super().request(tool, arguments)
                assert other.add(KEY, entry(CALL.arguments, "first")) is None
                return result

        backend = VirtualBackend(cache, mode="record", real=Slower("second"))
        result, state = ask(backend)
        assert (result.response, result.source) == ("first", "cache")
        assert ask(backend, state=state)[0].response == "first"
        assert [known.response for known in cache.entries()] == ["first"]


def test_an_answer_of_the_frozen_base_stays_the_first(tmp_path):
    with closing(cached(entry(CALL.arguments, "frozen"), folder=tmp_path / "one")) as cache:
        cache.snapshot(tmp_path / "two")
    with closing(ResponseCache(tmp_path / "two")) as frozen:
        known = frozen.add(KEY, entry(CALL.arguments, "later"))
        assert known is not None
        assert '"frozen"' in known.text
        assert len(frozen) == 1


def test_live_mode_records_nothing():
    cache = ResponseCache()
    ask(VirtualBackend(cache, mode="live", real=Real()))
    assert len(cache) == 0


@pytest.mark.parametrize(
    ("answer", "error", "kept"),
    [
        ({"sky": "blue"}, "", True),
        ("", "no such city", True),
        ("", "HTTP 503 Service Unavailable", False),
        ({"message": "Too many requests"}, "", False),
        ("You are not subscribed to this API.", "", False),
        (UNAVAILABLE, "", False),
    ],
)
def test_only_what_the_filter_of_appendix_d_keeps_is_recorded(answer, error, kept):
    cache = ResponseCache()
    result, _ = ask(VirtualBackend(cache, mode="record", real=Real(answer, error=error)))
    assert (result.response, result.error) == (answer, error)
    assert len(cache) == kept


def test_the_literal_filter_drops_more():
    cache = ResponseCache()
    ask(VirtualBackend(cache, mode="record", real=Real("a parameter of state"), taxonomy="paper"))
    assert len(cache) == 0


def test_a_failure_is_not_recorded():
    cache = ResponseCache()
    backend = VirtualBackend(
        cache, mode="record", real=Real(failure=timeout()), live_simulator=Simulator(SimulatorError("none"))
    )
    with pytest.raises(BackendError):
        ask(backend)
    assert len(cache) == 0


def test_tools_without_an_identity_are_recorded_and_replayed_apart():
    cache, lookups = ResponseCache(), [Tool("get_city", "", CITY), Tool("get-city", "", CITY)]
    recording = VirtualBackend(cache, mode="record", real=Real())
    said = [drive(recording.answer(None, tool, CALL))[0].response for tool in lookups]
    replaying = VirtualBackend(cache, mode="replay")
    assert said == ["real 1", "real 2"]
    assert [drive(replaying.answer(None, tool, CALL))[0].response for tool in lookups] == said
    with pytest.raises(CacheMiss, match=r"^no recorded response for 'get_country' with these arguments"):
        drive(replaying.answer(None, Tool("get_country", "", CITY), CALL))


def test_a_renamed_tool_without_an_identity_is_still_answered_from_its_recordings():
    cache, lookup = ResponseCache(), Tool("get_city", "", CITY)
    drive(VirtualBackend(cache, mode="record", real=Real()).answer(None, lookup, CALL))
    renamed = lookup.renamed("find_city")
    replayed, _ = drive(VirtualBackend(cache, mode="replay").answer(None, renamed, CALL))
    assert replayed.response == "real 1"


def test_concurrent_writers_keep_one_answer_a_call_and_lose_none(tmp_path):
    def play(folder: Any) -> None:
        with closing(ResponseCache(folder)) as cache:
            backend = VirtualBackend(cache, mode="record", real=Real())
            threads = [threading.Thread(target=write, args=(backend,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def write(backend: VirtualBackend) -> None:
        for n in range(10):
            ask(backend, ToolCall("forecast", {"city": f"c{n}"}))

    play(tmp_path / "cache")
    with closing(ResponseCache(tmp_path / "cache", read_only=True)) as cache:
        assert sorted(e.arguments["city"] for e in cache.entries()) == [f"c{n}" for n in range(10)]
        assert cache.verify().ok


def test_recording_on_an_event_loop_does_not_hold_it_up(tmp_path):
    async def play() -> list[str]:
        with closing(ResponseCache(tmp_path / "cache")) as cache:
            backend = VirtualBackend(cache, mode="record", real=Real())
            calls = [ToolCall("forecast", {"city": f"c{n}"}) for n in range(20)]
            answers = await asyncio.gather(*(adrive(backend.answer(None, FORECAST, call)) for call in calls))
            assert len(cache) == 20
            return [result.source for result, _ in answers]

    assert asyncio.run(play()) == ["real"] * 20


# -- settings --------------------------------------------------------------------------------------


def test_the_fingerprint_covers_what_decides_the_answers():
    cache = cached(entry(CALL.arguments))
    backend = VirtualBackend(cache, mode="live", real=Real(), live_simulator=Simulator(), faults=Faults(0.5))
    assert backend.fingerprint == {
        "mode": "live",
        "cache": cache.hash,
        "simulator": {"model": "tiny", "prompt": "simulator/v1"},
        "real": {"endpoint": "http://real"},
        "faults": {"share": 0.5, "action": "unavailable"},
        "outage": {"tools": 1, "down": [["Weather", "sky"]]},
    }
    json.dumps(backend.fingerprint)


def test_the_fingerprint_of_record_mode_has_the_cache_of_the_start():
    cache = ResponseCache()
    backend = VirtualBackend(cache, mode="record", real=Real())
    before = backend.fingerprint
    ask(backend)
    assert backend.fingerprint == before
    assert before["cache"] != cache.hash


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "reply"}, r"^mode must be one of .*, got 'reply'\. Did you mean 'replay'\?$"),
        ({"mode": "replay"}, r"^mode 'replay' needs a cache; give cache=DIR \(stb-env cache import\)$"),
        (
            {"mode": "live"},
            r"^mode 'live' has no one to ask; give real=.* or both, or take another --mode$",
        ),
        (
            {"mode": "record"},
            r"^mode 'record' has no one to ask; give real=",
        ),
        ({"mode": "record", "real": Real()}, r"^mode 'record' needs a cache; give cache=DIR"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        VirtualBackend(**settings)


def test_recording_into_a_cache_opened_for_reading_is_refused(tmp_path):
    cached(entry({"city": "x"}), folder=tmp_path / "cache").close()
    with (
        closing(ResponseCache(tmp_path / "cache", read_only=True)) as cache,
        pytest.raises(ConfigError, match=r"^mode 'record' stores answers, but .* is open for reading only"),
    ):
        VirtualBackend(cache, mode="record", real=Real())


@pytest.mark.parametrize("mode", ["replay", "offline", "live", "record"])
def test_a_backend_is_picklable_in_every_mode(mode, tmp_path):
    with closing(cached(entry(CALL.arguments), folder=tmp_path / "cache")) as cache:
        real = RemoteServer("http://127.0.0.1:1/rapidapi")
        backend = pickle.loads(pickle.dumps(VirtualBackend(cache, mode=mode, real=real, faults=Faults(0.1))))
        assert ask(backend)[0].source in ("cache", "fault")
        backend.close()
