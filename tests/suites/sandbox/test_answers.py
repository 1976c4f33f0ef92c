"""After gold's calls: every wrong field earns nothing, and the same values in other legal forms earn all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from stb_env.core.answers import same
from stb_env.envs.finish import finish_form
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.tasks import Task
from stb_env.testing.red_team.evidence import values_in
from stb_env.testing.red_team.typed import rivals, wrong_value
from stb_env.tools import FINISH, ToolCall
from tests.suites.sandbox.gold_calls import gold_calls
from tests.suites.sandbox.test_judging import play, verdict

TRAIN = 150


def tasks(split: str) -> Iterator[Task]:
    source = SandboxTasks(split)
    for index in range(source.size or TRAIN):
        yield source.at(index)


def read(task: Task, ending: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the task's Finish makes of arguments; None where it refuses them."""
    finish = finish_form(task).read(ToolCall(FINISH, ending))
    if finish.kind != "answer":
        return None
    return {"answer": finish.answer, "cannot": finish.cannot}


def wrong(task: Task) -> Iterator[dict[str, Any]]:
    """Yield the right answer with something wrong about it."""
    right, fields = task.goal["answer"], task.answer["properties"]
    results = [call.result.response for call in gold_calls(task.id) if not call.result.error]
    for name, value in right.items():
        schema = fields[name]
        others = [wrong_value(schema, value), *list(rivals(schema, value, results))[:3]]
        for other in (*others, "", None, 0, [], False, f"{value}!", {"value": value}):
            if not (type(other) is type(value) and same(schema, value, other)):
                yield {"answer": {**right, name: other}}
        yield {"answer": {key: each for key, each in right.items() if key != name}}
    for one, other in combinations(right, 2):
        if not same(fields[one], right[one], right[other]):
            yield {"answer": {**right, one: right[other], other: right[one]}}
    yield {"answer": {**right, "more": 1}}
    yield {"final_answer": task.record["final_answer"]}


def restyled(value: Any, schema: dict[str, Any]) -> Any:
    """Return the same value in another legal form."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case float():
            return int(value) if value.is_integer() else value
        case list():
            items = [restyled(each, schema["items"]) for each in value]
            return items if schema.get("ordered") else items[::-1]
        case str() if schema.get("format") == "date":
            return f"{value}T00:00:00Z"
        case str() if schema.get("format") == "time":
            return f"{value}:00"
        case str() if schema.get("format") == "code":
            return f" {value.replace('-', ' ').lower()}"
        case str():
            return f"  {value.upper()} "
    return value


@pytest.mark.heavy
@pytest.mark.parametrize("split", ["test", "missing", "train"])
def test_no_wrong_field_earns_anything_after_golds_calls(split):
    tried = 0
    for task in tasks(split):
        if task.goal["cannot"]:
            continue
        _, calls, state = play(task)
        assert calls == task.gold
        for ending in wrong(task):
            given = read(task, ending)
            if given is not None:
                judged = verdict(task, given, state)
                assert judged.score == 0, (task.id, ending)
                assert judged.reward("partial") < 1, (task.id, ending)
            tried += 1
    assert tried


@pytest.mark.heavy
@pytest.mark.parametrize("split", ["test", "missing", "train"])
def test_the_same_values_in_other_legal_forms_earn_everything(split):
    for task in tasks(split):
        if task.goal["cannot"]:
            continue
        _, _, state = play(task)
        fields = task.answer["properties"]
        answer = {name: restyled(value, fields[name]) for name, value in task.goal["answer"].items()}
        given = read(task, {"answer": answer})
        assert given is not None, (task.id, answer)
        assert verdict(task, given, state).score == 1, (task.id, answer)


@pytest.mark.parametrize("split", ["test", "train"])
def test_what_an_answer_stands_on_may_come_from_other_calls_too(split):
    # An agent that spells out a default, or writes in other letters, makes the same call.
    for index in range(60):
        task = SandboxTasks(split).at(index)
        records = [
            call._replace(arguments={name: _respelled(value) for name, value in call.arguments.items()})
            for call in gold_calls(task.id)
        ]
        ending, _, state = play(task)
        assert verdict(task, ending, state, tuple(records)).score == 1, task.id


def _respelled(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else float(value) if type(value) is int else value


def test_a_list_page_that_shows_the_value_supports_an_answer_as_its_own_lookup_does():
    task = SandboxTasks("train", template="city_population").at(0)
    shown = [
        call
        for call in gold_calls(task.id)
        if task.goal["answer"]["population"] in values_in(call.result.response)
    ]
    renamed = tuple(call._replace(name="another_tool") for call in shown)
    assert verdict(task, {"answer": task.goal["answer"]}, calls=renamed).score == 1
    assert verdict(task, {"answer": task.goal["answer"]}, calls=()).score == 0
