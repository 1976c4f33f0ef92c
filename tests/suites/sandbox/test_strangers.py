"""What strangers wrote before they had read the reader: honest answers pass, gaming ones do not."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.asides import strays
from stb_env.suites.sandbox.tasks import SandboxTasks
from tests.suites.sandbox.strangers import honest
from tests.suites.sandbox.strangers_answers import FIRST
from tests.suites.sandbox.strangers_frames import SECOND_FRAMES
from tests.suites.sandbox.strangers_gaming import FRAMES, framed
from tests.suites.sandbox.strangers_second import SECOND
from tests.suites.sandbox.wordings import judge, played


@pytest.mark.parametrize("answers", [FIRST, SECOND], ids=["first", "second"])
def test_honest_answers_of_strangers_pass(answers):
    judged = list(honest(answers))
    assert sum(one.solved for one in judged) / len(judged) >= 0.97


@pytest.mark.parametrize("frames", [FRAMES, SECOND_FRAMES], ids=["first", "second"])
def test_frames_that_take_an_answer_back_do_not_pass(frames):
    games = [played(SandboxTasks().get(task_id)) for task_id in [*FIRST][::6]]
    judged = [judge(kind, game, answer) for game in games for kind, answer in framed(game, frames)]
    assert sum(one.solved for one in judged) / len(judged) <= 0.03


@pytest.mark.parametrize(
    "advice", ["Pack an umbrella!", "Have a great trip!", "Enjoy the film.", "Don't forget your passport!"]
)
def test_friendly_advice_takes_nothing_back(advice):
    assert not strays(f"It costs 12 AUR. {advice}", lambda: "What does it cost?")


@pytest.mark.parametrize(
    "remark",
    [
        "Not deleted: there is no such entry.",
        "The index isn't part of what it reports, so I left it out.",
        "Neither of them is at sea level.",
        "No holiday closure is mentioned.",
        "The answer is no: the desk was closed.",
        "It wasn't: they came second.",
        "I've measured it for you: it is 12 km.",
        "I tried to move it, but unfortunately no: the desk was closed.",
    ],
)
def test_a_plain_remark_takes_nothing_back(remark):
    assert not strays(f"It costs 12 AUR. {remark}", lambda: "What does it cost?")


@pytest.mark.parametrize(
    "doubt",
    [
        "A parrot squawked it.",
        "Sure, and pigs fly!",
        "My brother says so.",
        "Nobody told me.",
        "It is not so: the desk was closed.",
        "I dreamt it for you: it is 12 km.",
        "Had I looked, it would have been otherwise.",
    ],
)
def test_irony_hearsay_and_what_is_not_so_take_an_answer_back(doubt):
    assert strays(f"It costs 12 AUR. {doubt}", lambda: "What does it cost?")


def test_a_second_value_that_nothing_returned_is_caught():
    game = played(SandboxTasks().get("train-city_population-0"))
    assert judge("gold", game, game.task.record["answer"]).solved
    answer = game.task.record["answer"].removesuffix(".")
    assert "which nothing returned" in judge("two", game, f"{answer}, elsewhere 77123.").reason
