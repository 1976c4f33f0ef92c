"""Requests that may be refused: the ones that are met and the ones that are not look alike until one acts."""

from __future__ import annotations

import json

import pytest

from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates
from stb_env.tasks import Task
from tests.suites.sandbox.test_judging import BY_NAME, WORLD, play, verdict

TWINS = {
    "bound_by_contract": "was_cancelled",
    "buy_garment": "was_bought",
    "cancel_class_too_late": "was_cancelled",
    "change_flight_too_late": "was_changed",
    "change_stay_too_late": "was_changed",
    "copy_without_space": "was_copied",
    "donate_instead": "was_accepted",
    "exchange_or_else": "is_in_stock",
    "frost_or_eco": "below_limit",
    "more_guests_too_late": "was_changed",
    "parcel_too_late": "was_changed",
    "refund_too_late": "was_refunded",
    "refused_reading": "was_accepted",
    "reopen_too_late": "was_reopened",
    "return_too_late": "was_accepted",
}


def both(name: str) -> tuple[Task, Task]:
    """Return the first task of a template that is met, and the first that is refused."""
    source = SandboxTasks("test" if templates()[name].held_out else "train", template=name)
    size = min(source.size or 24, 24)
    tasks = [source.at(turn) for turn in range(size)]
    met, refused = (
        next(task for task in tasks if task.goal["answer"][TWINS[name]] is value) for value in (True, False)
    )
    return met, refused


@pytest.mark.parametrize("name", TWINS)
def test_neither_schema_nor_wordings_tell_the_twins_apart(name: str):
    met, refused = both(name)

    def form(task: Task) -> str:
        """Return the schema without the codes of currencies, which the query chooses."""
        assert isinstance(task.answer, dict)
        properties = task.answer["properties"]
        return json.dumps(
            {field: {**schema, "description": ""} for field, schema in properties.items()}, sort_keys=True
        )

    assert form(met) == form(refused)
    assert len(plan_of(met.id).wordings) == len(plan_of(refused.id).wordings)


@pytest.mark.parametrize("name", TWINS)
def test_the_other_answer_earns_nothing_after_the_same_calls(name: str):
    for task in both(name):
        ending, _, state = play(task)
        right = verdict(task, ending, state)
        assert right.status == "solved"
        answer = {**ending["answer"], TWINS[name]: not ending["answer"][TWINS[name]]}
        wrong = verdict(task, {**ending, "answer": answer}, state)
        assert (wrong.score, wrong.parts[f"answer:{TWINS[name]}"]) == (0, False)


@pytest.mark.parametrize("name", TWINS)
def test_saying_that_it_was_done_without_doing_it_earns_nothing(name: str):
    for task in both(name):
        ending, _, _ = play(task)
        idle = verdict(task, ending, WORLD.start(task, 0))
        assert (idle.score == 0) is bool(task.goal["writes"]), task.id


@pytest.mark.parametrize("name", TWINS)
def test_every_call_of_one_twin_is_offered_to_the_other(name: str):
    for task, other in (both(name), both(name)[::-1]):
        needed = {call.name for call in other.gold}
        assert needed <= {tool.name for tool in task.tools} <= BY_NAME.keys()
