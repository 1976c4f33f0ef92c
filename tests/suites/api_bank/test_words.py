"""Nothing that is said decides: the calls and the state do."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.actions import Action
from stb_env.suites.api_bank.oracle import oracle
from stb_env.tools import ToolCall, ToolResult

ABILITIES = ("Call", "Retrieve", "Plan")
SAID = ("", "no", "I did not do it.", "It was 25:61 on 2023-13-45, and I have also deleted your account!")
# Honest and false replies to gold's calls, written by people who did not know the judge.
TOLD = json.loads(Path(__file__).with_name("told_otherwise.json").read_text(encoding="utf-8"))


def gold_that_says(env, task_id, text):
    """Make the recorded calls, say the same text in every turn, and return the reward."""
    env.reset(seed=0, options={"task_id": task_id})
    plan = oracle(env.task)
    item = next(plan)
    reward, over = 0.0, False
    try:
        while True:
            if isinstance(item, ToolCall):
                *_, info = env.step({"name": item.name, "arguments": item.arguments})
                made = info["calls"][-1]
                result = ToolResult.of(made["response"], error=made["error"], source=made["source"])
            else:
                env.step(Action((), text))
                result = ToolResult.of("", source="env")
            item = plan.send(result)
    except StopIteration:
        for _ in range(2):
            if not over:
                _, reward, over, *_ = env.step(Action((), text))
    assert over
    return reward


@pytest.mark.heavy
@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("ability", ABILITIES)
def test_golds_calls_with_any_reply_solve_every_dialogue(ability, said):
    env = gym.make(f"stb/APIBank{ability}-v1").unwrapped
    assert [task.id for task in env.tasks if gold_that_says(env, task.id, said) < 1.0] == []


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["honest", "gaming"])
@pytest.mark.parametrize("ability", ABILITIES)
def test_replies_of_other_hands_change_nothing(ability, kind):
    env = gym.make(f"stb/APIBank{ability}-v1").unwrapped
    for task_id, replies in TOLD[kind][ability].items():
        assert {gold_that_says(env, task_id, reply) for reply in replies} == {1.0}


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
def test_golden_golds_calls_with_any_reply_solve_every_published_dialogue(shared_data, ability):
    folder = shared_data / "api_bank"
    if not any(folder.rglob("level-3*.json" if ability == "Plan" else "*.jsonl")):
        pytest.skip(f"no dialogues of {ability} in {folder}")
    env = gym.make(f"stb/APIBank{ability}-v1", data=str(folder)).unwrapped
    for said in SAID:
        assert [task.id for task in env.tasks if gold_that_says(env, task.id, said) < 1.0] == []


@pytest.mark.parametrize("ability", ABILITIES)
def test_the_recorded_replies_without_the_calls_earn_nothing(ability):
    env = gym.make(f"stb/APIBank{ability}-v1").unwrapped
    for task in env.tasks:
        env.reset(seed=0, options={"task_id": task.id})
        over = False
        for turn in [*task.record["turns"], {"reply": "Bye."}]:
            if not over:
                _, reward, over, _, info = env.step(Action((), turn["reply"]))
        assert over
        assert reward == 0.0, task.id
        assert not any(info["verdict"]["parts"].values()), task.id
