"""Scores of API-Bank episodes."""

from __future__ import annotations

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.core.request import drive
from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.api_bank.api_set import LEVEL_12
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance
from stb_env.suites.api_bank.judge import DialogueJudge
from stb_env.suites.api_bank.tasks import dialogue_task
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import ToolResult
from stb_env.trajectory import CallRecord
from tests.suites.api_bank.play import MIRA, OSKAR

WORLD = ApiBankWorld()


def task_of(*items):
    state, recorded = WORLD.fresh(), []
    for item in items:
        if isinstance(item, str):
            recorded.append(Utterance("User" if not recorded else "AI", item))
            continue
        name, arguments = item
        tool = WORLD.tools[name]
        result, state = WORLD.call(state, tool, arguments)
        recorded.append(GoldCall(name, arguments, WORLD.envelope(tool, arguments, result)))
    return dialogue_task(Dialogue("d", 1, tuple(recorded)), LEVEL_12, "own", suite="s", searched=False)


def case_of(task, *calls, replies=()):
    state, records = WORLD.start(task, 0), []
    for name, arguments in calls:
        result, state = WORLD.call(state, WORLD.tools[name], arguments)
        records.append(CallRecord("", name, arguments, result))
    return Case(task, "", tuple(records), state, replies)


def verdict(task, *calls, basis="calls", replies=()):
    return drive(DialogueJudge(WORLD, basis).judge(case_of(task, *calls, replies=replies)))


def remind(content, token=MIRA, time="2023-04-12 10:00:00"):
    return "AddReminder", {"token": token, "content": content, "time": time}


STAMPS = remind("Buy blue stamps")
QUOTE = ("QueryStock", {"stock_code": "BRKV", "date": "2023-03-22"})
REMINDING = task_of("Remind me of the stamps, and what does BRKV cost?", STAMPS, QUOTE, "Done, it costs 42.")
READING = task_of("What does BRKV cost?", QUOTE, "It costs 42.")
TALKING = task_of("Hello!", "Hello.")


def test_the_score_is_the_share_of_recorded_calls_done():
    half = verdict(REMINDING, QUOTE)
    assert (half.status, half.score) == ("unsolved", 0.5)
    assert half.metrics["right_calls"] == 1
    full = verdict(REMINDING, STAMPS, QUOTE)
    assert (full.status, full.score) == ("solved", 1.0)


def test_the_order_of_calls_does_not_matter():
    assert verdict(REMINDING, QUOTE, STAMPS).score == 1.0


def test_looking_something_up_besides_costs_nothing():
    other = ("QueryStock", {"stock_code": "BRKV", "date": "2023-03-21"})
    assert verdict(READING, other, QUOTE, other).score == 1.0


def test_an_unasked_change_counts_as_a_call_that_was_not_right():
    judged = verdict(REMINDING, STAMPS, QUOTE, remind("Sell the house", OSKAR))
    assert judged.score == pytest.approx(2 / 3)
    assert judged.metrics["call_accuracy"] == 1.0
    assert judged.metrics["state"] == 0.0


def test_doing_a_thing_twice_is_an_unasked_change():
    assert verdict(REMINDING, STAMPS, STAMPS, QUOTE).metrics["unasked_changes"] == 1


def test_a_query_answers_for_its_recorded_repetitions_and_a_change_for_one():
    asked_twice = task_of("Twice, please.", QUOTE, QUOTE, "42, and 42.")
    assert verdict(asked_twice, QUOTE).score == verdict(asked_twice, QUOTE, QUOTE).score == 1.0
    done_twice = task_of("Twice, please.", STAMPS, STAMPS, "Done.")
    assert verdict(done_twice, STAMPS).score == 0.5
    assert verdict(done_twice, STAMPS, STAMPS).score == 1.0


def test_an_argument_that_nobody_gave_decides_nothing_and_one_that_was_given_does():
    meeting = {
        "token": MIRA,
        "meeting_topic": "Roof",
        "start_time": "2023-05-05 14:00:00",
        "end_time": "2023-05-05 15:00:00",
        "location": "Attic Room",
        "attendees": ["Amir Haddad"],
    }
    login = ("GetUserToken", {"username": "mira", "password": "mira-pass1"})
    asked = "I am mira, mira-pass1. A meeting about the roof with Amir Haddad on 5 May at 2 pm, Attic Room."
    task = task_of(asked, login, ("AddMeeting", meeting), "Done.")
    until = {"end_time": "2023-05-05 14:30:00"}
    assert verdict(task, login, ("AddMeeting", meeting | until)).score == 1.0
    for wrong in (
        {"end_time": "2023-05-06 14:30:00"},
        {"start_time": "2023-05-05 13:00:00"},
        {"location": "Dock Office"},
        {"attendees": ["Petra Vos"]},
    ):
        assert verdict(task, login, ("AddMeeting", meeting | wrong)).score < 1.0, wrong


