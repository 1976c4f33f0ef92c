"""The exact verifier and the oracle, over every template."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stb_env.core.request import drive
from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.sandbox.catalog import apis
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.tasks import Task
from stb_env.verdict import Verdict
from tests.suites.sandbox.gold_calls import BY_NAME, WORLD, gold_calls

JUDGE = ExactJudge()


def some(name: str, count: int = 10) -> list[Task]:
    split = "test" if templates()[name].held_out else "train"
    source = SandboxTasks(split, template=name)
    return [source.at(index) for index in range(count)]


@pytest.fixture(scope="module", params=templates())
def tasks(request: pytest.FixtureRequest) -> list[Task]:
    """Ten tasks of a template; all tests of them run one after the other, so that they are made once."""
    return some(request.param)


def play(task: Task, state=None):
    """Let the oracle play from a state; return how it ends, its calls and the last state."""
    state = WORLD.start(task, seed=0) if state is None else state
    solution, calls, result = oracle(task), [], None
    try:
        while True:
            call = next(solution) if result is None else solution.send(result)
            calls.append(call)
            result, state = WORLD.call(state, BY_NAME[call.name], call.arguments)
    except StopIteration as stop:
        return stop.value, tuple(calls), state


def verdict(task: Task, ending, state=None, calls=None) -> Verdict:
    state = WORLD.start(task, 0) if state is None else state
    calls = gold_calls(task.id) if calls is None else calls
    given = ending.get("final_answer", ""), calls, state
    case = Case(task, *given, answer=ending.get("answer"), cannot=ending.get("cannot"))
    return drive(JUDGE.judge(case))


def test_the_oracle_solves_every_task(tasks):
    for task in tasks:
        ending, calls, state = play(task)
        judged = verdict(task, ending, state)
        assert (judged.status, judged.score) == ("solved", 1.0), (task.id, ending, judged)
        assert calls == task.gold
        assert ending["answer"] == task.goal["answer"]


def test_the_oracle_needs_only_offered_tools(tasks):
    for task in tasks:
        assert {call.name for call in task.gold} <= {tool.name for tool in task.tools}


def test_the_oracle_solves_from_where_it_has_been_already(tasks):
    for task in tasks[:5]:
        _, _, state = play(task)
        ending, _, state = play(task, state)
        assert verdict(task, ending, state).status == "solved", task.id


def test_the_oracle_solves_from_half_way(tasks):
    for task in tasks[:5]:
        for done in range(1, len(task.gold)):
            state = WORLD.start(task, 0)
            for call in task.gold[:done]:
                _, state = WORLD.call(state, BY_NAME[call.name], call.arguments)
            ending, _, state = play(task, state)
            assert verdict(task, ending, state).status == "solved", (task.id, done)


def test_the_right_answer_without_a_call_is_not_enough(tasks):
    for task in tasks:
        judged = verdict(task, {"answer": task.goal["answer"]}, calls=())
        assert judged.status == "unsolved", task.id
        assert all(not held for part, held in judged.parts.items() if part.startswith("answer:")), task.id


def test_a_state_that_was_left_wrong_is_caught(tasks):
    for task in tasks[:5]:
        ending, _, state = play(task)
        for table in task.goal["writes"]:
            start = WORLD.start(task, 0)
            undone = replace(state, tables={**state.tables, table: start.table(table)})
            judged = verdict(task, ending, undone)
            assert judged.status == "unsolved"
            assert not judged.parts[f"state:{table}"]


def test_changing_what_the_task_leaves_alone_is_caught_and_loses_all_parts(tasks):
    for task in tasks[:3]:
        ending, _, state = play(task)
        for table in {"contacts", "events", "orders"} - task.goal["writes"].keys():
            key = next(iter(state.table(table)))
            judged = verdict(task, ending, state.without_row(table, key))
            assert judged.parts[f"kept:{table}"] is False
            assert (judged.status, judged.reward("partial")) == ("unsolved", 0.0)


def test_extra_reads_are_free(tasks):
    for task in tasks[:2]:
        ending, _, state = play(task)
        for tool in task.tools:
            if apis()[tool.id].stateless:
                _, state = WORLD.call(state, tool, apis()[tool.id].defaults)
        assert verdict(task, ending, state).status == "solved"


def test_a_refusal_is_no_answer():
    task = some("city_population")[0]
    judged = verdict(task, {"cannot": {"reason": "not_found", "what": ["city"]}})
    assert (judged.status, judged.reward("partial")) == ("unsolved", 0.0)
    assert judged.parts == {"answer:population": False, "kept:request": False}


def test_a_vote_says_what_was_wanted_and_what_was_got():
    task = some("city_population")[0]
    judged = verdict(task, {"answer": {"population": 7}})
    wanted = task.goal["answer"]["population"]
    assert judged.votes[0].reason == f"answer:population: wanted {wanted}, got 7"


def test_a_case_without_state_is_a_failure_of_the_caller_and_no_verdict():
    task = some("delete_contact")[0]
    with pytest.raises(JudgeError, match="judged by its final state, got NoneType; pass the world's state"):
        drive(JUDGE.judge(Case(task, "Done.", (), answer={})))


def test_an_oracle_that_cannot_go_on_says_so():
    task = some("change_phone")[0]
    state = WORLD.start(task, 0)
    for key in list(state.table("contacts")):
        state = state.without_row("contacts", key)
    ending, _, _ = play(task, state)
    assert ending["final_answer"].startswith("This cannot be done any more: no contact with id ''")


def test_who_does_the_work_and_then_refuses_earns_no_part_of_it():
    task = some("delete_contact")[0]
    _, _, state = play(task)
    judged = verdict(task, {"cannot": {"reason": "not_found", "what": ["person"]}}, state)
    assert (judged.parts["state:contacts"], judged.reward("partial"), judged.score) == (True, 0.0, 0.0)
