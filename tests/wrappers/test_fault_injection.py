"""Faults around a world."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stb_env.backend.faults import UNAVAILABLE
from stb_env.errors import ConfigError
from stb_env.testing.notes import notes
from stb_env.wrappers import FaultInjection

ADD = {"name": "add_note", "arguments": {"text": "Call the bank"}}
DOWN = [("Office", "notebook")]


def started(faults: dict[str, Any], seed: int = 0, **settings: Any) -> FaultInjection:
    env = FaultInjection(notes(**settings), faults)
    env.reset(seed=seed, options={"task_id": "write"})
    return env


def errors(env: FaultInjection, steps: int) -> list[str]:
    return [env.step(ADD)[4]["calls"][0]["error"] for _ in range(steps)]


def test_a_tool_that_is_down_answers_as_in_the_experiment():
    env = started({"share": 1.0, "tools": DOWN})
    call = env.step(ADD)[4]["calls"][0]
    assert (call["response"], call["error"], call["source"]) == (UNAVAILABLE, "", "fault")


def test_a_failed_request_changes_nothing_in_the_world():
    env = started({"errors": {"500": 1.0}})
    before = env.unwrapped.snapshot().backend
    *_, info = env.step(ADD)
    assert env.unwrapped.snapshot().backend == before
    assert info["valid"] is True


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("429", "the API answered with HTTP status 429; try again"),
        ("truncated", "the answer of the API broke off"),
    ],
)
def test_an_error_says_what_went_wrong_and_to_try_again(fault: str, said: str):
    assert errors(started({"errors": {fault: 1.0}}), 1)[0].startswith(said)


def test_another_try_has_another_chance_also_after_a_snapshot():
    env = started({"errors": {"503": 0.5}})
    state = env.snapshot()
    tries = errors(env, 12)
    assert 0 < tries.count("") < 12
    env.restore(state)
    assert errors(env, 12) == tries


def test_episodes_of_other_seeds_are_hit_elsewhere():
    hits = {tuple(errors(started({"errors": {"503": 0.5}}, seed), 8)) for seed in range(4)}
    assert len(hits) == 4


def test_a_delayed_answer_comes_late_and_whole(monkeypatch: pytest.MonkeyPatch):
    waited: list[float] = []

    async def asleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("stb_env.wrappers.fault_injection.time.sleep", waited.append)
    monkeypatch.setattr("stb_env.wrappers.fault_injection.asyncio.sleep", asleep)
    env = started({"errors": {"delay": 1.0}, "delay_s": 7.0})
    assert env.step(ADD)[0]["status"] == asyncio.run(env.astep(ADD))[0]["status"] == 0
    assert waited == [7.0, 7.0]


@pytest.mark.parametrize("faults", [{"action": "simulator"}, {"after_cache": True}])
def test_what_only_a_backend_can_follow_is_refused(faults: dict[str, Any]):
    with pytest.raises(ConfigError, match=r"^action='simulator' and after_cache are for the backend"):
        FaultInjection(notes(), faults)


def test_an_unknown_setting_is_refused():
    with pytest.raises(ConfigError, match=r"^faults has no setting 'shares'"):
        FaultInjection(notes(), {"shares": 1})
