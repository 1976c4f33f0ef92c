"""The pass judge: two questions, many votes, and nothing that looks earned where no vote came."""

from __future__ import annotations

import json
import pickle
import re

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stb_env  # noqa: F401 (registers the ids)
from stb_env.core.request import drive
from stb_env.errors import ConfigError, JudgeError
from stb_env.judges.answer_status import read_vote
from stb_env.judges.judge import Case
from stb_env.judges.majority import MissingVotes, majority, run_scores
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.pass_questions import PromptQuestions
from stb_env.judges.registry import load_judge
from stb_env.models import ChatReply, ModelError, ScriptedModel, Usage
from stb_env.models.prompting import Prompt
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, Tool, ToolResult
from stb_env.trajectory import CallRecord
from stb_env.verdict import Vote

REFUSED = ModelError("the model refused", retryable=True, usage=Usage(5, 1, 6, calls=1))
LIMITED = ModelError("HTTP 429", kind="rate_limit", retryable=True)
TOOLS = (Tool("forecast", "Weather of a city.", {}), Tool("unused", "Nothing.", {}))


def call(name="forecast", arguments=None, response="sunny", error="", status=None):
    result = ToolResult.of(response, error=error, source="world", status=status)
    return CallRecord("c", name, {"city": "Oslo"} if arguments is None else arguments, result)


def case(answer="It is sunny.", calls=None, query="Weather in Oslo?"):
    finish = call(FINISH, {"return_type": "give_answer", "final_answer": answer}, status=Status.FINISHED)
    return Case(Task("1", query, TOOLS), answer, (*((call(),) if calls is None else calls), finish))


def decide(replies, the_case=None, **settings):
    model = ScriptedModel(replies, name="m")
    return drive(PassJudge(model, **settings).judge(the_case or case())), model


def prompt_of(request):
    return request.messages[0]["content"]


def reported(status, reason="because"):
    function = {
        "name": "report_status",
        "arguments": json.dumps({"answer_status": status, "reason": reason}),
    }
    return {"tool_calls": [{"id": "x", "type": "function", "function": function}]}


@pytest.mark.parametrize(("status", "score"), [("Solved", 1.0), ("Unsolved", 0.0)])
def test_a_sure_first_answer_decides_alone(status, score):
    verdict, model = decide([reported(status)])
    assert (verdict.status, verdict.score, verdict.judge) == (status.lower(), score, "pass:m:v3")
    assert verdict.votes == (Vote(status.lower(), "because"),)
    assert len(model.requests) == 1


@pytest.mark.parametrize(("second", "score"), [("Solved", 1.0), ("Unsure", 0.5), ("Unsolved", 0.0)])
def test_where_the_first_answer_is_unsure_the_second_counts(second, score):
    verdict, model = decide([reported("Unsure"), reported(second)])
    assert (verdict.status, verdict.score, len(model.requests)) == (second.lower(), score, 2)


def test_the_first_question_shows_query_and_answer_the_second_every_call_too():
    _, model = decide(["Unsure", "Solved"])
    first, second = map(prompt_of, model.requests)
    assert "Weather in Oslo?" in first
    assert "It is sunny." in first
    assert '"response": "sunny"' not in first
    assert '{"tool": "forecast", "arguments": {"city": "Oslo"}, "error": "", "response": "sunny"}' in second
    assert "forecast: Weather of a city." in second
    assert "unused" not in second
    assert model.requests[0].tool_choice == {"type": "function", "function": {"name": "report_status"}}


