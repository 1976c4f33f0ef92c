"""Goals: what is drawn carries weight, cannot be guessed, and is the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import pytest

from stb_env.core.answers import form_problems
from stb_env.seeding import rng
from stb_env.suites.worlds.data.blueprint import Blueprint, draw_world
from stb_env.suites.worlds.data.facts import facts_at_start
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.drawing.draw_goal import Drawn, GoalDrawer, fits
from stb_env.suites.worlds.goals.answer_fields import answer_schema
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    ForEach,
    Goal,
    GoalError,
    Listing,
    Lookup,
    Make,
    Measure,
    Select,
    Several,
    Summary,
    Tally,
    Work,
    parts_of,
    selections,
)
from stb_env.suites.worlds.goals.mutants import clause_mutants, rule_mistakes
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.kit import Person, Title, shipped_kit
from stb_env.suites.worlds.world import build

KITS = ("vet_clinic", "container_port", "museum_loans")
LEVELS = range(1, 7)


@lru_cache(maxsize=len(KITS))
def draws(
    kit: str, seed: int = 3, tries: int = 25, levels: Sequence[int] = LEVELS
) -> list[tuple[Blueprint, int, Drawn]]:
    """Return what some draws of each level in one world kept."""
    blueprint = draw_world(seed, shipped_kit(kit))
    drawer = GoalDrawer(blueprint)
    found: list[tuple[Blueprint, int, Drawn]] = []
    for level in levels:
        for attempt in range(tries):
            drawn = drawer.draw(level, rng("goals", kit, seed, level, attempt))
            if drawn is not None:
                found.append((blueprint, level, drawn))
    return found


@pytest.fixture(scope="module", params=KITS)
def drawn_goals(request: pytest.FixtureRequest) -> list[tuple[Blueprint, int, Drawn]]:
    return draws(request.param)


@pytest.mark.heavy
def test_every_shape_is_drawn() -> None:
    shapes = Counter(type(drawn.goal).__name__ for kit in KITS for _, _, drawn in draws(kit))
    assert set(shapes) == {
        "Lookup",
        "Make",
        "Extreme",
        "Summary",
        "Group",
        "Difference",
        "Listing",
        "Change",
        "ForEach",
        "Work",
        "Several",
    }


@pytest.mark.heavy
def test_every_clause_carries_weight(drawn_goals: list[tuple[Blueprint, int, Drawn]]) -> None:
    for blueprint, _, drawn in drawn_goals:
        for mutant in clause_mutants(drawn.goal, blueprint):
            assert not mutant.solves(drawn.expected), (mutant.name, drawn.goal)


def test_answers_fit_their_schema(drawn_goals: list[tuple[Blueprint, int, Drawn]]) -> None:
    for blueprint, _, drawn in drawn_goals:
        schema = answer_schema(drawn.goal, blueprint)
        assert schema["required"] == list(drawn.expected.answer)
        assert list(form_problems(schema, drawn.expected.answer)) == []
        assert set(drawn.expected.support) == set(drawn.expected.answer)


def test_a_goal_is_either_read_or_changes_rows(drawn_goals: list[tuple[Blueprint, int, Drawn]]) -> None:
    for _, _, drawn in drawn_goals:
        changes = drawn.expected.state != State()
        assert changes == any(
            isinstance(part, Change | Make | ForEach | Work) for part in parts_of(drawn.goal)
        )


def test_thresholds_equal_no_value(drawn_goals: list[tuple[Blueprint, int, Drawn]]) -> None:
    for blueprint, _, drawn in drawn_goals:
        for select in selections(drawn.goal):
            for clause in select.clauses:
                if isinstance(clause, Clause) and clause.op in ("<", ">"):
                    assert clause.value not in facts_at_start(blueprint).column(select.entity, clause.path)


@pytest.mark.heavy
def test_rules_decide_where_a_queue_is_worked_off() -> None:
    wrong: Counter[tuple[str, str]] = Counter()
    stood: Counter[tuple[str, str]] = Counter()
    for kit in KITS:
        for seed in range(4):
            for blueprint, _, drawn in draws(kit, seed, tries=12, levels=(5, 6)):
                if isinstance(drawn.goal, Work):
                    for mistake in rule_mistakes(drawn.goal, blueprint):
                        stood[kit, mistake.kind] += 1
                        wrong[kit, mistake.kind] += mistake.wrong > 0
    for kind, count in stood.items():
        assert wrong[kind] / count >= 0.6, (kind, wrong[kind], count)


def test_requests_name_rows_that_another_looks_like() -> None:
    named, first_hits = 0, 0
    for kit in KITS:
        for blueprint, _, drawn in draws(kit, tries=60, levels=(1, 2)):
            if not isinstance(drawn.goal, Lookup) or len(drawn.goal.select.clauses) != 1:
                continue
            described = blueprint.entities[drawn.goal.select.entity]
            clause = drawn.goal.select.clauses[0]
            if isinstance(described.attributes[described.label], Person | Title) and isinstance(
                clause, Clause
            ):
                texts = blueprint.data.texts[drawn.goal.select.entity, described.label]
                wanted = texts[clause.value]
                first = next(at for at, text in enumerate(texts) if set(wanted.split()) <= set(text.split()))
                named += 1
                first_hits += first == clause.value
    assert named > 10
    assert first_hits / named <= 0.2


@pytest.mark.heavy
def test_draws_are_the_same_in_another_process() -> None:
    code = (
        "from tests.suites.worlds.test_goals import draws\n"
        "print([(level, each.goal, each.expected.answer) for _, level, each in draws('vet_clinic', 5, 6)])"
    )
    printed = set()
    for seed in ("0", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        made = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
        )
        printed.add(made.stdout)
    assert len(printed) == 1


# -- the evaluator against plain loops --------------------------------------------------------------


@pytest.fixture(scope="module")
def clinic() -> Blueprint:
    return draw_world(1, shipped_kit("vet_clinic"))


def column(blueprint: Blueprint, entity: str, name: str) -> list[int]:
    place = blueprint.entities[entity].columns[name]
    return [row[place] for row in blueprint.data.rows[entity]]


def test_a_summary_over_a_reference(clinic: Blueprint) -> None:
    born, pets = column(clinic, "pet", "born"), column(clinic, "visit", "pet")
    fees = column(clinic, "visit", "fee")
    bound = sorted(born)[len(born) // 2] + 1
    goal = Summary(
        Select("visit", (Clause("pet.born", "<", bound),)), (Measure("count"), Measure("total", "fee"))
    )
    right = [fee for fee, pet in zip(fees, pets, strict=True) if born[pet] < bound]
    expected = evaluate(goal, clinic, State())
    assert list(expected.answer.values()) == [len(right), sum(right) / 100]
    assert len(expected.support[next(iter(expected.answer))]) == len(right)


def test_rows_that_an_action_does_not_suit_are_an_error_or_skipped(clinic: Blueprint) -> None:
    goal = ForEach(Select("claim"), "deny", None, (Measure("count"),))
    with pytest.raises(GoalError, match="none that one can deny"):
        evaluate(goal, clinic, State())
    after = evaluate(goal, clinic, State(), skips=True).state
    life = clinic.entities["claim"].attributes["status"].values  # type: ignore[union-attr]
    denied = [each for each in column(clinic, "claim", "status") if life[each] in ("open", "under review")]
    assert len(after.changed["claim"]) == len(denied)


def test_a_list_names_each_value_once(clinic: Blueprint) -> None:
    expected = evaluate(Listing(Select("visit"), "pet.name"), clinic, State())
    (names,) = expected.answer.values()
    assert len(names) == len(set(names)) == len(set(column(clinic, "visit", "pet")))


@pytest.mark.parametrize(
    "goal",
    [
        Lookup(Select("pet"), ("weight",)),
        Listing(Select("pet", (Clause("weight", ">", 10**9),)), "name"),
    ],
)
def test_a_goal_without_one_answer_is_refused(clinic: Blueprint, goal: Goal) -> None:
    with pytest.raises(GoalError):
        evaluate(goal, clinic, State())


@pytest.mark.parametrize(
    ("level", "calls", "decisions", "fit"),
    [
        (1, 2, 0, True),
        (1, 3, 0, False),
        (4, 15, 5, False),
        (4, 15, 6, True),
        (6, 80, 24, True),
        (6, 81, 24, False),
    ],
)
def test_levels_have_floors(level: int, calls: int, decisions: int, fit: bool) -> None:
    assert fits(level, calls, decisions) == fit


def by_hand(blueprint: Blueprint, entity: str, clause: Tally) -> set[int]:
    """Return the rows that meet a tally without clauses, worked out row by row."""
    columns = blueprint.entities[clause.entity].columns
    met: set[int] = set()
    for number, row in enumerate(blueprint.data.rows[entity]):
        own = [
            each for each in blueprint.data.rows[clause.entity] if each[columns[clause.reference]] == number
        ]
        figure = (
            len(own) if not clause.measure.path else sum(each[columns[clause.measure.path]] for each in own)
        )
        bound = row[blueprint.entities[entity].columns[clause.path]] if clause.bound is None else clause.bound
        if (figure > bound) if clause.op == ">" else (figure < bound):
            met.add(number)
    return met


@pytest.mark.parametrize(
    ("entity", "clause"),
    [
        ("pet", Tally("visit", "pet", (), Measure("count"), ">", 3)),
        ("pet", Tally("visit", "pet", (), Measure("count"), "<", 1)),
        ("pet", Tally("visit", "pet", (), Measure("total", "fee"), ">", 60_000)),
        ("visit", Tally("claim", "visit", (), Measure("total", "amount"), ">", None, "fee")),
        ("visit", Tally("claim", "visit", (), Measure("total", "amount"), "<", None, "fee")),
    ],
)
def test_a_figure_over_the_rows_that_refer_to_a_row_is_held_against_a_bound(
    entity: str, clause: Tally
) -> None:
    blueprint = draw_world(3, shipped_kit("vet_clinic"))
    goal = Listing(Select(entity, (clause,)), blueprint.entities[entity].label)
    met = by_hand(blueprint, entity, clause)
    assert 0 < len(met) < len(blueprint.data.rows[entity])
    assert set(evaluate(goal, blueprint, State()).rows) == met
    solved = solve(build(blueprint.kit, 3), goal, most=400)
    assert solved is not None
    assert solved.answer == evaluate(goal, blueprint, State()).answer


@pytest.mark.heavy
def test_parts_of_a_request_are_independent_and_all_of_them_count() -> None:
    found = 0
    for kit in KITS:
        for blueprint, _, drawn in draws(kit):
            if not isinstance(drawn.goal, Several):
                continue
            found += 1
            backwards = evaluate(Several(drawn.goal.parts[::-1]), blueprint, State())
            assert backwards.answer == drawn.expected.answer
            for place, part in enumerate(drawn.goal.parts):
                others = Several((*drawn.goal.parts[:place], *drawn.goal.parts[place + 1 :]))
                left_out = evaluate(others, blueprint, State())
                assert len(left_out.answer) < len(drawn.expected.answer)
                alone = evaluate(part, blueprint, State())
                assert (left_out.state != drawn.expected.state) == (alone.state != State())
    assert found > 20
