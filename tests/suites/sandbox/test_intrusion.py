"""A sentence of another task beside the right answer fails it; a remark about the task does not."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.intrusion import intrudes
from tests.suites.sandbox import wordings

QUERY = 'When does the train from Ulm to Bonn leave on 2 May 2026, and what does the ticket "Saver" cost?'
FACTS = [facts.time("departure", "08:10"), facts.number("price", 12.5)]
RETURNED = (
    "{'from': 'Ulm', 'to': 'Bonn', 'departs': '08:10', 'arrives': '11:55', 'price_cents': 1250, 'seats': 240,"
    " 'distance_km': 512, 'operator': 'Iron Road'}"
)
RIGHT = "It leaves at 08:10 and costs 12.50."


def _said(answer: str) -> str:
    return intrudes(answer, QUERY, FACTS, lambda: RETURNED)


@pytest.mark.parametrize(
    ("sentence", "specific"),
    [
        ("Bob Ray has seat 4C.", "Bob Ray"),
        ("She was born on 26 October 1947.", "26 october 1947"),
        ("The shop opens at 17:37.", "17:37"),
        ("It holds 1590.54 AUR.", "1590.54"),
        ('You have "Pottery class" then.', '"Pottery class"'),
        ("The mail to ann.ray@postbox.example is sent.", "ann.ray@postbox.example"),
        ("The file is report-2021.pdf.", "report-2021.pdf"),
        ("It weighs 1024 grams.", "1024 grams"),
        ("How many nights do you stay at the Old Anchor Hotel?", "Old Anchor Hotel"),
        ("The order is placed.", "is placed"),
    ],
)
def test_a_sentence_of_another_task_fails_the_answer_on_either_side_of_the_right_one(sentence, specific):
    reason = f'read {specific}, of which nobody spoke: "{sentence.rstrip(".?")}"'
    assert (_said(f"{RIGHT} {sentence}"), _said(f"{sentence} {RIGHT}")) == (reason, reason)


@pytest.mark.parametrize(
    "remark",
    [
        "Have a nice trip!",
        "Two tickets cost 25.00, and four of them 50.00.",
        "That is 318.1 miles, or 512 km.",
        "It arrives at 11:55, 225 minutes later.",
        "There and back it is 1024 km.",
        "There are 240 seats.",
        "The ride takes 3 hours and 45 minutes.",
        "There are 61 days from 2 March to 2 May.",
        "I'd be there by 07:55.",
        "A good train back would be the one at 17:37.",
        "If you need help, ask Bob Ray.",
        "You could also ask at the Red Lion Inn.",
        "Iron Road runs it on Saturday.",
        "Nothing is booked so far.",
        "I took this from the timetable.",
    ],
)
def test_a_remark_about_the_task_stands(remark):
    assert _said(f"{RIGHT} {remark}") == ""


@pytest.mark.parametrize(
    "answer",
    [
        f"One of the following two, take the one that fits: {RIGHT} It rains.",
        f"Answer A: {RIGHT}\nAnswer B: It rains.",
        f"{RIGHT}\nAlternatively: it leaves at 08:10 on the hour.",
        f"{RIGHT} It is as I say. Both of these hold.",
    ],
)
def test_an_offer_of_answers_fails_whatever_it_offers(answer):
    assert _said(answer).startswith('read an offer of answers: "')


def test_options_from_which_the_user_is_to_choose_are_no_offer_of_answers():
    assert _said(f"{RIGHT}\nOption 1: Ulm.\nOption 2: Bonn.\nWhich station is nearer to you?") == ""


def test_an_answer_of_one_sentence_is_not_looked_at():
    assert intrudes("Bob Ray has seat 4C.", QUERY, FACTS, lambda: pytest.fail("read")) == ""


def test_the_answer_to_another_task_hardly_ever_passes_beside_the_right_one():
    games = [game for game in list(wordings.tasks())[::6] if game.task.goal.get("facts")]
    pairs = [
        (game, str(game.task.record["answer"]), str(other.task.record["answer"]))
        for game, other in zip(games, games[1:] + games[:1], strict=True)
    ]
    judged = [
        wordings.judge("doubled", game, text)
        for game, gold, other in pairs
        for text in (f"{gold} {other}", f"{other}\n{gold}")
        if not wordings.judge("silent", game, "Done.").solved
    ]
    assert len(judged) >= 40
    assert sum(one.solved for one in judged) / len(judged) <= 0.1
    assert all(wordings.judge("gold", game, gold).solved for game, gold, _ in pairs)
