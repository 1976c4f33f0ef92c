"""Seeded faults: which tools are down, and what a tool that is down does in each mode."""

from __future__ import annotations

import json
import os
import pickle
import random
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.backend.faults import UNAVAILABLE, Faults
from stb_env.backend.real_api import RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import Slow, drive
from stb_env.errors import CacheMiss, ConfigError
from stb_env.tools import Status, Tool, ToolCall, ToolId, ToolResult

TOOLS = [(f"Category {n % 3}", f"tool_{n}") for n in range(40)]
PING = Tool("ping", "", {"type": "object", "properties": {}}, ToolId("Net", "icmp", "ping"))
DOWN = Faults(1.0, tools=[("Net", "icmp")])


class Real:
    """A real API that says how often it was asked."""

    fingerprint: ClassVar[dict[str, Any]] = {"real": 1}

    def __init__(self) -> None:
        self.asked = 0

    def request(self, tool: Tool, arguments: Any) -> Slow[ToolResult]:
        self.asked += 1
        return ToolResult.of("from the API", source="real")
        yield


class Simulator:
    """A simulator that answers with the key."""

    fingerprint: ClassVar[dict[str, Any]] = {"model": "m", "prompt": "p"}

    def simulate(self, tool: Tool, arguments: Any, *, key: str, examples: Any = ()) -> Slow[ToolResult]:
        return ToolResult.of("made up", source="simulator")
        yield


def cached(*entries: tuple[ToolId, Any, str]) -> ResponseCache:
    cache = ResponseCache()
    for identity, response, source in entries:
        entry = CacheEntry.of(identity, {}, response, source=source)
        cache.put(entry.key, entry)
    return cache


def ask(backend: VirtualBackend, tool: Tool = PING, **arguments: Any) -> ToolResult:
    return drive(backend.answer(backend.start(None, 0), tool, ToolCall(tool.name, arguments)))[0]


@given(st.floats(0, 1), st.integers(0, 1000), st.integers(0, 40))
def test_an_exact_share_of_the_tools_is_down(share, seed, count):
    down = Faults(share, seed=seed).outage(TOOLS[:count]).down
    assert len(down) == int(share * count + 0.5)
    assert down <= set(TOOLS)


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_tools_changes_nothing(shuffler: random.Random):
    shuffled = list(TOOLS)
    shuffler.shuffle(shuffled)
    assert Faults(0.3, seed=5).outage(shuffled) == Faults(0.3, seed=5).outage(TOOLS)


def test_a_larger_share_takes_more_tools_and_keeps_the_others_down():
    small, large = (Faults(share, seed=1).outage(TOOLS).down for share in (0.1, 0.5))
    assert small < large


def test_another_seed_takes_other_tools():
    assert Faults(0.5, seed=1).outage(TOOLS) != Faults(0.5, seed=2).outage(TOOLS)


def test_all_apis_of_a_tool_are_down_together():
    outage = Faults(0.5, tools=TOOLS).outage(TOOLS)
    for category, tool in TOOLS:
        assert len({outage.hits(ToolId(category, tool, api)) for api in "abc"}) == 1


def test_without_a_list_each_tool_is_down_by_itself_with_that_probability():
    outage = Faults(0.25, seed=3).outage(None)
    down = sum(outage.hits(ToolId("c", f"t{n}", "a")) for n in range(2000))
    assert 430 < down < 570


