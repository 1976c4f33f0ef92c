"""The five roles as agents of PettingZoo."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, seed_test

from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.experiments.synthesis import MULTI, SandboxAuthor
from stb_env.experiments.synthesis.writing_env import WritingEnv, env, raw_env

ROLES = {role.name: role for role in MULTI}

ignoring_its_advice = pytest.mark.filterwarnings("ignore::UserWarning")


def text_of(arena: WritingEnv) -> str:
    role = ROLES[arena.agent_selection]
    return drive(SandboxAuthor().write(role, arena.scene, ())).text


def play(arena: WritingEnv, **instead: list[str]) -> dict[str, float]:
    """Let the Sandbox play every role; a role in ``instead`` writes those texts first."""
    totals = dict.fromkeys(arena.possible_agents, 0.0)
    for name in arena.agent_iter():
        _, reward, terminated, truncated, _ = arena.last()
        totals[name] += reward
        queued = instead.get(name)
        arena.step(None if terminated or truncated else queued.pop(0) if queued else text_of(arena))
    return totals


@ignoring_its_advice
@pytest.mark.parametrize("make", [env, raw_env])
def test_pettingzoo_accepts_the_arena(make):
    api_test(make(), num_cycles=50)


def test_equal_seeds_give_equal_transcripts():
    seed_test(env, num_cycles=50)


def test_a_kept_dialogue_earns_everyone_one():
    arena = raw_env()
    arena.reset(seed=1)
    assert play(arena) == dict.fromkeys(ROLES, 1.0)


def test_a_dropped_dialogue_earns_nothing():
    arena = raw_env()
    arena.reset(seed=1)
    assert play(arena, tester=['{"keep": false, "reasons": ["dull"]}']) == dict.fromkeys(ROLES, 0.0)


def test_a_text_that_does_not_fit_costs_everyone_and_is_asked_for_again():
    arena = raw_env(penalty=0.25)
    arena.reset(seed=1)
    arena.step("nothing")
    observation, *_ = arena.last()
    assert observation["attempt"] == 1
    assert "expected one JSON object, found none" in observation["complaint"]
    assert play(arena) == dict.fromkeys(ROLES, 0.75)


def test_used_up_attempts_end_the_episode():
    arena = raw_env(attempts=2)
    arena.reset(seed=0)
    assert play(arena, domain=["nothing"] * 2) == pytest.approx(dict.fromkeys(ROLES, -0.2))


def test_the_end_is_told_to_everyone():
    arena = raw_env(attempts=1)
    arena.reset(seed=0)
    arena.step("nothing")
    assert set(arena.terminations.values()) == {True}
    assert arena.infos["tester"]["outcome"] == "domain: expected one JSON object, found none"


def test_a_role_sees_nothing_before_its_turn():
    arena = raw_env()
    arena.reset(seed=0)
    assert arena.observe("caller")["brief"] == ""
    assert arena.observe("domain")["brief"]


def test_an_action_that_is_no_text_does_not_fit():
    arena = raw_env()
    arena.reset(seed=0)
    arena.step({"domains": ["sea"]})
    assert "expected a JSON text, got dict" in arena.last()[0]["complaint"]


def test_the_dialogue_can_be_rendered():
    arena = raw_env(render_mode="ansi")
    arena.reset(seed=0)
    for _ in range(4):
        arena.step(text_of(arena))
    assert json.loads(arena.render())["reply"]


def test_stepping_before_reset_is_refused():
    with pytest.raises(ResetNeeded, match=r"^no episode is running; call reset\(\) first$"):
        raw_env().step("")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"abilities": ["cal"]}, r"no ability 'cal'; there is call, retrieve, plan\. Did you mean 'call'\?"),
        ({"penalty": -1}, "penalty must not be negative, got -1"),
        ({"attempts": 0}, "attempts must be from 1 to 100, got 0"),
    ],
)
def test_a_wrong_setting_is_named(settings, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        raw_env(**settings)


@pytest.mark.heavy
def test_the_package_loads_no_pettingzoo():
    code = "import sys, stb_env.experiments.synthesis; print('pettingzoo' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