@pytest.mark.parametrize("answer", ["", " \n", "I give_up_and_restart now"])
def test_no_model_is_asked_about_an_empty_answer_or_one_that_gives_up(answer):
    verdict, model = decide([], case(answer), votes=3)
    assert (verdict.status, verdict.score, len(verdict.votes)) == ("unsolved", 0.0, 3)
    assert not model.requests


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (reported("Solved"), "solved"),
        (reported("unsolved "), "unsolved"),
        ({"content": '{"answer_status": "Unsure", "reason": ""}'}, "unsure"),
        ({"content": 'Here:\n```json\n{"answer_status": "Unsolved"}\n```'}, "unsolved"),
        ({"content": "Unsolved"}, "unsolved"),
        ({"content": "**Solved**"}, "solved"),
        ({"content": "Answer Status: Unsolved\nReason: it was never solved"}, "unsolved"),
        ({"content": "Solved. Every part is there."}, "solved"),
        ({"content": "The answer is not solved"}, None),
        ({"content": "I would not say solved, rather unsolved"}, None),
        ({"content": "Solved\nUnsolved"}, None),
        ({"content": "I cannot help with that."}, None),
        ({"content": ""}, None),
        ({"content": '{"answer_status": "Solved", "rea'}, None),
        ({"content": '{"answer_status": ["Solved"]}'}, None),
        ({"content": '{"answer_status": "Perfect"}'}, None),
        ({"tool_calls": [{"id": "x", "function": {"name": "r", "arguments": '{"answer_st'}}]}, None),
        ({"tool_calls": [{"id": "x", "function": {"name": "r", "arguments": "[" * 100_000}}]}, None),
        ({"tool_calls": [*reported("Solved")["tool_calls"], *reported("Unsolved")["tool_calls"]]}, None),
    ],
)
def test_a_status_is_read_from_a_call_from_json_or_from_a_bare_word(message, status):
    vote = read_vote(ChatReply(message))
    assert (vote and vote.status) == status


@given(st.text(max_size=200))
def test_reading_survives_any_text(text):
    vote = read_vote(ChatReply({"content": text}))
    assert vote is None or re.search(r"solved|unsure", text, re.IGNORECASE)


def test_three_votes_give_mean_and_standard_deviation():
    verdict, model = decide(["Solved", "Unsolved", "Solved"], votes=3, reward="mean")
    runs = run_scores([verdict.votes])
    assert verdict.score == pytest.approx(2 / 3)
    assert runs.scores == (1.0, 0.0, 1.0)
    assert (runs.mean, runs.std) == (pytest.approx(2 / 3), pytest.approx(0.4714045))
    assert [request.index for request in model.requests] == [0, 1, 2]


@pytest.mark.parametrize(
    ("votes", "status"),
    [
        (["solved", "solved", "unsolved"], "solved"),
        (["solved", "unsolved"], "unsure"),
        (["solved", "unsolved", "unsure"], "unsure"),
        (["unsolved", None, None], "unsolved"),
        ([], "unsure"),
    ],
)
def test_the_majority_is_the_most_frequent_status_and_unsure_where_there_is_none(votes, status):
    assert majority(Vote(vote) for vote in votes) == status


def test_scores_can_be_set():
    verdict, _ = decide(["Unsure", "Unsure"], scores={"unsure": 0.0})
    assert (verdict.status, verdict.score) == ("unsure", 0.0)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"votes": 0}, r"^votes must be from 1 to 1000, got 0$"),
        ({"reward": "best"}, r"^reward must be 'mean' or 'majority', got 'best'$"),
        ({"attempts": 0}, r"^attempts must be at least 1, got 0$"),
        ({"scores": {"unsure": 2}}, r"^the score of unsure must be a number from 0 to 1, got 2$"),
        (
            {"scores": {"great": 1}},
            r"^scores has no status 'great'; expected one of solved, unsure, unsolved, na$",
        ),
    ],
)
def test_settings_out_of_range_are_refused(setting, message):
    with pytest.raises(ConfigError, match=message):
        PassJudge(ScriptedModel([]), **setting)


@pytest.mark.parametrize("first", ["hm", '{"answer_status": "Sol', "", REFUSED])
def test_a_reply_without_a_status_and_a_refusal_are_asked_again(first):
    verdict, model = decide([first, "Solved"])
    assert verdict.status == "solved"
    assert model.requests[0].index != model.requests[1].index


def test_no_two_requests_of_a_case_share_an_index_whoever_is_asked_again():
    # An equal index would mean an equal seed, and the same answer again.
    _, model = decide(["hm", "hm", "Solved"] * 3, votes=3)
    assert len({request.index for request in model.requests}) == len(model.requests) == 9


