"""ToolLLM's pass decision: every pair of statuses, a seeded coin, and its bookkeeping."""

from __future__ import annotations

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError, JudgeError
from stb_env.judges.judge import Case
from stb_env.judges.original_pass import OriginalPassJudge, decide
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.solvability import ModelSolvability
from stb_env.models import ScriptedModel
from stb_env.tasks import Task
from tests.fakes.tools import ONE_TOOL


def made(answer, task, *, votes=1, **given):
    """Return a judge whose model always says the same, and what it was asked."""

    def script(request):
        name = request.tool_choice["function"]["name"]
        return task if name == "report_task_status" else answer

    model = ScriptedModel(script, name="m")
    return OriginalPassJudge(PassJudge(model, votes=votes), ModelSolvability(model), **given), model


def case(task_id="1", answer="It is sunny."):
    return Case(Task(task_id, "Weather in Oslo?", ONE_TOOL), answer, ())


@pytest.mark.parametrize(
    ("answer", "task", "decision"),
    [
        ("solved", "solvable", "pass"),
        ("solved", "unsolvable", "pass"),
        ("unsolved", "solvable", "fail"),
        ("unsolved", "unsure", "random"),
        ("unsolved", "unsolvable", "pass"),
        ("unsure", "solvable", "random"),
        ("unsure", "unsure", "random"),
        ("unsure", "unsolvable", "pass"),
    ],
)
def test_two_statuses_pass_fail_or_are_left_to_chance(answer, task, decision):
    assert decide(answer, task) == decision


def test_a_solved_answer_passes_without_a_question_about_its_task():
    judge, model = made("Solved", "Unsolvable")
    verdict = drive(judge.judge(case()))
    assert (verdict.status, verdict.judge, len(model.requests)) == ("solved", "original_pass:m:v3", 1)


def test_an_unsolved_answer_to_an_unsolvable_task_passes_even_where_it_is_empty():
    judge, model = made("Solved", "Unsolvable")
    verdict = drive(judge.judge(case(answer="")))
    assert (verdict.status, verdict.score, len(model.requests)) == ("solved", 1.0, 1)
    assert verdict.votes[0].reason == "answer unsolved, task unsolvable: pass"


def test_the_bookkeeping_holds_the_share_of_votes_with_each_status():
    judge, _ = made("Unsolved", "Unsure", votes=2)
    metrics = drive(judge.judge(case())).metrics
    assert metrics["answer_unsolved"] == metrics["task_unsure"] == 1.0
    assert sum(metrics.values()) == 2.0


def passes(seed):
    judge, _ = made("Unsolved", "Unsure", seed=seed)
    return [drive(judge.judge(case(str(number)))).status for number in range(60)]


def test_what_is_left_to_chance_follows_from_task_and_seed():
    assert passes(0) == passes(0)
    assert passes(0) != passes(1)
    assert 15 < passes(0).count("solved") < 45


def test_two_answers_to_a_task_are_left_to_chance_independently():
    judge, _ = made("Unsure", "Unsure")
    statuses = [
        [drive(judge.judge(case(str(task), answer))).status for task in range(40)]
        for answer in ("It is sunny.", "It may rain.")
    ]
    assert {"solved", "unsolved"} == set(statuses[0]) == set(statuses[1])
    assert statuses[0] != statuses[1]


def test_ties_between_votes_pass_as_printed_or_are_left_to_chance():
    def statuses(ties):
        judge, _ = made("Unsolved", "Unsure", votes=2, ties=ties)
        verdicts = [drive(judge.judge(case(str(number)))) for number in range(80)]
        tied = [v for v in verdicts if {vote.status for vote in v.votes} == {"solved", "unsolved"}]
        assert len(tied) > 20
        return {verdict.status for verdict in tied}

    assert statuses("pass") == {"solved"}
    assert statuses("random") == {"solved", "unsolved"}


def test_the_cost_is_that_of_the_questions_about_answer_and_task():
    judge, model = made("Unsolved", "Unsure", votes=2)
    assert drive(judge.judge(case())).usage.calls == len(model.requests) == 4


def test_a_task_without_a_status_is_a_failure_and_no_fail():
    judge, _ = made("Unsolved", "hm")
    with pytest.raises(JudgeError, match=r"gave no status of task '1'"):
        drive(judge.judge(case()))


def test_an_unknown_rule_for_ties_is_refused():
    with pytest.raises(ConfigError, match=r"^ties must be 'pass' or 'random', got 'fail'$"):
        made("", "", ties="fail")
