"""StableToolBench's scoring programs, repeated: every recorded case, its files and its defects."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest

from stb_env.core.request import drive
from stb_env.formats.evaluator_template import EvaluatorFiles, EvaluatorTemplate
from stb_env.judges.evaluator import Evaluator
from stb_env.models import ScriptedModel
from stb_env.suites.stabletoolbench.original_scores.passrate import solve_rate
from stb_env.suites.stabletoolbench.original_scores.preference import Side, preferences

STATUS = {
    "properties": {"answer_status": {"type": "string", "enum": ["Unsure", "Unsolved", "Solved"]}},
    "required": ["answer_status"],
}
PARAMETERS = {
    "check_answer_status": ("{query}\n{answer}", STATUS),
    "parse_answer_status": ("{query}\n{answer}", STATUS),
    "check_task_solvable": ("{task}", {"properties": {"task_status": {"type": "string"}}}),
    "select_better_answer": (
        "{query}\n{answer_0}\n{answer_1}",
        {"properties": {"index": {"type": "number"}}},
    ),
}


def official_like() -> Evaluator:
    functions = {name: {"name": name, "parameters": schema} for name, (_, schema) in PARAMETERS.items()}
    template = EvaluatorTemplate({name: text for name, (text, _) in PARAMETERS.items()})
    return Evaluator(EvaluatorFiles("golden", {}, functions, template))


def cases_in(folder: Path) -> list:
    files = sorted((folder).glob("*.json"))
    cases = [each for file in files for each in json.loads(file.read_text())["cases"]]
    if not cases:
        pytest.skip(f"the shared data hold no cases in {folder.name}")
    return cases


def function_of(request) -> str:
    return request.tool_choice["function"]["name"]


def text_of(request) -> str:
    return request.messages[0]["content"]


# -- pass rates ----------------------------------------------------------------------------------------


def judged(case):
    """Return what the package makes of a case, and the functions it asked for."""
    by_query = {entry["query"]: task for task, entry in case["converted"].items()}

    def script(request):
        task = by_query[text_of(request).split("\n")[0]]
        stage = ("check_answer_status", "parse_answer_status").index(function_of(request))
        return case["judge_verdicts"][task][request.index][stage]

    model = ScriptedModel(script)
    rate = drive(
        solve_rate(
            case["converted"],
            case["test_ids"],
            official_like(),
            model,
            evaluate_times=case["evaluate_times"],
            existing=case["existing_result"],
            overwrite=case["overwrite"],
        )
    )
    return rate, Counter(map(function_of, model.requests))


def test_golden_pass_rates_files_and_judge_calls_are_those_of_the_original(shared_data: Path):
    for case in cases_in(shared_data / "stabletoolbench" / "golden" / "passrate"):
        rate, asked = judged(case)
        expected = case["expected"]
        solved = {task: entry["is_solved"] for task, entry in rate.to_json().items()}
        assert solved == expected["is_solved"], case["name"]
        assert rate.to_json() == expected["result_json"], case["name"]
        assert rate.to_csv("m") == expected["result_csv"], case["name"]
        assert rate.printed == expected["printed"], case["name"]
        assert asked == Counter(expected["judge_calls"]), case["name"]
        assert len(rate.results) == expected["denominator"], case["name"]
        assert list(rate.scores) == pytest.approx(expected["scores"]), case["name"]
        assert (rate.solve_rate, rate.std) == (
            pytest.approx(expected["solve_rate"]),
            pytest.approx(expected["std"]),
        )


# -- preferences ---------------------------------------------------------------------------------------


def entry_of(task, model):
    finish = {"name": "Finish", "arguments": f"answer of {model} to {task}", "response": ""}
    user = {"role": "user", "message": "", "next": [{"role": "tool", "message": finish, "next": []}]}
    return {
        "query": f"query {task}",
        "available_tools": [{"name": "alpha", "description": "d", "parameters": {}}],
        "answer": {
            "method": "CoT@1",
            "total_steps": 3,
            "final_answer": f"answer of {model} to {task}",
            "answer_details": [{"role": "system", "message": "", "next": [user]}],
        },
    }


def side(case, name):
    missing = case["ref_missing_answers" if name == "ref" else "output_missing_answers"]
    converted = {task: entry_of(task, name) for task in case["test_ids"] if task not in missing}
    return Side(name, converted, case["ref_is_solved_csv" if name == "ref" else "output_is_solved_csv"])


def preferred(case, seed=0):
    wanted = {task: iter(names) for task, names in case["judge_prefers_per_call"].items()}

    def script(request):
        function, text = function_of(request), text_of(request)
        if function == "check_task_solvable":
            return "Solvable"
        lines = text.split("\n")
        task = lines[0].removeprefix("query ")
        if function == "select_better_answer":
            return json.dumps({"index": int(f"answer of {next(wanted[task])} " in lines[2])})
        return case["status_judge"][task]["ref" if "answer of ref " in text else "out"]

    model = ScriptedModel(script)
    found = drive(
        preferences(
            side(case, "ref"),
            side(case, "out"),
            case["test_ids"],
            official_like(),
            model,
            evaluate_times=case["evaluate_times"],
            use_pass_rate=case["use_pass_rate"] == "true",
            existing=case["existing_result"],
            seed=seed,
        )
    )
    return found, Counter(map(function_of, model.requests))


@pytest.mark.parametrize("seed", [0, 1])
def test_golden_preferences_and_judge_calls_are_those_of_the_original(shared_data: Path, seed):
    for case in cases_in(shared_data / "stabletoolbench" / "golden" / "preference"):
        if "original_raises" in case["expected"]:
            continue
        found, asked = preferred(case, seed)
        expected, rows = case["expected"], list(csv.reader(io.StringIO(found.to_csv()), delimiter="\t"))
        assert found.counts == expected["prefer_dict"], case["name"]
        assert (found.rate.win, found.rate.lose, found.rate.tie) == (
            pytest.approx(expected["win_rate"]),
            pytest.approx(expected["lose_rate"]),
            pytest.approx(expected["tie_rate"]),
        ), case["name"]
        assert rows[0] == expected["csv_header"]
        labels = {row[rows[0].index("query_id")]: row[rows[0].index("preference_label")] for row in rows[1:]}
        assert labels == expected["csv_labels"], case["name"]
        assert asked == Counter(expected["judge_call_counts"]), case["name"]


def plain_case(ids, ref, out, **changes):
    """A case of our own in the form of the recorded ones."""
    case = {
        "evaluate_times": 1,
        "use_pass_rate": "true",
        "test_ids": ids,
        "ref_missing_answers": [],
        "output_missing_answers": [],
        "ref_is_solved_csv": dict.fromkeys(ids, f"AnswerStatus.{ref}"),
        "output_is_solved_csv": dict.fromkeys(ids, f"AnswerStatus.{out}"),
        "judge_prefers_per_call": {},
        "status_judge": None,
        "existing_result": None,
    }
    return case | changes


def test_statuses_that_are_not_shuffled_with_the_answers_make_solved_against_unsure_a_coin_toss():
    found, asked = preferred(plain_case([str(n) for n in range(400)], "Solved", "Unsure"))
    assert not asked
    assert 160 < sum(counts["ref"] for counts in found.counts.values()) < 240


def test_a_missing_answer_loses_without_a_call_and_leaves_blanks_in_the_table():
    case = plain_case(["1", "2"], "Unsure", "Unsure", ref_missing_answers=["1"], output_missing_answers=["2"])
    found, asked = preferred(case)
    rows = list(csv.reader(io.StringIO(found.to_csv()), delimiter="\t"))
    assert (found.result("1"), found.result("2"), asked) == ("win", "lose", Counter())
    assert rows[1][2:4] == ["", ""]
    assert rows[2][4:6] == ["", ""]


def test_judging_changes_no_converted_answer():
    case = plain_case(["1"], "Solved", "Solved", judge_prefers_per_call={"1": ["out"]})
    both = [side(case, "ref"), side(case, "out")]
    before = json.dumps([one.converted for one in both])
    preferred(case)
    assert json.dumps([one.converted for one in both]) == before
