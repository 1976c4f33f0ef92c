"""The environment: every form of action, both judges, the standing checks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions import Action
from stb_env.core.request import drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.sambanova.virtual_home.chores import Activity
from stb_env.suites.sambanova.virtual_home.env import make
from stb_env.suites.sambanova.virtual_home.similarity import common_length
from stb_env.suites.sambanova.virtual_home.tasks import household_task, tasks_of
from stb_env.suites.sambanova.virtual_home.tools import tools_of
from stb_env.suites.sambanova.virtual_home.vocabulary import embedded
from stb_env.tasks import TaskSet
from stb_env.tools import FINISH, ToolCall
from tests.suites.sambanova.damage import mutants

REST = "Agent.WalkTo(bedroom)\nAgent.Find(bed)\nAgent.LieOn(bed)\nAgent.Sleep()"
POUR = "Agent.Find(cup)\nAgent.PourInto(coffee, cup)"
DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}
ONE = TaskSet([household_task("1", "test", Activity("Rest", (REST, POUR)), tools_of(embedded()))])
LABELS = [label for index in range(40) for label in tasks_of("train").at(index).goal["labels"]]


def env_of(**options: Any) -> ToolEnv:
    env = make(data=ONE, **options)
    env.reset(seed=0)
    return env


def judged(*actions: Any, **options: Any) -> dict[str, Any]:
    env = env_of(**options)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    info = env.step(actions[-1])[4]
    return info["verdict"] | info["verdict"]["metrics"]


RIGHT = [
    POUR,
    "1) Agent.Find('cup');\n2) Agent.PourInto( coffee,cup ) # done",
    f"So:\n```python\n{POUR}\n```\nThat is all.",
    "- Agent.Find(cup) Agent.PourInto (coffee, cup)",
    f"Task: Rest\n{POUR}\nTask: Run\nAgent.RunTo(sink)",
    'Find("cup")\nPourInto("coffee", "cup")',
    'Agent.Find( "cup" ,)\nAgent. PourInto(object2 = cup, object1 = "coffee")',
    'Agent.Find(object=" cup ")\nAgent.PourInto(coffee,cup, )',
    [
        {"name": "Find", "arguments": {"object": " cup "}},
        {"name": "PourInto", "arguments": {"object1": "coffee", "object2": "cup"}},
    ],
    "Find(cup)\nPourInto(object1=coffee, object2=cup)",
    [
        {"name": "Find", "arguments": {"object": "cup"}},
        {"name": "Agent.PourInto", "arguments": {"object1": "coffee", "object2": "cup"}},
    ],
    [{"name": "step", "arguments": {"line": line}} for line in POUR.split("\n")],
    "\n".join(f"step('{line}')" for line in POUR.split("\n")),
    Action(tuple(ToolCall("step", {"line": line}) for line in POUR.split("\n")), ""),
]


@pytest.mark.parametrize("action", RIGHT, ids=range(len(RIGHT)))
def test_a_known_solution_is_solved_in_every_form(action: Any):
    verdicts = [judged(action, DONE)]
    # A ready-made action is not read, so that nothing ends it.
    verdicts += [] if isinstance(action, Action) else [judged(action, program=True)]
    for verdict in verdicts:
        assert (verdict["status"], verdict["score"], verdict["judge"]) == ("solved", 1.0, "exact")
        assert (verdict["executable"], verdict["success"]) == (True, True)


def test_steps_can_be_taken_one_by_one():
    assert judged(*REST.split("\n"), DONE)["status"] == "solved"


def test_a_program_and_its_finish_can_be_one_action():
    assert judged(f"{REST}\n{json.dumps(DONE)}")["status"] == "solved"
    assert judged(f"{REST}\n{json.dumps(DONE)}", compat="original")["status"] == "solved"


@pytest.mark.parametrize(
    ("action", "executable", "lcs"),
    [
        (REST.replace("Agent.Find(bed)\n", ""), True, 0.75),
        (REST + "\nAgent.StandUp()", True, 0.8),
        (REST.replace("LieOn(bed)", "LieOn(hammock)"), False, 0.75),
        (REST.replace("Sleep()", "Snore()"), False, 0.75),
        (REST.replace("LieOn(bed)", "LieOn(bed"), False, 0.75),
        (REST.replace("Find(bed)", "Find(bed, couch)"), False, 0.75),
        (REST.replace("Find(bed)", "Find(a, b, c)"), False, 0.75),
        ("I would go to bed.", False, 0.0),
        ("", False, 0.0),
        (None, False, 0.0),
    ],
)
def test_any_other_program_scores_what_it_shares(action: Any, executable: bool, lcs: float):
    verdict = judged(action, program=True)
    assert (verdict["status"], verdict["executable"]) == ("unsolved", executable)
    assert verdict["score"] == verdict["metrics"]["lcs"] == pytest.approx(lcs)


def test_blanks_between_brackets_are_no_object():
    env = env_of()
    calls = ["Agent.Sleep( )", "Agent.Sleep(' ')", {"name": "Sleep", "arguments": {"object": " "}}]
    assert [env.step(call)[0]["status"] for call in calls] == [0, 0, 0]


@pytest.mark.parametrize(
    "line", ["Agent.StandUp( )", "Agent.StandUp(\t)", "Agent.StandUp(' ')", "  ", "\n \n", ""]
)
def test_blanks_are_executable_in_the_original(line: str):
    assert judged(line, program=True, compat="original")["executable"]


def test_a_line_of_blanks_costs_nothing_in_the_original():
    blank = {"name": "step", "arguments": {"line": "  "}}
    verdict = judged(blank, POUR, DONE, compat="original")
    assert (verdict["executable"], verdict["score"]) == (True, 1.0)


def test_the_originals_blank_object_is_none_that_it_knows():
    assert not judged("Agent.Find( )", program=True, compat="original")["executable"]
    assert not judged("Agent.Put(cup, )", program=True, compat="original")["executable"]


def test_a_mistake_that_is_mended_costs_a_step():
    verdict = judged("Agent.Find(cups)", POUR, DONE)
    assert (verdict["executable"], verdict["score"]) == (False, pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        ("Agent.LieOn(hammock)", 2, "'object': must be one of|'object'"),
        ("Agent.lieon(bed)", 3, "Did you mean 'LieOn'?"),
        ("Agent.LieOn(bed", 1, "'Agent.LieOn(bed' is no step"),
        ("Agent.Sleep(bed)", 2, "'object"),
        ("Agent.Put(cup)", 2, "'object2'"),
        ("Agent.TurnTo(hammock)", 2, '"woman", got the text'),
        ("Agent.Find(hammock)", 2, '"woman", got the text'),
        ({"name": "step", "arguments": {"line": "Agent.Find(hammock)"}}, 2, '"woman", got the text'),
        ({"name": "step", "arguments": {"line": "sleep"}}, 1, "the line 'sleep' is no step"),
    ],
)
def test_what_is_wrong_with_a_step_is_said(action: Any, status: int, error: str):
    observation, _, terminated, _, info = env_of().step(action)
    assert (observation["status"], terminated) == (status, False)
    assert any(part in info["calls"][0]["error"] for part in error.split("|"))


def test_a_program_halts_at_its_first_bad_step_where_more_actions_may_follow():
    env = env_of()
    info = env.step("Agent.Find(bed)\nAgent.LieOn(sky)\nAgent.Sleep()")[4]
    assert len(info["calls"]) == 2
    assert env.snapshot().backend.program == ("Agent.Find(bed)",)


def test_a_step_that_fails_changes_nothing():
    env = env_of()
    env.step("Agent.Find(bed)")
    before = env.snapshot().backend
    env.step("Agent.LieOn(sky)")
    assert env.snapshot().backend is before


def test_a_typed_call_is_a_line_in_the_originals_mode():
    env = env_of(compat="original")
    info = env.step({"name": "PourInto", "arguments": {"object1": "coffee", "object2": "cup"}})[4]
    assert info["calls"][0]["arguments"] == {"line": "Agent.PourInto(coffee, cup)"}
    assert env.step(DONE)[1] == pytest.approx(0.5)


@pytest.mark.heavy
@pytest.mark.parametrize("compat", [None, "original"])
def test_the_oracle_and_every_label_solve_every_test_task(compat: Any):
    env, whole = make(compat=compat), make(compat=compat, program=True)
    for index in range(100):
        options = {"task_id": f"test-{index}"}
        env.reset(seed=0, options=options)
        for call in env.task.gold:
            assert env.step({"name": call.name, "arguments": call.arguments})[0]["status"] == 0
        assert env.step(DONE)[1] == 1.0
        whole.reset(seed=0, options=options)
        assert whole.step(whole.task.goal["labels"][-1])[1] == 1.0


@pytest.mark.heavy
@pytest.mark.parametrize("compat", [None, "original"])
def test_ten_thousand_damaged_programs_are_judged(compat: Any):
    env = env_of(compat=compat, program=True)
    start, tools = env.snapshot(), {tool.name: tool for tool in env.task.tools}
    for text in mutants(LABELS, 5_000, seed=7):
        after = drive(env.rules.advance(env.task, tools, start, text))
        assert after.over
        assert after.valid
        assert 0 <= after.steps[-1].reward <= 1


@pytest.mark.parametrize("compat", [None, "original"])
def test_damaged_programs_are_observations(compat: Any):
    env = env_of(compat=compat)
    start = env.snapshot()
    for text in mutants(LABELS, 500, seed=8):
        env.restore(start)
        observation = env.step(text)[0]
        assert observation in env.observation_space
        json.loads(observation["result"] or "null")


def test_a_program_without_end_is_bounded():
    env = env_of(program=True)
    info = env.step("Agent.Sleep()\n" * 5_000)[4]
    assert len(info["calls"]) == 1_001


def plain_common_length(left: str, right: str) -> int:
    row = [0] * (len(right) + 1)
    for item in left:
        before = row[:]
        for at, other in enumerate(right):
            row[at + 1] = before[at] + 1 if item == other else max(before[at + 1], row[at])
    return row[-1]


@given(st.text("abc", max_size=40), st.text("abcd", max_size=40))
def test_the_common_length_is_that_of_the_textbook(left: str, right: str):
    assert common_length(left, right) == plain_common_length(left, right)
