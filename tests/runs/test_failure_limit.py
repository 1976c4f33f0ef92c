"""What ends a run whose episodes all fail alike, and what does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from stb_env.errors import ConfigError, InfrastructureError, RunStopped
from stb_env.runs import Agent, as_agent, plan, run_batch
from stb_env.runs.failure_limit import Breaker
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage


def sandbox() -> Any:
    return gym.make("stb/Sandbox-v1").unwrapped


def ended(kind: str | None, message: str = "", stage: str = "agent") -> Trajectory:
    """Return an episode that ended well, or with such a failure."""
    failure = kind and {"kind": kind, "stage": stage, "retryable": True, "message": message}
    valid = kind is None
    return Trajectory("s", "g", "t", 0, 0, "", (), (), (), None, "", None, 0.0, valid, failure or None, {})


def watched(breaker: Breaker, *episodes: Trajectory) -> int:
    """Return how many episodes a breaker lets pass."""
    for passed, episode in enumerate(episodes):
        try:
            breaker.watch(episode)
        except RunStopped:
            return passed
    return len(episodes)


def test_equal_failures_in_a_row_end_the_run_at_the_limit():
    breaker = Breaker(3)
    breaker.watch(ended("judge", "no verdict"))
    breaker.watch(ended("judge", "no verdict"))
    with pytest.raises(
        RunStopped, match=r"^3 episodes in a row failed alike \(judge\): no verdict; mend that "
    ):
        breaker.watch(ended("judge", "no verdict"))


@pytest.mark.parametrize("between", [ended(None), ended("judge", "other"), ended("judge", "no", "simulator")])
def test_a_row_is_broken_by_whatever_ended_otherwise(between: Trajectory):
    row = [ended("judge", "no")] * 2
    assert watched(Breaker(3), *row, between, *row, between, *row) == 8


def test_an_endpoint_that_is_down_fails_alike_whatever_it_says():
    assert watched(Breaker(3), *(ended("transport", text) for text in ("refused", "reset", "closed"))) == 2


@pytest.mark.parametrize("limit", [None, 0])
def test_without_a_limit_a_run_goes_on(limit: int | None):
    assert watched(Breaker(limit), *[ended("judge", "no")] * 100) == 100


def test_after_a_few_outages_the_endpoint_is_asked_and_ends_the_run_where_it_is_gone():
    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise RunStopped("nobody there")

    breaker = Breaker(20, check)
    assert watched(breaker, *[ended("timeout", "late")] * 10) == 5
    assert len(asked) == 2


def test_endpoints_are_not_asked_about_failures_of_another_kind():
    def check() -> None:
        raise RunStopped("nobody there")

    assert watched(Breaker(20, check), *[ended("cache_miss", "unknown")] * 10) == 10


# -- bugs of agents ------------------------------------------------------------------------------


class Buggy(Agent):
    """Gives up, and breaks on every other task where it is told to."""

    name = "buggy"
    usage = Usage(calls=1)

    def __init__(self, place: str) -> None:
        self.place, self.played = place, -1

    def reset(self, env: Any, seed: int) -> None:
        self.played += 1
        self._break("reset")

    def act(self, observation: Any, info: Any) -> Any:
        if info["calls"]:
            self._break("act")
            return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        return {"name": "nothing", "arguments": {}}

    def _break(self, place: str) -> None:
        if place == self.place and self.played % 2:
            raise LookupError("my password")


@pytest.mark.parametrize(("place", "steps"), [("reset", 0), ("act", 1)])
def test_a_bug_of_an_agent_ends_its_episode_alone_and_is_told_once(place: str, steps: int):
    told: list[str] = []
    jobs = plan(sandbox().tasks, episodes=6)
    played = run_batch(sandbox, lambda: Buggy(place), jobs, remark=told.append)
    assert [episode.valid for episode in played] == [True, False] * 3
    broken = played[1]
    assert broken.failure is not None
    where = broken.failure.pop("message")
    assert broken.failure == {"kind": "internal", "stage": "agent", "retryable": True}
    assert (len(broken.steps), broken.usage["calls"], broken.reward) == (steps, 1, 0.0)
    assert where.startswith("agent 'buggy' raised LookupError (test_failure_limit.py, line ")
    assert told == [f"{where}; such an episode is invalid"]
    assert "password" not in str(told)


def test_an_error_that_is_about_the_whole_run_is_no_bug_of_the_agent():
    def misconfigured(observation: Any, info: Any) -> Any:
        raise ConfigError("no such model")

    with pytest.raises(ConfigError, match=r"^no such model$"):
        run_batch(sandbox, lambda: as_agent(misconfigured), plan(sandbox().tasks, episodes=2))


def test_a_typed_failure_of_an_agent_keeps_its_kind():
    def failing(observation: Any, info: Any) -> Any:
        raise InfrastructureError("full", kind="context", stage="agent")

    (played,) = run_batch(sandbox, lambda: as_agent(failing), plan(sandbox().tasks, episodes=1))
    assert played.failure == {"kind": "context", "stage": "agent", "retryable": False, "message": "full"}


def test_a_stopped_batch_begins_no_further_episode(tmp_path: Path):
    begun = []

    def policy(observation: Any, info: Any) -> Any:
        begun.append(1)
        raise ZeroDivisionError

    jobs = plan(sandbox().tasks, episodes=30)
    with pytest.raises(
        RunStopped, match=r"^4 episodes in a row failed alike \(internal\): agent 'policy' raised Z"
    ):
        run_batch(sandbox, lambda: as_agent(policy), jobs, breaker=Breaker(4))
    assert len(begun) == 4
