"""The wrappers for reinforcement learning keep the contract around environments of every suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import stb_env
from stb_env.core.request import Slow
from stb_env.envs.tool_env import Transition
from stb_env.testing import check
from stb_env.wrappers import (
    CallBudget,
    DiscreteActions,
    FaultInjection,
    ResultLimit,
    RewardShaping,
    TextFeatures,
    ToolWrapper,
)

IDS = ["stb/Sandbox-v1", "stb/APIBankCall-v1", "stb/HomeSearch-v1", "stb/Tabletop-v1", "stb/I1Instruction-v0"]
FAULTS = {"share": 0.3, "errors": {"503": 0.3, "truncated": 0.2}}


def calls_made(task: Any, state: Any, calls: Any) -> float:
    return min(1.0, len(calls) / 4)


WRAPPERS: dict[str, Callable[[Any], ToolWrapper]] = {
    "budget": lambda env: CallBudget(env, 2),
    "limit": lambda env: ResultLimit(env, 300),
    "faults": lambda env: FaultInjection(env, FAULTS),
    "shaping": lambda env: RewardShaping(env, calls_made, discount=0.9, call_cost=0.01),
    "texts": lambda env: TextFeatures(env, size=32),
    "choices": lambda env: DiscreteActions(env, size=16),
    "all": lambda env: RewardShaping(
        TextFeatures(
            DiscreteActions(CallBudget(FaultInjection(ResultLimit(env, 300), FAULTS), 3), texts=True)
        ),
        calls_made,
    ),
}


# Each by itself around one suite, and all of them together around every suite.
PAIRS = [*((name, IDS[0]) for name in WRAPPERS), *(("all", env_id) for env_id in IDS[1:])]


@pytest.mark.heavy
@pytest.mark.parametrize(("name", "env_id"), PAIRS)
def test_the_conformance_kit_accepts_it(name: str, env_id: str):
    settings = {"judge": "heuristic"} if env_id == "stb/I1Instruction-v0" else {}
    assert check(WRAPPERS[name](stb_env.make(env_id, **settings)), seeds=2).passed


class Forgetful(ToolWrapper):
    """Counts in an attribute that no snapshot has."""

    steps = 0

    def _step(self, action: object) -> Slow[Transition]:
        self.steps += 1
        observation, reward, *rest = yield from self.env._step(action)
        return {**observation, "turn": self.steps + 10}, reward, *rest


def test_a_wrapper_that_remembers_outside_its_snapshot_fails():
    env = stb_env.make("stb_env.testing.notes:test/Notes-v0")
    with pytest.raises(
        AssertionError, match=r"^Forgetful fails 3 of 6 checks:\n- check_env: Deterministic step"
    ):
        check(Forgetful(env), seeds=2)
