"""Final-answer correctness: query and answer alone, a reported status, the original's reading on request."""

from __future__ import annotations

import json
import pickle

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError, JudgeError
from stb_env.judges.final_answer import FinalAnswerJudge
from stb_env.judges.judge import Case
from stb_env.models import ModelError, ScriptedModel
from stb_env.tasks import Task
from stb_env.tools import ToolResult
from stb_env.trajectory import CallRecord
from tests.fakes.tools import ONE_TOOL


def case(answer="It is sunny."):
    call = CallRecord("c", "forecast", {"city": "Oslo"}, ToolResult.of("secret", source="world"))
    return Case(Task("1", "Weather in Oslo?", ONE_TOOL), answer, (call,))


def decide(replies, the_case=None, **given):
    model = ScriptedModel(replies, name="m")
    return drive(FinalAnswerJudge(model, **given).judge(the_case or case())), model


def test_the_judge_sees_query_and_answer_and_no_call():
    verdict, model = decide(["Solved"])
    text = model.requests[0].messages[0]["content"]
    assert (verdict.status, verdict.score, verdict.judge) == ("solved", 1.0, "final_answer:m:v2")
    assert "Weather in Oslo?" in text
    assert "It is sunny." in text
    assert "secret" not in text


def test_an_empty_answer_is_unsolved_without_a_call():
    verdict, model = decide([], case(" \n"), votes=2)
    assert (verdict.status, len(verdict.votes), model.requests) == ("unsolved", 2, [])


def test_an_answer_that_only_mentions_giving_up_is_judged():
    assert len(decide(["Solved"], case("give_up_and_restart"))[1].requests) == 1


def test_unsure_is_no_answer_and_is_asked_again():
    verdict, model = decide(["Unsure", "Unsolved"])
    assert (verdict.status, len(model.requests)) == ("unsolved", 2)
    with pytest.raises(JudgeError):
        decide(["Unsure"] * 3)


SAID = json.dumps({"answer_status": "Solved", "reason": "Nothing is left unsolved."})


@pytest.mark.parametrize(
    ("said", "status"), [(SAID, "unsolved"), ("It is SOLVED", "solved"), ("hm", "unsolved"), ("", "unsolved")]
)
def test_the_originals_reading_searches_the_whole_reply(said, status):
    verdict, _ = decide([said], reading="substring")
    assert (verdict.status, verdict.judge) == (status, "final_answer:m:v2:substring")


REPEATED = "It is sunny in Oslo, and the task is solved."


@pytest.mark.parametrize(("reading", "asked"), [("substring", 1), ("status", 2)])
def test_a_reply_that_repeats_the_answer_is_a_vote_by_the_originals_reading_alone(reading, asked):
    verdict, model = decide([REPEATED, "Solved"], case(REPEATED), reading=reading)
    assert (verdict.status, len(model.requests)) == ("solved", asked)


def test_the_usual_reading_goes_by_the_status_whatever_the_reason_mentions():
    assert decide([SAID])[0].status == "solved"


def test_a_model_that_is_down_is_a_missing_vote():
    with pytest.raises(JudgeError, match=r"^1 of 1 votes of judge final_answer:m:v2 are missing: HTTP 503$"):
        decide([ModelError("HTTP 503", kind="transport")])


def test_a_reading_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match=r"got 'substrin'\. Did you mean 'substring'\?$"):
        FinalAnswerJudge(ScriptedModel([]), reading="substrin")


def test_a_judge_can_be_sent_to_another_process():
    judge = pickle.loads(pickle.dumps(FinalAnswerJudge(ScriptedModel(["Solved"]))))
    assert drive(judge.judge(case())).status == "solved"
