"""A declared environment plays as any other: state, errors, bugs, checks, forks, async."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

import stb_env
from stb_env.backend.world import Tables
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent

pytestmark = pytest.mark.usefixtures("forgotten")


@pytest.fixture
def todo(forgotten: None) -> Any:
    return importlib.import_module("tests.declare.todo")


def started(task_id: str = "add", **settings: Any) -> ToolEnv:
    env = stb_env.make("tests.declare.todo:t/Todo-v0", **settings)
    env.reset(seed=0, options={"task_id": task_id})
    return env


def finish(answer: str = "") -> dict[str, Any]:
    return {"name": "Finish", "arguments": {"final_answer": answer}}


def typed(**values: Any) -> dict[str, Any]:
    return {"name": "Finish", "arguments": {"answer": values}}


def result(env: ToolEnv, action: str) -> dict[str, Any]:
    return json.loads(env.step(action)[0]["result"])


def test_a_call_changes_the_state_and_answers():
    env = started()
    assert result(env, "add('milk')") == {"error": "", "response": "added milk"}
    assert result(env, "count()") == {"error": "", "response": 1}
    _, reward, terminated, _, info = env.step(finish())
    assert (reward, terminated, info["verdict"]["judge"]) == (1.0, True, "exact")


def test_each_episode_starts_anew():
    env = started()
    env.step("add('milk')")
    env.reset(seed=0, options={"task_id": "add"})
    assert result(env, "count()")["response"] == 0


def test_a_task_may_start_with_a_state_of_its_own():
    env = started("start")
    assert result(env, "done('tea')")["response"] == "done"
    assert env.step(finish())[1] == 1.0
    env.reset(seed=0, options={"task_id": "start"})
    assert result(env, "look('tea')")["response"] is True


def test_a_fork_and_a_snapshot_know_nothing_of_later_calls():
    env = started()
    env.step("add('milk')")
    snapshot, fork = env.snapshot(), env.fork()
    env.step("add('tea')")
    fork.step("done('milk')")
    assert [result(env, "count()"), result(fork, "count()")] == [
        {"error": "", "response": 2},
        {"error": "", "response": 0},
    ]
    env.restore(snapshot)
    assert result(env, "count()")["response"] == 1


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("done('tea')", "there is no item 'tea'"),
        ("look('tea')", "KeyError: tea"),
        ("slowly('')", "it needs a title"),
        (
            "add(1, 2)",
            "invalid arguments: arguments without a name do not fit the parameters (title); name each of "
            "them; missing required parameter 'title' (string)",
        ),
        ("addd('x')", "no tool is named 'addd'. Did you mean 'add'?"),
    ],
)
def test_what_a_tool_refuses_is_an_observation(action: str, error: str):
    env = started()
    observation, reward, terminated, truncated, info = env.step(action)
    assert json.loads(observation["result"])["error"] == error
    assert (reward, terminated, truncated, info["valid"]) == (0.0, False, False, True)


def test_a_call_that_is_refused_changes_nothing():
    env = started()
    assert result(env, "spoil('milk')")["error"] == "refused"
    assert result(env, "count()")["response"] == 0


@pytest.mark.parametrize(
    ("tool", "line"), [("crash", "def crash("), ("crash_later", "async def crash_later(")]
)
def test_a_bug_of_a_tool_ends_the_episode_as_invalid_and_tells_no_secret(todo: Any, tool: str, line: str):
    observation, reward, _, truncated, info = started().step(f"{tool}('hunter2')")
    source = Path(todo.__file__).read_text().splitlines()
    at = next(number for number, text in enumerate(source, 1) if text.startswith(line))
    raising = next(n for n, text in enumerate(source[at:], at + 1) if "raise" in text)
    assert info["failure"] == {
        "kind": "internal",
        "stage": "world",
        "retryable": False,
        "message": f"tool {tool!r} raised RuntimeError (todo.py, line {raising}), which is a bug in it",
    }
    assert (reward, truncated, info["valid"]) == (0.0, True, False)
    assert "hunter2" not in observation["result"] + json.dumps(info["failure"])


def test_a_typed_failure_of_a_tool_stays_what_it_is():
    failure = started().step("unreachable()")[4]["failure"]
    assert (failure["kind"], failure["retryable"]) == ("timeout", True)


def test_what_is_no_json_is_a_bug():
    failure = started().step("opaque()")[4]["failure"]
    assert failure["message"].startswith(
        "tool 'opaque' returned a value of type object, which is no JSON; return"
    )


def test_async_tools_play_in_a_thread_on_a_loop_and_where_a_loop_already_runs():
    actions = ["slowly('milk')", "count()", finish()]
    sync = [started().fork().step(action) for action in actions[:1]]

    async def awaited() -> list[Any]:
        env = started()
        return [await env.astep(action) for action in actions]

    async def blocking() -> list[Any]:
        env = started()
        return [env.step(action) for action in actions]

    env = started()
    stepped = [env.step(action) for action in actions]
    assert stepped == asyncio.run(awaited()) == asyncio.run(blocking())
    assert stepped[:1] == sync
    assert stepped[-1][1] == 1.0


@pytest.mark.parametrize(
    ("calls", "values", "reward", "partial"),
    [
        (["add('x')"], {"open_items": 1, "first": "the X"}, 1.0, 1.0),
        (["add('x')"], {"open_items": 1.0, "first": "x"}, 1.0, 1.0),
        (["add('x')"], {"open_items": 1, "first": "y"}, 0.0, 0.5),
        # The check holds or everything is lost: nobody knows whether it held at the start.
        ([], {"open_items": 1, "first": "x"}, 0.0, 0.0),
        ([], {"open_items": 0, "first": "y"}, 0.0, 0.0),
    ],
)
def test_answer_and_check_must_both_hold(calls: list[str], values: Any, reward: float, partial: float):
    for mode, earned in (("sparse", reward), ("partial", partial)):
        env = started("both", reward=mode)
        for call in calls:
            env.step(call)
        assert env.step(typed(**values))[1] == earned


@pytest.mark.parametrize("values", [{"answer": "0"}, {"answer": "zero"}, {"count": 0}, {}, {"answer": None}])
def test_a_bare_answer_is_typed_too_and_no_text_is_it(values: Any):
    env = started("count")
    env.step("count()")
    observation, reward, terminated, *_ = env.step(typed(**values))
    assert (observation["status"], reward, terminated) == (2, 0.0, False)
    assert "answer" in json.loads(observation["result"])["error"]
    assert env.step(finish("0"))[0]["status"] == 2
    assert env.step(typed(answer=0.0))[1] == 1.0


def test_a_right_answer_without_a_call_is_from_memory_and_earns_nothing():
    for calls, reward in (([], 0.0), (["done('nothing')"], 0.0), (["count()"], 1.0)):
        env = started("count", reward="partial")
        for call in calls:
            env.step(call)
        assert env.step(typed(answer=0))[1] == reward


def test_a_wrong_answer_tells_what_was_wanted_and_got():
    info = started("count").step(typed(answer=3))[4]
    assert info["verdict"]["parts"] == {"answer:answer": False}
    assert info["verdict"]["votes"] == [{"status": "unsolved", "reason": "answer:answer: wanted 0, got 3"}]


def test_the_check_is_given_the_typed_answer():
    env = started("typed check")
    assert env.step(typed(words=["b", "a"]))[1] == 1.0
    assert started("typed check").step(typed(words=["c"]))[1] == 0.0


@pytest.mark.parametrize("mode", ["sparse", "partial"])
@pytest.mark.parametrize("task_id", ["add", "count", "both", "start", "typed check", "found", "lost"])
def test_gold_solves_and_null_agents_earn_nothing(task_id: str, mode: str):
    def earned(name: str) -> float:
        return play(started(reward=mode), load_agent(name)(), task_id=task_id, seed=0).reward

    assert earned("gold") == 1.0
    # An agent that always refuses is right where a request cannot be met for the first reason of the list.
    names = ["noop", "echo", "inject", *(["give_up"] if task_id != "lost" else [])]
    assert [earned(name) for name in names] == [0.0] * len(names)


REFUSED = {"reason": "not_found", "what": ["order"]}


@pytest.mark.parametrize(
    ("task_id", "arguments", "reward"),
    [
        ("lost", {"cannot": REFUSED}, 1.0),
        ("lost", {"cannot": {"reason": "not_found", "what": ["order", "person"]}}, 0.0),
        ("lost", {"cannot": {"reason": "not_found", "what": ["person"]}}, 0.0),
        ("lost", {"answer": {"price": 3}}, 0.0),
        ("found", {"answer": {"price": 3}}, 1.0),
        ("found", {"cannot": REFUSED}, 0.0),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_with_its_reason(task_id: str, arguments: Any, reward: float):
    for mode in ("sparse", "partial"):
        assert started(task_id, reward=mode).step({"name": "Finish", "arguments": arguments})[1] == reward


def test_a_check_may_be_async_and_give_a_part():
    env = started("later")
    env.step("add('x')")
    _, reward, _, _, info = env.step(finish("done"))
    assert (reward, info["verdict"]["status"]) == (0.25, "unsure")


def test_a_check_may_give_a_reason():
    info = started("start").step(finish())[4]
    assert info["verdict"]["votes"] == [{"status": "unsolved", "reason": "the tea is open"}]


def test_a_check_that_raises_decides_nothing():
    failure = started("careless").step(finish("one"))[4]["failure"]
    assert (failure["kind"], failure["stage"]) == ("internal", "judge")
    assert failure["message"].startswith("the check of task 'careless' raised ValueError (todo.py, line ")


def test_a_check_that_returns_no_verdict_decides_nothing():
    failure = started("no verdict").step(finish())[4]["failure"]
    assert failure["message"].startswith(
        "judge 'exact' returned 'yes' (str); expected a Verdict, True, False"
    )


def test_tables_are_given_as_they_are_and_returned_anew():
    def add(tables: Tables, title: str) -> tuple[str, Tables]:
        """Add a row."""
        key, tables = tables.next_id("item")
        return key, tables.with_row("items", key, {"title": title})

    def count(tables: Tables) -> int:
        """Count rows."""
        return len(tables.table("items"))

    def pair(tables: Tables) -> tuple[int, int]:
        """Return a pair that is no new state."""
        return 1, 2

    stb_env.environment(
        "t/Tables-v0",
        tools=[add, count, pair],
        state=Tables,
        tasks=[
            stb_env.task("Add.", gold="add('a')", check=lambda _, tables: len(tables.table("items")) == 1)
        ],
    )
    env = stb_env.make("t/Tables-v0")
    env.reset(seed=0)
    assert [result(env, call)["response"] for call in ("add('a')", "count()", "pair()")] == [
        "item-001",
        1,
        [1, 2],
    ]
    assert env.step(finish())[1] == 1.0


def test_a_judge_of_the_environment_decides_in_place_of_checks(todo: Any):
    async def judge(case: Any) -> tuple[bool, str]:
        return case.final_answer == "yes", "say yes"

    stb_env.environment("t/Judged-v0", tools=[todo.crash], tasks=[stb_env.task("Say yes.")], judge=judge)
    env = stb_env.make("t/Judged-v0")
    env.reset(seed=0)
    _, reward, _, _, info = env.step(finish("yes"))
    assert (reward, info["verdict"]["judge"]) == (1.0, "judge")


def test_a_setting_chooses_another_judge():
    assert started(judge="heuristic").rules.judge.name == "heuristic"
    assert started(judge="exact").rules.judge.name == "exact"


def test_settings_choose_split_and_turns():
    assert [task.id for task in started(split="train", task_id="careless").tasks] == [
        "careless",
        "no verdict",
    ]
    assert (started().rules.max_turns, started(max_turns=2).rules.max_turns) == (6, 2)
    with pytest.raises(
        ConfigError, match=r"^t/Todo-v0 has the splits test, train, got split='trian'\. Did you"
    ):
        started(split="trian")


def test_the_suite_says_what_was_declared(todo: Any):
    suite = todo.SUITE
    assert (suite.name, suite.description, suite.splits) == (
        "t_todo",
        "A list of things to do.",
        ("test", "train"),
    )
    assert (suite.exact, dict(suite.environments["t/Todo-v0"].kwargs)) == (
        True,
        {"where": "tests.declare.todo:t/Todo-v0"},
    )


def test_the_manifest_knows_the_version_of_functions_and_checks():
    env = started()
    assert env.rules.backend.fingerprint["world"] == "t/Todo-v0"
    assert env.rules.backend.fingerprint["source"] == env.rules.judge.fingerprint["source"]
    assert len(env.rules.backend.fingerprint["source"]) == 12
