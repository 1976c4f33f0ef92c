"""An agent that guesses many calls earns no more than one that makes the last of its guesses alone."""

from __future__ import annotations

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from tests.suites.api_bank.sprays import MOST, Sprayer, alone, solved

ABILITIES = ("Call", "Retrieve", "Plan")
SPRAYERS = {
    "likeliest first": Sprayer(MOST),
    "likeliest last, deletions too": Sprayer(MOST, last=True, deletes=True),
}


def check(env, sprayer):
    """Check that an agent that makes the spray's last guesses alone solves all that the spray solves."""
    for task in env.tasks:
        if sprayer.can_solve(task) and solved(sprayer.play(env, task)):
            made = env.snapshot().steps
            assert solved(alone(env, task, made)), task.id


@pytest.mark.heavy
@pytest.mark.parametrize("name", SPRAYERS)
@pytest.mark.parametrize("ability", ABILITIES)
def test_a_spray_earns_what_its_last_guesses_earn_alone(ability, name):
    check(gym.make(f"stb/APIBank{ability}-v1").unwrapped, SPRAYERS[name])


@pytest.mark.heavy
@pytest.mark.parametrize("name", SPRAYERS)
@pytest.mark.parametrize("ability", ABILITIES)
def test_golden_a_spray_earns_what_its_last_guesses_earn_alone(shared_data, ability, name):
    folder = shared_data / "api_bank"
    if not any(folder.rglob("level-3*.json" if ability == "Plan" else "*.jsonl")):
        pytest.skip(f"no dialogues of {ability} in {folder}")
    check(gym.make(f"stb/APIBank{ability}-v1", data=str(folder)).unwrapped, SPRAYERS[name])


@pytest.mark.heavy
def test_in_any_order_a_spray_would_earn_several_times_as_much():
    env = gym.make("stb/APIBankCall-v1").unwrapped
    paper = gym.make("stb/APIBankCall-v1", reward_basis="calls").unwrapped
    sprayer = SPRAYERS["likeliest first"]
    ours, theirs = (
        sum(solved(sprayer.play(one, task)) for task in one.tasks if sprayer.can_solve(task))
        for one in (env, paper)
    )
    assert 0 < 3 * ours < theirs
