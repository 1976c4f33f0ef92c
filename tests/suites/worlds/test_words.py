"""Requests in words: whole sentences in which every value stands, with many ways to say each clause."""

from __future__ import annotations

import re

import pytest

from stb_env.seeding import rng
from stb_env.suites.worlds.data.blueprint import draw_world
from stb_env.suites.worlds.drawing.draw_goal import GoalDrawer
from stb_env.suites.worlds.goals.goal import Clause, Select, Summary, Tally, selections
from stb_env.suites.worlds.goals.goal import Measure as Figure
from stb_env.suites.worlds.schema.kit import Flag, shipped_kit
from stb_env.suites.worlds.words.phrases import Phrases, several, with_article
from stb_env.suites.worlds.words.query import query

KITS = ("vet_clinic", "container_port", "museum_loans")


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


def test_articles_and_plurals() -> None:
    assert with_article("insurance claim") == "an insurance claim"
    assert several("date of birth") == "dates of birth"
    assert several("delivery") == "deliveries"
