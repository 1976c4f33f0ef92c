"""Pass rates agree with those that the original functions gave."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from stb_env.formats.evaluator_template import EvaluatorFiles, EvaluatorTemplate
from stb_env.judges.evaluator import Evaluator
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.protocol import Case
from stb_env.judges.votes import run_scores
from stb_env.llm import ScriptedModel
from stb_env.request import drive
from stb_env.tasks import Task
from stb_env.tools import ToolResult
from stb_env.trajectory import CallRecord
from stb_env.verdict import Vote

OFFICIAL = ("check_answer_status", "parse_answer_status")


def official_like() -> Evaluator:
    status = {"type": "string", "enum": ["Unsure", "Unsolved", "Solved"]}
    parameters = {"type": "object", "properties": {"answer_status": status}, "required": ["answer_status"]}
    functions = {name: {"name": name, "parameters": parameters} for name in OFFICIAL}
    template = EvaluatorTemplate(dict.fromkeys(OFFICIAL, "{query}\n{answer}"))
    return Evaluator(EvaluatorFiles("golden", {}, functions, template))


def steps_of(answer):
    node, steps = answer["answer_details"][0], []
    while True:
        if node["role"] == "tool" and node["message"]:
            steps.append(node["message"])
        if not node["next"]:
            return steps
        node = node["next"][0]


def golden_votes(entry, verdicts, times, asked):
    """Judge a converted answer with scripted verdicts; the Finish gate is the original's text search."""
    answer = entry["answer"]
    steps = steps_of(answer)
    if not steps or "'name': 'Finish'" not in str(steps[-1]):
        return [Vote("unsolved")] * times

    def script(request):
        function = request.tool_choice["function"]["name"]
        asked[function] += 1
        return verdicts[request.index][OFFICIAL.index(function)]

    calls = tuple(
        CallRecord("c", step["name"], step["arguments"], ToolResult.of(step["response"], source="cache"))
        for step in steps
    )
    judge = PassJudge(ScriptedModel(script), votes=times, evaluator=official_like())
    return drive(judge.judge(Case(Task("1", entry["query"], ()), answer["final_answer"], calls))).votes


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
