"""Values of an answer that the data do not have, or have of something else."""

import pytest

from stb_env.judges.facts import Facts
from stb_env.judges.mistakes import read_mistakes
from stb_env.reading.statement import statements

TEAMS = {
    "season": {"home_points": 41, "away_points": 17, "first_match": "2024-08-03"},
    "teams": [
        {"name": "Ferns", "coach": "Ada Holm", "goals": 12, "distance_km": 44.43},
        {"name": "Hawks", "coach": "Ivo Brandt", "goals": 31, "distance_km": 9.5},
    ],
    "page": "https://example.com/league-7",
    "note": "How 58 fans of the northern league travelled to the final.",
}


def mistake(text, query="How did the teams do?"):
    facts = Facts([TEAMS], query, query=query)
    found = read_mistakes(text, statements(text), facts).mistake
    return None if found is None else tuple(found)


@pytest.mark.parametrize(
    "text",
    [
        "The Hawks made 31 goals, the Ferns 12.",
        "The home points are 41, the away points 17.",
        "The first match was on 3 August 2024; see https://example.com/league-7.",
        "Ferns (coach Ada Holm): 12 goals. Hawks (coach Ivo Brandt): 31 goals.",
        "| Team | Goals | Coach |\n|---|---|---|\n| Ferns | 12 | Ada Holm |\n| Hawks | 31 | Ivo Brandt |",
        "The Ferns travelled 44.4 km, that is 27.6 miles.",
        "Both teams made 43 goals in total.",
        "The 2 teams have one coach each.",
        'The note reads "How 58 fans of the northern league travelled to the final."',
    ],
)
def test_what_the_data_bear_out_is_no_mistake(text):
    assert mistake(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("The Hawks made 32 goals.", "invented", "32"),
        ("The first match was on 4 August 2024.", "invented", "4 august 2024"),
        ("See https://example.com/league-8.", "invented", "https://example.com/league-8"),
        ("The Hawks are coached by Amber Thimble.", "invented", "amber thimble"),
        ("The Hawks made 31 goals. Then again, 43 were made.", "invented", "43"),
        ("The Ferns travelled 44.4 km, that is 31.6 miles.", "invented", "31.6"),
        ("The Hawks made 12 goals.", "misplaced", "12"),
        ("The home points are 17.", "misplaced", "17"),
        ("| Ferns | 31 | Ada Holm |", "misplaced", "31"),
        ("The Hawks made 58 goals.", "invented", "58"),
    ],
)
def test_a_value_from_nowhere_or_of_something_else_is_a_mistake(text, kind, value):
    assert mistake(text) == (kind, value)


def test_a_product_is_no_mistake_where_the_query_asks_for_so_many():
    assert mistake("That makes 36.", query="How many goals are 3 times those of the Ferns?") is None
    assert mistake("That makes 36.") == ("invented", "36")
