"""Worlds of several kits: whom their services share, goals that cross, and the groups that they make."""

from __future__ import annotations

import pytest

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.data.traits import Key
from stb_env.suites.worlds.drawing.crossing import crosses
from stb_env.suites.worlds.drawing.draw_goal import GoalDrawer
from stb_env.suites.worlds.goals.answer_fields import field_name
from stb_env.suites.worlds.goals.goal import Clause, Lookup, Select
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.joining import join, kit_named, kit_of
from stb_env.suites.worlds.schema.kit import KITS, Link, Person, Title, read_kit
from stb_env.suites.worlds.schema.nouns import forms
from stb_env.suites.worlds.tasks.making import HELD_OUT, task_of
from stb_env.suites.worlds.tasks.source import TEST_GROUP, WorldTasks
from stb_env.suites.worlds.words.query import query
from stb_env.suites.worlds.world import Built, build, built

PAIRS = ("court_registry+vet_clinic", "museum_loans+vineyard", "container_port+court_registry+vet_clinic")
KEYS = [f"{names}-{seed}" for names in PAIRS for seed in (3, 10_001)]


def links(world: Built) -> list[tuple[str, str, Link]]:
    return [
        (entity, name, attribute)
        for entity, described in world.blueprint.entities.items()
        for name, attribute in described.attributes.items()
        if isinstance(attribute, Link)
    ]


@pytest.mark.parametrize("key", KEYS)
def test_people_are_the_same_under_the_same_name_and_address(key: str) -> None:
    world = built(key)
    found = links(world)
    assert {kit_of(world.blueprint.kit, entity) for entity, _, _ in found} | {
        kit_of(world.blueprint.kit, link.to) for _, _, link in found
    } == set(Key.of(key).kits)
    for entity, name, link in found:
        assert kit_of(world.blueprint.kit, entity) != kit_of(world.blueprint.kit, link.to)
        rows = world.blueprint.data.rows[entity]
        assert 0 < len(rows) <= len(world.blueprint.data.rows[link.to])
        column = world.blueprint.entities[entity].columns[name]
        assert len({row[column] for row in rows}) == len(rows)
        for number, row in enumerate(rows):
            for here, there in link.same.items():
                own = row[world.blueprint.entities[entity].columns[here]]
                other = world.blueprint.data.rows[link.to][row[column]]
                elsewhere = other[world.blueprint.entities[link.to].columns[there]]
                assert world.blueprint.text_of(entity, here, own) == world.blueprint.text_of(
                    link.to, there, elsewhere
                ), number


@pytest.mark.parametrize("key", KEYS)
def test_services_share_addresses_and_nothing_else(key: str) -> None:
    world = built(key)
    for entity, name, link in links(world):
        assert name not in world.codec.fields[entity]
        number = 2
        row = world.blueprint.data.rows[entity][number]
        shown = world.codec.row(entity, number, row, tuple(world.codec.fields[entity].values()))
        there = row[world.blueprint.entities[entity].columns[name]]
        assert str(world.codec.id_of(link.to, there)) not in str(shown)
        # Whoever reads the address knows whose it is elsewhere.
        assert world.codec.read_row(entity, shown)[1][name] == there


@pytest.mark.parametrize("key", KEYS)
def test_no_noun_or_service_is_of_two_kits(key: str) -> None:
    world = built(key)
    nouns = [
        (noun.partition("/")[0], entity)
        for entity, described in world.blueprint.entities.items()
        for noun in described.nouns
    ]
    assert len({noun for noun, _ in nouns}) == len(nouns)
    for noun, entity in nouns:
        for other, owner in nouns:
            alike = kit_of(world.blueprint.kit, entity) == kit_of(world.blueprint.kit, owner)
            assert alike or not other.endswith(f" {noun}")
    services = [
        (described.service, kit_of(world.blueprint.kit, entity))
        for entity, described in world.blueprint.entities.items()
    ]
    assert len(set(services)) == len({service for service, _ in services})
    labels = [forms(described)[0] for described in world.blueprint.entities.values()]
    assert len(set(labels)) == len(labels)


def test_nouns_and_services_that_kits_share_say_whose_they_are() -> None:
    vet = read_kit(KITS / "vet_clinic.toml")
    zoo = vet.model_copy(update={"name": "zoo", "words": ("city zoo", "animal park")})
    world = build(join([vet, zoo]), 1)
    nouns = [noun for entity in world.blueprint.entities.values() for noun in entity.nouns]
    assert len(set(nouns)) == len(nouns)
    assert any(noun.startswith("zoo visit/zoo visits") for noun in nouns)
    assert {"vet_clinic_surgery", "zoo_surgery"} <= set(world.codec.styles)
    rules = world.blueprint.entities["zoo__claim"].queues["settling"]
    assert "zoo" in rules.text
    assert len({tool.tool.name for tool in world.tools.values()}) == len(world.tools)


@pytest.mark.parametrize("name", ["vet_clinic+court_registry", "vet_clinic+vet_clinic"])
def test_kits_in_another_order_are_no_world(name: str) -> None:
    with pytest.raises(DataError, match="alphabetical order"):
        built(f"{name}-1")
    with pytest.raises(DataError):
        task_of(f"{name}-1.1.0")


