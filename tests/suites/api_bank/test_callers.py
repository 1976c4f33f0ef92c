"""A perfect caller solves what gold solves, however it talks; a caller that cheats does not."""

from __future__ import annotations

import re

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from tests.suites.api_bank.callers import Caller, rates

ABILITIES = ("Call", "Retrieve", "Plan")
QUERIES = ("QueryStock", "QueryBalance", "GetUserToken", "SymptomSearch", "ToolSearcher", "TravelStatus")
FREE_TEXTS = ("content", "location", "meeting_topic")
MOMENT = re.compile(r"^(\d{4})-0?(\d+)-0?(\d+)( 0?\d+:.*)?$")


def unpadded(_, arguments):
    """Write times without zeros, and turn the order of arguments and attendees around."""
    return {
        name: value[::-1]
        if name == "attendees"
        else MOMENT.sub(r"\1-\2-\3\4", value)
        if isinstance(value, str)
        else value
        for name, value in reversed(arguments.items())
    }


def with_articles(name, arguments):
    """Write texts that the agent words itself with an article, and without a capital."""
    if name not in ("AddAgenda", "AddMeeting", "AddReminder", "ModifyReminder"):
        return arguments
    return {key: f"the {value.lower()}" if key in FREE_TEXTS else value for key, value in arguments.items()}


def a_day_later(_, arguments):
    """Write another day of the month."""
    return {
        name: re.sub(r"^(\d{4}-\d\d-\d)(\d)", lambda m: f"{m[1]}{(int(m[2]) + 1) % 10 or 1}", value)
        if isinstance(value, str)
        else value
        for name, value in arguments.items()
    }


def other_words(name, arguments):
    """Write something else where the agent words a text itself."""
    if name not in ("AddAgenda", "AddMeeting", "AddReminder"):
        return arguments
    return {key: "Zebra crossing" if key in FREE_TEXTS else value for key, value in arguments.items()}


TALKERS = {
    "plain": Caller(),
    "finishes": Caller(finishes=True),
    "asks first": Caller(asks=True),
    "asks and finishes": Caller(asks=True, finishes=True),
    "offers": Caller(offers=True),
    "repeats queries": Caller(repeats=QUERIES),
    "other forms": Caller(changed=unpadded),
    "other wording": Caller(changed=with_articles),
}
CHEATS = {
    "calls nothing": lambda name, arguments: None,
    "another day": a_day_later,
    "other words": other_words,
}


@pytest.fixture(scope="module", params=ABILITIES)
def own(request):
    return gym.make(f"stb/APIBank{request.param}-v1").unwrapped


@pytest.mark.heavy
@pytest.mark.parametrize("talker", TALKERS)
def test_a_perfect_caller_solves_every_dialogue_of_ours_however_it_talks(own, talker):
    solved, tried, missed = rates(own, TALKERS[talker])
    assert solved == tried, missed


@pytest.mark.heavy
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_caller_that_cheats_solves_no_dialogue_that_its_cheat_touches(own, cheat):
    change = CHEATS[cheat]
    touched = [
        task.id
        for task in own.tasks
        if any(change(call.name, dict(call.arguments)) != call.arguments for call in task.gold)
    ]
    assert touched or (cheat, own.tasks.at(0).group) == ("other words", "level-3")
    assert [name for name in touched if Caller(changed=change).play(own, name) >= 1.0] == []


@pytest.mark.heavy
@pytest.mark.parametrize("talker", TALKERS)
@pytest.mark.parametrize("ability", ABILITIES)
def test_golden_a_perfect_caller_solves_the_published_dialogues_however_it_talks(
    shared_data, ability, talker
):
    folder = shared_data / "api_bank"
    wanted = "level-3*.json" if ability == "Plan" else "*.jsonl"
    if not any(folder.rglob(wanted)):
        pytest.skip(f"no {wanted} in {folder}")
    env = gym.make(f"stb/APIBank{ability}-v1", data=str(folder)).unwrapped
    gold = rates(env, TALKERS["plain"])
    solved, tried, missed = rates(env, TALKERS[talker])
    assert solved >= gold[0] - tried // 100, missed
