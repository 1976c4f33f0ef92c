"""Levels: goals are drawn toward them, plans are the shortest of several, and each decision matters."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from stb_env.seeding import rng
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.drawing.clauses import clauses_of
from stb_env.suites.worlds.drawing.costs import Costs
from stb_env.suites.worlds.drawing.draw_goal import CALLS, Drawn, GoalDrawer, decided, fits
from stb_env.suites.worlds.goals.decisions import decisions
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import Clause, Measure, Select, Summary, parts_of
from stb_env.suites.worlds.oracle.careless import careless_solves
from stb_env.suites.worlds.oracle.requests import Memory
from stb_env.suites.worlds.oracle.solve import Solved, solve
from stb_env.suites.worlds.schema.kit import Life
from stb_env.suites.worlds.stats import mistakes
from stb_env.suites.worlds.tasks.making import drawer, kits
from stb_env.suites.worlds.world import Built, built

LEVELS = range(1, 7)
Attempt = tuple[Built, int, Drawn | None, Solved | None]


@pytest.fixture(scope="module")
def attempts() -> list[Attempt]:
    """Draws of every level in a world of each of three kits, with the oracle's plans."""
    made: list[Attempt] = []
    for kit in kits()[:3]:
        world, memory = built(f"{kit}-17"), Memory()
        for level in LEVELS:
            for attempt in range(10):
                drawn = drawer(world.key).draw(level, rng("levels", kit, level, attempt))
                solved = None if drawn is None else solve(world, drawn.goal, *CALLS[level], memory)
                if drawn is not None and solved is not None:
                    drawn = decided(drawn, solved, world.blueprint)
                made.append((world, level, drawn, solved))
    return made


@pytest.mark.heavy
def test_most_draws_are_of_their_level(attempts: list[Attempt]) -> None:
    for level in LEVELS:
        tries = [each for each in attempts if each[1] == level]
        landed = sum(
            drawn is not None and solved is not None and fits(level, solved.calls, drawn.decisions)
            for _, _, drawn, solved in tries
        )
        assert landed >= len(tries) // 2, (level, landed, len(tries))


