"""The original environment's steps, reproduced beside our own contract."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from stb_env.core.request import Slow
from stb_env.envs import step_codes as compat
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError
from stb_env.suites.stabletoolbench.queries import load
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, Tool, ToolCall, ToolResult, pure_name, standardize
from stb_env.trajectory import CallRecord
from stb_env.verdict import Verdict
from tests.shared import objects


class OriginalBackend:
    """Answers as the scripted server of a golden case does, and keeps the request that it would send."""

    fingerprint: ClassVar[dict[str, Any]] = {}

    def __init__(self, server: dict[str, Any] | None):
        self.server = server or {"json": {"error": "", "response": "default"}}
        self.request: dict[str, Any] | None = None

    def start(self, task: Task, seed: int) -> None:
        return None

    def answer(self, state: None, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, None]]:
        yield from ()
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        self.request = {
            "category": tool.id.category,
            "tool_name": tool.id.tool,
            "api_name": tool.id.api,
            "tool_input": text,
        }
        if (fault := self.server.get("raise")) is not None:
            kind = "timeout" if fault == "timeout" else "transport"
            raise BackendError("scripted", kind=kind, stage="real")
        status, value = self.server.get("status", 200), self.server["json"]
        if status != 200 or not isinstance(value, dict) or "error" not in value:
            raise BackendError("scripted", kind="transport", stage="real", status_code=status)
        error = value["error"]
        return ToolResult(json.dumps(value), error, "real", Status.TOOL_ERROR if error else Status.OK), None

    def recorded(self, state: None, tool: Tool, call: ToolCall) -> None:
        return None

    def close(self) -> None:
        pass


class Passing:
    name = "passing"

    def judge(self, case: Any) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved", judge=self.name)


def golden_env(golden: dict[str, Any], backend: OriginalBackend, folder: Path) -> ToolEnv:
    """The environment of the golden file: its query, its APIs documented by its tool files."""
    record = dict(golden["query"], query_id=1)
    record["api_list"] = [documented(api, golden["tool_files"]) for api in record["api_list"]]
    file = folder / "G1_instruction.json"
    file.write_text(json.dumps([record]), encoding="utf-8")
    env = ToolEnv(load(file, compat="original").tasks, backend, Passing(), compat="original")
    env.reset(seed=0)
    return env


def documented(api: dict[str, Any], files: dict[str, Any]) -> dict[str, Any]:
    tool = files[f"{api['category_name']}/{standardize(api['tool_name'])}.json"]
    entry = next(one for one in tool["api_list"] if pure_name(one["name"]) == pure_name(api["api_name"]))
    return api | {
        "api_description": entry["description"],
        "required_parameters": entry["required_parameters"],
        "optional_parameters": entry["optional_parameters"],
    }


def load_golden(shared_data: Path) -> dict[str, Any]:
    return objects(shared_data, "stabletoolbench/golden/*.json", "tool_files", "query", "cases")[0]


def test_golden_steps_have_the_original_codes_observations_and_requests(shared_data: Path, tmp_path: Path):
    golden = load_golden(shared_data)
    checked = 0
    for case in golden["cases"]:
        backend = OriginalBackend(case["server"])
        env = golden_env(golden, backend, tmp_path)
        action = {"name": case["action_name"], "arguments": case["action_input"]}
        *_, info = env.step(action)
        expected = case["expected"]
        if "original_raises" in expected:
            # Where the original crashes, ours goes on or fails as a typed failure, never as an exception.
            assert "code" in info
            continue
        limit = case["max_observation_length"]
        shown = info["original_observation"]
        if limit != compat.MAX_OBSERVATION:
            shown = compat.observation(case["server"]["json"], limit)
        assert shown == expected["observation"], case
        assert info["code"] == expected["code"], case
        assert (info.get("verdict", {}).get("status") == "solved") == bool(expected["success"]), case
        if "request" in expected:
            sent = backend.request
            assert sent is not None
            assert {**sent, "tool_input": None} == {k: expected["request"][k] for k in sent} | {
                "tool_input": None
            }
            assert same_input(sent["tool_input"], expected["request"]["tool_input"]), case
        checked += 1
    if not checked:
        pytest.skip("the original raises on every recorded step")


def same_input(sent: str, expected: str) -> bool:
    """Arguments that are an object are the same object; any other text is passed through as it is."""
    try:
        value = json.loads(expected)
    except ValueError:
        return sent in (
            expected,
            json.dumps(ast.literal_eval(expected) if expected.startswith("{") else None),
        )
    return json.loads(sent) == value if isinstance(value, dict) else sent == expected


def test_golden_function_names_and_lookup(shared_data: Path, tmp_path: Path):
    golden = load_golden(shared_data)
    env = golden_env(golden, OriginalBackend(None), tmp_path)
    names = [spec["function"]["name"] for spec in json.loads(env.reset(seed=0)[0]["tools"])]
    assert names == golden["function_names"]


@pytest.mark.parametrize(
    ("length", "cut"), [(compat.MAX_OBSERVATION, False), (compat.MAX_OBSERVATION + 1, True)]
)
def test_only_an_observation_above_the_originals_limit_is_cut(length: int, cut: bool):
    text = compat.observation("x" * length)
    assert text == "x" * compat.MAX_OBSERVATION + "..." * cut


def test_the_code_and_the_observation_of_a_step_are_those_of_its_last_call():
    answers = [
        ToolResult.of(text, error=text, source="real") for text in ("Timeout error...", "Message error...")
    ]
    records = [CallRecord(f"call_{n}", "f", {}, answer) for n, answer in enumerate(answers)]
    assert compat.step_report(records) == {
        "code": 11,
        "original_observation": '{"error": "Message error...", "response": "Message error..."}',
    }


def test_a_failure_stays_a_failure_in_compatibility_mode(shared_data: Path, tmp_path: Path):
    golden = load_golden(shared_data)
    env = golden_env(golden, OriginalBackend({"raise": "timeout"}), tmp_path)
    *_, truncated, info = env.step({"name": golden["function_names"][0], "arguments": {}})
    assert (truncated, info["valid"], info["code"]) == (True, False, 5)


@pytest.mark.parametrize("is_empty", [True, False])
def test_the_default_mode_calls_nothing_by_suffix(shared_data: Path, tmp_path: Path, is_empty: bool):
    golden = load_golden(shared_data)
    name = "" if is_empty else f"for_{golden['tool_names'][0]}"
    file = tmp_path / "G1_instruction.json"
    golden_env(golden, OriginalBackend(None), tmp_path)
    env = ToolEnv(load(file).tasks, OriginalBackend(None), Passing())
    env.reset(seed=0)
    obs, *_ = env.step({"name": name, "arguments": {}})
    assert obs["status"] == Status.UNKNOWN_TOOL
    assert FINISH in json.loads(obs["tools"])[-1]["function"]["name"]
