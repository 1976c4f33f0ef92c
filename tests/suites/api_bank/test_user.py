"""What the scripted user says to what an agent says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stb_env.request import drive
from stb_env.suites.api_bank.user import GO_AHEAD, NOTHING_TO_ADD, THAT_IS_ALL, YES, ScriptedUser
from stb_env.tasks import Task
from stb_env.tools import Tool

TURNS = [
    {"user": "A visit at Dr. Brandt's.", "reply": "For whom, and when?"},
    {"user": "For Ann, on 3 May.", "reply": "Ann sees Dr. Brandt on 3 May."},
    {"user": "Set an alarm, too.", "reply": "Done."},
]
KNOWN = [
    [1, "patient_name", "Ann"],
    [1, "date", "2023-05-03"],
    [2, "username", "mira"],
    [2, "password", "k1"],
]
TASK = Task("1", TURNS[0]["user"], (Tool("GetToday", "", {}),), record={"turns": TURNS, "knows": KNOWN})


def answers(*texts, user=None):
    user = user or ScriptedUser()
    state, heard = user.start(TASK, 0), []
    for text in texts:
        said = drive(user.reply(TASK, state, text))
        heard.append(said.text)
        state = said.state
    return heard


@pytest.mark.parametrize(
    "question",
    ["For whom, and when?", "Which patient is it for?", "On which day, please?", "What else is there?"],
)
def test_a_question_where_the_recorded_assistant_asked_brings_the_script_on(question):
    assert answers(question) == ["For Ann, on 3 May."]


def test_a_question_about_something_else_is_answered_from_what_the_dialogue_knows():
    assert answers("Please give me your user name and password.") == [
        "The username is mira, and the password is k1."
    ]


def test_a_question_that_is_answered_besides_leaves_the_script_where_it_is():
    assert answers("Your password, please?", "For whom is it?")[1] == "For Ann, on 3 May."


def test_a_request_to_confirm_gets_a_yes():
    assert answers("For whom?", "Ann on 3 May with Dr. Brandt: is that correct?") == [
        "For Ann, on 3 May.",
        YES,
    ]


def test_an_announcement_gets_a_word_to_go_ahead():
    assert answers("For whom?", "One moment, please.")[1] == GO_AHEAD


def test_what_nobody_knows_gets_a_word_to_go_on():
    assert answers("For whom?", "Which colour do you like?")[1] == NOTHING_TO_ADD


END = ("For whom?", "Ann sees Dr. Brandt.", "The alarm is set.")


def test_the_first_text_after_the_script_that_asks_nothing_ends_the_conversation():
    assert answers(*END)[-1] is None


@pytest.mark.parametrize("question", ["At what time?", "Shall I set it?", "Which colour do you like?"])
def test_no_question_after_the_script_ends_the_conversation(question):
    assert answers(*END[:2], question)[-1] is not None


def test_who_only_offers_more_hears_once_that_this_is_all():
    offer = "The alarm is set. Is there anything else I can do?"
    assert answers(*END[:2], offer, offer)[-2:] == [THAT_IS_ALL, None]


def test_an_offer_within_the_script_brings_it_on():
    offer = "Ann sees Dr. Brandt. Anything else?"
    assert answers("For whom?", offer)[-1] == "Set an alarm, too."


def test_a_user_who_was_asked_too_often_goes_on_and_in_the_end_leaves():
    asked = ["Which colour do you like?"] * 3
    assert answers("For whom?", *asked, user=ScriptedUser(patience=2))[-1] == "Set an alarm, too."
    assert answers(*END[:2], *asked, user=ScriptedUser(patience=2))[-1] is None


def test_each_text_belongs_to_the_turn_in_which_it_was_said():
    texts = ["Your password?", "For whom?", "Is that correct?", "Done.", "Set."]
    assert ScriptedUser().turns_of(TASK, texts) == [0, 0, 1, 1, 2]


DELETING = replace(TASK, goal={"calls": [{"name": "DeleteAlarm"}]})


@pytest.mark.parametrize(
    "offer",
    ["Shall I set another alarm?", "Would you like me to change it, too?", "Shall I also book a table?"],
)
def test_an_offer_to_do_something_else_is_declined_and_then_the_conversation_ends(offer):
    user = ScriptedUser()
    state = user.start(DELETING, 0)._replace(said=len(TURNS))
    said = user.answer(DELETING, state, f"The alarm is off. {offer}")
    assert said.text == THAT_IS_ALL
    assert user.answer(DELETING, said.state, "Goodbye, then.").text is None


def test_a_question_whether_to_do_what_was_asked_for_still_gets_a_yes():
    user = ScriptedUser()
    state = user.start(DELETING, 0)._replace(said=len(TURNS))
    assert user.answer(DELETING, state, "Shall I delete it?").text == YES


def test_a_second_thing_is_no_announcement():
    assert answers(*END[:2], "If you need a second alarm, say so.")[-1] is None
