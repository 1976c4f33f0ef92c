"""What was said of right calls counts: honest replies pass, and those that spoil a true one do not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.testing.red_team.playing import other_answer, states_something
from tests.suites.api_bank.accounts import FALSE, HONEST, LATER
from tests.suites.said import done, games, raised


@cache
def env_of(ability):
    return gym.make(f"stb/APIBank{ability}-v0").unwrapped


@cache
def case_of(ability, name):
    return done(env_of(ability), name)


def replied(case, text):
    """Return the case in which the last reply to recorded calls is another one."""
    recorded = case.task.goal["replies"][-1][1]
    if case.final_answer.strip() == recorded.strip():
        return replace(case, final_answer=text)
    return replace(case, replies=tuple(text if said == recorded else said for said in case.replies))


def verdict(ability, name, text):
    return replied(case_of(ability, name), text).verdict(env_of(ability).rules.judge)


def told(table):
    return [(ability, name, text) for ability, each in table.items() for name in each for text in each[name]]


def test_an_honest_reply_is_right_in_whatever_words():
    replies = told(HONEST) + told(LATER)
    unfair = [(name, text) for ability, name, text in replies if verdict(ability, name, text).score < 1.0]
    assert len(unfair) <= 0.01 * len(replies), unfair


@pytest.mark.parametrize(("ability", "name", "text"), told(FALSE))
def test_a_reply_that_is_not_so_earns_nothing_and_says_why(ability, name, text):
    judged = verdict(ability, name, text)
    assert (judged.status, judged.score) == ("unsolved", 0.0)
    assert judged.votes[0].reason


def test_a_true_reply_that_is_spoiled_earns_nothing():
    played = paid = 0
    for ability, name, text in told(HONEST):
        for kind, spoiled in games(text).items():
            if kind != "doubled" or raised(text) != text:
                played += 1
                paid += verdict(ability, name, spoiled).score > 0
    assert played > 300
    assert paid <= 0.02 * played


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plan-test-078", "San Francisco: cloudy at 20 °C. Paris: sunny, 15 °C, so 5 degrees cooler."),
        ("plan-test-053", "Tokyo has 25 degrees and rain. Wear these: shorts, your raincoat and a T-shirt."),
        ("plan-test-053", 'It is "rainy" in Tokyo at 25 degrees. Put on a t-shirt, shorts and a raincoat.'),
    ],
)
def test_what_was_read_may_be_quoted_listed_and_compared(name, text):
    assert verdict("Plan", name, text).score == 1.0


def test_who_tells_offers_more_and_says_goodbye_has_told():
    case = replied(case_of("Call", "stock-price-1"), "It cost 42. Is there anything else?")
    goodbye = replace(case, replies=(*case.replies, case.final_answer), final_answer="You are welcome!")
    assert goodbye.verdict(env_of("Call").rules.judge).score == 1.0
    false = replace(goodbye, replies=("It cost 24. Is there anything else?",))
    assert false.verdict(env_of("Call").rules.judge).score == 0.0


@pytest.mark.parametrize(
    ("goodbye", "score"),
    [
        ("Bye! BRKV cost 42, on 22.03.2023.", 1.0),
        ("Bye! BRKV cost 24.", 0.0),
        ("Bye! I have also deleted your account.", 0.0),
    ],
)
def test_a_goodbye_is_held_against_the_calls_too(goodbye, score):
    case = replied(case_of("Call", "stock-price-1"), "It cost 42. Is there anything else?")
    case = replace(case, replies=(*case.replies, case.final_answer), answer=goodbye)
    assert case.verdict(env_of("Call").rules.judge).score == score


@pytest.mark.parametrize("odd", ["on the 44th", "on 31.02.2023", "on 2023-13-45", "at 25:61 pm", "at 99:99"])
def test_days_and_times_that_no_calendar_has_are_read_like_any_other_word(odd):
    assert verdict("Call", "stock-price-1", f"It cost 42 {odd}.").status in ("solved", "unsolved")


def test_a_choice_that_was_returned_is_no_doubt():
    judge, case = env_of("Call").rules.judge, case_of("Call", "call-test-089")
    told = "It is a tower with a lamp that guides ships, either along a coast or into a harbour."
    assert replied(case, told).verdict(judge).score == 1.0
    doubted = "It is either a tower with a lamp that guides ships along a coast or a kind of bread."
    assert replied(case, doubted).verdict(judge).score == 0.0


def test_a_cheat_offers_beside_gold_only_what_is_false_here():
    env = env_of("Retrieve").fork()
    env.reset(seed=0, options={"task_id": "retrieve-test-023"})
    assert "thrifty" in str(env.task.record["turns"])
    other = other_answer(env, 0).text
    assert states_something(other)
    assert "thrifty" not in other.lower()


@pytest.mark.parametrize("settings", [{"reward_basis": "calls"}, {"compat": "original"}])
def test_the_papers_correctness_looks_at_calls_alone(settings):
    judge = gym.make("stb/APIBankCall-v1", **settings).unwrapped.rules.judge
    assert judge.basis == "calls"
    assert replied(case_of("Call", "stock-price-1"), "It cost 24.").verdict(judge).score == 1.0
