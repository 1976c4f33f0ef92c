"""Requests in words: whole sentences in which every value stands, with many ways to say each clause."""

from __future__ import annotations

import re

import pytest

from stb_env.seeding import rng
from stb_env.suites.worlds.data.blueprint import Blueprint, draw_world
from stb_env.suites.worlds.data.conditions import is_unclear_at
from stb_env.suites.worlds.drawing.draw_goal import GoalDrawer
from stb_env.suites.worlds.goals.goal import (
    Clause,
    ForEach,
    Goal,
    Group,
    Listing,
    Lookup,
    Related,
    Select,
    Summary,
    Tally,
    selections,
)
from stb_env.suites.worlds.goals.goal import Measure as Figure
from stb_env.suites.worlds.schema.actions import Condition
from stb_env.suites.worlds.schema.kit import Flag, shipped_kit
from stb_env.suites.worlds.schema.nouns import fill, is_plural, with_article
from stb_env.suites.worlds.words.phrases import Phrases, several
from stb_env.suites.worlds.words.query import query

KITS = ("vet_clinic", "container_port", "museum_loans")


@pytest.mark.heavy
@pytest.mark.parametrize("kit", KITS)
def test_every_value_of_a_goal_stands_in_its_words(kit: str) -> None:
    blueprint = draw_world(4, shipped_kit(kit))
    drawer = GoalDrawer(blueprint)
    for level in range(1, 7):
        for attempt in range(25):
            drawn = drawer.draw(level, rng("words", kit, level, attempt))
            if drawn is None:
                continue
            said = query(drawn.goal, blueprint, rng("say", attempt))
            assert said == query(drawn.goal, blueprint, rng("say", attempt))
            assert re.fullmatch(r"[A-Z1(][^{}]*[.?]", said), said
            assert "  " not in said
            assert not re.search(r"\bthen [^.]*\. Then\b", said), said
            phrases = Phrases(blueprint, rng("say"))
            for select in selections(drawn.goal):
                for clause in select.clauses:
                    if isinstance(clause, Clause):
                        owner, name = blueprint.place(select.entity, clause.path)
                        if not isinstance(blueprint.entities[owner].attributes[name], Flag):
                            assert phrases.value(owner, name, clause.value) in said, (clause, said)
                    if isinstance(clause, Tally) and clause.bound is not None:
                        path = clause.measure.path
                        bound = (
                            phrases.value(clause.entity, path, clause.bound) if path else str(clause.bound)
                        )
                        assert f"than {bound}" in said, (clause, said)


def test_a_clause_is_said_in_six_ways_or_more() -> None:
    blueprint = draw_world(4, shipped_kit("vet_clinic"))
    goal = Summary(Select("visit", (Clause("fee", ">", 12300),)), (Figure("count"), Figure("total", "fee")))
    said = {
        re.sub(r"^.*?(?=visit|consult|appoint)", "", query(goal, blueprint, rng(each))) for each in range(99)
    }
    assert len(said) >= 12


@pytest.mark.parametrize(
    ("template", "slots", "said"),
    [
        (
            "A {case} waits for a {judge}.",
            {"case": "appeal", "judge": "arbiter"},
            "An appeal waits for an arbiter.",
        ),
        ("no {a} in an {office}", {"a": "artwork", "office": "studio"}, "no artwork in a studio"),
        ("on a {v} contract", {"v": "hourly"}, "on an hourly contract"),
        ("with a {v} card", {"v": "EU"}, "with a EU card"),
        ("for a {v} scan", {"v": "MRI"}, "for an MRI scan"),
        ("of a {v} kg load", {"v": "80"}, "of an 80 kg load"),
        ("of a {v} kg load", {"v": "100"}, "of a 100 kg load"),
        ("class A {v}", {"v": "ship"}, "class A ship"),
        ("Stop. An {v} is late.", {"v": "university"}, "Stop. A university is late."),
    ],
)
def test_an_article_suits_what_stands_in_the_slot_behind_it(
    template: str, slots: dict[str, object], said: str
) -> None:
    assert fill(template, slots) == said


def test_articles_and_plurals() -> None:
    assert with_article("insurance claim") == "an insurance claim"
    assert [with_article(each)[:2] for each in ("usher", "user", "unpaid fee", "union")] == [
        "an",
        "a ",
        "an",
        "a ",
    ]
    assert several("date of birth") == "dates of birth"
    assert several("delivery") == "deliveries"
    assert [is_plural(each) for each in ("lane metres", "hours a month", "sum claimed")] == [
        True,
        True,
        False,
    ]


@pytest.fixture(scope="module")
def blood_bank() -> Blueprint:
    return draw_world(1, shipped_kit("blood_bank"))


def _said(goal: Goal, blueprint: Blueprint) -> set[str]:
    return {query(goal, blueprint, rng("say", each)) for each in range(200)}