def test_other_words_that_the_rule_allows_are_right_for_the_state_too():
    assert verdict(REMINDING, remind("buy blue stamps soon"), QUOTE, basis="acts").score == 1.0


def test_numbers_of_rows_may_come_in_another_order():
    two = task_of(
        "Two things.", remind("First thing"), remind("Other one", time="2023-05-01 08:00:00"), "Done."
    )
    swapped = remind("Other one", time="2023-05-01 08:00:00"), remind("First thing")
    assert verdict(two, *swapped, basis="acts").score == 1.0


@pytest.mark.parametrize(
    ("basis", "calls", "status", "score"),
    [
        ("state", [STAMPS], "solved", 1.0),
        ("state", [QUOTE], "unsolved", 0.0),
        ("rouge", [], "solved", 1.0),
        ("all", [STAMPS, QUOTE], "solved", 1.0),
        ("all", [QUOTE], "unsolved", 0.0),
    ],
)
def test_the_basis_decides_the_score(basis, calls, status, score):
    judged = verdict(REMINDING, *calls, basis=basis, replies=("Done, it costs 42.",))
    assert (judged.status, judged.score) == (status, score)


def test_a_reply_is_compared_with_the_one_of_its_turn():
    assert verdict(READING, QUOTE, replies=("It costs 42.",)).metrics["rouge_l"] == 1.0
    assert verdict(READING, QUOTE).metrics["rouge_l"] == 0.0


def test_a_dialogue_without_a_call_offers_no_tool():
    assert TALKING.tools == ()


def test_a_dialogue_without_a_call_cannot_be_judged():
    assert verdict(TALKING).status == "na"


def test_the_state_of_a_dialogue_that_only_reads_cannot_be_judged():
    assert verdict(READING, QUOTE, basis="state").status == "na"


def test_a_refused_call_is_right_for_nothing():
    refused = CallRecord("", "Nonsense", {}, ToolResult.of("", error="no tool", source="env"))
    case = case_of(READING)
    judged = drive(DialogueJudge(WORLD).judge(Case(READING, "", (refused,), case.state)))
    assert judged.score == 0.0


def test_a_foreign_state_is_no_verdict():
    with pytest.raises(
        JudgeError, match=r"^task d is judged by its final state, got NoneType; pass the world's"
    ):
        drive(DialogueJudge(WORLD).judge(Case(READING, "", ())))


def test_an_episode_without_anything_to_judge_is_not_valid():
    env = gym.make("stb/APIBankCall-v1", reward_basis="state").unwrapped
    env.reset(seed=0, options={"task_id": "stock-price-1"})
    env.step("Hello.")
    env.step("Good-bye.")
    *_, info = env.step("Good-bye.")
    assert (info["verdict"]["status"], info["valid"]) == ("na", False)


def acts(task, *calls):
    """Return the score and the parts by the default basis."""
    judged = verdict(task, *calls, basis="acts")
    return judged.score, judged.parts


def test_a_dialogue_is_solved_by_all_its_calls_and_its_state_or_not_at_all():
    done = {"act:1 AddReminder": True, "act:2 QueryStock": True, "state:Reminder": True}
    assert acts(REMINDING, STAMPS, QUOTE) == (1.0, done)
    assert acts(REMINDING, STAMPS) == (0.0, done | {"act:2 QueryStock": False})
    nothing = dict.fromkeys(done, False)
    assert acts(REMINDING) == (0.0, nothing)


def test_an_act_that_nobody_asked_for_fails_the_episode_and_is_named():
    score, parts = acts(REMINDING, STAMPS, QUOTE, remind("Sell the house", OSKAR))
    assert (score, parts["kept:AddReminder"], parts["state:Reminder"]) == (0.0, False, False)
    alarm = ("AddAlarm", {"token": MIRA, "time": "2023-05-01 08:00:00"})
    score, parts = acts(REMINDING, STAMPS, QUOTE, alarm)
    assert (score, parts["kept:AddAlarm"], parts["state:Reminder"]) == (0.0, False, True)


def mail(receiver, content="See you."):
    return "SendEmail", {"receiver": receiver, "subject": "Tea", "content": content}


