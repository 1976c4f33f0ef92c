"""The verdict: answers right and supported, the state as asked, and nothing else changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suites.worlds.data.blueprint import Blueprint, draw_world
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.answer_fields import answer_schema
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import Clause, Expected, ForEach, Make, Measure, Select
from stb_env.suites.worlds.judge import ExactJudge, changes, goal_record
from stb_env.suites.worlds.schema.kit import shipped_kit
from stb_env.tasks import Task
from stb_env.tools import Tool
from stb_env.verdict import Verdict

GOAL = ForEach(
    Select("claim", (Clause("status", "=", 0), Clause("amount", "<", 10000))),
    "approve",
    None,
    (Measure("count"), Measure("total", "amount")),
)


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return draw_world(1, shipped_kit("vet_clinic"))


@pytest.fixture(scope="module")
def expected(blueprint: Blueprint) -> Expected:
    return evaluate(GOAL, blueprint, State())


def judged(blueprint: Blueprint, expected: Expected, state: State, **answer: object) -> Verdict:
    task = Task(
        "t",
        "Approve them.",
        (Tool("ping", "", {}),),
        goal=dict(goal_record(blueprint, expected)),
        answer=answer_schema(GOAL, blueprint),
    )
    case = Case(task, "", (), state, answer={**expected.answer, **answer})
    return case.verdict(ExactJudge())


def seen(expected: Expected, state: State) -> State:
    """Return a state in which results have shown every row that the answer stands on."""
    shown: dict[str, int] = {}
    for rows in expected.support.values():
        for entity, number in rows:
            shown[entity] = shown.get(entity, 0) | 1 << number
    return replace(state, shown=shown)


def test_all_as_asked_is_solved(blueprint: Blueprint, expected: Expected) -> None:
    verdict = judged(blueprint, expected, seen(expected, expected.state))
    assert verdict.status == "solved"
    assert all(verdict.parts.values())


def test_a_wrong_field_fails_alone(blueprint: Blueprint, expected: Expected) -> None:
    name = next(iter(expected.answer))
    verdict = judged(blueprint, expected, seen(expected, expected.state), **{name: -1})
    assert [part for part, held in verdict.parts.items() if not held] == [f"answer:{name}"]


def test_an_answer_that_nothing_shows_is_not_supported(blueprint: Blueprint, expected: Expected) -> None:
    verdict = judged(blueprint, expected, expected.state)
    assert verdict.status == "unsolved"
    assert {part: held for part, held in verdict.parts.items() if part.startswith("state")} == {
        "state:claim": True
    }


def test_one_row_left_undone_fails(blueprint: Blueprint, expected: Expected) -> None:
    number = expected.rows[0]
    undone = blueprint.data.put(expected.state, "claim", number, blueprint.data.rows["claim"][number])
    verdict = judged(blueprint, expected, seen(expected, undone))
    assert not verdict.parts["state:claim"]
    assert "1 of" in verdict.votes[0].reason


def test_what_nobody_asked_for_breaks_the_rest(blueprint: Blueprint, expected: Expected) -> None:
    other = blueprint.data.put(expected.state, "owner", 0, None)
    verdict = judged(blueprint, expected, seen(expected, other))
    assert verdict.parts["kept:owner"] is False
    assert verdict.reward("partial") == 0
    more = next(number for number in range(99) if number not in expected.rows)
    same_table = blueprint.data.put(expected.state, "claim", more, None)
    verdict = judged(blueprint, expected, seen(expected, same_table))
    assert verdict.parts["kept:claim"] is False


def test_a_change_that_was_taken_back_is_none(blueprint: Blueprint, expected: Expected) -> None:
    row = blueprint.data.rows["owner"][0]
    away = blueprint.data.put(expected.state, "owner", 0, None)
    verdict = judged(blueprint, expected, seen(expected, blueprint.data.put(away, "owner", 0, row)))
    assert verdict.status == "solved"


def test_new_rows_compare_without_their_numbers(blueprint: Blueprint) -> None:
    drawn = {entity: len(rows) for entity, rows in blueprint.data.rows.items()}
    one, other = blueprint.data.rows["owner"][:2]
    states = []
    for rows in ((one, other), (other, one)):
        state = State()
        for row in rows:
            _, state = blueprint.data.add(state, "owner", row)
        states.append(changes(state, drawn))
    assert states[0] == states[1]
    number, state = blueprint.data.add(State(), "owner", one)
    assert changes(blueprint.data.put(state, "owner", number, None), drawn) == {}


def test_a_case_without_a_state_cannot_be_judged(blueprint: Blueprint, expected: Expected) -> None:
    with pytest.raises(JudgeError, match="pass the world's state"):
        judged(blueprint, expected, None)  # type: ignore[arg-type]


CREATION = Make(
    Select("visit", (Clause("number", "=", 3),)),
    "claim",
    "file_new",
    (("amount", 12000), ("filed", 739000), ("receipt", 1)),
    ("fee",),
)


def created(blueprint: Blueprint, *rows: tuple[int, ...]) -> Verdict:
    """Return the verdict of an episode that made some claims, by their values before the label."""
    expected = evaluate(CREATION, blueprint, State())
    state = State()
    for row in rows:
        number = len(blueprint.data.rows["claim"]) + state.made.get("claim", 0)
        _, state = blueprint.data.add(state, "claim", (number, *row))
    task = Task(
        "t",
        "File it.",
        (Tool("ping", "", {}),),
        goal=dict(goal_record(blueprint, expected)),
        answer=answer_schema(CREATION, blueprint),
    )
    return Case(task, "", (), seen(expected, state), answer=expected.answer).verdict(ExactJudge())


def test_a_row_that_is_made_counts_whatever_its_code(blueprint: Blueprint) -> None:
    right = (3, 12000, 739000, 1, 0)
    assert list(blueprint.entities["claim"].attributes) == [
        "number",
        "visit",
        "amount",
        "filed",
        "receipt",
        "status",
    ]
    assert created(blueprint, right).status == "solved"
    assert created(blueprint, (3, 12001, 739000, 1, 0)).status == "unsolved"
    assert created(blueprint, right, right).parts["kept:claim"] is False
    assert created(blueprint).status == "unsolved"
    # The code of a row that was made and deleted again is used up, which nobody asked about.
    state = evaluate(CREATION, blueprint, State()).state
    first = len(blueprint.data.rows["claim"])
    gone = blueprint.data.put(state, "claim", first, None)
    again = blueprint.data.add(gone, "claim", (first + 1, *right))[1]
    expected = evaluate(CREATION, blueprint, State())
    record = goal_record(blueprint, expected)
    assert changes(again, record["drawn"], record["generated"]) == record["changes"]