def test_no_pronoun_stands_behind_a_verbs_particle(blood_bank: Blueprint) -> None:
    goal = ForEach(
        Select("order", (Clause("litres", ">", 500), Clause("hospital.name", "=", 1))),
        "decline",
        None,
        (Figure("count"),),
    )
    said = _said(goal, blood_bank)
    assert not [each for each in said if re.search(r"\b(?:down|off|up) them all\b", each)]
    assert any("turn down all of them" in each for each in said)


def test_persons_are_no_it(blood_bank: Blueprint) -> None:
    donor, order = (
        _said(Lookup(Select(each, (Clause(label, "=", 1),)), (field,)), blood_bank)
        for each, label, field in (("donor", "name", "email"), ("order", "number", "needed"))
    )
    assert any("on record for them." in each for each in donor)
    assert any("on record for it." in each for each in order)
    assert not any("on record for it." in each for each in donor)


def test_words_of_figures_need_no_plural(blood_bank: Blueprint) -> None:
    tally = Tally("order", "hospital", (), Figure("total", "litres"), ">", 5000)
    said = _said(Listing(Select("hospital", (tally,)), "name"), blood_bank)
    assert all("combined" in each for each in said)


def test_a_relation_that_takes_many_words_stands_last() -> None:
    blueprint = draw_world(1, shipped_kit("food_bank"))
    related = Related("claim", "partner", (Clause("reply", "=", 0),), present=True)
    for said in _said(Listing(Select("partner", (related,)), "name"), blueprint):
        assert not re.search(r"\bopen\b[.?,]", said), said


def test_a_group_has_its_verb_before_many_words(blood_bank: Blueprint) -> None:
    rows = Select("order", (Clause("litres", ">", 500), Clause("hospital.distance", "<", 150)))
    for said in _said(Group(rows, "use", Figure("total", "litres"), most=True), blood_bank):
        assert not re.search(r"is the total [^:?]*(?:km|distant|away)[^:?]* highest", said), said


def test_phrases_with_a_verb_are_not_joined_to_others() -> None:
    blueprint = draw_world(1, shipped_kit("fire_brigade"))
    tally = Tally("incident", "building", (), Figure("count"), ">", 3)
    rows = Select("building", (Clause("sprinkler", "=", 0), tally))
    for said in _said(Listing(rows, "inspected"), blueprint):
        assert " and that " not in said, said


def test_a_figure_over_rows_that_a_verb_describes_has_a_verb_of_its_own(blood_bank: Blueprint) -> None:
    tally = Tally("order", "hospital", (Clause("status", "=", 0),), Figure("total", "litres"), ">", 5000)
    for said in _said(Listing(Select("hospital", (tally,)), "name"), blood_bank):
        if re.search(r"whose (?!combined)", said):
            assert " and whose combined " in said, said


def test_fewer_than_one_is_none(blood_bank: Blueprint) -> None:
    tally = Tally("order", "hospital", (), Figure("count"), "<", 1)
    for said in _said(Listing(Select("hospital", (tally,)), "name"), blood_bank):
        assert " no " in said, said
        assert "fewer" not in said, said


def test_what_limits_the_one_that_is_meant_is_no_news(blood_bank: Blueprint) -> None:
    clauses = tuple(Clause(path, "=", 0) for path in ("use", "standing", "status"))
    select = Select("order", (*clauses, Clause("litres", ">", 500), Clause("hospital.name", "=", 1)))
    said = _said(Lookup(select, ("number",)), blood_bank)
    assert any("I mean the only one " in each for each in said)
    for each in said:
        assert "It is one " not in each
        assert each.count("the only ") + each.count("the one ") == 1, each


def test_values_of_a_row_that_is_referred_to_are_not_of_the_row(blood_bank: Blueprint) -> None:
    goal = Lookup(Select("order", (Clause("number", "=", 1),)), ("hospital.distance", "hospital.code"))
    for said in _said(goal, blood_bank):
        assert not re.search(r"'s \w[\w ]* of ", said), said


def test_what_is_clear_on_a_bound() -> None:
    count = Condition(left="count(visit.pet)", op=">", right=3)
    assert not is_unclear_at(count, "Pets with more than 3 visits wait.", 3)
    assert not is_unclear_at(count, "Pets with more than three visits wait.", 3)
    assert is_unclear_at(count, "Pets with more than 30 visits wait.", 3)
    assert not is_unclear_at(count.model_copy(update={"right": 0}), "Pets with a visit wait.", 0)
    days = Condition(left="days(filed, today)", op=">", right=3)
    assert is_unclear_at(days, "Claims 3 days old wait.", 3)
    assert is_unclear_at(days.model_copy(update={"right": 0}), "Old claims wait.", 0)
    assert not is_unclear_at(days.model_copy(update={"op": "<="}), "Claims at most 3 days old wait.", 3)
