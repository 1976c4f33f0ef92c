"""Fields of typed answers: what their names, types and draws promise over all templates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from stb_env.suites.sandbox.generator import generate
from stb_env.suites.sandbox.task_key import TaskKey
from stb_env.suites.sandbox.template import templates
from stb_env.tasks import Task

# Many draws of every template take seconds.
pytestmark = pytest.mark.heavy

DRAWS = 24
NAMES = tuple(templates())


@cache
def drawn(name: str) -> tuple[Task, ...]:
    """Return tasks of a template: of split train, or of test where training must not see it."""
    template = templates()[name]
    split = "test" if template.held_out else "train"
    return tuple(generate(TaskKey(split, template, turn, 0)) for turn in range(DRAWS))


def fields(task: Task) -> dict[str, Any]:
    assert isinstance(task.answer, dict)
    return dict(task.answer["properties"])


def strings(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if schema["type"] == "string":
        yield schema
    elif schema["type"] == "array":
        yield from strings(schema["items"])


def kind(schema: dict[str, Any]) -> tuple[str, ...]:
    items = kind(schema["items"]) if schema["type"] == "array" else ()
    return schema["type"], schema.get("format", ""), *items


def test_every_field_is_named_by_an_identifier_with_one_type_in_all_templates():
    kinds: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
    for name in NAMES:
        for task in drawn(name):
            for field, schema in fields(task).items():
                assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", field), (name, field)
                kinds[field][kind(schema)].add(name)
    assert {field: dict(found) for field, found in kinds.items() if len(found) > 1} == {}


def test_dates_and_times_carry_their_format():
    for name in NAMES:
        for task in drawn(name):
            for field, schema in fields(task).items():
                for each in strings(schema):
                    value = task.goal["answer"][field]
                    texts = value if isinstance(value, list) else [value]
                    for text in texts:
                        form = "date" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else each.get("format", "")
                        form = "time" if re.fullmatch(r"\d\d:\d\d", text) else form
                        assert each.get("format", "") == form, (name, field, text)


def test_lists_take_no_value_twice_and_none_has_one_value_only_in_every_task():
    for name in NAMES:
        lengths: dict[str, set[int]] = defaultdict(set)
        for task in drawn(name):
            for field, schema in fields(task).items():
                if schema["type"] == "array":
                    assert schema["uniqueItems"] is True, (name, field)
                    lengths[field].add(len(task.goal["answer"][field]))
        assert [field for field, found in lengths.items() if found == {1}] == [], name


def test_values_of_a_choice_are_listed_and_more_than_one_is_right_somewhere():
    for name in NAMES:
        right: dict[str, set[str]] = defaultdict(set)
        for task in drawn(name):
            for field, schema in fields(task).items():
                if "enum" in schema:
                    assert task.goal["answer"][field] in schema["enum"], (name, field)
                    right[field].add(task.goal["answer"][field])
        assert [field for field, found in right.items() if len(found) < 2] == [], name


def test_no_boolean_is_the_same_in_nearly_all_tasks():
    for name in NAMES:
        values: dict[str, list[bool]] = defaultdict(list)
        for task in drawn(name):
            for field, value in task.goal["answer"].items():
                if isinstance(value, bool):
                    values[field].append(value)
        shares = {field: sum(found) / len(found) for field, found in values.items()}
        assert {field: share for field, share in shares.items() if not 0.1 <= share <= 0.9} == {}, name


def test_a_solved_task_changes_only_what_its_template_declares_and_needs_no_more_calls():
    for name in NAMES:
        known = templates()[name]
        changed: set[str] = set()
        for task in drawn(name):
            changed |= {*task.goal["writes"]}
            assert len(task.gold) <= known.calls, name
        assert changed == {*known.writes}, name
        assert max(len(task.gold) for task in drawn(name)) == known.calls, name


def test_a_whole_number_is_declared_as_one():
    """A number that is whole in every task is an integer, unless it is an amount that may have cents."""
    for name in NAMES:
        values: dict[str, list[float]] = defaultdict(list)
        for task in drawn(name):
            for field, schema in fields(task).items():
                if schema["type"] == "number":
                    values[field].append(task.goal["answer"][field])
        whole = [field for field, found in values.items() if all(float(each).is_integer() for each in found)]
        assert whole == [], name
