"""Acts decide all eight tasks: what is said does not, whatever it is, and what goes wrong at the end does."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.judges.judge import Case
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.tasks import SUITE
from stb_env.tools import FINISH
from stb_env.verdict import Verdict
from tests.suites.sambanova.spray import DONE, action

EIGHT = list(dict.fromkeys(task.env_id for task in SUITE.values()))
STEPWISE = [env_id for env_id in EIGHT if env_id != "stb/WebShop-v1"]
REPLIES = [
    "",
    "Done.",
    "Yes",
    "No, it is not raining.",
    "I did nothing of that.",
    "\0",
    "\ud800",
    "7" * 99_999,
]
ODD = [
    *({"final_answer": reply} for reply in (None, 0, 1.5, True, [], ["x"], {}, {"a": {"b": []}}, *REPLIES)),
    *({"return_type": kind, "final_answer": "x"} for kind in (None, 3, [], {}, "\0", "give_answer")),
    *(
        {},
        {"*": []},
        {"*": ["\0", "\0", "\0"]},
        {"*": None},
        "",
        "\0",
        "{",
        '{"final_answer": "',
        "[1]",
        "null",
    ),
]


@cache
def env_of(env_id: str) -> Any:
    return gym.make(env_id).unwrapped


@cache
def done(env_id: str, index: int) -> Case:
    """Return what a judge sees after the gold solution."""
    env = env_of(env_id)
    play(env, load_agent("gold")(), task_id=f"test-{index}", seed=0)
    return env.snapshot().case(env.task)


def judged(env_id: str, case: Case) -> Verdict:
    return case.verdict(env_of(env_id).rules.judge)


def share(verdict: Any) -> float:
    """Return the share of what was asked for; 0 where something was not to be done."""
    parts = dict(verdict.get("parts", {}))
    asked = [held for name, held in parts.items() if not name.startswith("kept:")]
    broken = any(not held for name, held in parts.items() if name.startswith("kept:"))
    return 0.0 if broken or not asked else sum(asked) / len(asked)


@pytest.mark.parametrize("env_id", EIGHT)
def test_every_task_is_decided_by_acts(env_id: str):
    assert {env_of(env_id).tasks.at(index).answer for index in range(20)} == {"acts"}


@pytest.mark.parametrize("env_id", EIGHT)
def test_after_golds_calls_any_reply_earns_all(env_id: str):
    for index in range(20):
        verdicts = [judged(env_id, replace(done(env_id, index), final_answer=reply)) for reply in REPLIES]
        assert {verdict.score for verdict in verdicts} == {1.0}
        assert share(verdicts[0].to_dict()) == 1.0


@pytest.mark.parametrize("env_id", EIGHT)
def test_no_finish_however_odd_is_an_exception(env_id: str):
    env = env_of(env_id)
    env.reset(seed=0, options={"task_id": "test-0"})
    # A purchase ends an episode, so that its Finish comes before it.
    for call in env.task.gold:
        env.step(action(call))
    start = env.snapshot()
    for arguments in ODD:
        env.restore(start)
        _, reward, over, _, info = env.step({"name": FINISH, "arguments": arguments})
        assert info["valid"]
        assert reward in ((0.0, 1.0) if over else (0.0,))


@pytest.mark.parametrize("env_id", EIGHT)
@pytest.mark.parametrize("odd", [None, [], ["x"], {"a": [1]}, "\0", "\ud800", 10**400, True])
def test_no_argument_however_odd_is_an_exception(env_id: str, odd: Any):
    env = env_of(env_id)
    env.reset(seed=0, options={"task_id": "test-0"})
    for tool in env.task.tools[:10]:
        arguments = dict.fromkeys(tool.parameters.get("properties", {"x": {}}), odd)
        assert not env.step({"name": tool.name, "arguments": arguments})[2] or env.snapshot().over
        if env.snapshot().over:
            break
    if not env.snapshot().over:
        assert env.step(DONE)[4]["valid"]


@pytest.mark.parametrize("env_id", STEPWISE)
def test_a_call_that_fails_at_the_end_is_a_failure(env_id: str):
    env = env_of(env_id)
    for index in range(15):
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        for call in (*map(action, env.task.gold), {"name": "no_such_tool", "arguments": {}}):
            env.step(call)
        _, reward, over, _, info = env.step(DONE)
        assert (reward, over, share(info["verdict"])) == (0.0, True, 0.0) or not over


@pytest.mark.parametrize("env_id", STEPWISE)
def test_a_call_that_fails_before_golds_is_a_mistake_that_is_made_good(env_id: str):
    env = gym.make(env_id, max_turns=64).unwrapped
    for index in range(15):
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        for call in ({"name": "no_such_tool", "arguments": {}}, *map(action, env.task.gold)):
            env.step(call)
        _, reward, _, _, info = env.step(DONE)
        assert (reward, info["verdict"]["metrics"]["executable"]) == (1.0, 0.0)


@pytest.mark.heavy
@pytest.mark.parametrize("agent", ["noop", "give_up", "echo", "inject", "random"])
@pytest.mark.parametrize("env_id", EIGHT)
def test_an_agent_that_deserves_nothing_has_no_part(env_id: str, agent: str):
    env, null = env_of(env_id), load_agent(agent)()
    for index in range(20):
        verdict = play(env, null, task_id=f"test-{index}", seed=index).verdict
        assert verdict is None or share(verdict) == 0.0


@pytest.mark.parametrize(
    ("env_id", "left_out"),
    [("stb/HomeSearch-v1", -1), ("stb/TripBooking-v1", "set_num_adults")],
)
def test_a_criterion_that_was_left_out_costs_its_part(env_id: str, left_out: Any):
    env = env_of(env_id)
    for index in range(15):
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        *setters, search = env.task.gold
        missing = next(call for call in setters[::-1] if left_out in (-1, call.name))
        for call in (*(call for call in setters if call is not missing), search):
            env.step(action(call))
        _, reward, _, _, info = env.step(DONE)
        assert reward == 0.0
        assert share(info["verdict"]) == pytest.approx(1 - 1 / len(setters))


@pytest.mark.parametrize(("env_id", "at_least"), [("stb/VirtualHome-v1", 5), ("stb/Tabletop-v1", 2)])
def test_half_of_the_acts_earn_a_part_of_the_parts_and_no_reward(env_id: str, at_least: int):
    env, shares = env_of(env_id), []
    for index in range(40):
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        gold = env.task.gold
        for call in gold[: len(gold) * 2 // 3]:
            env.step(action(call))
        _, reward, _, _, info = env.step(DONE)
        assert reward == float(share(info["verdict"]) == 1.0)
        shares.append(share(info["verdict"]))
    assert sum(0 < each < 1 for each in shares) >= at_least


def test_what_is_undone_again_is_not_done():
    env = gym.make("stb/VirtualHome-v1", program=True).unwrapped
    for index, undone in {
        5: "StandUp()",
        19: "SwitchOff(fax_machine)",
        41: "StandUp()",
        90: "StandUp()",
    }.items():
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        label = env.task.goal["labels"][0]
        start = env.snapshot()
        assert env.step(label)[1] == 1.0
        env.restore(start)
        assert env.step(f"{label}\nAgent.{undone}")[1] == 0.0


def test_a_thing_that_nobody_named_stays_as_it_was():
    env = gym.make("stb/VirtualHome-v1", program=True).unwrapped
    env.reset(seed=0, options={"task_id": "test-69"})
    label = env.task.goal["labels"][0]
    start = env.snapshot()
    for foreign in (f"Agent.Open(freezer)\n{label}", f"{label}\nAgent.Touch(freezer)"):
        env.restore(start)
        assert env.step(foreign)[1] == 0.0
    env.restore(start)
    assert env.step(f"Agent.Open(freezer)\nAgent.Close(freezer)\n{label}")[1] == 1.0
