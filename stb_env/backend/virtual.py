"""The virtual API backend: cache, else real API, else simulator, else a typed failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol

from typing_extensions import TypeIs

from stb_env.backend.backend import RealAPI, Simulator
from stb_env.backend.cache import CallKey, ResponseCache
from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache_update import Recorder, as_result
from stb_env.backend.epochs import Episode, ServiceState, StatefulAPI, epoch_after
from stb_env.backend.faults import UNAVAILABLE, Faults, Outage, ToolKey, unavailable
from stb_env.backend.own import SimulatorLike, as_simulator
from stb_env.backend.real_api.http_api import HTTPAPI
from stb_env.backend.real_api.observed import Health
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.backend.single_flight import Flight
from stb_env.backend.taxonomy import ApiClass, Taxonomy
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Request, Slow
from stb_env.errors import BackendError, CacheMiss, ConfigError, InfrastructureError, did_you_mean
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

Mode = Literal["replay", "offline", "live", "record"]
MODES: tuple[Mode, ...] = ("replay", "offline", "live", "record")
EXAMPLES = 5


def known_mode(name: str) -> Mode:
    """Return a mode by its name.

    Raises:
        ConfigError: There is no such mode.

    Examples:
        >>> known_mode("replay")
        'replay'
    """
    for mode in MODES:
        if mode == name:
            return mode
    raise ConfigError(f"mode must be one of {MODES}, got {name!r}.{did_you_mean(str(name), MODES)}")


class OfflineSimulator(Protocol):
    """Answers without waiting, from documentation and examples."""

    version: str

    def simulate(
        self, tool: Tool, arguments: Mapping[str, object] | str, *, key: str, examples: Sequence[object] = ()
    ) -> ToolResult:
        """Return the answer that follows from the call's key."""
        ...


