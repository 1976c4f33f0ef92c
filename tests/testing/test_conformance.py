"""Validation finds what is broken."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from stb_env.envs.tool_env import ToolEnv
from stb_env.judges.protocol import Case
from stb_env.request import Slow
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.testing.conformance import Report, validate
from stb_env.tools import Tool, ToolCall, ToolResult
from stb_env.verdict import Verdict


def failed(**settings: Any) -> set[str]:
    env = gym.make("stb/Sandbox-v0", **settings).unwrapped
    assert isinstance(env, ToolEnv)
    return {check.name for check in validate("stb/Sandbox-v0", env, seeds=6).checks if not check.passed}


class Generous:
    name = "generous"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved", judge=self.name)


class Strict:
    name = "strict"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("unsolved", judge=self.name)


class Counting(SandboxWorld):
    """A world that answers differently each time, which no world may."""

    def __init__(self) -> None:
        self.count = 0

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        self.count += 1
        result, state = yield from super().answer(state, tool, call)
        if isinstance(result.response, dict):
            result = ToolResult.of({**result.response, "count": self.count}, source="world")
        return result, state


def test_the_sandbox_as_it_is_passes():
    assert failed() == set()


def test_a_judge_that_passes_everything_is_found():
    assert {"null agent echo", "null agent inject"} <= failed(judge=Generous())


def test_a_judge_that_passes_nothing_is_found():
    assert failed(judge=Strict()) == {"oracle"}


def test_a_backend_that_does_not_repeat_itself_is_found():
    assert {"same seed, same bytes", "forks are independent"} <= failed(backend=Counting())


@pytest.mark.parametrize(("passed", "whole"), [(True, True), (False, False)])
def test_a_report_holds_only_where_every_check_does(passed: bool, whole: bool):
    report = Report("x")
    report.add("one", True, "")
    report.add("two", passed, "")
    assert report.passed is whole
