"""Replies of the scripted user."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.core.request import drive
from stb_env.envs.model_user import ModelUser
from stb_env.models import ScriptedModel
from stb_env.suites.api_bank.user import NOTHING_TO_ADD, ScriptedUser
from stb_env.tasks import Task
from stb_env.tools import Tool

TURNS = [
    {"user": "A visit at Dr. Brandt's.", "reply": "For whom, and when?"},
    {"user": "For Ann, on 3 May.", "reply": "Ann sees Dr. Brandt on 3 May."},
    {"user": "Set an alarm, too.", "reply": "Done."},
]
KNOWN = {"patient_name": ["Ann"], "date": ["2023-05-03"], "attendees": [["Ann", "Bo"]]}
TASK = Task("1", TURNS[0]["user"], (Tool("GetToday", "", {}),), record={"turns": TURNS, "knows": KNOWN})
STOCK = {"name": "QueryStock", "arguments": {"stock_code": "BRKV", "date": "2023-03-22"}}
FINISH = {"name": "Finish", "arguments": {}}


def answers(*texts):
    user = ScriptedUser()
    state, heard = user.start(TASK, 0), []
    for text in texts:
        said = drive(user.reply(TASK, state, text))
        heard.append(said.text)
        state = said.state
    return heard


@pytest.mark.parametrize(
    "text",
    [
        "For whom, and when?",
        "Which colour do you like?",
        "Is it for Tom, on 9 June?",
        "One moment.",
        "",
        "no",
    ],
)
def test_whatever_is_said_the_next_recorded_utterance_is_the_answer(text):
    assert answers(text) == ["For Ann, on 3 May."]


def test_a_wrong_proposal_is_never_confirmed():
    assert answers("For whom?", "Shall I book it for Tom?", "For 9 June, is that right?") == [
        "For Ann, on 3 May.",
        "Set an alarm, too.",
        NOTHING_TO_ADD,
    ]


def test_after_the_last_utterance_the_user_has_nothing_to_add_once_and_then_leaves():
    assert answers(*["And then?"] * 4)[2:] == [NOTHING_TO_ADD, None]


def episode():
    env = gym.make("stb/APIBankCall-v1").unwrapped
    env.reset(seed=0, options={"task_id": "stock-price-1"})
    return env


def heard(step):
    return json.loads(step[0]["result"])["response"]


def test_a_question_more_than_the_recorded_one_loses_no_utterance():
    env = episode()
    assert heard(env.step("Which share do you mean?")) == "This one, 2023."
    assert heard(env.step("Of which year?")) == NOTHING_TO_ADD
    env.step(STOCK)
    _, reward, terminated, *_ = env.step("It cost 42.")
    assert (reward, terminated) == (1.0, True)


def test_a_finish_ends_the_episode_where_the_user_wants_nothing_more():
    env = episode()
    env.step("Of which year?")
    env.step(STOCK)
    _, reward, terminated, *_ = env.step(FINISH)
    assert (reward, terminated) == (1.0, True)


def test_a_finish_before_that_is_answered_by_the_next_utterance():
    env = episode()
    step = env.step(FINISH)
    assert (heard(step), step[2]) == ("This one, 2023.", False)


def test_a_model_that_plays_the_user_knows_the_script_and_the_facts():
    model = ScriptedModel(['{"say": "On 3 May."}'])
    user = ModelUser(model)
    assert drive(user.reply(TASK, user.start(TASK, 0), "When?")).text == "On 3 May."
    asked = model.requests[0].messages[-1]["content"]
    for part in ("Set an alarm, too.", "patient_name: Ann", "date: 2023-05-03", 'attendees: ["Ann", "Bo"]'):
        assert part in asked