class VirtualBackend:
    """Answers calls of remote APIs from a cache and, where the mode allows, from what stands behind it.

    Args:
        cache: Recorded responses; None for none.
        simulator: Answers misses in ``offline`` mode.
        mode: What happens on a miss. ``replay``: a failure. ``offline``: the template simulator answers.
            ``live``: the real API, else ``live_simulator``; equal calls in one episode get the first answer.
            ``record``: as ``live``, and what passes the filter of Appendix D is added to the cache.
        real: Passes calls on to the APIs themselves.
        live_simulator: Answers what the real API does not; a function will do (`OwnSimulator`).
        faults: Faults to inject; see `among`.
        taxonomy: Which reading of Appendix D decides what is recorded.
        health: What becomes of an answer in which a real API says that it does not work. ``strict`` refuses
            it: the simulator is asked, or the episode ends as invalid. ``observe`` shows it to the agent with
            its class, and only where no answer came at all is anyone else asked.
        writes: For services with state, says of a tool whether its calls may write. Each such call opens a
            new epoch, which is a part of the key of a call (`stb_env.backend.epochs`). Without it there are
            no epochs.

    Attributes:
        outage: The tools that are down, where faults ask for any.

    Raises:
        ConfigError: The mode is unknown, or lacks what it asks.

    Examples:
        >>> VirtualBackend(mode="live")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: mode 'live' has no one to ask; ... or take another --mode
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        simulator: OfflineSimulator | None = None,
        mode: Mode = "offline",
        *,
        real: RealAPI | None = None,
        live_simulator: SimulatorLike | None = None,
        faults: Faults | None = None,
        taxonomy: Taxonomy = "default",
        health: Health = "strict",
        writes: Callable[[Tool], bool] | None = None,
    ) -> None:
        known_mode(mode)
        if mode in ("live", "record") and real is None and live_simulator is None:
            raise ConfigError(
                f"mode {mode!r} has no one to ask; give real=... (--set real=URL), a model for the simulator "
                "(--models FILE, or live_simulator=...) or both, or take another --mode"
            )
        if mode in ("replay", "record") and cache is None:
            raise ConfigError(f"mode {mode!r} needs a cache; give cache=DIR (stb-env cache import)")
        self.cache = cache
        self.simulator = simulator or TemplateSimulator()
        self.mode = mode
        self.real = _with_errors(_watched(real, health), mode, faults)
        self.live_simulator = None if live_simulator is None else as_simulator(live_simulator)
        self.faults = faults
        self.writes = writes
        self.outage = _outage(faults, cache, mode, self.live_simulator)
        self._recorder: Recorder | None = None
        if mode == "record" and cache is not None:
            simulated = self.live_simulator.fingerprint if self.live_simulator is not None else None
            self._recorder = Recorder(cache, taxonomy, simulated, believed=_says_status(real))

    @property
    def fingerprint(self) -> dict[str, object]:
        """Mode, cache hash (in ``record`` mode of its frozen base), who else answers, and the faults."""
        decides: JsonObject = {"mode": self.mode, "cache": self._cache_hash(), "simulator": ""}
        if self.mode == "offline":
            decides["simulator"] = self.simulator.version
        elif self.mode != "replay":
            if self.live_simulator is not None:
                decides["simulator"] = self.live_simulator.fingerprint
            if self.real is not None:
                decides["real"] = self.real.fingerprint
                if isinstance(self.real, HTTPAPI) and self.real.health != "strict":
                    decides["health"] = self.real.health
        if self.writes is not None:
            decides["epochs"] = True
        if self.faults is not None:
            decides["faults"] = self.faults.fingerprint
            # The tools that faults themselves name are in their fingerprint.
            if self.outage is not None and self.outage.down is not None and self.faults.tools is None:
                decides["outage"] = self.outage.fingerprint
        return decides

    def among(self, tools: Iterable[ToolKey]) -> VirtualBackend:
        """Return the same backend with the faults' share taken of these tools, where they name none."""
        if self.faults is None or self.outage is None or self.faults.tools is not None:
            return self
        chosen = copy(self)
        chosen.outage = self.faults.outage(tools)
        return chosen

    def asking(self, real: RealAPI) -> VirtualBackend:
        """Return the same backend with another real API, which must be known to be watched as this one."""
        chosen = copy(self)
        chosen.real = real
        return chosen

    def in_mode(self, mode: Literal["replay", "offline"]) -> VirtualBackend:
        """Return the same backend in a mode that asks nobody."""
        chosen = copy(self)
        chosen.mode = mode
        return chosen

    def start(self, task: Task, seed: int) -> Episode | None:  # noqa: ARG002 (the protocol's parameters)
        """Return an episode without answers, and None where nothing of it is ever asked for."""
        return Episode() if self._live or self.writes is not None else None

    def answer(
        self, state: Episode | None, tool: Tool, call: ToolCall
    ) -> Slow[tuple[ToolResult, Episode | None]]:
        """Answer from the cache, else by the mode's rule.

        Raises:
            CacheMiss: In ``replay`` mode, for a call that was never recorded.
            InfrastructureError: No one that was asked had a usable answer.
        """
        asked, fault = self._key(state, tool, call), self._fault(tool)
        hit = self._recall(state, asked, fault)
        if hit is not None:
            return hit, self._after(state, asked, tool, call, hit)
        if self.mode == "replay":
            raise CacheMiss(
                f"no recorded response for {tool.name!r} with these arguments, and mode is 'replay'"
            )
        if self.mode == "offline":
            # A template has no will of its own: equal caches, however they came about, give equal answers.
            examples = [entry.response for entry in self._examples(tool, by_key=True)]
            # And no state: its answer does not depend on what was written.
            key = CallKey(tool.id, call.arguments).canonical if asked.epoch else asked.canonical
            result = self.simulator.simulate(tool, call.arguments, key=key, examples=examples)
            return result, self._after(state, asked, tool, call, result)
        state, key = state or Episode(), asked.canonical
        real = self.real if fault is None else None
        if self._recorder is None or fault is not None:
            result = yield from self._ask(state, tool, call, key, real)
        else:
            with Flight((self._recorder.cache.place, key)) as flight:
                yield from _waited(flight)
                hit = self._recorder.known(asked)
                if hit is not None:
                    return hit, self._after(state, asked, tool, call, hit)
                result = yield from self._ask(state, tool, call, key, real)
                keep = partial(self._recorder.keep, tool, call.arguments, key, result, asked.epoch)
                result = yield Request(run=keep)
        after = self._after(state.answered(key, result), asked, tool, call, result)
        if real is not None and after is not None:
            # The service has all writes now, those too that recordings had answered.
            after = replace(after, sent=len(after.writes))
        return result, after

    def recorded(self, state: Episode | None, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return what exactly this call is answered without asking anyone, or None.

        None for a call that may write: only `answer` can open its epoch.
        """
        if self.writes is not None and self.writes(tool):
            return None
        return self._recall(state, self._key(state, tool, call), self._fault(tool))

    def close(self) -> None:
        """Close the handles of cache and real API; the next call opens them again."""
        if self.cache is not None:
            self.cache.close()
        # Not every real API holds connections.
        close = getattr(self.real, "close", None)
        if close is not None:
            close()

    @property
    def asks_stateful_service(self) -> bool:
        """True if calls reach a service that keeps what they write."""
        return self.writes is not None and self._live and self.real is not None

    @property
    def resets_service(self) -> bool:
        """True if that service is set back for each episode."""
        return self.real is not None and _resets(self.real)

    @property
    def _live(self) -> bool:
        return self.mode in ("live", "record")

    def _key(self, state: Episode | None, tool: Tool, call: ToolCall) -> CallKey:
        return CallKey(tool.id, call.arguments, "" if state is None else state.epoch)

    def _after(
        self, state: Episode | None, asked: CallKey, tool: Tool, call: ToolCall, result: ToolResult
    ) -> Episode | None:
        """Return the state after a call; one that a fault answered wrote nothing."""
        if self.writes is None or state is None or result.source == "fault" or not self.writes(tool):
            return state
        return state.wrote(asked.canonical, tool, call, keep=self._live)

    def _fault(self, tool: Tool) -> Faults | None:
        return self.faults if self.outage is not None and self.outage.hits(tool.id) else None

    def _recall(self, state: Episode | None, call: CallKey, fault: Faults | None) -> ToolResult | None:
        """Return what needs no one to be asked: a recording, or what a tool that is down answers."""
        if state is not None and state.answers and call.canonical in state.answers:
            return state.answers[call.canonical]
        hit = (
            self.cache.get(call) if self.cache is not None and (fault is None or fault.after_cache) else None
        )
        if hit is not None:
            return as_result(hit)
        return unavailable() if fault is not None and fault.action == "unavailable" else None

    def _ask(
        self, state: Episode, tool: Tool, call: ToolCall, key: str, real: RealAPI | None
    ) -> Slow[ToolResult]:
        failure = None
        if real is not None:
            try:
                return (yield from self._ask_service(state, tool, call, key, real))
            except BackendError as error:
                if self.live_simulator is None:
                    raise
                failure = error
        if self.live_simulator is None:
            raise BackendError(f"{tool.name!r} was sent to a simulator, and there is none", stage="simulator")
        try:
            examples = self._examples(tool)
            return (yield from self.live_simulator.simulate(tool, call.arguments, key=key, examples=examples))
        except InfrastructureError as error:
            raise _both(failure, error) from error

    def _ask_service(
        self, state: Episode, tool: Tool, call: ToolCall, key: str, real: RealAPI
    ) -> Slow[ToolResult]:
        """Ask a service that has got all writing calls of the episode."""
        if self.writes is not None and _resets(real):
            after = epoch_after(key) if self.writes(tool) else state.epoch
            result: ToolResult = yield Request(
                run=partial(ServiceState.of(real).ask, real, state, tool, call, after)
            )
            return result
        for written_tool, written in state.writes[state.sent or 0 :]:
            yield from real.request(written_tool, written.arguments)
        return (yield from real.request(tool, call.arguments))

    def _examples(self, tool: Tool, *, by_key: bool = False) -> list[CacheEntry]:
        return [] if self.cache is None else self.cache.examples(tool.id, EXAMPLES, by_key=by_key)

    def _cache_hash(self) -> str:
        if self.cache is None:
            return ""
        # A recording run makes its own overlay grow, and must still be resumable.
        return self.cache.base_hash if self.mode == "record" else self.cache.hash


def _waited(flight: Flight) -> Slow[None]:
    try:
        yield flight.wait
    except InfrastructureError as error:
        # The time for one question is over, and the other's took several; this one still has its own.
        if error.stage != "call":
            raise


def _resets(real: RealAPI) -> TypeIs[StatefulAPI]:
    return bool(getattr(real, "resets", False))


def _watched(real: RealAPI | None, health: Health) -> RealAPI | None:
    if health == "strict":
        return real
    if not isinstance(real, HTTPAPI):
        raise ConfigError(
            f"health={health!r} is about a real API over HTTP, and real is {type(real).__name__}; "
            "give real=URL (--set real=URL) with mode='live' or 'record', or leave health out"
        )
    return real.with_health(health)


def _says_status(real: RealAPI | None) -> bool:
    """Return whether a real API fails with a type where it does not work, so that no words need be read."""
    return bool(getattr(real, "says_status", False))


def _with_errors(real: RealAPI | None, mode: Mode, faults: Faults | None) -> RealAPI | None:
    if faults is None or not faults.errors:
        return real
    if mode not in ("live", "record") or not isinstance(real, HTTPAPI):
        raise ConfigError(
            f"errors of the faults act on the way to a real API over HTTP; mode is {mode!r} and real is "
            f"{type(real).__name__}; give real=RemoteServer(...) or HTTPTemplate(...), or leave errors out"
        )
    return real.with_faults(faults)


def _outage(
    faults: Faults | None, cache: ResponseCache | None, mode: Mode, simulator: Simulator | None
) -> Outage | None:
    if faults is None or not faults.share:
        return None
    if faults.action == "simulator" and (mode == "replay" or (mode != "offline" and simulator is None)):
        raise ConfigError(f"faults send calls to a simulator, and mode {mode!r} has none here")
    tools = faults.tools
    if tools is None and cache is not None:
        # Decided once: a cache that grows must not move the outage to other tools.
        tools = _working(cache) or None
    return faults.outage(tools)


def _working(cache: ResponseCache) -> set[tuple[str, str]]:
    """Return category and tool of every tool of which the cache knows an API that works."""
    found: set[tuple[str, str]] = set()
    for entry in cache.entries():
        if entry.id[:2] in found or entry.source == "simulator":
            continue
        if entry.klass is ApiClass.SUCCESS and entry.response != UNAVAILABLE:
            found.add(entry.id[:2])
    return found


def _both(first: BackendError | None, last: InfrastructureError) -> InfrastructureError:
    """Return the last failure, naming in its message the layer that failed before."""
    if first is None:
        return last
    message = f"{last}; before that, {first}"
    return BackendError(message, kind=last.kind, stage=last.stage, retryable=last.retryable)
