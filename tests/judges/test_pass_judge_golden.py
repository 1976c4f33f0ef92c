"""The pass judge agrees with the original functions wherever these judge; see also the compat goldens."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from stb_env.core.request import drive
from stb_env.formats.evaluator_template import EvaluatorFiles, EvaluatorTemplate
from stb_env.judges.evaluator import Evaluator
from stb_env.judges.judge import Case
from stb_env.judges.majority import run_scores
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ScriptedModel
from stb_env.suites.stabletoolbench.original_scores.converted import steps_of
from stb_env.tasks import Task
from stb_env.tools import ToolResult
from stb_env.trajectory import CallRecord
from stb_env.verdict import Vote
from tests.fakes.tools import ONE_TOOL

OFFICIAL = ("check_answer_status", "parse_answer_status")


def official_like() -> Evaluator:
    status = {"type": "string", "enum": ["Unsure", "Unsolved", "Solved"]}
    parameters = {"type": "object", "properties": {"answer_status": status}, "required": ["answer_status"]}
    functions = {name: {"name": name, "parameters": parameters} for name in OFFICIAL}
    template = EvaluatorTemplate(dict.fromkeys(OFFICIAL, "{query}\n{answer}"))
    return Evaluator(EvaluatorFiles("golden", {}, functions, template))


def calls_of(answer):
    messages, nodes = [], answer["answer_details"]
    while nodes:
        messages += [nodes[0]["message"]] if nodes[0]["role"] == "tool" else []
        nodes = nodes[0]["next"]
    return tuple(
        CallRecord("c", call["name"], call["arguments"], ToolResult.of(call["response"], source="cache"))
        for call in messages
    )


def golden_votes(entry, verdicts, times, asked):
    """Judge a converted answer with scripted verdicts; the Finish gate is the original's text search."""
    answer = entry["answer"]
    if not steps_of(answer).finished:
        return [Vote("unsolved")] * times

    def script(request):
        function = request.tool_choice["function"]["name"]
        asked[function] += 1
        return verdicts[request.index][OFFICIAL.index(function)]

    judge = PassJudge(ScriptedModel(script), votes=times, evaluator=official_like())
    case = Case(Task("1", entry["query"], ONE_TOOL), answer["final_answer"], calls_of(answer))
    return drive(judge.judge(case)).votes


def test_golden_pass_rates_are_those_of_the_original(shared_data: Path):
    files = sorted((shared_data / "stabletoolbench" / "golden" / "passrate").glob("*.json"))
    cases = [each for file in files for each in json.loads(file.read_text())["cases"]]
    # A result file that is continued keeps what the original had left undone, which is no judging.
    cases = [each for each in cases if each["overwrite"] or not each["existing_result"]]
    if not cases:
        pytest.skip("the shared data hold no pass-rate cases")
    for each in cases:
        asked, expected = Counter(), each["expected"]
        votes = {
            task_id: golden_votes(
                entry, each["judge_verdicts"].get(task_id, []), each["evaluate_times"], asked
            )
            for task_id, entry in each["converted"].items()
            if task_id in each["test_ids"]
        }
        statuses = {
            task_id: {str(run): f"AnswerStatus.{vote.status.title()}" for run, vote in enumerate(cast)}
            for task_id, cast in votes.items()
        }
        runs = run_scores(list(votes.values()))
        assert statuses == expected["is_solved"], each["name"]
        assert asked == Counter(expected["judge_calls"]), each["name"]
        assert list(runs.scores) == pytest.approx(expected["scores"]), each["name"]
        assert runs.mean * 100 == pytest.approx(expected["solve_rate"])
        assert runs.std * 100 == pytest.approx(expected["std"])
