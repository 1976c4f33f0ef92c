"""The arena keeps PettingZoo's contract, and is a zero-sum game of episodes."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from stb_env import ResponseCache, load_agent
from stb_env.envs.arena import Arena, ParallelArena, env, parallel_env, raw_env
from stb_env.errors import ConfigError
from stb_env.judges.preference import PreferenceJudge
from stb_env.models import ScriptedModel
from stb_env.wrappers import DiscreteActions

SANDBOX = "stb/Sandbox-v1"
REFUSAL = {"reason": "not_found", "what": ["film"]}
REFUSED = {"name": "Finish", "arguments": {"cannot": REFUSAL}}
PLAYERS = ("gold", "noop", "give_up", "echo", "random")

ignoring_its_advice = pytest.mark.filterwarnings("ignore::UserWarning")


def answer(text: str) -> dict[str, Any]:
    return {"name": "Finish", "arguments": {"cannot": REFUSAL, "final_answer": text}}


def play_out(arena: Any, names: list[str], seed: int = 0) -> dict[str, tuple[float, bool, bool, dict]]:
    """Let baselines play an AEC arena to its end; return each agent's last view."""
    arena.reset(seed=seed)
    players = dict(zip(arena.possible_agents, (load_agent(name)() for name in names), strict=True))
    for name, player in players.items():
        player.reset(arena.unwrapped.env_of(name), seed)
    last = {}
    for name in arena.agent_iter():
        observation, reward, terminated, truncated, info = arena.last()
        last[name] = (reward, terminated, truncated, info)
        arena.step(None if terminated or truncated else players[name].act(observation, info))
    return last


def rewards(last: dict[str, tuple[float, bool, bool, dict]]) -> list[float]:
    return [view[0] for view in last.values()]


# -- PettingZoo's own checks ----------------------------------------------------------------------------


@ignoring_its_advice
@pytest.mark.parametrize("agents", [2, 3])
@pytest.mark.parametrize("env_id", [SANDBOX, "stb/I1Instruction-v0"])
@pytest.mark.parametrize("make", [env, raw_env])
def test_pettingzoo_accepts_the_arena(make: Any, env_id: str, agents: int):
    api_test(make(env_id, agents=agents, max_turns=6), num_cycles=25)


@ignoring_its_advice
@pytest.mark.parametrize("agents", [2, 3])
def test_pettingzoo_accepts_the_parallel_arena(agents: int):
    parallel_api_test(parallel_env(SANDBOX, agents=agents, max_turns=6), num_cycles=25)


def test_equal_seeds_give_equal_transcripts_in_turn():
    seed_test(lambda: env(SANDBOX, max_turns=6), num_cycles=25)


def test_equal_seeds_give_equal_transcripts_at_once():
    parallel_seed_test(lambda: parallel_env(SANDBOX, max_turns=6), num_cycles=25)


