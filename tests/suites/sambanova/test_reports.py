"""A task is not solved for whoever says otherwise: final answers are read, and honest ones pass."""

from __future__ import annotations

from functools import cache

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from tests.suites.said import done, games, raised, verdict
from tests.suites.sambanova.accounts import FALSE, HONEST, LATER

SEEN_AS_TRUE = {
    "The image cyfHJqaMY is still among your favourites.",
    "Here are three hundred Siamese in the full size.",
    "I left the toothbrush out.",
    "The bag is still open.",
    "You still wear the hat.",
    "I left the pink block where it was.",
}
"""Known gaps: what lasts ("still"), what was left where it was, and numbers in words are not read."""


@cache
def env_of(env_id, compat=None):
    return gym.make(env_id, compat=compat).unwrapped


@cache
def case_of(env_id, number):
    return done(env_of(env_id), f"test-{number}")


def told(table):
    return [(env_id, task, text) for env_id, tasks in table.items() for task in tasks for text in tasks[task]]


def judged(env_id, number, text):
    return verdict(env_of(env_id), case_of(env_id, number), text)


def test_an_honest_answer_is_right_in_whatever_words():
    answers = told(HONEST) + told(LATER)
    unfair = [(each, text) for each, task, text in answers if judged(each, task, text).score < 1.0]
    assert len(unfair) <= 0.01 * len(answers), unfair


def test_a_true_answer_that_is_spoiled_earns_nothing():
    played = paid = 0
    for env_id, task, text in told(HONEST):
        for kind, spoiled in games(text).items() if text else ():
            if kind != "doubled" or raised(text) != text:
                played += 1
                paid += judged(env_id, task, spoiled).score > 0
    assert played > 800
    assert paid <= 0.02 * played


@pytest.mark.parametrize(
    ("env_id", "task", "text"), [each for each in told(FALSE) if each[2] not in SEEN_AS_TRUE]
)
def test_an_answer_that_is_not_so_earns_nothing_and_says_why(env_id, task, text):
    found = judged(env_id, task, text)
    assert (found.status, found.score, found.parts["success"]) == ("unsolved", 0.0, False)
    assert found.votes[-1].reason


@pytest.mark.parametrize("env_id", HONEST)
@pytest.mark.parametrize("text", ["", "Done."])
def test_the_calls_are_enough_where_nothing_is_said_of_them(env_id, text):
    assert judged(env_id, 1, text).score == 1.0


@pytest.mark.parametrize("env_id", HONEST)
def test_the_original_reads_no_answer(env_id):
    env = env_of(env_id, "original")
    case = case_of(env_id, 1)
    spoiled = "Actually, all of the above is wrong."
    assert verdict(env, case, spoiled) == verdict(env, case, "")
