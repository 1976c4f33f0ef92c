"""The Sandbox as the real API."""

from __future__ import annotations

import json

import pytest

from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError
from stb_env.experiments.lab.reader import NoisyOracle
from stb_env.experiments.lab.sandbox_api import WorldAPI, reading_tasks
from stb_env.runs import play
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.tools import Tool


def tool(api: str) -> Tool:
    return next(tool for tool in tools().values() if tool.id.api == api)


def test_every_reading_task_is_solved_without_a_state():
    tasks = reading_tasks()
    env = ToolEnv(tasks, VirtualBackend(mode="live", real=WorldAPI(check=None)), ExactJudge(), oracle=oracle)
    rewards = {task.id: play(env, NoisyOracle(0.0), task_id=task.id, seed=0).reward for task in tasks}
    assert len(tasks) > 100
    assert [name for name, reward in rewards.items() if reward != 1.0] == []


def test_what_a_call_changes_is_forgotten():
    api, fill, view = WorldAPI(), tool("set_cart_quantity"), tool("view_cart")
    before = drive(api.request(view, {})).text
    products = drive(api.request(tool("search_products"), {"query": ""})).response["results"]
    drive(api.request(fill, {"product_id": products[-1]["product_id"], "quantity": 9}))
    assert drive(api.request(view, {})).text == before


def test_text_that_is_json_of_an_object_counts_as_arguments():
    rate, arguments = tool("get_rate"), {"base_code": "AUR", "quote_code": "AUR"}
    assert drive(WorldAPI().request(rate, json.dumps(arguments))) == drive(
        WorldAPI().request(rate, arguments)
    )


def test_a_checked_api_refuses_what_an_unchecked_one_passes_on():
    rate = tool("get_rate")
    passed = drive(WorldAPI(check=None).request(rate, {}))
    assert passed.error == "missing required parameter 'base_code'"
    with pytest.raises(BackendError, match=r"^the answer was not accepted \(parameter_change\): missing"):
        drive(WorldAPI().request(rate, {}))
