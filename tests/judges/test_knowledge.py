"""Which calls follow from the query and earlier results, and which were made for another query."""

import pytest

from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.judge import Case
from stb_env.judges.knowledge import Knowledge
from stb_env.judges.terms import tokens
from stb_env.request import drive
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolResult
from stb_env.trajectory import CallRecord

NOTHING = ToolResult.of({}, source="world")


def tool(**properties):
    return Tool("look", "", {"type": "object", "properties": properties})


def follows(query, arguments, known="", **properties):
    knowledge = Knowledge(query)
    knowledge.learn(known, tokens(known))
    return knowledge.follows(CallRecord("", "look", arguments, NOTHING), tool(**properties))


SORTS = [
    ("Where is the parcel QX418820NO for Bergen?", "QX418820NO", "PB773019NO"),
    ("Open the record 5b1c2f0e-88aa-4d1e-9a53-0c7be2f1d940 for Bergen.", *(
        "5b1c2f0e-88aa-4d1e-9a53-0c7be2f1d940", "d02e7a41-13bc-4c58-b1f6-7e9a44c0aa17"
    )),
    ("Who in Bergen has the customer number 4418820?", "4418820", "7730195"),
    ("Does 'ida@fjell.example' read mail in Bergen?", "ida@fjell.example", "post@fjell.example"),
    ("Read https://fjell.example/huts in Bergen.", "https://fjell.example/huts", "https://dal.example/huts"),
    ("Read www.fjell.example, it is of Bergen.", "www.fjell.example", "www.dal.example"),
    ("Turn bergen.png by 90 degrees.", "bergen.png", "frame5.bmp"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "own", "others"), SORTS)
def test_a_value_that_is_copied_and_not_made_up_is_the_querys_own(query: str, own: str, others: str):
    assert follows(query, {"what": own, "place": "Bergen"})
    assert follows(query, {"what": own.upper(), "place": "Bergen"})
    assert not follows(query, {"what": others, "place": "Bergen"})


@pytest.mark.parametrize(("query", "own", "others"), SORTS)
def test_a_value_that_an_earlier_call_returned_or_the_documentation_shows_is_no_invention(
    query: str, own: str, others: str
):
    arguments = {"what": others, "place": "Bergen"}
    assert follows(query, arguments, known=f'{{"next": "{others}"}}')
    assert follows(query, arguments, what={"type": "string", "default": others})
    assert follows(query, arguments, what={"type": "string", "example": others})


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("Is QX418820NO on the way to Bergen?", "bergen-2"),
        ("Is QX418820NO on the way to Bergen?", "4418820"),
        ("Which of the 44188 people of Bergen ski?", "7730195"),
        ("What is on in Bergen from 20240501 for a week?", "20240508"),
        ("What is on in Bergen from 2024-05-01 for a week?", "2024-05-08"),
        ("How far is 250km from Bergen?", "155miles"),
    ],
)
def test_a_value_of_another_sort_or_one_that_is_reckoned_may_be_new(query: str, what: str):
    assert follows(query, {"what": what, "place": "Bergen"})


def test_each_of_several_values_of_a_sort_follows():
    query = "Where are QX418820NO and PB773019NO?"
    assert follows(query, {"parcel": "QX418820NO"})
    assert follows(query, {"parcel": "PB773019NO"})
    assert not follows(query, {"parcel": "PB773019NO", "other": "LK100245NO"})


@pytest.mark.parametrize(
    "url", ["fjell.example/huts", "http://www.fjell.example/huts/", "https://fjell.example/huts/3"]
)
def test_an_address_may_be_spelt_otherwise_and_lead_further(url: str):
    assert follows("Read https://fjell.example/huts please.", {"url": url})


def test_a_parameter_for_addresses_takes_the_one_address_of_the_query_and_no_other_word_of_it():
    query = "What does the Nordlys shop at https://fjell.example sell?"
    assert follows(query, {"shop_url": "https://fjell.example"})
    assert follows(query, {"name": "Nordlys"})
    assert not follows(query, {"shop_url": "Nordlys"})
    assert follows(query, {"shop_url": "hut-of-stone-17"}, known='{"shop_url": "hut-of-stone-17"}')


def test_a_parameter_for_addresses_takes_no_word_that_is_nowhere():
    assert follows("Which shops sell skis?", {"url": "skis"})
    assert not follows("Which shops sell skis?", {"url": "API"})


def test_the_request_of_another_user_does_not_follow_and_ones_own_does():
    query = "I sort old films. Can you find films about lighthouses and tell me who directed them?"
    other = "I bake at home. Can you find recipes with rye, and tell me how long each bread is in the oven?"
    assert follows(query, {"q": query})
    assert follows(query, {"q": "Find old films about lighthouses. Tell who directed them."})
    assert not follows(query, {"q": other})


def test_the_right_words_about_another_parcel_do_not_pass():
    track = Tool(
        "track", "Tells where a parcel is.", {"type": "object", "properties": {"id": {"type": "string"}}}
    )
    task = Task("1", "Tell me the place and the status of parcel QX418820NO.", (track,), relevant=(track.id,))

    def status(parcel):
        found = ToolResult.of({"place": "Voss depot", "status": "sorted"}, source="cache")
        calls = (CallRecord("", "track", {"id": parcel}, found),)
        answer = "The place of the parcel is the Voss depot, and its status is: sorted."
        return drive(HeuristicJudge().judge(Case(task, answer, calls)))

    assert status("QX418820NO").status == "solved"
    assert status("PB773019NO").status == "unsolved"
    assert (
        status("PB773019NO").votes[0].reason == "guessed: none of 1 calls follows from the query or a result"
    )
