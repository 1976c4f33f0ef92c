"""What the calls returned explains a value beside the right one, and tells of whom a value is."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.disclaimers import disclaims
from stb_env.suites.sandbox.mentions import read
from stb_env.suites.sandbox.records import Records
from stb_env.suites.sandbox.subjects import elsewhere
from stb_env.tools import ToolResult
from stb_env.trajectory import CallRecord

BISTRO = {"name": "The Blue Fig", "opens": "17:30", "closes": "23:45", "seats": 43}
AGENTS = {
    "results": [
        {"agent": "Ada Norr", "open": 28},
        {"agent": "Ben Quill", "open": 14},
        {"agent": "Cleo Marsh", "open": 10},
        {"agent": "Dov Ferrant", "open": 31},
    ]
}
ACCOUNTS = {"accounts": [{"kind": "savings", "balance": 900.5}, {"kind": "holiday", "balance": 1250.25}]}
CLOSING = facts.time("closing time", "23:45", others=["17:30"])
AGENT = facts.name("agent", "Ada Norr", others=["Ben Quill", "Cleo Marsh", "Dov Ferrant"])
BALANCE = facts.number("balance", 1250.25, others=[900.5])


def calls(response):
    return [CallRecord("0", "look_up", {}, ToolResult.of(response, source="world"))]


def failure(fact, answer, response):
    return facts.failure(fact, answer, "Which is it?", (), Records(calls(response)))


def test_a_value_under_its_own_name_is_no_rival():
    assert not failure(CLOSING, "It stays open until 23:45 (it opens at 17:30).", BISTRO)


@pytest.mark.parametrize(
    "answer", ["It closes at 23:45 or 17:30.", "It closes at 23:45. Actually, it is 17:30.", "23:45, 17:30."]
)
def test_a_value_that_is_offered_in_place_of_the_right_one_is_a_rival(answer):
    assert failure(CLOSING, answer, BISTRO)


def test_runners_up_with_their_own_figures_are_no_rivals():
    answer = "It went to Ada Norr. She has 28, ahead of Ben Quill with 14 and Cleo Marsh with 10."
    assert not failure(AGENT, f"{answer} Dov Ferrant with 31 is away.", AGENTS)


def test_a_list_of_all_records_picks_none():
    answer = "Ada Norr 28; Ben Quill 14; Cleo Marsh 10; Dov Ferrant 31."
    assert failure(AGENT, answer, AGENTS) == ('wanted Ada Norr, read as well Dov Ferrant: "dov ferrant 31"')


def test_without_records_nothing_is_explained():
    assert failure(CLOSING, "It stays open until 23:45 (it opens at 17:30).", {})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("The holiday account holds 1250.25 AUR.", ""),
        ("It holds 1250.25 AUR, more than the savings account.", ""),
        (
            "The savings account holds 1250.25 AUR.",
            'read it of savings: "the savings account holds 1250.25 aur"',
        ),
    ],
)
def test_a_value_is_said_of_the_record_that_has_it(answer, told):
    made = calls(ACCOUNTS)
    query = "What does my holiday account hold?"
    assert elsewhere(answer, query, [BALANCE], Records(made)) == told


def test_values_of_one_record_are_a_pair():
    text = read("7.61 on 29 august, 7.45 on 28 august", "")
    rows = {"rows": [{"day": "2025-08-29", "close": 7.61}, {"day": "2025-08-28", "close": 7.45}]}
    records = Records(calls(rows))
    assert records.pair(text.folded, 0, 17)
    assert not records.pair(text.folded, 0, len(text.folded))


def test_another_value_with_the_label_of_the_fact_takes_its_place():
    gap = facts.number("gap", 798, unit="m")
    told = "Ulm lies at 798 m and Bonn at 1471 m, so the gap between them is 612 m."
    assert failure(gap, told, {}) == (
        'wanted 798 m, read 612 m in its place: "so the gap between them is 612 m."'
    )
    assert not failure(gap, "The gap is 798 m: Ulm lies at 2269 m, Bonn at 1471 m.", {})


ROW = "The branches close at 18:00, 23:45 and 17:30"
AUTHOR = facts.names("authors", ["Ada Norr", "Ben Quill"])


def test_a_row_of_values_behind_which_one_is_told_again_only_shows_the_others():
    assert not failure(CLOSING, f"{ROW}, so the last one closes at 23:45.", {})


@pytest.mark.parametrize("answer", [f"{ROW}.", f"It is 23:45. {ROW}."])
def test_a_row_of_values_that_comes_last_picks_none(answer):
    assert failure(CLOSING, answer, {})


def test_a_cell_under_another_head_is_no_rival():
    assert not failure(CLOSING, "| Opens | Closes |\n|---|---|\n| 17:30 | 23:45 |", {})


def test_a_clause_of_a_contrary_sense_is_of_something_else():
    assert not failure(CLOSING, "Its closing time is 23:45, its opening time 17:30.", {})


def test_names_may_stand_with_the_last_word_first():
    assert not failure(AUTHOR, "The authors: Norr, Ada; Quill, Ben.", {})


def test_names_of_two_people_are_not_one_turned_round():
    assert failure(AUTHOR, "By Bo Norr, Ada Quill, Ben Hull.", {}) == (
        "wanted Ada Norr, Ben Quill, read no such name"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "The balance is 1250.25. I have no quote for the holiday account.",
        "The balance is 1250.25. The holiday account is not on record.",
    ],
)
def test_a_value_of_which_nothing_tells_is_said_of_something_else(answer):
    assert disclaims(read(answer, "What does the holiday account hold?"), "", [BALANCE]).startswith(
        'read that it is not known: "'
    )


@pytest.mark.parametrize(
    "answer",
    [
        "The balance is 1250.25. I have no information about interest.",
        "The balance is 1250.25. I found no other holiday account.",
    ],
)
def test_what_nobody_asked_for_may_be_unknown(answer):
    assert not disclaims(read(answer, "What does the holiday account hold?"), "", [BALANCE])
