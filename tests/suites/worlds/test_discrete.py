"""Generated worlds as a choice among few actions."""

from __future__ import annotations

import json

import pytest

from stb_env.suites.worlds.env import make
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.wrappers import DiscreteActions


@pytest.mark.parametrize("kit", ["court_registry", "ferry_line", "vet_clinic"])
def test_a_record_is_looked_up_and_its_values_are_told(kit: str) -> None:
    env = DiscreteActions(make(split="test", level=1, kit=kit), size=64)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        (call, *more) = task_of(info["task_id"]).task.gold
        wanted = json.dumps({"name": call.name, "arguments": call.arguments})
        if not more and wanted in info["candidates"]:
            break
    _, _, terminated, _, info = env.step(info["candidates"].index(wanted))
    assert not terminated
    rewards = []
    for index, candidate in enumerate(info["candidates"]):
        if json.loads(candidate)["name"] == "Finish":
            rewards.append(env.fork().step(index)[1])
    assert max(rewards) == 1.0
    assert min(rewards) < 1.0
