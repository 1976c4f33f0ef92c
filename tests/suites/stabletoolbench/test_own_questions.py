"""Our own questions behind the functions of the original's scoring programs."""

from __future__ import annotations

import json

import pytest

from stb_env.judges.evaluator import ANSWER, DETAILS, SOLVABLE
from stb_env.judges.pair_question import SELECT
from stb_env.suites.stabletoolbench.original_scores.questions import OwnQuestions

RECORD = json.dumps({"answer_details": [], "final_answer": "It is 3."})
TASK = json.dumps({"query": "Why?", "available_tools": [{"name": "look"}]})


@pytest.mark.parametrize(
    ("function", "fields", "asked"),
    [
        (ANSWER, {"query": "Why?", "answer": "It is 3."}, "answer_status"),
        (DETAILS, {"query": "Why?", "answer": RECORD}, "answer_status"),
        (SOLVABLE, {"task": TASK}, "task_status"),
        (SELECT, {"query": "Why?", "answer_0": RECORD, "answer_1": RECORD}, "better"),
    ],
)
def test_a_question_asks_for_what_its_function_decides(function: str, fields: dict[str, str], asked: str):
    request = OwnQuestions().request(function, **fields)
    (tool,) = request.tools
    assert tool["function"]["name"] == function
    assert set(tool["function"]["parameters"]["properties"]) == {asked, "reason"}
