"""Reading the calls of real data sets."""

from __future__ import annotations

import ast
import json
import re

import pytest

from stb_env.actions import parse_action
from tests.shared import objects


def test_golden_api_bank_outputs_are_read_as_one_call_each(shared_data):
    outputs = [
        record["output"]
        for path in sorted((shared_data / "api_bank" / "train").glob("*.json"))
        for record in json.loads(path.read_text())
        if re.match(r"API-Request: \[\w+\(.*\)\]", record["output"])
    ]
    if not outputs:
        pytest.skip("no API-Bank training records")
    for output in outputs:
        (call,) = parse_action(output).calls
        assert output.startswith(f"API-Request: [{call.name}(")
        assert isinstance(call.arguments, dict), output


def test_golden_programs_of_calls_are_read_line_by_line(shared_data):
    files = objects(shared_data, "toolbench_tasks/*.json", "meta", "cases")
    cases = [case for file in files for case in file["cases"] if case.get("syntax") == "calls"]
    programs = [case["prediction"] for case in cases if case["prediction"]]
    if not programs:
        pytest.skip("no programs of SambaNova's tasks")
    for program in programs:
        names = [
            ast.unparse(node.value.func) for node in ast.parse(program).body if isinstance(node, ast.Expr)
        ]
        assert [call.name for call in parse_action(program).calls] == [
            name.removeprefix("API.") for name in names
        ]
