"""Traits of worlds: look-alikes, missing values and copies that are out of date, all told by the key."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.suites.worlds.data.rows import MISSING, State
from stb_env.suites.worlds.data.traits import Key, Traits
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.schema.kit import Life, Person, Title
from stb_env.suites.worlds.tasks.making import formed, task_of
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.world import Built, built

DIRTY = ("vineyard-10003d15", "museum_loans-4d20l1", "container_port-10003d15l2")


@given(
    st.sampled_from(["vet_clinic", "court_registry+vet_clinic"]),
    st.integers(0, 999_999_999),
    st.builds(Traits, dirt=st.integers(0, 50), look_alikes=st.none() | st.integers(0, 3)),
)
def test_a_key_tells_its_parts(name: str, seed: int, traits: Traits) -> None:
    key = Key(name, seed, traits)
    assert Key.of(str(key)) == key


@pytest.mark.parametrize("key", ["vet_clinic-1d0", "vet_clinic-1l4", "vet_clinic-1d60", "vet_clinic-1l1d5"])
def test_a_key_of_no_world_is_refused(key: str) -> None:
    with pytest.raises(DataError):
        built(key)
    with pytest.raises(DataError):
        task_of(f"{key}.1.0")


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_so_many_rows_look_like_each_that_has_a_name(count: int) -> None:
    world = built(f"vet_clinic-3l{count}")
    for entity in ("owner", "pet"):
        described = world.blueprint.entities[entity]
        assert isinstance(described.attributes[described.label], Person | Title)
        names = world.blueprint.data.texts[entity, described.label]
        alike = [sum(other.startswith(f"{name} ") for other in names) for name in names]
        bases = [each for each in alike if each]
        assert len(set(names)) == len(names)
        assert set(bases) <= {count, max(1, count - 1)}
        assert len(bases) == (len(names) // (count + 1) if count else 0)


def lacking(world: Built) -> set[tuple[str, str]]:
    return {
        (entity, name)
        for entity, described in world.blueprint.entities.items()
        for name, column in described.columns.items()
        if any(row[column] == MISSING for row in world.blueprint.data.rows[entity])
    }


@pytest.mark.parametrize("key", DIRTY)
def test_values_are_missing_where_nothing_goes_by_them(key: str) -> None:
    world = built(key)
    found = lacking(world)
    assert found
    for entity, name in found:
        described = world.blueprint.entities[entity]
        assert name not in (described.label, described.key)
        assert not isinstance(described.attributes[name], Life)
        texts = [queue.model_dump_json() for queue in described.queues.values()]
        texts += [policy.model_dump_json() for policy in described.policies]
        assert not any(f'"{name}"' in text for text in texts)
        field = world.codec.fields[entity][name]
        listing = world.by_kind["list", entity, ""]
        if field in listing.fields:
            assert f"{field.name} is null where it is not known." in listing.tool.description
    plain = built(str(Key(Key.of(key).name, Key.of(key).seed)))
    assert not lacking(plain)


@pytest.mark.parametrize("key", DIRTY)
def test_some_copies_are_out_of_date_and_say_so(key: str) -> None:
    world = built(key)
    stale = fresh = 0
    for entity, copies in world.codec._copies.items():  # nobody else knows which are stale
        rows = world.blueprint.data.rows[entity]
        for copy in copies:
            fields = tuple(world.codec.fields[entity].values())
            shown = world.codec.row(entity, 0, rows[0], fields)
            assert copy.name in shown.get("attributes", shown)
            assert copy.name not in {field.name for field in fields}
            assert (
                f"{copy.name} is a copy and may be out of date"
                in world.by_kind["get", entity, ""].tool.description
            )
            reference = world.blueprint.entities[entity].attributes[copy.reference]
            target = world.blueprint.entities[reference.to]  # type: ignore[union-attr] # copies are of references
            place = world.blueprint.entities[entity].columns[copy.reference]
            held = world.blueprint.data.rows[reference.to]  # type: ignore[union-attr]
            columns = [
                column
                for column in target.columns.values()
                if sum(copy.values[at] == held[row[place]][column] for at, row in enumerate(rows))
                > len(rows) / 2
            ]
            assert len(columns) == 1
            same = [copy.values[at] == held[row[place]][columns[0]] for at, row in enumerate(rows)]
            fresh += sum(same)
            stale += len(same) - sum(same)
    assert 0 < stale < fresh / 2


@pytest.mark.heavy
@pytest.mark.parametrize("key", DIRTY)
def test_gold_agrees_with_the_tables_and_no_figure_goes_by_what_is_missing(key: str) -> None:
    world, drawn = built(key), 0
    for level in range(1, 5):
        for form in ("", "o", "a"):
            made = formed(key, level, 0, form)
            if made is None or made.refusal is not None:
                continue
            expected = evaluate(made.drawn.goal, world.blueprint, State())
            assert made.task.goal["answer"] == expected.answer
            assert "null" not in json.dumps(expected.answer)
            if not made.paired:
                assert (made.solved.answer, made.solved.state) == (expected.answer, expected.state)
            drawn += 1
    assert drawn >= 8


@pytest.mark.heavy
def test_gold_solves_under_all_settings_together() -> None:
    settings = {"services": 4, "tools": 120, "dirt": 0.1, "look_alikes": 2, "budget": 1.0, "policies": True}
    env = stb_env.make("stb/Worlds-v0", level=(1, 4), **settings)
    assert isinstance(env, ToolEnv)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        assert "d10l2." in info["task_id"]
        assert info["task_id"].endswith(".b100t120")
        for call in env.task.gold:
            env.step({"name": call.name, "arguments": call.arguments})
        cannot = env.task.goal.get("cannot")
        ending = {"cannot": cannot} if cannot else {"answer": env.task.goal["answer"]}
        assert env.step({"name": "Finish", "arguments": ending})[1] == 1.0, info["task_id"]


def test_a_list_that_was_read_whole_counts_each_row_once() -> None:
    made = task_of("vet_clinic-10001.6.1")
    assert made.solved.answer == evaluate(made.drawn.goal, made.world.blueprint, State()).answer


@pytest.mark.parametrize(
    "settings", [{"dirt": 0.6}, {"dirt": 0.001}, {"look_alikes": 4}, {"look_alikes": -1}]
)
def test_settings_that_no_world_has_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        stb_env.make("stb/Worlds-v0", **settings)


def test_the_hash_follows_the_traits() -> None:
    plain = WorldTasks("val").hash
    assert (
        len(
            {
                plain,
                WorldTasks("val", traits=Traits(dirt=5)).hash,
                WorldTasks("val", traits=Traits(0, 0)).hash,
            }
        )
        == 3
    )