def test_what_every_attempt_cost_is_in_the_verdict():
    verdict, _ = decide([REFUSED, "hm", "Unsure", "Solved"])
    assert verdict.usage == Usage(5, 1, 6, calls=4)


@pytest.mark.parametrize(
    ("replies", "kind", "message"),
    [
        (["hm"] * 3, "judge", r"^1 of 1 votes .*wrote nothing that can be read .*: 'hm' \(asked 3 times\)$"),
        ([REFUSED] * 3, "internal", r"^1 of 1 votes of judge pass:m:v3 are missing: the model refused"),
        # The client has retried this one already, within its deadline.
        ([LIMITED], "rate_limit", r"missing: HTTP 429$"),
        ([ModelError("HTTP 401")], "internal", r"missing: HTTP 401$"),
    ],
)
def test_a_judge_that_fails_raises_and_never_scores(replies, kind, message):
    with pytest.raises(MissingVotes, match=message) as caught:
        decide(replies)
    failure = caught.value.failure()
    assert (failure["kind"], failure["stage"]) == (kind, "judge")
    assert isinstance(caught.value, JudgeError)


def test_one_missing_vote_costs_the_verdict_and_shows_the_others():
    with pytest.raises(MissingVotes, match=r"^1 of 3 votes .* are missing") as caught:
        decide(["Solved", ModelError("down", kind="transport"), "Solved"], votes=3)
    assert [vote.status for vote in caught.value.votes] == ["solved", None, "solved"]
    assert caught.value.usage.calls == 2


def test_what_a_missing_vote_cost_is_in_the_verdict_of_the_others():
    paid = ModelError("down", usage=Usage(5, 1, 6, calls=1))
    verdict, _ = decide(["Solved", paid, "Solved"], votes=3, require_all=False)
    assert verdict.usage == Usage(5, 1, 6, calls=3)
    with pytest.raises(MissingVotes) as caught:
        decide(["Solved", paid, "Solved"], votes=3)
    assert caught.value.usage == Usage(5, 1, 6, calls=3)


@pytest.mark.parametrize(("votes", "missing"), [(2, 1), (4, 2)])
def test_half_of_the_votes_are_not_enough(votes, missing):
    replies = ["Solved"] * (votes - missing) + [ModelError("down")] * missing
    with pytest.raises(MissingVotes, match=rf"^{missing} of {votes} votes"):
        decide(replies, votes=votes, require_all=False)


@pytest.mark.parametrize(("reward", "score"), [("mean", 0.75), ("majority", 0.5)])
def test_a_missing_vote_is_in_no_mean(reward, score):
    replies = ["Solved", "Unsure", "Unsure", ModelError("down")]
    verdict, _ = decide(replies, votes=3, require_all=False, reward=reward)
    assert (verdict.score, [vote.status for vote in verdict.votes]) == (score, ["solved", "unsure", None])


def test_most_votes_are_enough_where_not_all_are_required():
    down = ModelError("down", kind="transport")
    verdict, _ = decide(["Solved", down, "Solved"], votes=3, require_all=False)
    assert (verdict.status, [vote.status for vote in verdict.votes]) == (
        "solved",
        ["solved", None, "solved"],
    )
    with pytest.raises(MissingVotes, match=r"^2 of 3"):
        decide(["Solved", down, down], votes=3, require_all=False)


def test_a_failing_judge_leaves_the_episode_invalid():
    env = gym.make("stb/I1Instruction-v0", judge=PassJudge(ScriptedModel([LIMITED] * 3)))
    env.reset(seed=0)
    finish = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": "42"}}
    _, reward, terminated, truncated, info = env.step(finish)
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, True, False)
    assert (info["failure"]["kind"], info["failure"]["stage"]) == ("rate_limit", "judge")


# -- cache ---------------------------------------------------------------------------------------------


