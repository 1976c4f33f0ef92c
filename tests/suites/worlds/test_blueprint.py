"""Worlds are drawn whole, and the same wherever they are drawn."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence

import pytest

from stb_env.suites.worlds.data.blueprint import Blueprint, draw_world
from stb_env.suites.worlds.schema.kit import Day, Ref, shipped_kit
from stb_env.suites.worlds.tasks.making import kits

from .sampled import SAMPLE, each_kit, each_world

SEEDS = range(12)

_DIGEST = """
import hashlib, sys
from stb_env.suites.worlds.world import built
digest = hashlib.sha256()
for name in sys.argv[1:]:
    world = built(f"{name}-7")
    digest.update(repr(sorted(world.blueprint.data.rows.items())).encode())
    digest.update(repr(sorted(world.blueprint.data.texts.items())).encode())
    for tool in world.tools.values():
        digest.update(tool.tool.spec.encode())
print(digest.hexdigest())
"""


@pytest.fixture(params=each_world(SEEDS, light=3))
def blueprint(request: pytest.FixtureRequest) -> Blueprint:
    kit, seed = request.param
    return draw_world(seed, shipped_kit(kit))


def test_references_lead_to_rows_and_days_follow_each_other(blueprint: Blueprint) -> None:
    for entity, described in blueprint.entities.items():
        rows = blueprint.data.rows[entity]
        for column, (name, attribute) in enumerate(described.attributes.items()):
            if isinstance(attribute, Ref):
                count = len(blueprint.data.rows[attribute.to])
                assert all(0 <= row[column] < count for row in rows), (entity, name)
            if isinstance(attribute, Day) and attribute.after and "." not in attribute.after:
                before = described.columns[attribute.after]
                low = attribute.between[0]
                assert all(row[column] >= row[before] + low for row in rows), (entity, name)


def test_labels_are_unique_and_texts_are_read_back(blueprint: Blueprint) -> None:
    for entity, described in blueprint.entities.items():
        rows = blueprint.data.rows[entity]
        labels = [blueprint.label_of(entity, number) for number in range(len(rows))]
        assert len(set(labels)) == len(labels), entity
        for column, name in enumerate(described.attributes):
            value = rows[-1][column]
            text = blueprint.text_of(entity, name, value)
            assert blueprint.value_of(entity, name, text) == value, (entity, name, text)


def test_rules_have_their_numbers(blueprint: Blueprint) -> None:
    for described in blueprint.entities.values():
        for queue in described.queues.values():
            for rule in queue.rules:
                conditions = (*rule.when, *rule.unless)
                assert not any(str(condition.right).startswith("$") for condition in conditions)
                assert "{" not in rule.text


@pytest.mark.heavy
@pytest.mark.parametrize("kit", each_kit())
def test_worlds_differ_in_parts_words_and_rows(kit: str) -> None:
    drawn = [draw_world(seed, shipped_kit(kit)) for seed in SEEDS]
    shapes = {
        tuple((entity, *described.attributes) for entity, described in each.entities.items())
        for each in drawn
    }
    nouns = {tuple(described.nouns[0] for described in each.entities.values()) for each in drawn}
    assert len(shapes) > 1
    assert len(nouns) > 6
    assert len({hashlib.sha256(repr(each.data.rows).encode()).digest() for each in drawn}) == len(SEEDS)


@pytest.mark.parametrize("names", [SAMPLE, pytest.param(kits(), marks=pytest.mark.heavy)], ids=["few", "all"])
def test_another_process_draws_the_same_bytes(names: Sequence[str]) -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", _DIGEST, *names],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in (1, 2)
    ]
    assert runs[0] == runs[1] != ""


def test_a_distribution_follows_another_attribute() -> None:
    for seed in range(3):
        blueprint = draw_world(seed, shipped_kit("vet_clinic"))
        columns = blueprint.entities["pet"].columns
        cats = [row for row in blueprint.data.rows["pet"] if row[columns["species"]] == 1]
        assert cats
        assert all(20 <= row[columns["weight"]] <= 80 for row in cats)


def test_some_names_are_those_of_others_and_a_part_more() -> None:
    blueprint = draw_world(1, shipped_kit("container_port"))
    texts = blueprint.data.texts["vessel", "name"]
    assert len(set(texts)) == len(texts)
    longer = [text for text in texts if any(text.startswith(f"{other} ") for other in texts)]
    assert len(longer) > len(texts) // 5