def test_a_mail_is_an_act_though_no_table_holds_it():
    ann, tom = mail("ann@mail.org"), mail("tom@mail.org")
    task = task_of("Mail ann@mail.org, subject Tea: See you.", ann, "Sent.")
    assert acts(task, ann) == (1.0, {"act:1 SendEmail": True})
    for wrong in ((ann, tom), (tom, ann), (ann, ann)):
        score, parts = acts(task, *wrong)
        assert (score, parts["kept:SendEmail"]) == (0.0, False), wrong
    refused = mail("nobody")
    assert acts(task, refused, ann)[0] == 1.0
    music = ("PlayMusic", {"music_name": "Waves"})
    assert acts(task, ann, music)[1] == {"act:1 SendEmail": True, "kept:PlayMusic": False}


def quote(day):
    return "QueryStock", {"stock_code": "BRKV", "date": f"2023-03-{day}"}


def test_of_reads_the_last_count_as_many_as_are_recorded():
    assert acts(READING, quote(21), QUOTE)[0] == 1.0
    assert acts(READING, QUOTE, QUOTE)[0] == 1.0
    assert acts(READING, QUOTE, quote(21))[0] == 0.0
    assert acts(READING, QUOTE, quote(21), QUOTE)[0] == 1.0
    assert acts(READING, QUOTE, quote(1))[0] == 0.0  # refused: there is no price of that day
    two = task_of("BRKV on 21 and 22 March?", quote(21), QUOTE, "41 and 42.")
    assert acts(two, quote(23), quote(21), QUOTE)[0] == 1.0
    assert acts(two, quote(21), quote(21), QUOTE, QUOTE)[0] == 1.0
    assert acts(two, quote(21), quote(23), QUOTE)[0] == 0.0


def test_reads_of_other_tools_and_calls_that_reach_no_tool_cost_nothing():
    balance = ("QueryBalance", {"token": MIRA})
    assert acts(READING, QUOTE, balance, ("QueryStock", {"stock_code": "BRKV"}))[0] == 1.0


def test_a_refused_act_that_a_later_one_makes_good_costs_nothing_and_refused_ones_at_the_end_do():
    one, two = remind("First thing"), remind("Other one", time="2023-05-01 08:00:00")
    refused = remind("Other one", time="tomorrow")
    task = task_of("Two things.", one, two, "Done.")
    assert acts(task, one, refused, two)[0] == 1.0
    assert acts(task, refused, one, two)[0] == 1.0
    assert acts(task, one, two, refused)[0] == 0.0


def test_a_log_in_counts_only_where_no_other_call_follows():
    login = ("GetUserToken", {"username": "mira", "password": "mira-pass1"})
    task = task_of("I am mira, mira-pass1. Remind me of the stamps.", login, STAMPS, "Done.")
    assert acts(task, STAMPS) == (1.0, {"act:2 AddReminder": True, "state:Reminder": True})
    assert acts(task, login) == (0.0, {"act:2 AddReminder": False, "state:Reminder": False})
    assert verdict(task, STAMPS).metrics["call_accuracy"] == 0.5
    alone = task_of("My token, please: mira, mira-pass1.", login, "Here it is.")
    assert acts(alone, login) == (1.0, {"act:1 GetUserToken": True})
    assert acts(alone) == (0.0, {"act:1 GetUserToken": False})
    after = task_of("Remind me of the stamps, then log me in: mira, mira-pass1.", STAMPS, login, "Done.")
    assert acts(after, STAMPS)[1] == {
        "act:1 AddReminder": True,
        "act:2 GetUserToken": False,
        "state:Reminder": True,
    }
    assert acts(after, STAMPS, login)[0] == 1.0


def test_no_part_is_earned_by_doing_nothing():
    for ability in ("Call", "Retrieve", "Plan"):
        env = gym.make(f"stb/APIBank{ability}-v1").unwrapped
        for task in env.tasks:
            case = Case(task, "", (), env.rules.backend.start(task, 0))
            parts = drive(env.rules.judge.judge(case)).parts
            assert parts, task.id
            assert not any(parts.values()), task.id


@pytest.mark.heavy
def test_every_task_says_that_acts_decide():
    for ability in ("Call", "Retrieve", "Plan"):
        tasks = gym.make(f"stb/APIBank{ability}-v1").unwrapped.tasks
        assert {task.answer for task in tasks} == {"acts"}


@pytest.mark.parametrize(("settings", "basis"), [({}, "acts"), ({"compat": "original"}, "calls")])
def test_acts_decide_unless_the_original_is_asked_for(settings, basis):
    assert gym.make("stb/APIBankCall-v1", **settings).unwrapped.rules.judge.basis == basis