@pytest.mark.heavy
def test_estimates_are_near_what_the_oracle_takes(attempts: list[Attempt]) -> None:
    near = played = 0
    for world, _, drawn, solved in attempts:
        if drawn is not None and solved is not None:
            played += 1
            near += abs(Costs(world).cost(drawn.goal).calls - solved.calls) <= max(1, solved.calls // 10)
    assert near >= 0.9 * played > 60


@pytest.mark.heavy
def test_decisions_are_rows_that_the_plan_decides(attempts: list[Attempt]) -> None:
    for world, level, drawn, solved in attempts:
        if drawn is None or solved is None:
            continue
        judged = sum(len(rows) for rows in solved.judged.values())
        assert drawn.decisions <= judged + len(parts_of(drawn.goal))
        if level >= 5 and fits(level, solved.calls, drawn.decisions):
            assert judged >= 24
        assert decisions(drawn.goal, world.blueprint, {}) <= len(parts_of(drawn.goal))


def told(worlds: int = 40) -> tuple[Built, str, str]:
    """Return a world with a list that tells a total and has an order, its entity, and what it orders by."""
    for seed in range(worlds):
        world = built(f"vet_clinic-{seed}")
        for entity in world.blueprint.entities:
            listing = world.by_kind["list", entity, ""]
            listed = world.tools.get(listing.tool.name)
            if listed is listing and world.codec.style(entity).total and listing.sorts:
                return world, entity, listing.sorts[0].attribute
    raise AssertionError("no list tells a total and has an order")


@pytest.mark.parametrize("kind", ["greatest", "least"])
def test_a_total_and_an_order_take_one_call(kind: str) -> None:
    world, entity, path = told()
    measures = (Measure("count"), Measure("greatest" if kind == "greatest" else "least", path))
    goal = Summary(Select(entity), measures)
    solved = solve(world, goal)
    expected = evaluate(goal, world.blueprint, State())
    assert solved is not None
    assert (solved.calls, solved.answer) == (1, expected.answer)
    assert Costs(world).cost(goal).calls == 1
    for rows in expected.support.values():
        assert all(solved.state.shown[owner] >> number & 1 for owner, number in rows)


def test_a_filter_takes_decisions_away() -> None:
    world, entity, path = told()
    attributes = world.blueprint.entities[entity].attributes
    listing = world.by_kind["list", entity, ""]
    served = {each.field.attribute for each in listing.filters if each.op == "="}
    counted: Mapping[bool, list[int]] = {True: [], False: []}
    for name, attribute in attributes.items():
        if isinstance(attribute, Life):
            goal = Summary(
                Select(entity, (Clause(name, "=", 0),)), (Measure("count"), Measure("least", path))
            )
            solved = solve(world, goal)
            if solved is not None:
                counted[name in served].append(decisions(goal, world.blueprint, solved.judged))
    rows = len(world.blueprint.data.rows[entity])
    assert all(count == 0 for count in counted[True])
    assert all(count == rows for count in counted[False])


@pytest.mark.heavy
def test_a_draw_is_quick() -> None:
    """The aim with all checks is 15 ms at levels 1 to 4 and 60 ms above; the test allows ten times that."""
    world = built("container_port-23")
    own = GoalDrawer(world.blueprint, Costs(world))
    own.draw(4, rng("warm"))
    for level, limit in ((2, 0.15), (4, 0.15), (6, 0.6)):
        memory, taken, landed = Memory(), 0.0, 0
        for attempt in range(8):
            begun = time.process_time()
            drawn = own.draw(level, rng("quick", level, attempt))
            solved = None if drawn is None else solve(world, drawn.goal, *CALLS[level], memory)
            taken += time.process_time() - begun
            landed += solved is not None
        assert taken < limit * max(1, landed)


@pytest.mark.heavy
def test_mistakes_seldom_solve_hard_tasks() -> None:
    shares = mistakes([built(f"{kit}-{seed}") for kit in kits()[:2] for seed in range(60, 63)])
    assert {"ignores a rule", "drops a clause", "reads the first page alone"} <= shares.keys()
    for name, share in shares.items():
        assert set(share) == {"drawn", "kept"}
        assert share["kept"] is None or share["kept"] <= 0.4, name


@pytest.mark.heavy
def test_who_reads_one_page_or_takes_the_first_hit_is_wrong() -> None:
    solves: dict[str, list[bool]] = {}
    for kit in kits()[:3]:
        world = built(f"{kit}-5")
        for level in (1, 3):
            for attempt in range(12):
                drawn = drawer(world.key).draw(level, rng("careless", kit, level, attempt))
                solved = None if drawn is None else solve(world, drawn.goal)
                if drawn is not None and solved is not None:
                    for name, right in careless_solves(world, drawn.goal, solved, drawn.expected).items():
                        solves.setdefault(name, []).append(right)
    first_hit, first_page = solves["takes the first search hit"], solves["reads the first page alone"]
    assert len(first_hit) > 5
    assert sum(first_hit) <= 0.2 * len(first_hit)
    assert sum(first_page) <= 0.4 * len(first_page)


def test_clauses_of_a_world_are_kept() -> None:
    blueprint = built("vet_clinic-3").blueprint
    assert clauses_of(blueprint) is clauses_of(blueprint)
    entity = next(iter(blueprint.entities))
    label = blueprint.entities[entity].label
    clause = Clause(label, "=", blueprint.data.rows[entity][0][blueprint.entities[entity].columns[label]])
    assert clauses_of(blueprint).rows_of(entity, clause) == {0}
    assert clauses_of(blueprint).rows_of(entity, replace(clause, op="!=")) == set(
        range(1, len(blueprint.data.rows[entity]))
    )