@pytest.mark.heavy
def test_which_tools_are_down_does_not_depend_on_the_process():
    code = (
        "from stb_env.backend.faults import Faults;"
        "print(sorted(Faults(0.3, seed=5).outage([('c', f't{n}') for n in range(20)]).down))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_eligible_are_the_tools_with_a_recorded_success_that_is_real():
    works, breaks, made_up, empty = (
        ToolId("c", name, "a") for name in ("works", "breaks", "made_up", "empty")
    )
    cache = cached(
        (works, {"ok": 1}, "real"),
        (breaks, "You are not subscribed to this API.", "real"),
        (made_up, {"ok": 1}, "simulator"),
        (empty, UNAVAILABLE, "real"),
    )
    backend = VirtualBackend(cache, faults=Faults(1.0))
    hit = {
        identity.tool: ask(backend, Tool("t", "", {}, identity), n=1).source == "fault"
        for identity in (works, breaks, made_up, empty)
    }
    assert hit == {"works": True, "breaks": False, "made_up": False, "empty": False}


def test_a_tool_that_is_down_answers_as_in_the_paper_whatever_is_cached():
    backend = VirtualBackend(cached((PING.id, {"ms": 4}, "real")), faults=DOWN)
    result = ask(backend)
    assert json.loads(result.text) == {
        "error": "",
        "response": "This API did not return any useful information...",
    }
    assert (result.source, result.status) == ("fault", Status.OK)
    assert backend.recorded(None, PING, ToolCall("ping", {})).source == "fault"


def test_other_tools_are_left_alone():
    other = Tool("dns", "", {}, ToolId("Net", "dns", "a"))
    backend = VirtualBackend(cached((other.id, {"ms": 4}, "real")), mode="replay", faults=DOWN)
    assert ask(backend, other).source == "cache"


def test_after_the_cache_only_misses_are_struck():
    faults = Faults(1.0, tools=[("Net", "icmp")], after_cache=True)
    backend = VirtualBackend(cached((PING.id, {"ms": 4}, "real")), mode="replay", faults=faults)
    assert (ask(backend).source, ask(backend, host="b").source) == ("cache", "fault")
    assert backend.recorded(None, PING, ToolCall("ping", {})).source == "cache"


def test_a_call_goes_straight_to_the_template_simulator_in_offline_mode():
    faults = Faults(1.0, tools=[("Net", "icmp")], action="simulator")
    backend = VirtualBackend(cached((PING.id, {"ms": 4}, "real")), faults=faults)
    assert ask(backend).source == "simulator"
    assert backend.recorded(None, PING, ToolCall("ping", {})) is None


@pytest.mark.parametrize("action", ["unavailable", "simulator"])
@pytest.mark.parametrize("mode", ["live", "record"])
def test_a_tool_that_is_down_is_not_asked_and_nothing_of_it_is_recorded(mode, action):
    real, cache = Real(), cached((ToolId("Net", "dns", "a"), {"ms": 4}, "real"))
    faults = Faults(1.0, tools=[("Net", "icmp")], action=action)
    backend = VirtualBackend(cache, mode=mode, real=real, live_simulator=Simulator(), faults=faults)
    result = ask(backend)
    assert result.source == ("fault" if action == "unavailable" else "simulator")
    assert (real.asked, len(cache)) == (0, 1)


def test_what_a_growing_cache_learns_moves_no_fault():
    cache = cached(*((ToolId("c", f"t{n}", "a"), {"ok": 1}, "real") for n in range(4)))
    backend = VirtualBackend(cache, mode="record", real=Real(), faults=Faults(0.5))
    before = pickle.loads(pickle.dumps(backend.outage))
    for n in range(4, 20):
        ask(backend, Tool("t", "", {}, ToolId("c", f"t{n}", "a")))
    assert len(cache) == 20
    assert backend.outage == before


def test_no_share_strikes_nothing():
    with pytest.raises(CacheMiss):
        ask(VirtualBackend(ResponseCache(), mode="replay", faults=Faults(0.0)))


def test_the_fingerprint_names_the_faults():
    plain = VirtualBackend().fingerprint
    assert "faults" not in plain
    assert VirtualBackend(faults=DOWN).fingerprint["faults"] == {
        "share": 1.0,
        "tools": [["Net", "icmp"]],
        "action": "unavailable",
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"share": 10}, r"^share of the faults must be from 0 to 1, got 10$"),
        ({"share": float("nan")}, r"^share of the faults must be from 0 to 1, got nan$"),
        ({"action": "explode"}, r"^action of the faults must be unavailable or simulator, got 'explode'$"),
        ({"errors": {"truncate": 0.1}}, r"^no fault 'truncate'; expected .* Did you mean 'truncated'\?$"),
        (
            {"errors": {"200": 0.1}},
            r"^no fault '200'; expected an HTTP status \(400 to 599\), truncated or delay$",
        ),
        ({"errors": {"429": 1.5}}, r"^the share of fault '429' must be from 0 to 1, got 1.5$"),
        ({"errors": {"429": 0.6, "500": 0.6}}, r"^the shares of all faults must sum to at most 1, got "),
        ({"errors": {"delay": 0.1}}, r"^delay_s and errors=\{'delay': SHARE\} belong together, got 0.0 and "),
        ({"delay_s": 2.0}, r"^delay_s and errors=\{'delay': SHARE\} belong together, got 2.0 and \{\}$"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Faults(**settings)


@pytest.mark.parametrize(
    "settings", [{"mode": "offline", "real": RemoteServer("http://h/")}, {"mode": "live", "real": Real()}]
)
def test_errors_need_a_way_to_a_real_api_to_act_on(settings):
    with pytest.raises(
        ConfigError, match=r"^errors of the faults act on the way to a real API over HTTP; mode is"
    ):
        VirtualBackend(**settings, faults=Faults(errors={"429": 0.1}))


@pytest.mark.parametrize("settings", [{"mode": "replay"}, {"mode": "live", "real": Real()}])
def test_going_to_the_simulator_needs_one(settings):
    message = rf"^faults send calls to a simulator, and mode '{settings['mode']}' has none here$"
    with pytest.raises(ConfigError, match=message):
        VirtualBackend(ResponseCache(), **settings, faults=Faults(0.5, action="simulator"))