@pytest.mark.heavy
@pytest.mark.parametrize("key", KEYS)
def test_the_oracle_agrees_with_the_evaluator_on_goals_that_cross(key: str) -> None:
    world = built(key)
    drawer, played = GoalDrawer(world.blueprint), 0
    for level in range(2, 6):
        for number in range(4):
            drawn = drawer.draw(level, rng("test", key, level, number), crossing=True)
            solved = None if drawn is None else solve(world, drawn.goal)
            if drawn is None or solved is None:
                continue
            assert solved.answer == drawn.expected.answer, drawn.goal
            assert solved.state == drawn.expected.state, drawn.goal
            said = query(drawn.goal, world.blueprint, rng("words", number))
            assert said[-1] in ".?"
            assert "__" not in said
            played += 1
    assert played > 3


def test_a_value_elsewhere_is_asked_for_as_that() -> None:
    world = built("court_registry+vet_clinic-3")
    entity, name, link = links(world)[0]
    label = world.blueprint.entities[entity].label
    goal = Lookup(Select(entity, (Clause(label, "=", 0),)), (f"{name}.joined",))
    said = query(goal, world.blueprint, rng("words"))
    assert f"at the {link.at}" in said
    assert field_name(world.blueprint, entity, goal.fields[0]).startswith(
        forms(world.blueprint.entities[link.to])[0]
    )
    solved = solve(world, goal)
    assert solved is not None
    assert {request.tool.entity for request in solved.requests if request.tool.entity} == {entity, link.to}


@pytest.mark.heavy
def test_most_tasks_cross_kits_and_services() -> None:
    source = WorldTasks("train", level=(3, 5), services=4)
    crossing = 0
    for index in range(24):
        made = task_of(source.at(index).id)
        assert len(made.world.codec.styles) >= 4
        used = {made.world.tools[call.name].entity for call in made.task.gold} - {""}
        crossing += crosses(made.world.blueprint, used)
    assert crossing >= 12


def test_gold_solves_in_joined_worlds() -> None:
    env = stb_env.make("stb/Worlds-v0", services=4, level=(1, 4))
    assert isinstance(env, ToolEnv)
    for seed in range(6):
        _, info = env.reset(seed=seed)
        for call in env.task.gold:
            env.step({"name": call.name, "arguments": call.arguments})
        finish = {"name": "Finish", "arguments": {"answer": env.task.goal["answer"]}}
        assert env.step(finish)[1] == 1.0, info["task_id"]


def test_a_joined_world_is_the_same_again() -> None:
    world = built(KEYS[0])
    again = build(kit_named(PAIRS[0]), 3)
    assert [tool.tool.spec for tool in world.tools.values()] == [
        tool.tool.spec for tool in again.tools.values()
    ]
    assert world.blueprint.data.rows == again.blueprint.data.rows


# -- groups and settings ------------------------------------------------------------------------------


def test_lists_without_services_have_one_kit_each() -> None:
    source = WorldTasks("test", level=1)
    assert source.size == 3 * TEST_GROUP
    groups = {source.at(index).group for index in range(0, source.size, 10)}
    assert groups <= {"I1-Instruction", "I1-Tool", "I1-Category"}


@pytest.mark.parametrize(
    ("settings", "kits", "services"),
    [
        ({"group": "I3-Instruction", "split": "test"}, {2}, 2),
        ({"group": "I3-Category", "split": "val"}, {2}, 2),
        ({"services": 7}, {3, 4}, 7),
        ({"services": (4, 6)}, {2, 3}, 4),
        ({"services": 3}, {1, 2}, 3),
    ],
)
@pytest.mark.heavy
def test_as_many_kits_are_joined_as_it_takes(
    settings: dict[str, object], kits: set[int], services: int
) -> None:
    source = WorldTasks(level=3, **settings)  # type: ignore[arg-type] # each is right
    for index in range(4):
        task = source.at(index)
        joined = Key.of(task.record["world"]).kits
        assert len(joined) in kits
        assert len({each.service for each in task_of(task.id).world.blueprint.entities.values()}) >= services
        assert len({kit in HELD_OUT for kit in joined}) == 1
        assert task.group.startswith("I3" if len(joined) > 1 else "I1")
        assert source.get(task.id).key == task.key


def test_tasks_over_several_services_of_a_kit() -> None:
    source = WorldTasks("test", "I2-Category", level=(1, 3))
    assert source.levels == range(2, 4)
    for index in range(3):
        made = task_of(source.at(index).id)
        entities = made.world.blueprint.entities
        used = {made.world.tools[call.name].entity for call in made.task.gold} - {""}
        assert len({entities[each].service for each in used}) > 1
        assert (made.task.group, made.task.split) == ("I2-Category", "test")


@pytest.mark.parametrize(
    "settings",
    [
        {"services": 0},
        {"services": 40},
        {"services": (5, 4)},
        {"services": 4, "group": "I1-Instruction"},
        {"group": "I3-Tool"},
        {"group": "I2-Instruction", "level": 1},
    ],
)
def test_services_that_no_world_has_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        WorldTasks(**settings)  # type: ignore[arg-type] # wrong on purpose


def test_the_hash_follows_the_services() -> None:
    assert len({WorldTasks(services=each).hash for each in (None, 3, 4)}) == 3


def test_names_look_alike_where_people_are_a_part_of_others() -> None:
    world = built(KEYS[0])
    for entity, _, link in links(world):
        label = world.blueprint.entities[entity].attributes[world.blueprint.entities[entity].label]
        assert isinstance(label, Person | Title)
        names = world.blueprint.data.texts[entity, world.blueprint.entities[entity].label]
        if len(names) < 30:
            continue
        alike = [name for name in names if any(other.startswith(f"{name} ") for other in names)]
        assert len(alike) > len(names) // 10, link.to
