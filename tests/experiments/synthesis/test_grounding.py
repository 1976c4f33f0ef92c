"""Arguments of written calls come from the dialogue: the tester refuses made-up ones, with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from stb_env.core.request import drive
from stb_env.experiments.synthesis import Pipeline
from stb_env.experiments.synthesis.dialogue import Call, Turn
from stb_env.experiments.synthesis.grounding import Known, ungrounded
from stb_env.experiments.synthesis.roles import Tester
from tests.experiments.synthesis.replies import APIS, scene

TODAY = date(2031, 5, 4)
SAID = (
    "I'm Ann Berg. Two seats from Brest on May 9 at half past four, please; "
    "translate 'good day' into French. "
    "Spend at most $1,250.50, heat to 21 degrees Celsius, and add 3 and 4."
)
RETURNED = '{"booking": "B-77", "seats": [12, 14], "harbour": "Le Palais"}'


HELD = {
    "names": ["Ann Berg", "berg ann", "BREST", "good day", "fr", "B-77"],
    "numbers": [2, 2.0, 1250.5, [12, 14], {"seat": 12, "harbour": "Le Palais"}, "3+4", 69.8],
    "times": ["2031-05-09", "2031-05-09 16:30:00", "16:30", "2031-05-04"],
    "nothing": [True, None, ""],
}
MADE_UP = {
    "names": ["Ann Bergman", "Nantes", "Bre", "de", "B-7", "B-78", "ann.berg@example.com"],
    "numbers": [5, 125, [12, 15], {"seat": 12, "harbour": "Sauzon"}, "3+5"],
    "times": ["2031-05-10", "2031-05-09 18:30:00", "2031-13-40", "18:45"],
}


@pytest.mark.parametrize("value", [value for values in HELD.values() for value in values])
def test_what_was_said_or_returned_is_grounded_in_any_equal_form(value):
    assert Known(f"It is today. {SAID}", RETURNED, TODAY).holds(value)


@pytest.mark.parametrize("value", [value for values in MADE_UP.values() for value in values])
def test_what_nobody_said_is_not(value):
    assert not Known(SAID, RETURNED, TODAY).holds(value)


def test_a_message_is_composed_around_what_was_said():
    known = Known("Tell Bob that the crossing to Brest is late, at 7 pm in place of 5 pm.", "", TODAY)
    assert known.holds("Hello Bob, the crossing to Brest is late: 7 pm in place of 5 pm.")
    assert not known.holds("Hello Bob, the crossing to Nantes is late: 7 pm in place of 5 pm.")
    assert not known.holds("Hello Bob, the crossing to Brest is late: 8 pm in place of 5 pm.")


def asked(*calls: Call) -> list[str]:
    turn = Turn("Is there a ferry from Brest?", calls, "Yes.")
    return list(ungrounded([turn], tuple(APIS.values()), "2031-05-04 08:00:00"))


def test_a_later_call_may_use_what_an_earlier_one_returned_and_no_earlier_one_what_a_later_does():
    tides = Call("TideTable", {"harbour": "Brest"}, {"high_water": "06:10", "seats": 9})
    ferry = Call("BookFerry", {"harbour": "Brest", "seats": 9}, {"booking": "B7"})
    assert asked(tides, ferry) == []
    assert asked(ferry, tides) == [
        "9 for seats of BookFerry is said by no user, no earlier result and no default"
    ]


def test_what_a_search_finds_grounds_nothing():
    found = {"name": "BookFerry", "description": "For instance harbour 'Sauzon' with 9 seats."}
    search = Call("ToolSearcher", {"keywords": "boats"}, found)
    assert len(asked(search, Call("BookFerry", {"harbour": "Sauzon", "seats": 9}, {}))) == 2


@pytest.mark.parametrize(
    ("told", "held"),
    [
        ("Which scale. One of: low, spring, neap.", True),
        ("Which scale, defaults to neap.", True),
        ("Which scale, for instance neap.", False),
    ],
)
def test_a_default_or_choice_of_the_api_is_grounded_and_an_example_is_not(told, held):
    scale = {"type": "str", "description": told}
    api = replace(APIS["TideTable"], inputs={"scale": scale})
    turn = Turn("High water?", (Call("TideTable", {"scale": "neap"}, {}),), "At six.")
    assert (list(ungrounded([turn], (api,), "")) == []) == held


@pytest.mark.parametrize("keep", [True, False])
def test_the_tester_drops_what_was_made_up_whatever_its_author_says(keep: bool):
    turn = Turn("High water in Brest?", (Call("TideTable", {"harbour": "Nantes"}, {}),), "At six.")
    draft = json.dumps({"keep": keep, "reasons": [] if keep else ["dull"]})
    review = Tester().read(replace(scene(), turns=(turn,)), draft).review
    assert review is not None
    assert not review.keep
    assert review.reasons[-1] == (
        "'Nantes' for harbour of TideTable is said by no user, no earlier result and no default"
    )


def test_the_tester_keeps_what_is_grounded():
    turn = Turn("High water in Brest?", (Call("TideTable", {"harbour": "Brest"}, {}),), "At six.")
    review = Tester().read(replace(scene(), turns=(turn,)), '{"keep": true, "reasons": []}').review
    assert review is not None
    assert review.keep


def test_few_dialogues_that_code_wrote_are_refused():
    pipeline = Pipeline.offline(seed=3)
    written = [drive(pipeline.dialogue(index, [])) for index in range(60)]
    refused = [one for one in written if list(ungrounded(one.turns, one.apis, one.time))]
    assert len(refused) <= 3