def test_judging_again_from_the_cache_makes_no_model_call(tmp_path):
    first, _ = decide(["Unsure", "Solved", "Unsolved", "hm", "Solved"], votes=3, cache=tmp_path)
    again, model = decide([], votes=3, cache=tmp_path)
    assert again == first
    assert not model.requests


def test_more_votes_ask_for_the_new_ones_alone(tmp_path):
    decide(["Solved"], cache=tmp_path)
    verdict, model = decide(["Unsolved", "Unsolved"], votes=3, cache=tmp_path)
    assert [vote.status for vote in verdict.votes] == ["solved", "unsolved", "unsolved"]
    assert [request.index for request in model.requests] == [1, 2]


def test_what_could_not_be_read_is_not_kept(tmp_path):
    with pytest.raises(MissingVotes):
        decide(["hm"] * 3, cache=tmp_path)
    assert decide(["Solved"], cache=tmp_path)[0].status == "solved"


@pytest.mark.parametrize(
    "change",
    [
        {"the_case": case("It rains.")},
        {"the_case": case(query="Weather in Rome?")},
        {"evaluator": PromptQuestions(answer=Prompt("mine", "v2", "${query} ${answer} ${function}"))},
    ],
    ids=["answer", "query", "prompt"],
)
def test_other_texts_and_other_prompts_are_judged_anew(tmp_path, change):
    decide(["Solved"], cache=tmp_path)
    assert decide(["Unsolved"], cache=tmp_path, **change)[0].status == "unsolved"


def test_another_model_is_asked_itself(tmp_path):
    decide(["Solved"], cache=tmp_path)
    other = PassJudge(ScriptedModel(["Unsolved"], name="other"), cache=tmp_path)
    assert drive(other.judge(case())).status == "unsolved"


def test_the_fingerprint_tells_judges_apart_and_is_plain_data():
    model = ScriptedModel([], name="m")
    prints = [PassJudge(model, **s).fingerprint for s in ({}, {"votes": 3}, {"reward": "mean"})]
    assert len({json.dumps(fingerprint, sort_keys=True) for fingerprint in prints}) == 3


def test_a_judge_can_be_sent_to_another_process():
    judge = pickle.loads(pickle.dumps(PassJudge(ScriptedModel(["Solved"]))))
    assert drive(judge.judge(case())).status == "solved"


# -- by name -------------------------------------------------------------------------------------------


def test_without_a_key_the_heuristic_judges_and_says_so():
    told = []
    assert load_judge(env={}, remark=told.append).name == "heuristic"
    assert told == ["no key for a judge model (OPENAI_API_KEY is not set): the heuristic judges instead"]


def test_with_a_key_or_a_server_of_ones_own_the_model_judges():
    assert load_judge(env={"OPENAI_API_KEY": "sk-12345678"}).name == "pass:gpt-4o:v3"
    own = {"STB_JUDGE_BASE_URL": "http://127.0.0.1:1/v1", "STB_JUDGE_MODEL": "tiny"}
    assert load_judge(votes=3, env=own).name == "pass:tiny:v3"


def test_a_model_that_is_given_judges_whatever_is_configured():
    model = ScriptedModel(["Solved"], name="mine")
    assert load_judge(model=model, env={}).name == "pass:mine:v3"
    assert load_judge("final_answer", model=model, env={}).name.startswith("final_answer:mine:")
    assert case().verdict(load_judge("pass", model=model, env={})).status == "solved"


@pytest.mark.parametrize(
    ("spec", "settings", "message"),
    [
        (
            "pas",
            {},
            r"^no judge 'pas'; give pass, .*heuristic or an evaluator folder .*Did you mean 'pass'\?$",
        ),
        ("exact", {}, r"^the exact verifier needs the world's state, which a saved episode does not hold"),
        ("heuristic", {"votes": 3}, r"^the heuristic casts the same vote every time; leave out the 3 votes$"),
        ("pass", {}, r"^the judge model needs a key: set OPENAI_API_KEY"),
    ],
)
def test_a_judge_that_cannot_be_had_is_named(spec, settings, message):
    with pytest.raises(ConfigError, match=message):
        load_judge(spec, env={}, **settings)