@pytest.mark.heavy
def test_equal_seeds_give_equal_bytes_in_another_process():
    code = (
        "import json, sys; from tests.envs.test_arena import *\n"
        "print(json.dumps(play_out(raw_env(SANDBOX, agents=3), ['gold', 'random', 'echo'], seed=5)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    here = play_out(raw_env(SANDBOX, agents=3), ["gold", "random", "echo"], seed=5)
    assert done.stdout.strip() == json.dumps(here)


@ignoring_its_advice
def test_a_wrapped_environment_can_be_played_too():
    wrapped = DiscreteActions(gym.make(SANDBOX, max_turns=6))
    api_test(env(wrapped), num_cycles=25)


# -- the game -------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(PLAYERS), min_size=2, max_size=4), st.integers(0, 2**32))
def test_the_rewards_sum_to_zero(names: list[str], seed: int):
    last = play_out(raw_env(SANDBOX, agents=len(names), max_turns=8), names, seed)
    assert math.isclose(sum(rewards(last)), 0.0, abs_tol=1e-12)
    assert all(-1.0 <= reward <= 1.0 for reward in rewards(last))


@pytest.mark.heavy
@settings(max_examples=25)
@given(st.integers(0, 2**32), st.lists(st.sampled_from(["sample", "chat", "answer", "refuse"]), min_size=30))
def test_the_rewards_of_random_actions_sum_to_zero_and_come_together(seed: int, kinds: list[str]):
    arena = parallel_env(SANDBOX, agents=3, max_turns=5)
    arena.reset(seed=seed)
    actions = {"chat": "just chatting", "answer": answer("42"), "refuse": REFUSED}
    while arena.agents:
        step = {
            name: actions.get(kinds.pop() if kinds else "refuse") or arena.action_space(name).sample()
            for name in arena.agents
        }
        _, earned, terminated, truncated, _ = arena.step(step)
        assert len(set(terminated.values())) == 1
        assert not any(truncated.values())
        assert math.isclose(sum(earned.values()), 0.0, abs_tol=1e-12)
        assert any(terminated.values()) or not any(earned.values())


def test_gold_beats_noop():
    last = play_out(env(SANDBOX), ["gold", "noop"])
    assert rewards(last) == [1.0, -1.0]
    assert last["agent_0"][3]["preference"]["results"] == {"agent_1": "win"}
    assert last["agent_1"][3]["verdict"]["status"] == "unsolved"


def test_equal_verdicts_are_a_tie():
    last = play_out(env(SANDBOX), ["gold", "gold"])
    assert rewards(last) == [0.0, 0.0]
    assert last["agent_0"][3]["preference"]["judge"] == "verdicts:exact"


def test_one_winner_among_four_earns_what_the_others_lose():
    last = play_out(env(SANDBOX, agents=4), ["noop", "echo", "gold", "give_up"])
    assert rewards(last) == pytest.approx([-1 / 3, -1 / 3, 1.0, -1 / 3])


def test_every_agent_starts_at_the_same_place():
    arena = parallel_env(SANDBOX, agents=3)
    observations, infos = arena.reset(seed=3)
    assert observations["agent_0"] == observations["agent_1"] == observations["agent_2"]
    assert infos["agent_0"] == infos["agent_2"]
    assert infos["agent_0"] is not infos["agent_2"]


def test_what_one_agent_does_shows_to_no_other():
    arena = parallel_env(SANDBOX)
    arena.reset(seed=0)
    observations, *_ = arena.step({"agent_0": "chatting", "agent_1": '{"name": "no_such_tool"}'})
    assert (observations["agent_0"]["status"], observations["agent_1"]["status"]) == (4, 3)


def test_the_task_can_be_chosen():
    arena = raw_env(SANDBOX)
    arena.reset(seed=0)
    chosen = arena.infos["agent_0"]["task_id"]
    arena.reset(seed=1, options={"task_id": chosen})
    assert arena.infos["agent_1"]["task_id"] == chosen


# -- finishing ------------------------------------------------------------------------------------------


def test_a_finisher_is_skipped_and_stays_alive_until_the_last_one_has_finished():
    arena = raw_env(SANDBOX, agents=3)
    arena.reset(seed=0)
    turns = []
    for action in ("hm", REFUSED, "hm", "hm", "hm", REFUSED):
        turns.append(arena.agent_selection)
        arena.step(action)
    assert turns == ["agent_0", "agent_1", "agent_2", "agent_0", "agent_2", "agent_0"]
    assert (arena.agents, any(arena.terminations.values())) == (arena.possible_agents, False)
    assert arena.observe("agent_1")["status"] == 6
    arena.step(REFUSED)
    assert all(arena.terminations.values())


def test_the_action_of_a_finisher_is_ignored_and_may_be_missing():
    arena = parallel_env(SANDBOX)
    arena.reset(seed=0)
    before = arena.step({"agent_0": answer("42"), "agent_1": "hm"})[0]["agent_0"]
    ignored = arena.step({"agent_0": REFUSED, "agent_1": "hm"})
    missing = arena.step({"agent_1": "hm"})
    assert ignored[0]["agent_0"] == missing[0]["agent_0"] == before
    assert missing[2] == {"agent_0": False, "agent_1": False}


def test_agents_leave_one_by_one_after_the_end():
    arena = raw_env(SANDBOX)
    arena.reset(seed=0)
    for action in (REFUSED, REFUSED, None):
        arena.step(action)
    assert arena.agents == ["agent_1"]
    arena.step(None)
    assert arena.agents == []


def test_a_reset_half_way_through_leaving_starts_anew():
    arena = raw_env(SANDBOX)
    arena.reset(seed=0)
    for action in (REFUSED, REFUSED, None):
        arena.step(action)
    assert rewards(play_out(arena, ["noop", "gold"])) == [-1.0, 1.0]


# -- the judge ------------------------------------------------------------------------------------------


def test_the_judge_speaks_once():
    model = ScriptedModel(["first", "second"])
    arena = parallel_env(SANDBOX, preference=PreferenceJudge(model))
    arena.reset(seed=0)
    arena.step({"agent_0": answer("42"), "agent_1": "hm"})
    assert model.requests == []
    _, earned, *_, infos = arena.step({"agent_1": answer("43")})
    assert earned == {"agent_0": 1.0, "agent_1": -1.0}
    assert len(model.requests) == 2
    assert infos["agent_1"]["preference"]["usage"]["calls"] == 2


def test_each_pair_of_three_is_compared():
    model = ScriptedModel(lambda request: "first")
    arena = parallel_env(SANDBOX, agents=3, preference=PreferenceJudge(model, order="given"))
    arena.reset(seed=0)
    _, earned, *_ = arena.step({f"agent_{number}": answer(str(number)) for number in range(3)})
    assert (earned, len(model.requests)) == ({"agent_0": 1.0, "agent_1": 0.0, "agent_2": -1.0}, 3)


def test_a_judge_that_cannot_decide_calls_the_match_off():
    preference = PreferenceJudge(ScriptedModel(lambda request: "cannot say"))
    arena = parallel_env(SANDBOX, preference=preference)
    arena.reset(seed=0)
    _, earned, terminated, truncated, infos = arena.step({"agent_0": answer("1"), "agent_1": answer("2")})
    assert (set(earned.values()), any(terminated.values()), all(truncated.values())) == ({0.0}, False, True)
    assert [info["valid"] for info in infos.values()] == [False, False]
    assert infos["agent_0"]["failure"]["stage"] == "judge"


def test_a_failing_fork_truncates_everyone():
    arena = raw_env("stb/I1Instruction-v0", cache=ResponseCache(), mode="replay", judge="heuristic")
    arena.reset(seed=0)
    arena.step({"name": "Finish", "arguments": {"final_answer": "a good one"}})
    arena.step(load_gold_call(arena, "agent_1"))
    assert all(arena.truncations.values())
    assert not any(arena.terminations.values())
    assert arena.rewards == {"agent_0": 0.0, "agent_1": 0.0}
    assert [arena.infos[name]["failure"]["kind"] for name in arena.agents] == ["cache_miss", "cache_miss"]
    assert [arena.infos[name]["valid"] for name in arena.agents] == [False, False]


def load_gold_call(arena: Arena, name: str) -> Any:
    gold = load_agent("gold")()
    gold.reset(arena.env_of(name), 0)
    return gold.act(arena.observe(name), arena.infos[name])


# -- views ----------------------------------------------------------------------------------------------


def test_the_state_is_what_every_agent_sees():
    arena = raw_env(SANDBOX)
    arena.reset(seed=0)
    arena.step("hm")
    assert list(arena.state()) == [arena.observe("agent_0"), arena.observe("agent_1")]


def test_all_episodes_are_rendered():
    arena = env(SANDBOX, render_mode="ansi")
    arena.reset(seed=0)
    arena.step("first thought")
    text = arena.render()
    assert text.index("== agent_0 ==") < text.index("first thought") < text.index("== agent_1 ==")


def test_without_a_render_mode_nothing_is_rendered():
    arena = raw_env(SANDBOX)
    arena.reset(seed=0)
    assert arena.render() is None


def test_no_observation_has_a_key_named_observation():
    arena = raw_env(SANDBOX)
    assert "observation" not in arena.observation_space("agent_0").spaces


# -- misuse ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Arena(SANDBOX, agents=1), r"^an arena needs at least 2 agents, got 1$"),
        (
            lambda: Arena(gym.make("CartPole-v1")),
            r"^an arena needs a ToolEnv or a wrapper of stb_env",
        ),
        (
            lambda: Arena(gym.make(SANDBOX), split="train"),
            r"^settings go with an environment id.*'split'",
        ),
        (lambda: Arena(SANDBOX).env_of("agent_7"), r"^no agent 'agent_7'; there are .* Did you mean 'agent_"),
    ],
)
def test_bad_use_is_explained(build: Any, message: str):
    with pytest.raises(ConfigError, match=message):
        build()


def test_a_missing_action_is_named():
    arena = ParallelArena(SANDBOX)
    arena.reset(seed=0)
    with pytest.raises(ConfigError, match=r"^no action for \['agent_1'\]; give one for every agent"):
        arena.step({"agent_0": "hm"})


def test_an_unknown_reset_option_is_refused():
    with pytest.raises(ConfigError, match=r"unknown reset option 'task'.*Did you mean 'task_id'"):
        Arena(SANDBOX).reset(seed=0, options={"task": "7"})


@pytest.mark.parametrize("arena", [Arena(SANDBOX), ParallelArena(SANDBOX)])
def test_a_step_before_a_reset_is_refused(arena: Any):
    with pytest.raises(ResetNeeded, match="call reset"):
        arena.step({})
